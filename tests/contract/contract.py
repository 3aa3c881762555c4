"""Holds every exchange of a sandbox against GitHub's description, and keeps count of the operations used."""

from __future__ import annotations

from collections import Counter

from sandbox import ServedRequest
from tests.contract.openapi import Violation, load

USED: Counter[str] = Counter()
"""Valid exchanges of this process, by operation id."""


class Contract:
    """An observer for `Sandbox.observers`; `violations` must be empty at the end.

    With `strict`, requests that were refused must be valid too: a bot has no business sending anything else. Answers that a fault
    spoiled are not looked at, their requests are.
    """

    def __init__(self, *, strict: bool = True) -> None:
        self.description = load()
        self.strict = strict
        self.violations: list[str] = []

    def __call__(self, seen: ServedRequest) -> None:
        if self.description is None:
            return
        try:
            if self.strict or seen.fault:
                self.description.validate_request(seen.method, seen.path, seen.request, seen.query)
            if seen.fault or not seen.status:
                return
            found = self.description.validate(
                seen.method, seen.path, seen.status, seen.request, seen.answer, seen.query, seen.media
            )
            USED[found] += 1
            if found != seen.operation:
                self.violations.append(
                    f"{seen.method} {seen.path}: answered as {seen.operation}, GitHub calls it {found}"
                )
        except Violation as problem:
            self.violations.append(str(problem))

    def check(self) -> None:
        """Fail with every violation seen."""
        assert not self.violations, "\n".join(dict.fromkeys(self.violations))

"""The verdict on a set of findings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from recipediff.core.finding import Finding

VerdictState = Literal["pass", "fail", "not evaluated"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """`pass`, `fail`, or `not evaluated` with a reason code; never a pass for work that was not done."""

    state: VerdictState
    reason: str = ""
    """A reason code such as `upstream-unreachable`, empty unless not evaluated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What a check came to: findings in order, and how much was looked at."""

    findings: tuple[Finding, ...]
    looked_at: tuple[str, ...] = ()
    """The recipes (or tables, or files) that were evaluated."""
    notes: tuple[str, ...] = ()
    reason: str = ""
    """Why the work could not be done at all; empty where it was."""
    uncompared: frozenset[str] = frozenset()
    """Of `looked_at`, those of which nobody can say what differs; a finding says why."""
    noun: str = "recipe"
    """What one of `looked_at` is."""

    @property
    def verdict(self) -> Verdict:
        """`fail` for any finding that counts (errors and warnings), else `pass`."""
        if self.reason:
            return Verdict("not evaluated", self.reason)
        return Verdict("fail" if any(f.severity != "note" for f in self.findings) else "pass")

"""The existing name that a wrong one most likely means."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from functools import cached_property

MAX_NAMES = 5_000
"""Among more names than these only letter case is looked at: closeness takes time for each pair."""
MAX_LENGTH = 200


class Spelling:
    """Names that exist, to be asked about names that do not."""

    def __init__(self, names: Iterable[str]) -> None:
        self._given = names
        self._asked = 0

    @cached_property
    def _names(self) -> list[str]:
        return sorted(set(self._given))

    @cached_property
    def _folded(self) -> dict[str, str]:
        return {name.casefold(): name for name in reversed(self._names)}

    def same_but_case(self, name: str) -> str | None:
        """The name that differs from `name` in letter case only."""
        return self._folded.get(name.casefold())

    def close(self, name: str) -> str | None:
        """The name that is nearly `name`; None where nothing is near, or where looking would take long."""
        if len(self._names) > MAX_NAMES or len(name) > MAX_LENGTH or self._asked >= 50:
            return None
        self._asked += 1
        found = get_close_matches(name, self._names, 1, 0.85)
        return found[0] if found else None

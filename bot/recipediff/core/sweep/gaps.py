"""What an engine lacks, and who works on it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

GapKind = Literal["flag", "value", "architecture"]


@dataclass(frozen=True, slots=True)
class WantedGap:
    """One gap to look for. `setting` is the flag of a value (`reasoning_parser`)."""

    kind: GapKind
    name: str
    setting: str = ""

    def in_code(self, text: str) -> bool:
        """Whether lines of code name it. A parser's name is a common word, so there it has to stand in quotes."""
        if self.kind == "value":
            return re.search(rf"""["'`]{re.escape(self.name)}["'`]""", text) is not None
        return self._named(text)

    def in_prose(self, text: str) -> bool:
        """Whether a sentence names it; a value together with the flag that it belongs to."""
        if self.kind == "value" and re.search(_spelled(self.setting, "[-_ ]"), text, re.IGNORECASE) is None:
            return False
        return self._named(text)

    def _named(self, text: str) -> bool:
        name = _spelled(self.name.lstrip("-"), "[-_]") if self.kind == "flag" else re.escape(self.name)
        return re.search(rf"(?<![A-Za-z0-9_]){name}(?![A-Za-z0-9_-])", text) is not None


def _spelled(name: str, gap: str) -> str:
    """A flag's name with whatever stands between its words."""
    return gap.join(re.escape(part) for part in re.split("[-_]", name))


@dataclass(frozen=True, slots=True, kw_only=True)
class GapOwner:
    """Somebody works on a gap already."""

    kind: Literal["issue", "pull request"]
    number: int
    title: str
    url: str
    where: str = ""
    """What of it speaks of the gap: its title, its text, or a file of its diff."""


@dataclass(frozen=True, slots=True)
class Ownership:
    """Who works on which gap. A gap that was looked for and not found has no owners; `notes` say what was not looked at."""

    owners: Mapping[WantedGap, tuple[GapOwner, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

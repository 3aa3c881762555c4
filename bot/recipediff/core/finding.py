"""What a rule says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from recipediff.core.place import Place
from recipediff.core.setting import SettingKind

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Fix:
    """What to do: a sentence, and the edit where there is one.

    `replacement` stands in place of the span at `place`; where that has no column it is whole lines to be put after its
    line; without a `place` it is a snippet whose home a person has to find.
    """

    summary: str
    place: Place | None = None
    replacement: str | None = None

    @property
    def snippet(self) -> str:
        """What to add, as far as the fix adds anything."""
        place = self.place
        adds = place is None or not place.column or (place.end_line, place.end_column) == (place.line, place.column)
        return (self.replacement or "").lstrip(",\n") if adds else ""


@dataclass(frozen=True, slots=True)
class Related:
    """A second place that belongs to a finding, such as the line upstream."""

    message: str
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One finding. It cannot be built without a place. `rule` is an id of the catalogue (`recipediff.core.rules`).

    `key` tells two findings apart when lines move: the ratchet matches on `(rule, recipe, key)`.
    """

    rule: str
    severity: Severity
    recipe: str
    message: str
    place: Place
    kind: SettingKind | None = None
    setting: str = ""
    upstream: str | None = None
    ours: str | None = None
    detail: tuple[str, ...] = ()
    fix: Fix | None = None
    related: tuple[Related, ...] = ()
    key: str = ""
    line: str = ""
    """The text of the line at `place`, for reports that show it."""

    @property
    def identity(self) -> tuple[str, str, str]:
        """What makes this finding the same finding after an edit elsewhere in the file."""
        return (self.rule, self.recipe, self.key or f"{self.kind}:{self.setting}")

"""What a value may look like. A handful of shapes is all that a tested recipe needs."""

from __future__ import annotations

import re
from dataclasses import dataclass

MALFORMED = "malformed-recipe"


@dataclass(frozen=True, slots=True)
class Text:
    """Text. `pattern` is a regular expression that Python and ECMA 262 read alike; `wants` says it in words."""

    pattern: str = ""
    wants: str = ""
    values: tuple[str, ...] = ()
    """The closed list, where there is one."""
    empty: bool = False
    """Whether the empty text says something."""

    def fits(self, text: str) -> bool:
        """Whether `text` is one of these; a closing `$` does not let a line break slip by, as Python's would."""
        if self.values:
            return text in self.values
        if not text and not self.empty:
            return False
        if not self.pattern:
            return True
        return re.search(self.pattern, text) is not None and not (self.pattern.endswith("$") and text.endswith("\n"))


@dataclass(frozen=True, slots=True)
class Number:
    """A number of at least `least` (more than it where `above`)."""

    least: int = 0
    whole: bool = True
    above: bool = False
    wants: str = ""


@dataclass(frozen=True, slots=True)
class Switch:
    """True or false."""

    wants: str = "true or false"


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of one shape."""

    item: Shape
    wants: str = ""


@dataclass(frozen=True, slots=True)
class MapOf:
    """A mapping from names of one shape to values of one shape."""

    key: Text
    value: Shape
    wants: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """A mapping with known keys, and no others."""

    fields: tuple[Field, ...]
    wants: str = ""

    def field(self, name: str) -> Field | None:
        """The field called `name`, or None."""
        return next((field for field in self.fields if field.name == name), None)


Shape = Text | Number | Switch | ListOf | MapOf | Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One key of a record. `doc` is what an editor shows beside it.

    `rule` is the rule that speaks where the value is missing or does not fit its pattern. Where that is not
    `malformed-recipe`, the reader leaves both to that rule (`recipediff.checks.recipes.rules`) and looks at the type alone.
    """

    name: str
    shape: Shape
    doc: str
    required: bool = False
    rule: str = MALFORMED
    add: str = ""
    """What to write where it is missing."""
    several: str = ""
    """The rule that speaks where a list stands in place of the one value, for what must be one."""
    also: tuple[str, ...] = ()
    """What other recipe formats call it, for the hint beside an unknown key."""
    examples: tuple[str | int | float, ...] = ()

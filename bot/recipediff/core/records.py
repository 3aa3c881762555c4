"""What is declared about keyed records: the tables, what points at their rows, and which counts they own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from recipediff.core.place import Place, Problem

CONFIG_FILE = Place(file=".github/recipediff.yml")
MAX_RULES = 200
"""Tables, references and counts that one configuration may declare together."""
NUMBER = "{n}"
"""Stands in the text of a `CountRule` where the number is."""
BLANK = "—"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRule:
    """The tables that define keys: those in `file` under `heading` that have a column named `key`.

    `file` is a path pattern; `heading` a pattern for the text of the nearest heading above, empty for any; `key` the
    header's text. Tables with one `space` share their keys; without a name each rule is a space of its own.
    `pattern` is the shape (`*`, `?`) that every key must have.
    """

    file: str
    key: str
    heading: str = ""
    space: str = ""
    pattern: str = ""
    place: Place = CONFIG_FILE

    @property
    def name(self) -> str:
        """The space that the rule's tables belong to."""
        return self.space or (f"{self.file} § {self.heading}" if self.heading else self.file)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceRule:
    """What must name a row of `space`: the cells of a `column` in the tables of `file` (under `heading`), or, without
    a column, every code span in `file` that fits `pattern`.

    In a column, each code span of a cell is a reference (those that fit `pattern`, where one is given); a cell
    without code spans is one reference as a whole. `—` and an empty cell point at nothing.
    """

    file: str
    space: str
    column: str = ""
    heading: str = ""
    pattern: str = ""
    place: Place = CONFIG_FILE


@dataclass(frozen=True, slots=True, kw_only=True)
class CountOwner:
    """Where a number comes from: the rows of `space`, all of them or those whose `column` reads as the pattern `value` says.

    With `file`, only the rows that stand in files of that pattern, and with `heading`, under such headings.
    """

    space: str
    column: str = ""
    value: str = ""
    file: str = ""
    heading: str = ""


@dataclass(frozen=True, slots=True)
class CountRule:
    """A copy of a number that a table owns: `text`, with `{n}` for the number, as it reads in `file`.

    In a table the cells of a row are divided by ` | `, as in `Total | {n}`."""

    file: str
    text: str
    owner: CountOwner
    place: Place = CONFIG_FILE


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordsConfig:
    """The `records:` part of `.github/recipediff.yml`. Without tables, `links` or `anchors` there is nothing to do."""

    tables: tuple[TableRule, ...] = ()
    references: tuple[ReferenceRule, ...] = ()
    counts: tuple[CountRule, ...] = ()
    links: bool = False
    anchors: bool = False
    files: tuple[str, ...] = ("*.md", "**/*.md")
    """The Markdown files whose links and anchors are looked at."""
    roots: tuple[str, ...] = ()
    """Path patterns of this repository's own files, for anchors: one that fits and does not exist is stale.
    Any other unknown path is taken for a file of another repository."""
    spaces: frozenset[str] = field(init=False, default=frozenset())

    def __post_init__(self) -> None:
        object.__setattr__(self, "spaces", frozenset(rule.name for rule in self.tables))

    def __bool__(self) -> bool:
        """Whether anything is declared that could be looked at."""
        return bool(self.tables or self.references or self.counts or self.links or self.anchors)

    def usable(self) -> RecordsConfig:
        """The declarations without those that `problems` names."""
        wrong = {problem.place for problem in self.problems()}
        return replace(
            self,
            tables=tuple(rule for rule in self.tables if rule.place not in wrong),
            references=tuple(rule for rule in self.references if rule.place not in wrong),
            counts=tuple(rule for rule in self.counts if rule.place not in wrong),
        )

    def problems(self) -> Iterator[Problem]:
        """What in the declarations themselves cannot be used."""
        rules = [t.place for t in self.tables] + [r.place for r in self.references] + [c.place for c in self.counts]
        if len(rules) > MAX_RULES:
            message = f"{len(rules):,} declarations are more than the {MAX_RULES} that are read"
            yield from (Problem(message, place, "say it with path patterns") for place in rules[MAX_RULES:])
        for table in self.tables:
            if not table.file or not table.key:
                yield Problem(
                    "a table needs `file` and `key`", table.place, "name the file and the key column's header"
                )
        for reference in self.references:
            yield from self._space(reference.space, reference.place, "reference")
            if not reference.file or not (reference.column or reference.pattern):
                message = "a reference needs `file`, and `column` or `pattern`"
                yield Problem(message, reference.place, "name the column, or the shape of the ids")
        for count in self.counts:
            yield from self._space(count.owner.space, count.place, "count")
            if count.text.count(NUMBER) != 1 or not count.text.replace(NUMBER, "").strip():
                message = f"the text “{count.text}” of a count needs {NUMBER} once, with words around it"
                yield Problem(message, count.place, f"write it as in the file, with {NUMBER} for the number")
            if bool(count.owner.column) != bool(count.owner.value):
                yield Problem("the owner of a count needs `column` and `value` together", count.place, "add the other")

    def _space(self, space: str, place: Place, what: str) -> Iterator[Problem]:
        if space not in self.spaces:
            known = ", ".join(sorted(self.spaces)) or "none"
            yield Problem(f"the {what} names the key space “{space}”, which no table has", place, f"declared: {known}")

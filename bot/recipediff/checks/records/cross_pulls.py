"""The same new key in two open pull requests: git merges both cleanly, and the table then defines it twice.

Only something that looks at several pull requests at once can see it, before either merges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from recipediff.checks.records.edits import RowEdit, row_edit
from recipediff.checks.records.rows import KeyedRow, Rows, column_of, heading_fits, key_text, read_rows
from recipediff.checks.records.snapshot import FileContents, Library
from recipediff.core.finding import Finding, Fix, Related
from recipediff.core.place import Place, Unreadable
from recipediff.core.records import BLANK, RecordsConfig
from recipediff.core.verdict import Evaluation
from recipediff.parse.globs import matches
from recipediff.parse.markdown import Markdown
from recipediff.parse.markdown.tables import split_row

SHOWN = 5


@dataclass(frozen=True, slots=True)
class OpenPull:
    """One open pull request: the files that it changes, before (at its merge base) and after."""

    base: FileContents
    head: FileContents


@dataclass(frozen=True, slots=True)
class Added:
    """A key that a pull request adds to a space, and where."""

    space: str
    key: str
    place: Place
    line: str


def cross_pulls(
    pulls: Mapping[int, OpenPull], config: RecordsConfig, library: Library | None = None
) -> dict[int, Evaluation]:
    """For each pull request, the keys that it adds and another one adds too, naming the other.

    A file of a pull request that cannot be read is named in every note, since its keys are not known; that pull
    request's own check fails for it. A `library` that a check has read from already saves reading the bases again.
    """
    problems = tuple(str(problem) for problem in config.problems())
    if problems:
        return dict.fromkeys(pulls, Evaluation(findings=(), notes=problems, reason="config-invalid"))
    bases = _Bases(config, library or Library())
    adders: dict[tuple[str, str], dict[int, Added]] = {}
    notes: list[str] = []
    for number in sorted(pulls):
        for added in _added(pulls[number], config, bases, number, notes):
            adders.setdefault((added.space, added.key), {}).setdefault(number, added)
    findings: dict[int, list[Finding]] = {number: [] for number in sorted(pulls)}
    for group in adders.values():
        if len(group) > 1:
            for number, added in group.items():
                findings[number].append(_finding(added, {n: other for n, other in group.items() if n != number}))
    looked_at = (f"{len(pulls)} open pull requests",)
    return {
        number: Evaluation(
            findings=tuple(sorted(found, key=lambda f: (f.place, f.key))), looked_at=looked_at, notes=tuple(notes)
        )
        for number, found in findings.items()
    }


@dataclass(eq=False)
class _Bases:
    """The tables before the pull requests, each file read once, however many pull requests share it."""

    config: RecordsConfig
    library: Library
    _rows: dict[tuple[str, bytes], Rows] = field(default_factory=dict)

    def rows(self, path: str, data: bytes) -> Rows:
        """The rows of one file."""
        key = (path, data)
        if key not in self._rows:
            self._rows[key] = read_rows({path: data}, self.config, self.library)
        return self._rows[key]

    def document(self, path: str, data: bytes) -> Markdown | Unreadable:
        """One file."""
        return self.library.get(path, data)


def _added(pull: OpenPull, config: RecordsConfig, bases: _Bases, number: int, notes: list[str]) -> Iterator[Added]:
    """The keys that the head of a pull request defines and its base does not."""
    declared = [
        path for path in sorted({*pull.base, *pull.head}) if any(matches(path, (t.file,)) for t in config.tables)
    ]
    before = [bases.rows(path, pull.base[path]) for path in declared if path in pull.base]
    known = {space: [rows.keys(space) for rows in before] for space in config.spaces}
    for path in declared:
        data, old = pull.head.get(path), pull.base.get(path)
        if data is None or data == old:
            continue
        base = None if old is None else bases.document(path, old)
        edit = row_edit(old, data, base) if old is not None and isinstance(base, Markdown) else None
        if edit is not None and isinstance(base, Markdown):
            found = _in_edit(base, edit, config)
        else:
            found = _in_file(path, data, config, number, notes)
        for space, key, add in found:
            if not any(key in keys for keys in known[space]):
                yield add()


AddedLookup = tuple[str, str, Callable[[], Added]]
"""Space, key, and how to describe the row; most rows are known, and need no description."""


def _in_file(path: str, data: bytes, config: RecordsConfig, number: int, notes: list[str]) -> Iterator[AddedLookup]:
    """The keys of all rows of a file."""
    library = Library()
    read = library.get(path, data)
    if isinstance(read, Unreadable):
        notes.append(f"pull request #{number}: its keys are not known, since {read.problem}")
        return
    for space, keyed in read_rows({path: data}, config, library).spaces.items():
        for key, rows in keyed.items():
            yield space, key, partial(_of_row, space, rows[0])


def _of_row(space: str, row: KeyedRow) -> Added:
    return Added(space, row.key, row.place, row.text)


def _in_edit(document: Markdown, edit: RowEdit, config: RecordsConfig) -> Iterator[AddedLookup]:
    """The keys of the rows that an edit puts into a table."""
    for rule in config.tables:
        if not (matches(document.file, (rule.file,)) and heading_fits(document, edit.table, rule.heading)):
            continue
        column = column_of(document, edit.table, rule.key)
        if column is None:
            continue
        for number, line in enumerate(edit.lines, edit.first):
            cells = split_row(line, 0, number)
            key = key_text(document, cells[column]) if column < len(cells) else ""
            if key and key != BLANK:
                place = cells[column].place(document.file)
                yield rule.name, key, partial(Added, rule.name, key, place, line)


def _finding(added: Added, others: Mapping[int, Added]) -> Finding:
    names = [f"#{number} ({other.place.file}:{other.place.line})" for number, other in sorted(others.items())]
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    which = "pull request" if len(names) == 1 else "pull requests"
    return Finding(
        rule="record-cross-pull-duplicate",
        severity="error",
        recipe="",
        message=f"the key “{added.key}” is added here and by {which} {', '.join(names[:SHOWN])}{more}:"
        " each merges cleanly, and together they define it twice",
        place=added.place,
        fix=Fix("agree on which of them keeps the key; the other takes a new key, or none"),
        related=tuple(
            Related(f"added in pull request #{number}", other.place) for number, other in sorted(others.items())[:SHOWN]
        ),
        key=f"{added.space}:{added.key}",
        line=added.line,
    )

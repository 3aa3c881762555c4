"""The rows that the declared tables define, and what in these tables does not have its shape."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import NamedTuple

from recipediff.checks.records import malformed
from recipediff.checks.records.snapshot import FileContents, Library
from recipediff.core.finding import Finding
from recipediff.core.place import Place, Unreadable
from recipediff.core.records import BLANK, RecordsConfig, TableRule
from recipediff.parse.globs import is_literal, matches
from recipediff.parse.markdown import Cell, Markdown, Table


class KeyedRow(NamedTuple):  # a tuple, since there are a hundred thousand of them
    """One row of a keyed table. `end` is the column after the key."""

    key: str
    file: str
    line: int
    column: int
    end: int
    table: Table
    document: Markdown

    @property
    def place(self) -> Place:
        """The place of the key."""
        return Place(file=self.file, line=self.line, column=self.column, end_line=self.line, end_column=self.end)

    @property
    def text(self) -> str:
        """The line."""
        return self.document.lines[self.line - 1]


@dataclass(slots=True)
class Rows:
    """Rows by space, then by key, in the order of files and lines."""

    spaces: dict[str, dict[str, list[KeyedRow]]] = field(default_factory=dict)
    malformed: list[Finding] = field(default_factory=list)
    tables: int = 0
    partial: set[str] = field(default_factory=set)
    """Spaces of which a file or a table could not be read: what is no row of theirs may well be one."""

    def cannot(self, space: str, finding: Finding) -> None:
        """A file or a table of `space` cannot be read."""
        self.malformed.append(finding)
        self.partial.add(space)

    def add(self, space: str, found: list[KeyedRow], faults: list[Finding]) -> None:
        """The rows of one table."""
        keyed = self.spaces[space]
        for row in found:
            keyed.setdefault(row.key, []).append(row)
        self.malformed.extend(faults)

    def keys(self, space: str) -> dict[str, list[KeyedRow]]:
        """The rows of one space by key."""
        return self.spaces.get(space, {})


def read_rows(files: FileContents, config: RecordsConfig, library: Library) -> Rows:
    """The rows of every declared table in `files`. A table that two rules declare counts once in each space."""
    rows = Rows({rule.name: {} for rule in config.tables})
    seen: set[tuple[str, str, int]] = set()
    for rule in config.tables:
        paths = sorted(path for path in files if matches(path, (rule.file,)))
        if not paths:
            rows.cannot(rule.name, malformed.no_file(rule))
        for path in paths:
            document = library.get(path, files[path])
            if isinstance(document, Unreadable):
                rows.cannot(rule.name, malformed.unreadable(document))
                continue
            for table, column in _tables(document, rule, rows):
                if (rule.name, path, table.line) not in seen:
                    seen.add((rule.name, path, table.line))
                    rows.tables += 1
                    name = (document, table.line, rule.key, rule.pattern)
                    if name not in library.rows:
                        library.rows[name] = _read_table(document, table, column, rule)
                    rows.add(rule.name, *library.rows[name])
    return rows


def heading_fits(document: Markdown, table: Table, pattern: str) -> bool:
    """Whether the nearest heading above a table reads as `pattern` says; an empty pattern fits any."""
    if not pattern:
        return True
    heading = document.heading_of(table)
    return heading is not None and fnmatchcase(document.heading_texts[heading], pattern)


def column_of(document: Markdown, table: Table, name: str) -> int | None:
    """The number of the column with that header, from 0."""
    for number, cell in enumerate(table.header):
        if document.plain(cell) == name:
            return number
    return None


def _tables(document: Markdown, rule: TableRule, rows: Rows) -> list[tuple[Table, int]]:
    """The tables of one file that a rule declares; where there is none, the finding that says what is missing."""
    under = [table for table in document.tables if heading_fits(document, table, rule.heading)]
    found = [(table, column_of(document, table, rule.key)) for table in under]
    keyed = [(table, column) for table, column in found if column is not None]
    if not keyed and (is_literal(rule.file) or rule.heading):
        rows.cannot(rule.name, malformed.no_table(document, rule, under))
    return keyed


def _read_table(document: Markdown, table: Table, column: int, rule: TableRule) -> tuple[list[KeyedRow], list[Finding]]:
    """The rows of one table that have a key, and what in it does not have its shape."""
    rows: list[KeyedRow] = []
    faults: list[Finding] = []
    width = len(table.header)
    for line in table.rows:
        count, cell = table.pick(document.lines, line, column)
        if count != width:
            faults.append(malformed.wrong_width(document, table, line))
        if cell is None:
            continue
        key = key_text(document, cell)
        if key == BLANK:
            continue
        if not key or (rule.pattern and not fnmatchcase(key, rule.pattern)):
            faults.append(malformed.bad_key(document, cell, key, rule))
        if key:
            rows.append(KeyedRow(key, document.file, line, cell.column, cell.end_column, table, document))
    return rows, faults


def key_text(document: Markdown, cell: Cell) -> str:
    """A cell as it is compared: without markup, trimmed, white space and Unicode composition evened out."""
    plain = document.plain(cell)
    return plain if plain.isascii() else unicodedata.normalize("NFC", plain)

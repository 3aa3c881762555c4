"""Row ids that must exist: a wrong id is worse than a blank."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator
from fnmatch import fnmatchcase
from itertools import chain

from recipediff.checks.records import malformed
from recipediff.checks.records.rows import Rows, column_of, heading_fits, key_text
from recipediff.checks.records.snapshot import FileContents, Library
from recipediff.checks.records.spelling import Spelling
from recipediff.core.finding import Finding, Fix
from recipediff.core.place import Place, Unreadable
from recipediff.core.records import BLANK, RecordsConfig, ReferenceRule
from recipediff.parse.globs import matches
from recipediff.parse.markdown import Block, Cell, Markdown
from recipediff.parse.markdown.inline import sole_code

Reference = tuple[str, Place]


def dangling_references(
    files: FileContents, rows: Rows, config: RecordsConfig, library: Library, unread: Collection[str] = ()
) -> Iterator[Finding]:
    """Every declared reference that names no row of its space, in the order of the declarations, files and lines.

    A space that could not be read as a whole is left alone: that it could not is a finding of its own. `unread` are
    paths that exist and whose contents are not in `files`.
    """
    spellings = {rule.space: Spelling(rows.keys(rule.space)) for rule in config.references}
    counts: dict[tuple[str, str], int] = {}
    seen: set[tuple[str, Place]] = set()
    for rule in config.references:
        keys = rows.keys(rule.space)
        paths = sorted(path for path in files if matches(path, (rule.file,)))
        if rule.space in rows.partial:
            continue
        if not paths and not any(matches(path, (rule.file,)) for path in unread):
            yield malformed.no_reference_file(rule)
        for path in paths:
            document = library.get(path, files[path])
            if isinstance(document, Unreadable):
                yield malformed.unreadable(document)
                continue
            unknown = _in_column(document, rule, keys) if rule.column else _in_text(document, rule, keys)
            if rule.column and not _has_column(document, rule):
                yield malformed.no_column(document, rule)
            for name, place in unknown:
                if (rule.space, place) not in seen:
                    seen.add((rule.space, place))
                    number = counts[path, name] = counts.get((path, name), 0) + 1
                    yield _dangling(document, rule, name, place, spellings[rule.space], number)


def _has_column(document: Markdown, rule: ReferenceRule) -> bool:
    return any(
        heading_fits(document, table, rule.heading) and column_of(document, table, rule.column) is not None
        for table in document.tables
    )


def _in_column(document: Markdown, rule: ReferenceRule, keys: Container[str]) -> Iterator[Reference]:
    """The references in the cells of a column that are not among `keys`."""
    for table in document.tables:
        if not heading_fits(document, table, rule.heading):
            continue
        column = column_of(document, table, rule.column)
        if column is None:
            continue
        for line in table.rows:
            _, cell = table.pick(document.lines, line, column)
            if cell is not None and sole_code(cell.content) not in keys:
                yield from _in_cell(document, cell, rule, keys)


def _in_cell(document: Markdown, cell: Cell, rule: ReferenceRule, keys: Container[str]) -> Iterator[Reference]:
    codes = list(_codes(document, cell))
    if not codes:
        whole = key_text(document, cell)
        codes = [(whole, cell.place(document.file))] if whole else []
    for name, place in codes:
        if name != BLANK and name not in keys and _fits(name, rule):
            yield name, place


def _in_text(document: Markdown, rule: ReferenceRule, keys: Container[str]) -> Iterator[Reference]:
    """Code spans anywhere that are not among `keys`. What every fitting id begins with is looked for first: most
    lines do not hold it."""
    begin = rule.pattern[: min((rule.pattern.index(mark) for mark in "*?[" if mark in rule.pattern), default=None)]
    blocks: list[Iterable[Block | Cell]] = [(text for text in document.texts if begin in text.content)]
    blocks.extend(document.cells_where(table, lambda text: begin in text) for table in document.tables)
    for block in chain.from_iterable(blocks):
        for name, place in _codes(document, block):
            if name not in keys and _fits(name, rule):
                yield name, place


def _codes(document: Markdown, block: Block | Cell) -> Iterator[Reference]:
    if "`" not in block.content:
        return
    for piece in document.inline(block).pieces:
        if piece.kind == "code":
            yield " ".join(piece.text.split()), block.place(document.file, piece.start, piece.end)


def _fits(name: str, rule: ReferenceRule) -> bool:
    return not rule.pattern or fnmatchcase(name, rule.pattern)


def _dangling(
    document: Markdown, rule: ReferenceRule, name: str, place: Place, spelling: Spelling, number: int
) -> Finding:
    message = f"“{name}” is no row of “{rule.space}”"
    other = spelling.same_but_case(name)
    if other is not None:
        message += f"; “{other}” differs in letter case only"
    elif other := spelling.close(name):
        message += f"; “{other}” is near"
    fix = Fix(f"write “{other}”" if other else f"name an existing row, or write {BLANK} for an honest blank")
    key = f"{document.file}:{name}" + (f"#{number}" if number > 1 else "")
    line = document.lines[place.line - 1]
    return Finding(
        rule="record-dangling-reference",
        severity="error",
        recipe="",
        message=message,
        place=place,
        fix=fix,
        key=key,
        line=line,
    )

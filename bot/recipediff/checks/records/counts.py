"""Numbers that are copied from a table: a measurement has one owner."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase

from recipediff.checks.records.links import MARKDOWN
from recipediff.checks.records.rows import KeyedRow, Rows, column_of, heading_fits
from recipediff.checks.records.snapshot import FileContents, Library
from recipediff.core.finding import Finding, Fix, Related
from recipediff.core.place import Place, Unreadable
from recipediff.core.records import NUMBER, CountOwner, CountRule, RecordsConfig
from recipediff.parse.globs import matches
from recipediff.parse.markdown import Block, Cell, Markdown
from recipediff.parse.markdown.source import read_text

MAX_DIGITS = 15
_DIVIDER = " | "
_SPACES = re.compile(r"\s+")
_SPACES_OR_TEXT = re.compile(r"\s+|\S+")
# Digits, in groups of three where commas divide them.
_NUMBER = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d])|(?<![\d])\d+", re.ASCII)

Copy = tuple[int, Place, str]
"""The number, its place and its line."""


def foreign_counts(files: FileContents, rows: Rows, config: RecordsConfig, library: Library) -> Iterator[Finding]:
    """Every declared copy that still stands, with the owner's value. The fix is to drop the number, not to bump it.

    In the owner's own file the number may stand, as long as it is right.
    """
    for rule in config.counts:
        if rule.owner.space in rows.partial:
            continue
        owned = _owned(rule.owner, rows)
        owners = sorted({row.file for row in owned}) or [rule.owner.file or rule.owner.space]
        for path in sorted(path for path in files if matches(path, (rule.file,))):
            for number, (value, place, line) in enumerate(_copies(path, files[path], rule, library), 1):
                if path in owners and value == len(owned):
                    continue
                yield _foreign(rule, value, place, line, owned, owners, number)


def _owned(owner: CountOwner, rows: Rows) -> list[KeyedRow]:
    found = [group[0] for group in rows.keys(owner.space).values()]
    if owner.file:
        found = [row for row in found if matches(row.file, (owner.file,))]
    if owner.heading:
        found = [row for row in found if heading_fits(row.document, row.table, owner.heading)]
    if owner.column:
        found = [row for row in found if _reads(row, owner.column, owner.value)]
    return found


def _reads(row: KeyedRow, name: str, value: str) -> bool:
    column = column_of(row.document, row.table, name)
    cells = row.table.cells(row.document.lines, row.line)
    return column is not None and column < len(cells) and fnmatchcase(row.document.plain(cells[column]), value)


def _copies(path: str, data: bytes, rule: CountRule, library: Library) -> Iterator[Copy]:
    """The copies in one file: in the plain text of Markdown, in the lines of any other text."""
    before, _, after = rule.text.partition(NUMBER)
    before, after = _even(before).lstrip(), _even(after).rstrip()
    if not path.lower().endswith(MARKDOWN):
        for number, line in enumerate(_lines(data, path), 1):
            for value, start, end in _numbers(line, before, after):
                yield value, Place(file=path, line=number, column=start + 1, end_line=number, end_column=end + 1), line
        return
    document = library.get(path, data)
    if isinstance(document, Unreadable):
        return
    for blocks in _passages(document, _longest_word(rule.text.replace(NUMBER, " "))):
        plain, places = _joined(document, blocks)
        for value, start, end in _numbers(plain, before, after):
            (block, first), (_, last) = places(start), places(end - 1)
            place = block.place(path, first, last + 1)
            yield value, place, document.lines[place.line - 1]


def _passages(document: Markdown, word: str) -> Iterator[Sequence[Block | Cell]]:
    """What may hold a copy, in that it holds the longest word of its text: a block of text, or the cells of a row."""
    for text in document.texts:
        if word in text.content:
            yield (text,)
    for table in document.tables:
        for line in (table.line, *table.rows):
            if word in document.lines[line - 1]:
                yield table.header if line == table.line else table.cells(document.lines, line)


def _joined(
    document: Markdown, blocks: Sequence[Block | Cell]
) -> tuple[str, Callable[[int], tuple[Block | Cell, int]]]:
    """The plain text of a passage, cells divided by ` | `, and where each of its characters comes from."""
    inlines = [document.inline(block) for block in blocks]
    texts = [inline.plain for inline in inlines]

    def origin(position: int) -> tuple[Block | Cell, int]:
        for block, inline, text in zip(blocks, inlines, texts, strict=True):
            if position < len(text):
                return block, inline.offsets[position]
            position -= len(text) + len(_DIVIDER)
        raise IndexError(position)

    return _DIVIDER.join(texts), origin


def _lines(data: bytes, path: str) -> list[str]:
    try:
        return read_text(data, path).split("\n")
    except Unreadable:
        return []


def _even(text: str) -> str:
    return _SPACES.sub(" ", text)


def _longest_word(text: str) -> str:
    words = "".join(char if char.isalnum() else " " for char in text).split()
    return max(words, key=len, default="")


def _numbers(text: str, before: str, after: str) -> Iterator[tuple[int, int, int]]:
    """Each number between `before` and `after` in `text` (white space evened out): its value and its span."""
    evened: list[str] = []
    offsets: list[int] = []
    for match in _SPACES_OR_TEXT.finditer(text):
        run = " " if match.group()[0].isspace() else match.group()
        evened.append(run)
        offsets.extend(range(match.start(), match.start() + len(run)))
    flat = "".join(evened)
    for match in _NUMBER.finditer(flat):
        start, end = match.span()
        begin, close = start - len(before), end + len(after)
        if begin < 0 or flat[begin:start] != before or flat[end:close] != after:
            continue
        if _within_word(flat, begin) or _within_word(flat, close) or end - start > MAX_DIGITS:
            continue
        yield int(match.group().replace(",", "")), offsets[start], offsets[end - 1] + 1


def _within_word(text: str, position: int) -> bool:
    return 0 < position < len(text) and text[position - 1].isalnum() and text[position].isalnum()


def _foreign(
    rule: CountRule, value: int, place: Place, line: str, owned: list[KeyedRow], owners: list[str], number: int
) -> Finding:
    copy = rule.text.replace(NUMBER, str(value))
    if place.file in owners:
        message = f"“{copy}” does not agree with the rows of this file: there are {len(owned)}"
        fix = "correct the number, or drop it"
    else:
        message = f"“{copy}” copies a number that {', '.join(owners)} owns; the owner has {len(owned)}"
        fix = "drop the number and link to the owner, rather than bring it up to date"
    related = (Related("the rows begin here", owned[0].place),) if owned else ()
    return Finding(
        rule="record-foreign-count",
        severity="warning" if value == len(owned) else "error",
        recipe="",
        message=message,
        place=place,
        upstream=str(len(owned)),
        ours=str(value),
        fix=Fix(fix),
        related=related,
        key=f"{place.file}:{rule.text}" + (f"#{number}" if number > 1 else ""),
        line=line,
    )

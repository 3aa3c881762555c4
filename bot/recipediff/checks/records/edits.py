"""The rows that an edit adds to a file, without reading the whole file again where that is safe."""

from __future__ import annotations

from dataclasses import dataclass

from recipediff.parse.markdown import Markdown, Table
from recipediff.parse.markdown.document import MAX_TEXT


@dataclass(frozen=True, slots=True)
class RowEdit:
    """An edit that touches body rows of one table of the base and nothing else: `lines` stand at `first` of the head."""

    table: Table
    first: int
    lines: tuple[str, ...]


def row_edit(base: bytes, head: bytes, document: Markdown) -> RowEdit | None:
    """The edit from `base` (read as `document`) to `head` where it only adds, drops or changes rows of one table.

    Within the body of a table that is in no list or quote, a line that begins with a pipe is a row, whatever stands
    in it, and leaves the rest of the file as it was (GFM 0.29, 4.10). Any other edit gives None.
    """
    start = base.rfind(b"\n", 0, _common_start(base, head)) + 1
    end = _common_end(base, head, start)
    old, new = base[start : len(base) - end], head[start : len(head) - end]
    if b"\r" in base or b"\r" in new or b"\0" in new or not _whole_lines(old):
        return None
    first = base.count(b"\n", 0, start) + 1
    table = _table_at(document, first, first + old.count(b"\n") - 1)
    try:
        lines = new.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        return None
    if table is None or lines.pop() or not all(line.startswith("|") and len(line) <= MAX_TEXT for line in lines):
        return None
    return RowEdit(table, first, tuple(lines))


def _whole_lines(data: bytes) -> bool:
    return not data or data.endswith(b"\n")


def _table_at(document: Markdown, first: int, last: int) -> Table | None:
    """The table whose body has the lines `first` to `last`, or, where these are none, a row right before `first`."""
    for table in document.tables:
        at_margin = document.lines[table.line - 1].startswith("|")
        if at_margin and table.first <= first and last <= table.last and first <= table.last + 1:
            return table
    return None


def _common_start(one: bytes, other: bytes) -> int:
    """How many bytes both begin with."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_end(one: bytes, other: bytes, start: int) -> int:
    """How many bytes both end with behind `start`, in whole lines."""
    low, high = 0, min(len(one), len(other)) - start
    while low < high:
        middle = (low + high + 1) // 2
        if one[len(one) - middle : len(one) - low] == other[len(other) - middle : len(other) - low]:
            low = middle
        else:
            high = middle - 1
    if low == 0:
        return 0
    # Where the difference ends within a line, the whole line belongs to it.
    if _at_line_start(one, len(one) - low) and _at_line_start(other, len(other) - low):
        return low
    newline = one.find(b"\n", len(one) - low)
    return 0 if newline < 0 else len(one) - newline - 1


def _at_line_start(data: bytes, position: int) -> bool:
    return position == 0 or data[position - 1 : position] == b"\n"

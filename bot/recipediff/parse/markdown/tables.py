"""Tables as GitHub reads them, with the place of every cell.

markdown-it-py decides what a table is and where it ends. Its own rule makes three tokens a cell, without columns, and
pads or cuts rows to the header; a keyed record needs the cells as written, and a hundred thousand rows at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from markdown_it.common.utils import MD_TRIM_CHARS
from markdown_it.rules_block import StateBlock, table

from recipediff.core.place import Place

Span = tuple[int, int]


class Cell(NamedTuple):  # a tuple, since there are a hundred thousand of them
    """One cell. `content` is trimmed, its `\\|` turned to `|`; `column` counts from 1."""

    content: str
    line: int
    column: int
    unescaped: tuple[int, ...] = ()
    """Offsets in `content` of the pipes whose backslash was dropped."""

    @property
    def end_column(self) -> int:
        """The column after the last character."""
        return self.column + len(self.content) + len(self.unescaped)

    def place(self, file: str, start: int = 0, end: int | None = None) -> Place:
        """The place of `content[start:end]`; of an empty cell, the place where its text would stand."""
        end = len(self.content) if end is None else end
        return Place(
            file=file, line=self.line, column=self._column(start), end_line=self.line, end_column=self._column(end)
        )

    def _column(self, offset: int) -> int:
        if not self.unescaped:
            return self.column + offset
        return self.column + offset + sum(1 for pipe in self.unescaped if pipe < offset)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table. Lines count from 1; the body is the lines `first` to `last`, each from its own column on."""

    line: int
    first: int
    last: int
    header: tuple[Cell, ...]
    columns: tuple[int, ...]
    """Offset of each body row within its line, behind quote marks, list marks and indentation."""

    @property
    def rows(self) -> range:
        """The numbers of the body's lines."""
        return range(self.first, self.last + 1)

    def cells(self, lines: list[str], line: int) -> list[Cell]:
        """The cells of the body row at `line`, however many there are; `lines` are those of the file."""
        return split_row(lines[line - 1], self.columns[line - self.first], line)

    def spans(self, lines: list[str], line: int) -> list[Span]:
        """Where the cells of a row stand in its line, which is cheaper than the cells."""
        return cell_spans(lines[line - 1], self.columns[line - self.first])

    def pick(self, lines: list[str], line: int, column: int) -> tuple[int, Cell | None]:
        """How many cells the row at `line` has, and the one in `column` (from 0), where there is one."""
        text = lines[line - 1]
        if text[:1] == "|" == text[-1:] and "\\" not in text:  # most rows of most tables
            parts = text.split("|", column + 2)
            count = text.count("|") - 1
            if column >= count:
                return count, None
            start = 1 if column == 0 else sum(map(len, parts[: column + 1])) + column + 1
            return count, make_cell(text, (start, start + len(parts[column + 1])), line)
        spans = self.spans(lines, line)
        return len(spans), make_cell(text, spans[column], line) if column < len(spans) else None


def split_row(text: str, offset: int, line: int) -> list[Cell]:
    """The cells of a row that begins at `offset` of `text`."""
    return [make_cell(text, span, line) for span in cell_spans(text, offset)]


def cell_spans(text: str, offset: int) -> list[Span]:
    """Where cells begin and end: a pipe divides unless a backslash is right before it.

    GFM 0.29, 4.10: so also within a code span. One pipe at each edge belongs to the row, not to a cell.
    """
    start, end = offset, len(text)
    while end > start and text[end - 1] in MD_TRIM_CHARS:
        end -= 1
    if start < end and text[start] == "|":
        start += 1
    spans: list[Span] = []
    find = text.find
    pipe = find("|", start, end)
    while pipe >= 0:
        if pipe == 0 or text[pipe - 1] != "\\":
            spans.append((start, pipe))
            start = pipe + 1
        pipe = find("|", pipe + 1, end)
    if start < end:
        spans.append((start, end))
    return spans


def make_cell(text: str, span: Span, line: int) -> Cell:
    """The cell at `span` of a row's line."""
    start, end = span
    raw = text[start:end]
    content = raw.strip(MD_TRIM_CHARS)
    # An empty cell is placed one character behind its pipe, where its text would stand.
    column = start + (raw.find(content[0]) if content else min(1, len(raw))) + 1
    if "\\|" not in content:
        return Cell(content, line, column)
    parts = content.split("\\|")
    pipes, length = [], 0
    for part in parts[:-1]:
        length += len(part)
        pipes.append(length)
        length += 1
    return Cell("|".join(parts), line, column, tuple(pipes))


def read_table(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """A block rule in place of markdown-it's `table`: the same tables, one token each."""
    if not table(state, first, end, True):
        return False
    if silent:
        return True
    former, state.parentType = state.parentType, "table"
    columns: list[int] = []
    line = first + 2
    while line < end and not _ends(state, line, end):
        columns.append(_offset(state, line))
        line += 1
    state.parentType = former
    token = state.push("table", "table", 0)
    token.map = [first, line]
    token.meta = {"offset": _offset(state, first), "columns": tuple(columns)}
    state.line = line
    return True


def _offset(state: StateBlock, line: int) -> int:
    begin = state.bMarks[line] + state.tShift[line]
    return begin - (state.src.rfind("\n", 0, begin) + 1)


def _ends(state: StateBlock, line: int, end: int) -> bool:
    """Whether the body ends before `line` (GFM 0.29, 4.10: at an empty line, or where another block begins)."""
    if state.sCount[line] < state.blkIndent or state.is_code_block(line):
        return True
    begin = state.bMarks[line] + state.tShift[line]
    if begin >= state.eMarks[line]:
        return True
    # No other block begins with a pipe.
    if state.src[begin] == "|":
        return False
    return any(rule(state, line, end, True) for rule in state.md.block.ruler.getRules("blockquote"))

"""Tables: the same as the library's, with the place of every cell."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from recipediff.core.place import Unreadable
from recipediff.parse.markdown import Markdown, Table, read_markdown

FILE = "t.md"


def read(text: str) -> Markdown:
    return read_markdown(text.encode(), FILE)


def shown(document: Markdown, table: Table, line: int) -> list[str]:
    """The text at the place of each cell of a row, as it stands in the file."""
    places = [cell.place(FILE) for cell in table.cells(document.lines, line)]
    return [document.lines[p.line - 1][p.column - 1 : p.end_column - 1] for p in places]


def test_every_cell_has_its_line_and_column() -> None:
    document = read("# T\n\n|  ID | Name |\n|---|---|\n| `A-1` |x|\n|B|  |\n")
    (table,) = document.tables
    assert [(c.content, c.line, c.column) for c in table.header] == [("ID", 3, 4), ("Name", 3, 9)]
    assert [(c.content, c.line, c.column) for c in table.cells(document.lines, 5)] == [("`A-1`", 5, 3), ("x", 5, 10)]
    assert [(c.content, c.line, c.column) for c in table.cells(document.lines, 6)] == [("B", 6, 2), ("", 6, 5)]
    assert list(table.rows) == [5, 6]


def test_an_escaped_pipe_belongs_to_its_cell_also_within_a_code_span() -> None:
    document = read("| a | b |\n|--|--|\n| `x\\|y` z | w |\n")
    first, second = document.tables[0].cells(document.lines, 3)
    assert (first.content, document.plain(first)) == ("`x|y` z", "x|y z")
    assert shown(document, document.tables[0], 3) == ["`x\\|y` z", "w"]
    assert first.place(FILE, first.content.index("z")).column == 10
    assert second.column == 14


def test_a_pipe_within_a_code_span_divides_as_it_does_at_github() -> None:
    document = read("| a | b |\n|--|--|\n| `x|y` | w |\n")
    assert [c.content for c in document.tables[0].cells(document.lines, 3)] == ["`x", "y`", "w"]


@pytest.mark.parametrize("prefix", ["> ", ">> ", "- ", "1. - ", "> - "])
def test_a_table_within_quotes_and_lists_keeps_its_columns(prefix: str) -> None:
    rest = prefix.replace("-", " ").replace("1.", "  ")
    document = read(f"{prefix}| K | V |\n{rest}|--|--|\n{rest}| a | b |\n")
    (table,) = document.tables
    assert [c.column for c in table.cells(document.lines, 3)] == [len(prefix) + 3, len(prefix) + 7]
    assert shown(document, table, 3) == ["a", "b"]


def test_line_endings_and_a_byte_order_mark_move_nothing() -> None:
    document = read_markdown(b"\xef\xbb\xbf| K | V |\r\n|--|--|\r\n| a\xe2\x80\xa8b | b |\r\n", FILE)
    (table,) = document.tables
    assert table.header[0].column == 3
    assert shown(document, table, 3) == ["a\u2028b", "b"]


def test_columns_count_characters_not_bytes() -> None:
    document = read("| K | V |\n|--|--|\n| 模型🙂 | `x` |\n")
    assert [c.column for c in document.tables[0].cells(document.lines, 3)] == [3, 9]


def test_a_fence_holds_no_table() -> None:
    assert read("```\n| K |\n|--|\n| a |\n```\n").tables == ()


def test_the_nearest_heading_is_known() -> None:
    document = read("# A\n\n| K |\n|--|\n\n## `B` *c*\n\ntext\n\n| K |\n|--|\n")
    assert [document.heading_of(table) for table in document.tables] == [0, 1]
    assert document.heading_texts == ("A", "B c")


def test_a_row_beyond_the_bound_is_an_error_with_its_line() -> None:
    with pytest.raises(Unreadable) as caught:
        read("| K |\n|--|\n| " + "a" * 100_001 + " |\n")
    assert str(caught.value.problem.place) == "t.md:3:1"


_PARTS = [
    "|",
    "|",
    "|",
    "a",
    "b",
    "`",
    "\\",
    "\\|",
    " ",
    "-",
    "---",
    ":",
    "*",
    "> ",
    "- ",
    "# ",
    "\n",
    "\n",
    "\n",
    "\t",
    "大",
    "    ",
]
_TABLE = st.builds(
    lambda before, head, body: f"{before}\n| a | b |\n{head}\n" + "\n".join(body),
    st.sampled_from(["", "text", "# h", "> q", "- l"]),
    st.sampled_from(["|---|---|", "--|--", ":-|-:", "|--|", "| - | - |"]),
    st.lists(st.lists(st.sampled_from(_PARTS), max_size=12).map("".join), max_size=6),
)


@given(st.one_of(_TABLE, st.lists(st.sampled_from(_PARTS), max_size=60).map("".join)))
def test_tables_are_those_of_the_library(text: str) -> None:
    document = read(text)
    assert [_table(document, table) for table in document.tables] == _expected(text)
    for table in document.tables:
        for line in (table.line, *table.rows):
            cells = table.header if line == table.line else table.cells(document.lines, line)
            for cell in cells:
                place = cell.place(FILE)
                source = document.lines[line - 1][place.column - 1 : place.end_column - 1]
                assert source.replace("\\|", "|") == cell.content


@given(st.one_of(_TABLE))
def test_one_cell_and_the_number_of_cells_are_those_of_the_row(text: str) -> None:
    document = read(text)
    for table in document.tables:
        for line in table.rows:
            cells = table.cells(document.lines, line)
            for column in range(4):
                count, cell = table.pick(document.lines, line, column)
                assert count == len(cells)
                assert cell == (cells[column] if column < count else None)


def _table(document: Markdown, table: Table) -> list[list[str]]:
    """Header and rows as the library pads and cuts them."""
    width = len(table.header)
    rows = [[cell.content for cell in table.cells(document.lines, line)] for line in table.rows]
    return [[cell.content for cell in table.header], *((row + [""] * width)[:width] for row in rows)]


def _expected(text: str) -> list[list[list[str]]]:
    found: list[list[list[str]]] = []
    cell = False
    for token in MarkdownIt("commonmark", {"maxNesting": 62}).enable(["table", "strikethrough"]).parse(text):
        match token.type:
            case "table_open":
                found.append([])
            case "tr_open":
                found[-1].append([])
            case "th_open" | "td_open":
                cell = True
            case "inline" if cell:
                found[-1][-1].append(token.content)
                cell = False
            case _:
                pass
    return found

"""A Markdown file as headings, blocks of text and tables that know their lines and columns."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token
from markdown_it.utils import EnvType

from recipediff.core.place import Place, Problem, Unreadable
from recipediff.parse.markdown.html import html_targets
from recipediff.parse.markdown.inline import Inline, is_plain, read_inline, sole_code, tags
from recipediff.parse.markdown.slugs import slugs
from recipediff.parse.markdown.source import read_text
from recipediff.parse.markdown.tables import Cell, Table, make_cell, read_table, split_row

MAX_DEPTH = 60
"""Block quotes and lists within each other."""
MAX_TEXT = 100_000
"""Characters of one paragraph or one row. Inline structure takes more than linear time where it is made to."""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a heading, or a block of HTML: `content` and where each of its lines begins in the file.

    `starts` are offsets, counted from 0; `level` is a heading's, else 0.
    """

    content: str
    line: int
    starts: tuple[int, ...]
    level: int = 0

    def place(self, file: str, start: int = 0, end: int | None = None) -> Place:
        """The place of `content[start:end]`."""
        end = len(self.content) if end is None else end
        (line, column), (end_line, end_column) = self._position(start), self._position(end)
        return Place(file=file, line=line, column=column, end_line=end_line, end_column=end_column)

    def _position(self, offset: int) -> tuple[int, int]:
        row = self.content.count("\n", 0, offset)
        within = offset - (self.content.rfind("\n", 0, offset) + 1)
        return self.line + row, self.starts[min(row, len(self.starts) - 1)] + within + 1


@dataclass(eq=False, kw_only=True)
class Markdown:
    """One file. `lines` are its lines without their ends; all else is in the order of the file."""

    file: str
    lines: list[str]
    headings: tuple[Block, ...]
    texts: tuple[Block, ...]
    """Paragraphs and headings."""
    html: tuple[Block, ...]
    tables: tuple[Table, ...]
    _references: EnvType = field(repr=False)

    def inline(self, block: Block | Cell) -> Inline:
        """The inline structure of a block or a cell of this file."""
        return read_inline(block.content, self._references)

    def plain(self, block: Block | Cell) -> str:
        """The text of a block or a cell without markup, trimmed, runs of white space made one space."""
        text = sole_code(block.content)
        if text is None:
            text = block.content if is_plain(block.content) else self.inline(block).plain
        return " ".join(text.split())

    def cells_where(self, table: Table, holds: Callable[[str], object]) -> Iterator[Cell]:
        """The cells of a table, the header's first, whose raw text passes `holds`; the others are not made."""
        yield from (cell for cell in table.header if holds(cell.content))
        for line in table.rows:
            text = self.lines[line - 1]
            if holds(text):
                for span in table.spans(self.lines, line):
                    if holds(text[span[0] : span[1]]):
                        yield make_cell(text, span, line)

    @cached_property
    def heading_texts(self) -> tuple[str, ...]:
        """The headings without markup."""
        return tuple(self.plain(heading) for heading in self.headings)

    def heading_of(self, table: Table) -> int | None:
        """The number of the nearest heading above a table, from 0."""
        above = bisect_left(self.headings, table.line, key=lambda heading: heading.line)
        return above - 1 if above else None

    def cells(self, table: Table) -> Iterator[Cell]:
        """Every cell of a table, the header's first."""
        yield from table.header
        for line in table.rows:
            yield from table.cells(self.lines, line)

    @cached_property
    def anchors(self) -> frozenset[str]:
        """What a `#fragment` can name: GitHub's slugs of the headings, and the ids and names of HTML elements."""
        found = slugs([self.inline(heading).plain for heading in self.headings])
        for block in self.html:
            for tag in tags(block.content):
                found.update(html_targets(tag.text).ids)
        texts: list[Block | Cell] = [*self.texts]
        for table in self.tables:
            texts.extend(self.cells_where(table, _has_tag))
        for text in texts:
            if _has_tag(text.content):
                for piece in self.inline(text).pieces:
                    if piece.kind == "html":
                        found.update(html_targets(piece.text).ids)
        return frozenset(found)


def _has_tag(text: str) -> bool:
    return "<" in text


class _BoundedBlocks(ParserBlock):
    """markdown-it leaves out what is nested too deep without a word; here that is an error."""

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:  # noqa: N803  (the parent's names)
        if state.level >= MAX_DEPTH:
            place = Place(file=str(state.env["file"]), line=startLine + 1, column=1)
            message = f"lists and quotes within each other more than {MAX_DEPTH} deep are not read"
            raise Unreadable(Problem(message, place, "flatten them"))
        super().tokenize(state, startLine, endLine)


def _block_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark")
    parser.block = _BoundedBlocks()
    parser.configure("commonmark", {"maxNesting": MAX_DEPTH + 2})
    parser.block.ruler.at("table", read_table, {"alt": ["paragraph", "reference"]})
    return parser.enable("table")


def read_markdown(data: bytes, file: str) -> Markdown:
    """Read a Markdown file as GitHub does (CommonMark and GFM's tables and strikethrough).

    Raises `Unreadable` with the one problem that says why it cannot be read.
    """
    text = read_text(data, file)
    references: EnvType = {"file": file}
    tokens: list[Token] = []
    _BLOCKS.block.parse(text, _BLOCKS, references, tokens)
    return _collect(text.split("\n"), tokens, references, file)


def _collect(lines: list[str], tokens: list[Token], references: EnvType, file: str) -> Markdown:
    headings: list[Block] = []
    texts: list[Block] = []
    html: list[Block] = []
    tables: list[Table] = []
    level, hashes = 0, False
    for token in tokens:
        first, last = token.map or (0, 0)
        if len(token.content) > MAX_TEXT and token.type in {"inline", "html_block"}:
            raise _too_long(file, first, len(token.content), "text")
        match token.type:
            case "heading_open":
                level, hashes = int(token.tag[1:]), token.markup.startswith("#")
            case "heading_close":
                level, hashes = 0, False
            case "inline":
                texts.append(_atx(lines, token, first, level) if hashes else _block(lines, token, first, level))
                if level:
                    headings.append(texts[-1])
            case "html_block":
                html.append(_block(lines, token, first, 0))
            case "table":
                tables.append(_table(lines, token, first, last, file))
            case _:
                pass
    return Markdown(
        file=file,
        lines=lines,
        headings=tuple(headings),
        texts=tuple(texts),
        html=tuple(html),
        tables=tuple(tables),
        _references=references,
    )


def _block(lines: list[str], token: Token, first: int, level: int) -> Block:
    """Each line of a block's content is the end of its line in the file, white space apart."""
    starts = []
    for number, part in enumerate(token.content.rstrip("\n").split("\n")):
        source = lines[first + number] if first + number < len(lines) else ""
        starts.append(max(0, len(source.rstrip()) - len(part.rstrip())))
    return Block(token.content, first + 1, tuple(starts), level)


def _atx(lines: list[str], token: Token, first: int, level: int) -> Block:
    """`## text ##`: only quote marks, list marks and blanks stand before the first `#`."""
    line = lines[first]
    start = line.index("#") + level
    start += len(line[start:]) - len(line[start:].lstrip())
    return Block(token.content, first + 1, (start,), level)


def _table(lines: list[str], token: Token, first: int, last: int, file: str) -> Table:
    for number in range(first, last):
        if len(lines[number]) > MAX_TEXT:
            raise _too_long(file, number, len(lines[number]), "row")
    header = split_row(lines[first], token.meta["offset"], first + 1)
    return Table(line=first + 1, first=first + 3, last=last, header=tuple(header), columns=token.meta["columns"])


def _too_long(file: str, line: int, length: int, what: str) -> Unreadable:
    message = f"the {what} that begins here has {length:,} characters; more than {MAX_TEXT:,} are not read"
    return Unreadable(Problem(message, Place(file=file, line=line + 1, column=1), "divide it"))


_BLOCKS = _block_parser()

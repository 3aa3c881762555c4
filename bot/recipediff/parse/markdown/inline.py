"""Inline structure (code spans, links, HTML, text) with the exact offset of every piece.

markdown-it-py knows at each step where it stands, but keeps no inline positions. `PlacedInline` is its inline parser
with the one loop that calls the rules replaced by one that writes down, on each token, where it began and ended.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType

PieceKind = Literal["text", "code", "html", "break"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of one kind: `content[start:end]` of its block. `text` is as rendered, entities and escapes undone."""

    kind: PieceKind
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link or an image. `href` is percent-encoded; `first` and `last` bound the pieces of its text."""

    kind: Literal["link", "image"]
    href: str
    start: int
    end: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Inline:
    """The pieces of one block in order, and the links over them."""

    pieces: tuple[Piece, ...]
    links: tuple[Link, ...]

    @property
    def plain(self) -> str:
        """The text without markup, line breaks as spaces; HTML tags stand for nothing, `<br>` for a space."""
        return "".join(_plain(piece) for piece in self.pieces)

    @property
    def offsets(self) -> list[int]:
        """Where each character of `plain` stands in the block's content."""
        found: list[int] = []
        for piece in self.pieces:
            length = len(_plain(piece))
            exact = piece.end - piece.start == length
            found.extend(range(piece.start, piece.end) if exact else [piece.start] * length)
        return found


def _plain(piece: Piece) -> str:
    if piece.kind == "html":
        return " " if piece.text.lower().startswith("<br") else ""
    return " " if piece.kind == "break" else piece.text


class PlacedInline(ParserInline):
    """markdown-it's inline parser; every token it makes carries `meta["at"] = (start, end)`."""

    def tokenize(self, state: StateInline) -> None:
        """As the parent's, and the positions written down. Also called by the rule for links, for their text."""
        rules = self.ruler.getRules("")
        deepest = state.md.options["maxNesting"]
        end = state.posMax
        pending: int | None = None  # where the text began that the state holds back
        while state.pos < end:
            start, known = state.pos, len(state.tokens)
            matched = False
            if state.level < deepest:
                for rule in rules:
                    matched = rule(state, False)
                    if matched:
                        break
            if matched:
                if _place(state.tokens[known:], pending, start, state.pos):
                    pending = None
                elif pending is None:
                    pending = start
                continue
            if pending is None:
                pending = start
            state.append_pending(state.src[start])
            state.pos += 1
        if state.pending:
            token = state.pushPending()
            begin = end if pending is None else pending
            token.meta = {"at": (begin, begin + len(token.content))}


def _place(tokens: list[Token], pending: int | None, start: int, end: int) -> bool:
    """Give the new `tokens` of one rule their positions; False where there are none."""
    position = start
    for number, token in enumerate(tokens):
        if "at" in token.meta:
            continue
        if number == 0 and token.type == "text" and pending is not None:
            token.meta = {"at": (pending, pending + len(token.content))}
        elif token.type == "text":  # marks of emphasis, several at once, or the address of `<https://…>`
            token.meta = {"at": (position, position + len(token.content))}
            position += len(token.content)
        else:
            token.meta = {"at": (start, end)}
            if token.markup == "autolink":
                position = start + 1
    return bool(tokens)


_MARKUP = re.compile(r"[\\`*_~\[<&\n]")


def read_inline(content: str, references: EnvType) -> Inline:
    """As `parse_inline`, faster for what most cells are: text without markup, or one code span and nothing else."""
    if (code := sole_code(content)) is not None:
        start = content.index(code, 1)
        return Inline((Piece("code", code, start, start + len(code)),), ())
    if is_plain(content):
        return Inline((Piece("text", content, 0, len(content)),) if content else (), ())
    return parse_inline(content, references)


def is_plain(content: str) -> bool:
    """Whether there is no markup in a block, so that its text is its content."""
    return not _MARKUP.search(content)


def sole_code(content: str) -> str | None:
    """The text of a block that is one code span and nothing else (CommonMark 0.31, 6.1); None for any other."""
    if content[:1] != "`" or content[-1] != "`" or content.find("`", 1) != len(content) - 1 or "\n" in content:
        return None
    inner = content[1:-1]
    if inner[:1] == " " == inner[-1:] and not inner.isspace():
        return inner[1:-1]
    return inner or None


def parse_inline(content: str, references: EnvType) -> Inline:
    """The inline structure of one block's `content`; `references` holds the file's link definitions."""
    tokens = _PARSER.inline.parse(content, _PARSER, references, [])
    pieces: list[Piece] = []
    links: list[Link] = []
    opened: list[tuple[str, int, int]] = []
    for token in tokens:
        start, end = token.meta.get("at", (0, 0))
        match token.type:
            case "text" | "text_special" if token.content:
                pieces.append(Piece("text", token.content, start, end))
            case "code_inline":
                pieces.append(_code(token, content, start, end))
            case "softbreak" | "hardbreak":
                pieces.append(Piece("break", "\n", start, end))
            case "html_inline":
                pieces.append(Piece("html", token.content, start, end))
            case "image":
                here = len(pieces)
                links.append(
                    Link(kind="image", href=str(token.attrs["src"]), start=start, end=end, first=here, last=here)
                )
            case "link_open":
                opened.append((str(token.attrs["href"]), start, len(pieces)))
            case "link_close" if opened:
                href, begin, first = opened.pop()
                links.append(Link(kind="link", href=href, start=begin, end=end, first=first, last=len(pieces)))
            case _:
                pass
    return Inline(tuple(pieces), tuple(links))


def _code(token: Token, content: str, start: int, end: int) -> Piece:
    width = len(token.markup)
    inner = content[start + width : end - width]
    # One space on each side is dropped where both are there (CommonMark 0.31, 6.1).
    pad = 0 if len(inner) == len(token.content) else 1
    return Piece("code", token.content, start + width + pad, end - width - pad)


def _inline_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark")
    parser.inline = PlacedInline()
    parser.configure("commonmark").enable("strikethrough")
    # Merges pieces of text, and loses where they began.
    return parser.disable("fragments_join")


def tags(content: str) -> list[Piece]:
    """The tags and comments of a block of HTML, in which nothing else is markup."""
    found = []
    for token in _TAGS.inline.parse(content, _TAGS, {}, []):
        if token.type == "html_inline":
            found.append(Piece("html", token.content, *token.meta["at"]))
    return found


def _tag_parser() -> MarkdownIt:
    parser = MarkdownIt("zero", {"html": True})
    parser.inline = PlacedInline()
    return parser.configure("zero", {"html": True}).enable("html_inline")


_PARSER = _inline_parser()
_TAGS = _tag_parser()

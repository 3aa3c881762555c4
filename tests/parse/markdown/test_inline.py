"""Inline structure: each piece where it stands, the same text as the library's."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from recipediff.core.place import Place, Unreadable
from recipediff.parse.markdown import Inline, read_markdown
from recipediff.parse.markdown.inline import parse_inline, read_inline

FILE = "t.md"


def inline(text: str) -> Inline:
    return parse_inline(text, {})


def test_pieces_and_links_have_their_offsets() -> None:
    text = "see *the* [`code` x](a%20b.md#h 't') and ![i](p.png) &amp; \\* <b id=q>y</b>"
    found = inline(text)
    assert found.plain == "see the code x and  & * y"
    assert [(p.kind, p.text, text[p.start : p.end]) for p in found.pieces if p.kind in {"code", "html"}] == [
        ("code", "code", "code"),
        ("html", "<b id=q>", "<b id=q>"),
        ("html", "</b>", "</b>"),
    ]
    assert [(link.kind, link.href, text[link.start : link.end]) for link in found.links] == [
        ("link", "a%20b.md#h", "[`code` x](a%20b.md#h 't')"),
        ("image", "p.png", "![i](p.png)"),
    ]
    first = found.links[0]
    assert "".join(piece.text for piece in found.pieces[first.first : first.last]) == "code x"


def test_places_go_over_lines() -> None:
    document = read_markdown(b"> - one `two\n>   three` [x](y)\r\n", FILE)
    (text,) = document.texts
    found = document.inline(text)
    (code,) = (piece for piece in found.pieces if piece.kind == "code")
    assert code.text == "two three"
    assert text.place(FILE, code.start, code.end) == Place(file=FILE, line=1, column=10, end_line=2, end_column=10)
    (link,) = found.links
    assert text.place(FILE, link.start, link.end) == Place(file=FILE, line=2, column=12, end_line=2, end_column=18)


@pytest.mark.parametrize(
    ("source", "column"),
    [("## `x` y ##", 4), ("##\t `x`", 5), ("> # `x`", 5), ("- # `x`", 5), ("`x`\n===", 1), ("  `x`\n---", 3)],
)
def test_headings_have_their_column(source: str, column: int) -> None:
    document = read_markdown(source.encode(), FILE)
    (heading,) = document.headings
    assert heading.place(FILE).column == column
    assert heading.level in {1, 2}


_PARTS = [
    "`",
    "``",
    "a",
    "b ",
    "*",
    "**",
    "_",
    "[",
    "]",
    "(x)",
    "](y.md)",
    "![",
    "<a>",
    "<!--",
    "-->",
    "\\",
    "&amp;",
    "\n",
    "  \n",
    "~~",
    "|",
    "大",
    "!",
    "<http://x>",
]


@given(st.lists(st.sampled_from(_PARTS), max_size=40).map("".join).map(str.strip))
@example("a  \nb")
@example("***a** b*")
@example("[a *b](y.md) c*")
def test_text_and_offsets_agree_with_the_library(content: str) -> None:
    found = inline(content)
    tokens = MarkdownIt("commonmark").enable("strikethrough").parseInline(content)[0].children or []
    assert "".join(p.text for p in found.pieces if p.kind == "code") == "".join(
        t.content for t in tokens if t.type == "code_inline"
    )
    assert [link.href for link in found.links if link.kind == "link"] == _hrefs(tokens)
    assert _text(found) == "".join(t.content for t in tokens if t.type in {"text", "code_inline"})
    for piece in found.pieces:
        source = content[piece.start : piece.end]
        if piece.kind == "text" and len(source) == len(piece.text):
            assert source == piece.text
        if piece.kind == "code":
            assert source.replace("\n", " ") == piece.text
        if piece.kind == "html":
            assert source == piece.text
    assert [p.start for p in found.pieces] == sorted(p.start for p in found.pieces)
    assert len(found.offsets) == len(found.plain)


@given(st.text("`a |*\\<[&~_", max_size=12).map(str.strip))
@example("` a `")
@example("`  `")
@example("`")
@example("``")
def test_the_short_way_reads_the_same(content: str) -> None:
    long = parse_inline(content, {})
    short = read_inline(content, {})
    assert (short.plain, short.links) == (long.plain, long.links)
    assert [p for p in short.pieces if p.kind != "text"] == [p for p in long.pieces if p.kind != "text"]


def test_hostile_text_takes_no_time_worth_mention() -> None:
    for part in ("[", "](", "`a", "*a", "<a ", "![", "[a](", "&", "_a*"):
        read = read_markdown((part * 4_000).encode(), FILE)
        for text in read.texts:
            read.inline(text)


def test_depth_and_length_are_bounded_with_the_place() -> None:
    with pytest.raises(Unreadable) as deep:
        read_markdown(b"x\n\n" + b"> " * 200 + b"x\n", FILE)
    assert deep.value.problem.place == Place(file=FILE, line=3, column=1)
    with pytest.raises(Unreadable) as long:
        read_markdown(b"# a\n\n" + b"word " * 30_000, FILE)
    assert long.value.problem.place == Place(file=FILE, line=3, column=1)


def _text(found: Inline) -> str:
    return "".join(piece.text for piece in found.pieces if piece.kind in {"text", "code"})


def _hrefs(tokens: list) -> list[str]:  # type: ignore[type-arg]
    """In the order in which links end; links within links are not links."""
    return [str(t.attrs["href"]) for t in tokens if t.type == "link_open"]

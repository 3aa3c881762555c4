"""What a fragment can reach, and how bytes become text."""

from __future__ import annotations

import pytest

from recipediff.core.place import Place, Unreadable
from recipediff.parse.markdown import html_targets, read_markdown, slug
from recipediff.parse.markdown.inline import tags
from recipediff.parse.markdown.source import read_text


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("4. Model families", "4-model-families"),
        ("A. MVP closing tracks (in flight)", "a-mvp-closing-tracks-in-flight"),
        ("12. Platforms & hardware", "12-platforms--hardware"),
        ("snake_case and kebab-case", "snake_case-and-kebab-case"),
        ("Größe 模型", "größe-模型"),
        ("🚧 Work — in progress", "-work--in-progress"),
        ("C++ / `--flag`?", "c----flag"),
        ("  spaces  ", "spaces"),
        ("???", ""),
    ],
)
def test_slugs_are_githubs(heading: str, expected: str) -> None:
    assert slug(heading) == expected


def test_anchors_of_a_file() -> None:
    text = "# A `b`\n\n## A b\n\nA [b](x)\n---\n\n<a name='n'></a>\n\ntext <span id=s>x</span>\n\n| K |\n|--|\n| <a id=\"cell\"></a>x |\n"
    assert read_markdown(text.encode(), "t.md").anchors == {"a-b", "a-b-1", "a-b-2", "n", "s", "cell"}


def test_html_addresses_and_broken_tags() -> None:
    html = "<p>\n `<a\nhref='x.md'>t</a>` <img src=y.png> <!-- <a href=c.md> --> <a href=\"z <b"
    found = tags(html)
    assert [html[piece.start : piece.end] for piece in found] == [piece.text for piece in found]
    assert [href for piece in found for href in html_targets(piece.text).hrefs] == ["x.md", "y.png"]


@pytest.mark.parametrize("part", ["<a ", "<!--", "<![", "</a", "&", "<a href='", "<script>", "<a x=", "<a x>", "<a\n"])
def test_hostile_html_ends(part: str) -> None:
    read_markdown(("<div>" + part * (90_000 // len(part))).encode(), "t.md").anchors  # noqa: B018
    read_markdown(("x " + part * (90_000 // len(part))).encode(), "t.md").anchors  # noqa: B018


def test_bytes_that_are_not_utf8_have_their_place() -> None:
    with pytest.raises(Unreadable) as caught:
        read_text(b"\xef\xbb\xbfone\r\nt\xc3\xbco \xff", "t.md")
    assert caught.value.problem.place == Place(file="t.md", line=2, column=5)
    assert "0xff" in str(caught.value)


def test_line_endings_marks_and_nul() -> None:
    assert read_text(b"\xef\xbb\xbfa\rb\r\nc\0", "t.md") == "a\nb\nc\ufffd"


def test_a_file_beyond_the_bound_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recipediff.parse.markdown.source.MAX_BYTES", 3)
    with pytest.raises(Unreadable, match="4 bytes"):
        read_text(b"abcd", "t.md")


@pytest.mark.parametrize("data", [b"", b"\n", b"   ", b"\xef\xbb\xbf", b"|", b"|\n|-|", b"# "])
def test_next_to_nothing_is_read(data: bytes) -> None:
    read_markdown(data, "t.md").anchors  # noqa: B018

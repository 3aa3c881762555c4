"""Every character of a YAML scalar is found where it stands, in every style."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from recipediff.parse.documents.document import Document, MappingNode, ScalarNode, read
from recipediff.parse.shell.scalar import scalar_text
from recipediff.parse.shell.source import MappedText


def placed(yaml: str) -> tuple[Document, MappedText]:
    document = read(yaml.encode(), "f.yaml")
    assert isinstance(document.root, MappingNode)
    node = document.root.get("k")
    assert isinstance(node, ScalarNode)
    text = scalar_text(document, node)
    assert text.chars == node.text
    return document, text


def where(yaml: str, word: str) -> tuple[int, int]:
    _, text = placed(yaml)
    at = text.chars.index(word)
    place = text.place(at, at + len(word))
    return place.line, place.column


@pytest.mark.parametrize(
    ("yaml", "word", "line", "column"),
    [
        ("k: vllm serve m --port 1\n", "--port", 1, 17),
        ("a: 1\nk: vllm serve m\n   --port 1\n", "--port", 3, 4),
        ("k: 'it''s --port'\n", "--port", 1, 11),
        ('k: "a\\tb\\x41 --port"\n', "--port", 1, 14),
        ('k: "a \\\n  --port"\n', "--port", 2, 3),
        ("k: |\n  vllm serve m \\\n      --port 1\n", "--port", 3, 7),
        ("k: |-\n\n\n  vllm \\\n    --port 1", "--port", 5, 5),
        ("k: |2\n    vllm\n  --port\n", "--port", 3, 3),
        ("k: >\n  vllm serve m\n  --port 1\n\n  last\n", "--port", 3, 3),
        ("k: >\n  a\n    more\n  --port\n", "--port", 4, 3),
        ("o:\n  - 1\nk: | # note\n  vllm\n  --port\nz: 2\n", "--port", 5, 3),
        ("k: |\r\n  vllm\r\n  --port\r\n", "--port", 3, 3),
    ],
)
def test_a_word_is_found_where_it_stands(yaml: str, word: str, line: int, column: int) -> None:
    assert where(yaml, word) == (line, column)


def test_an_unlike_line_break_costs_places_but_no_text() -> None:
    _, text = placed('k: "a\u2028  b"\n')
    assert text.place(0).line == 1


WORDS = st.lists(
    st.lists(st.text(alphabet="abcxyz-'\"\\{}#:é", min_size=1, max_size=6), min_size=1, max_size=4).map(" ".join),
    min_size=1,
    max_size=5,
)


def check_places(yaml: str) -> None:
    """Each visible character of the text is the character at its place."""
    document, text = placed(yaml)
    lines = document.lines
    for index, char in enumerate(text.chars):
        if char in " \n":
            continue
        place = text.place(index)
        written = lines[place.line - 1][place.column - 1 : place.end_column - 1]
        assert written in (char, f"\\{char}", char * 2)


@given(WORDS, st.sampled_from(["|", "|-", "|+", ">", ">-"]), st.integers(1, 6))
def test_block_styles(lines: list[str], header: str, indent: int) -> None:
    pad = " " * indent
    check_places(f"a: 1\nk: {header}\n" + "".join(f"{pad}{line}\n" for line in lines) + "z: 1\n")


@given(WORDS, st.booleans())
def test_quoted_styles(lines: list[str], single: bool) -> None:
    joined = "\n   ".join(lines)
    if single:
        check_places("k: '" + joined.replace("'", "''") + "'\n")
    else:
        check_places('k: "' + joined.replace("\\", "\\\\").replace('"', '\\"') + '"\n')


@given(WORDS)
def test_plain_style(lines: list[str]) -> None:
    text = "\n   ".join(f"w{line}" for line in lines)
    assume(not any(part in text for part in (": ", ":\n", " #", "\n#")) and not text.endswith(":"))
    check_places(f"k: {text}\n")

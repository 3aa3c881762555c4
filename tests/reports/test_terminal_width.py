"""The terminal's report at any width: no word is broken, and the caret stands under what it speaks of."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recipediff.core.finding import Finding, Fix
from recipediff.core.place import Place
from recipediff.core.verdict import Evaluation
from recipediff.reports.report import Report, build
from recipediff.reports.terminal import render

MESSAGE = "speculative_config is not what upstream says it is, and nobody has declared it"
LONG = '  - --compilation-config={"cudagraph_mode": "FULL", "custom_ops": ["all"], "target": 1}' + " #" * 90


def report(line: str, word: str) -> Report:
    column = line.index(word) + 1
    place = Place(file="recipes/a.yaml", line=7, column=column, end_line=7, end_column=column + len(word))
    fix = Fix("follow upstream, or declare it under source.deviations with its reason")
    finding = Finding(rule="undeclared", severity="error", recipe="a", message=MESSAGE, place=place, fix=fix, line=line)
    return build(Evaluation(findings=(finding,)), {"recipes/a.yaml": "\n" * 6 + line})


def uncoloured(text: str) -> str:
    return re.sub(r"\x1b\[\d+m", "", text)


def marked(text: str) -> str:
    """What stands above the caret."""
    lines = text.split("\n")
    at = next(index for index, line in enumerate(lines) if re.fullmatch(r" *\| *\^+ *", line))
    start, stop = lines[at].index("^"), len(lines[at].rstrip())
    return lines[at - 1][start:stop]


@pytest.mark.parametrize("width", [0, 40, 60, 80, 120, 300])
@pytest.mark.parametrize("colour", [False, True])
def test_the_caret_stands_under_its_word_and_lines_fit(width: int, colour: bool) -> None:
    for line, word in (("  - --port", "--port"), (LONG, '"target"'), (LONG, "--compilation")):
        text = uncoloured(render(report(line, word), colour=colour, width=width))
        assert marked(text) == word
        if width:
            fits = [row for row in text.split("\n") if "-->" not in row]
            assert max(map(len, fits)) <= width


def test_nothing_is_lost_by_wrapping() -> None:
    wide, narrow = (render(report("  - --port", "--port"), width=width) for width in (0, 40))
    assert wide.split() == narrow.split()
    assert "reason" in narrow.split()


@given(st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\n\r"), max_size=30))
def test_characters_made_visible_do_not_move_the_caret(before: str) -> None:
    text = render(report(f"{before}WORD", "WORD"))
    row, caret = re.findall(r"^ *7? \| (.*)$", text, re.MULTILINE)[-2:]
    assert caret.count("^") == 4
    wide = sum(2 if unicodedata.east_asian_width(c) in "WF" else 0 if unicodedata.combining(c) else 1 for c in row[:-4])
    assert (row[-4:], caret.index("^")) == ("WORD", wide)

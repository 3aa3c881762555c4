"""Chat commands: what is understood, and what is answered."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recipediff.app.commands import ChatCommand, explain, parse
from recipediff.core.rules import RULES


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("@recipediff recheck", ChatCommand("recheck")),
        ("@recipediff Recheck!", ChatCommand("recheck")),
        ("@recipediff recheck please", ChatCommand("recheck", "please")),
        ("@recipediff explain undeclared", ChatCommand("explain", "undeclared")),
        ("@recipediff explain NOT CHECKED", ChatCommand("explain", "NOT CHECKED")),
        ("@recipediff help", ChatCommand("help")),
        ("@recipediff", ChatCommand("help")),
        ("@recipediff merge", ChatCommand("unknown", "merge")),
    ],
)
def test_what_is_understood(text: str, command: ChatCommand) -> None:
    assert parse(text) == command


@pytest.mark.parametrize("name", ["not-checked", "NOT CHECKED", "not_checked", "`not-checked`", " Not-Checked. "])
def test_a_rule_is_found_however_it_is_written(name: str) -> None:
    assert explain(name, "@recipediff") == explain("not-checked", "@recipediff")
    assert "ot checked" in explain(name, "@recipediff")


def test_every_rule_can_be_explained() -> None:
    assert all(len(explain(rule, "@recipediff")) > 100 for rule in RULES)


def test_a_rule_that_is_not_there_names_those_like_it() -> None:
    assert "`undeclared`" in explain("undeclard", "@recipediff")
    assert "`undeclared`" in explain("", "@recipediff")


@given(st.text(max_size=200) | st.from_regex(r"[@#<!\[\]()`*_a-z/: ]{1,60}", fullmatch=True))
def test_what_was_asked_for_cannot_ping_or_mark_up(wanted: str) -> None:
    """What is copied into the answer stands in a code span, whole."""
    answer = explain(wanted, "@recipediff")
    if answer.startswith("There is no rule"):
        spans = re.sub(r"(`+)(?: ?).*?(?: ?)\1(?!`)", "", answer, flags=re.DOTALL)
        assert not re.search(r"[@#<\[]", spans), answer

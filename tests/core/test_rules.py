"""Every rule has an id, a name, a summary and a page; every page belongs to a rule."""

from __future__ import annotations

from importlib.resources import files

import pytest

from recipediff.core.rules import RULES
from recipediff.reports.pages import page


@pytest.mark.parametrize("rule_id", RULES)
def test_every_rule_has_its_page(rule_id: str) -> None:
    rule, text = RULES[rule_id], page(rule_id)
    assert text.startswith(f"# {rule.name} (`{rule_id}`)\n")
    assert "## What to do" in text
    assert rule.summary.endswith(".")
    assert "\n" not in rule.summary


def test_every_page_belongs_to_a_rule() -> None:
    names = {
        entry.name.removesuffix(".md") for entry in files("recipediff.rules").iterdir() if entry.name.endswith(".md")
    }
    assert names == set(RULES)


@pytest.mark.parametrize("rule_id", RULES)
def test_fenced_blocks_of_a_page_are_closed(rule_id: str) -> None:
    assert page(rule_id).count("```") % 2 == 0

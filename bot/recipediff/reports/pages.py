"""The documentation page of each rule, carried inside the package."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from recipediff.core.rules import RULES


@cache
def page(rule_id: str) -> str:
    """The page of one rule as Markdown. Raises `KeyError` for an id that is not in the catalogue."""
    rule = RULES[rule_id]
    return files("recipediff.rules").joinpath(f"{rule.id}.md").read_text("utf-8")

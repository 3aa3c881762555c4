"""The checks, in one visible table. Each has one shape: a snapshot goes in, an evaluation with its findings comes out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from recipediff.checks import config
from recipediff.checks.recipes import check as recipes
from recipediff.checks.records import guard
from recipediff.checks.sweep import surface_change
from recipediff.core.verdict import Evaluation

CHECKS: dict[str, Callable[[Any], Evaluation]] = {
    "config": config.check,
    "recipes": recipes.check,
    "records": guard.check,
    "surface": surface_change.check,
}

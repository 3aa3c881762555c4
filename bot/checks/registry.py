"""The checks, in one visible table. Each has one shape: a snapshot goes in, an evaluation with its findings comes out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bot.checks import config, recipes
from bot.checks.records import guard
from bot.checks.sweep import surface_change
from bot.core.verdict import Evaluation

CHECKS: dict[str, Callable[[Any], Evaluation]] = {
    "config": config.check,
    "recipes": recipes.check,
    "records": guard.check,
    "surface": surface_change.check,
}

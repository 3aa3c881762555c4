"""How pin bumps are made, as data: the `bumps:` section of the configuration."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

Every = Literal["day", "week", "month"]
Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

DAYS: tuple[Day, ...] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@dataclass(frozen=True, slots=True)
class BumpGroup:
    """Recipes that move in one pull request. `recipes` are globs of ids."""

    name: str
    recipes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BumpConfig:
    """The policy. Times are UTC; `cooldown` is in days, 0 is none. A limit of 0 lets nothing through."""

    open: Literal["automatic", "asked", "never"] = "automatic"
    """`asked`: only where somebody ticks a box or comments. `never`: nothing is opened, changed or closed."""
    days: tuple[Day, ...] = DAYS
    """The days on which bumps may be opened. Open ones are kept up to date on any day."""
    cooldown: float = 1.0
    """Days that upstream's newest change must be old before a bump is opened for it."""
    max_open: int = 5
    max_per_day: int = 3
    groups: tuple[BumpGroup, ...] = ()
    quiet: Literal["gather", "skip"] = "gather"
    """Moves that change nothing a pinned launch uses: one pull request for all of them, or none."""
    quiet_every: Every = "month"
    ignore: tuple[str, ...] = ()
    """Globs of the ids of recipes that are left alone."""
    labels: tuple[str, ...] = ("recipediff",)
    reviewers: tuple[str, ...] = ()
    """Accounts, and teams as `owner/team`."""
    assignees: tuple[str, ...] = ()
    automerge: Literal["never", "quiet"] = "never"
    """`quiet`: merge the pull request of quiet moves once its check is green and nobody else has committed to it."""
    overview: Literal["issue", "never"] = "issue"
    """Keep the overview issue."""

    def group(self, recipe: str) -> str:
        """The name of the first group that a recipe belongs to; empty for none."""
        return next((group.name for group in self.groups if _named(recipe, group.recipes)), "")

    def ignores(self, recipe: str) -> bool:
        """Whether the configuration leaves the recipe alone."""
        return _named(recipe, self.ignore)


def _named(recipe: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(recipe, pattern) for pattern in patterns)

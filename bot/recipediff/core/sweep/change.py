"""What a move means: two sweeps, of two upstream commits or of two surfaces, held against each other."""

from __future__ import annotations

from dataclasses import dataclass

from recipediff.core.sweep.result import Demand, RecipeOutcome, SweepResult


@dataclass(frozen=True, slots=True)
class NameChange:
    """A name on an axis that resolves now, or no longer; `recipes` use it in the later sweep (the earlier, where it is lost)."""

    setting: str
    name: str
    recipes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FlagChange:
    """A flag whose state is another now. An empty state: no recipe used it then, or uses it now."""

    name: str
    before: str
    after: str
    recipes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepChange:
    """From `before` to `after`, in a fixed order."""

    before: SweepResult
    after: SweepResult
    newly_start: tuple[RecipeOutcome, ...]
    newly_stop: tuple[RecipeOutcome, ...]
    added: tuple[RecipeOutcome, ...]
    """Recipes that the earlier sweep did not have."""
    removed: tuple[RecipeOutcome, ...]
    flags: tuple[FlagChange, ...]
    gained: tuple[NameChange, ...]
    lost: tuple[NameChange, ...]

    @property
    def nothing(self) -> bool:
        """Whether the two say the same."""
        return not any(
            (self.newly_start, self.newly_stop, self.added, self.removed, self.flags, self.gained, self.lost)
        )


def change(before: SweepResult, after: SweepResult) -> SweepChange:
    """What became different. Compare like with like: one counting rule on both sides."""
    old = {one.recipe: one for one in before.recipes}
    new = {one.recipe: one for one in after.recipes}
    both = [(old[name], new[name]) for name in new if name in old]
    return SweepChange(
        before=before,
        after=after,
        newly_start=tuple(now for was, now in both if now.outcome == "starts" and was.outcome != "starts"),
        newly_stop=tuple(now for was, now in both if was.outcome == "starts" and now.outcome != "starts"),
        added=tuple(one for name, one in new.items() if name not in old),
        removed=tuple(one for name, one in old.items() if name not in new),
        flags=_flags(before, after),
        gained=_names(after, before),
        lost=_names(before, after),
    )


def _flags(before: SweepResult, after: SweepResult) -> tuple[FlagChange, ...]:
    old: dict[str, Demand] = {flag.name: flag for flag in before.flags}
    new: dict[str, Demand] = {flag.name: flag for flag in after.flags}
    found = []
    for name in dict.fromkeys([*new, *old]):
        was, now = old.get(name), new.get(name)
        states = (was.state if was else "", now.state if now else "")
        if states[0] != states[1]:
            users = now or was
            found.append(FlagChange(name, *states, users.recipes if users else ()))
    return tuple(found)


def _names(one: SweepResult, other: SweepResult) -> tuple[NameChange, ...]:
    """Names that resolve in `one` and are known not to in `other`, where both list the axis."""
    found = []
    for axis in one.axes:
        known = other.surface.values.get(axis.setting)
        if not axis.listed or known is None:
            continue
        for value in axis.values:
            if value.resolves and not other.surface.resolves(axis.setting, value.name):
                found.append(NameChange(axis.setting, value.name, value.recipes))
    return tuple(found)

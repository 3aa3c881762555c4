"""The rules that a tested recipe keeps by itself, without a look at upstream. Each is a pure function; all stand in `RULES`.

`check` and `across` run them. Declarations are judged apart (`judge_entry`, `declarations`), since the comparison with
upstream has more to say about the same line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from recipediff.checks.recipes.rules import agreement, forbidden, measured, pins, topology
from recipediff.checks.recipes.rules.declarations import Misfit, declarations, judge_entry
from recipediff.core.finding import Finding
from recipediff.core.launch import Launch
from recipediff.core.recipe import TestedRecipe

EntryRule = Callable[[TestedRecipe, Launch], Iterable[Finding]]

RULES: dict[str, EntryRule] = {
    "malformed-recipe": agreement.agreement,
    "unpinned-source": pins.source,
    "unpinned-image": pins.image,
    "context-mismatch": measured.context,
    "topology-in-id": topology.one_topology,
    "forbidden-combination": forbidden.combinations,
    "stale-measurement": measured.stale,
}
"""By the id of the rule in the catalogue. The shape itself (`malformed-recipe`, `duplicate-key`) is judged by the reader."""

__all__ = ["RULES", "EntryRule", "Misfit", "across", "check", "declarations", "judge_entry"]


def check(recipe: TestedRecipe, launch: Launch) -> tuple[Finding, ...]:
    """Everything that one recipe breaks by itself. `launch` is what its own args, env and mods were parsed to."""
    return tuple(finding for rule in RULES.values() for finding in rule(recipe, launch))


def across(recipes: Sequence[TestedRecipe]) -> Iterator[Finding]:
    """What several recipes break together: an id that is taken."""
    yield from topology.duplicate_ids(recipes)

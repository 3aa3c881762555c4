"""Separate ids for separate topologies (spec/recipes.md, Invariants)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from recipediff.checks.recipes.rules.own import say, unread
from recipediff.core.finding import Finding, Related
from recipediff.core.launch import Launch
from recipediff.core.recipe import TestedRecipe
from recipediff.parse.tested.shape import cut

# `-2spark`, `-4x-spark`, `-2-nodes`: a number before a word for machines. `-8b` and `-0731` say nothing of the kind.
_COUNT = re.compile(r"(?:^|[-_.])([1-9][0-9]{0,3})x?[-_]?(?:sparks?|nodes?)(?=$|[-_.])")
_SEVERAL = re.compile(r"\sor\s", re.IGNORECASE)


def one_topology(recipe: TestedRecipe, _launch: Launch) -> Iterator[Finding]:
    """One entry describes one topology, and its id does not name another."""
    rule = "topology-in-id"
    if _SEVERAL.search(recipe.hardware):
        place = recipe.places.get("topology.hardware", recipe.place)
        message = f"topology.hardware names several: “{cut(recipe.hardware)}”"
        yield say(recipe, rule, message, place, "write one recipe, with an id of its own, for each", key="hardware")
    named = _COUNT.search(recipe.id.lower())
    if named and recipe.nodes and int(named[1]) != recipe.nodes and not unread(recipe, "topology.nodes", "id"):
        place = recipe.places.get("topology.nodes", recipe.place)
        message = f"the id says {named[1]} nodes, topology.nodes is {recipe.nodes}"
        fix = "each topology has an id of its own: rename the recipe, or correct nodes"
        yield say(recipe, rule, message, place, fix, key="nodes")


def duplicate_ids(recipes: Sequence[TestedRecipe]) -> Iterator[Finding]:
    """No id twice, over all files; ids that differ in letter case alone are one on some file systems."""
    first: dict[str, TestedRecipe] = {}
    for recipe in recipes:
        other = first.setdefault(recipe.id.lower(), recipe)
        if other is recipe or "id" in recipe.unread:
            continue
        how = "is taken" if other.id == recipe.id else f"differs only in letter case from “{cut(other.id)}”"
        place = recipe.places.get("id", recipe.place)
        finding = say(recipe, "duplicate-id", f"the id “{cut(recipe.id)}” {how}", place,
                      "give each recipe, and each topology of a model, an id of its own", key=recipe.file)  # fmt: skip
        yield replace(finding, related=(Related("the first one", other.places.get("id", other.place)),))

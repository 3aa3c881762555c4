"""A select against one recipe: what it leaves open is upstream's choice, what it asks for must be possible."""

from __future__ import annotations

from recipediff.core.launch import Note, Select
from recipediff.core.place import Place, Problem
from recipediff.parse.formats.vllm_project.choose import (
    Shelf,
    default_nodes,
    default_profile,
    default_strategy,
    listed,
    nodes_for,
    offered,
    recommended,
    replacement,
    runs_on,
    stores_for,
)
from recipediff.parse.formats.vllm_project.fields import Args, shortlist, shown
from recipediff.parse.formats.vllm_project.hardware import Profile
from recipediff.parse.formats.vllm_project.recipe import Recipe, Variant
from recipediff.parse.formats.vllm_project.render import Chosen
from recipediff.parse.formats.vllm_project.strategies import Strategy
from recipediff.parse.formats.vllm_project.switches import default_features, feature_args, wanted

MOST_NODES = 64


class Impossible(Exception):
    """The select asks for something that upstream does not describe. Carries the problems that say so."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__("; ".join(str(problem) for problem in problems))
        self.problems = problems


def _refuse(message: str, place: Place, names: list[str]) -> Impossible:
    return Impossible(Problem(message, place, f"possible: {shortlist(names)}"))


def choose(recipe: Recipe, shelf: Shelf, select: Select) -> tuple[Chosen, tuple[Note, ...]]:
    """Everything that the launch depends on, and notes on what upstream chose otherwise. Raises `Impossible`."""
    asked = _variant(recipe, select)
    profile = _profile(recipe, asked, shelf, select)
    variant = replacement(recipe, asked, profile)
    notes = []
    if variant is not asked:
        text = f"variant {shown(asked.name)} does not fit {profile.id}; upstream renders {shown(variant.name)} there"
        notes.append(Note(text, variant.place))
    strategy, store, nodes = _strategy(recipe, variant, profile, shelf, select)
    features = _features(recipe, variant, profile, strategy, select)
    return Chosen(
        recipe=recipe, variant=variant, profile=profile, strategy=strategy, nodes=nodes, features=features, store=store
    ), tuple(notes)


def _variant(recipe: Recipe, select: Select) -> Variant:
    name = select.variant or ("default" if "default" in recipe.variants else next(iter(recipe.variants)))
    found = recipe.variants.get(name)
    if found is None:
        raise _refuse(f"the recipe has no variant {shown(name)}", recipe.place, list(recipe.variants))
    return found


def _profile(recipe: Recipe, variant: Variant, shelf: Shelf, select: Select) -> Profile:
    if not select.hardware:
        found = default_profile(recipe, variant, shelf)
        if found is None:
            raise _refuse(f"no hardware profile can run variant {shown(variant.name)}", variant.place, [])
        return found
    profile = shelf.profiles.get(select.hardware)
    if profile is None or not runs_on(recipe, variant, profile):
        names = [one.id for one in listed(recipe, variant, shelf)]
        what = "is no hardware profile" if profile is None else f"is not offered for variant {shown(variant.name)}"
        raise _refuse(f"{shown(select.hardware)} {what}", recipe.place, names)
    return profile


def _strategy(
    recipe: Recipe, variant: Variant, profile: Profile, shelf: Shelf, select: Select
) -> tuple[Strategy, Strategy | None, int]:
    nodes = default_nodes(recipe, variant, profile, shelf)
    possible = offered(recipe, variant, profile, shelf)
    stores = stores_for(profile, shelf)
    store = shelf.stores.get(select.strategy) if select.strategy in stores else None
    if store is not None:
        name = recommended(recipe, profile, nodes, shelf)
    else:
        name = select.strategy or default_strategy(recipe, variant, profile, nodes, shelf)
        if name not in possible:
            what = f"strategy {shown(name)} is not offered" if name else "no strategy is offered"
            raise _refuse(f"{what} for variant {shown(variant.name)} on {profile.id}", recipe.place, possible + stores)
    strategy = shelf.strategies.get(name)
    if strategy is None:
        raise _refuse(f"strategy {shown(name)} is not described", recipe.place, list(shelf.strategies))
    return strategy, store, _nodes(recipe, profile, strategy, select)


def _nodes(recipe: Recipe, profile: Profile, strategy: Strategy, select: Select) -> int:
    several = strategy.deploy_type == "multi_node"
    usual = max(2, nodes_for(recipe, strategy.name, profile)) if several else 1
    if usual > MOST_NODES:
        raise _refuse(f"{strategy.name} would take {usual:,} nodes here", recipe.place, [f"at most {MOST_NODES}"])
    if not select.nodes or select.nodes == usual:
        return usual
    if several and 2 <= select.nodes <= MOST_NODES:
        return select.nodes
    allowed = f"2 to {MOST_NODES}" if several else "1"
    if strategy.deploy_type == "pd_cluster":
        allowed = "none: each pool has its own"
    raise _refuse(f"{strategy.name} does not run on {select.nodes} nodes", strategy.place, [allowed])


def _features(recipe: Recipe, variant: Variant, profile: Profile, strategy: Strategy, select: Select) -> Args:
    if select.features is None:
        parts, _ = feature_args(recipe, default_features(recipe, variant, profile), variant, profile, strategy.name)
    else:
        choices, problems = wanted(recipe, select.features, recipe.place)
        if problems:
            raise Impossible(*problems)
        parts, refused = feature_args(recipe, choices, variant, profile, strategy.name)
        if refused:
            raise Impossible(*refused)
    return tuple(flag for part in parts for flag in part)

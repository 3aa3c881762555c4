"""What upstream's builder chooses where a select leaves it open: hardware, variant, strategy, number of nodes.

The rules were found by comparing the recipes with the commands that the builder published, and hold for all of them;
none is copied code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from recipediff.core.place import Problem
from recipediff.parse.formats.vllm_project.hardware import Profile, exact_or_family
from recipediff.parse.formats.vllm_project.overrides import NO_OVERRIDE, NO_ROLE
from recipediff.parse.formats.vllm_project.recipe import Recipe, Variant
from recipediff.parse.formats.vllm_project.strategies import Strategy

ROLES = ("prefill", "decode")
MOST_POOL_NODES = 4
"""Upstream offers no pair whose pools take more."""
_FOUR_BIT = frozenset({"nvfp4", "fp4"})
_STORE_BRANDS = frozenset({"NVIDIA", "AMD"})


@dataclass(frozen=True, slots=True)
class Shelf:
    """The companions of one commit: hardware profiles, serving strategies, KV stores. `wrong` says what could not be
    understood about one of them, by its name; it concerns the launches that use it."""

    profiles: Mapping[str, Profile]
    strategies: Mapping[str, Strategy]
    stores: Mapping[str, Strategy]
    wrong: Mapping[str, tuple[Problem, ...]] = field(default_factory=dict)


def runs_on(recipe: Recipe, variant: Variant, profile: Profile) -> bool:
    """Whether upstream offers `variant` on `profile`."""
    state = recipe.hardware.get(profile.id)
    if state is not None and state.text == "unsupported":
        return False
    if profile.restricted and state is None:
        return False
    if variant.supported is not None and profile.id not in variant.supported:
        return False
    if variant.needs is not None:
        facts = {"brand": profile.brand, "generation": profile.generation, "id": profile.id}
        return all(facts.get(key) == value for key, value in variant.needs.items())
    if variant.precision in _FOUR_BIT:
        # Four-bit float weights need tensor cores that only this generation has.
        return profile.brand == "NVIDIA" and profile.generation == "blackwell"
    return True


def listed(recipe: Recipe, variant: Variant, shelf: Shelf) -> list[Profile]:
    """Every profile that upstream offers for `variant`, its default first, else in the taxonomy's order."""
    found = [profile for profile in shelf.profiles.values() if runs_on(recipe, variant, profile)]
    default = _default(recipe, variant, found)
    return found if default is None else [default, *(profile for profile in found if profile is not default)]


def default_profile(recipe: Recipe, variant: Variant, shelf: Shelf) -> Profile | None:
    """The hardware of upstream's default command: `meta.default_hardware` where the variant runs there, else the usual one."""
    return _default(recipe, variant, [p for p in shelf.profiles.values() if runs_on(recipe, variant, p)])


def _default(recipe: Recipe, variant: Variant, found: list[Profile]) -> Profile | None:
    by_id = {profile.id: profile for profile in found}
    if recipe.default_hardware is not None and recipe.default_hardware.text in by_id:
        return by_id[recipe.default_hardware.text]
    return usual_profile(variant, by_id)


def usual_profile(variant: Variant, by_id: Mapping[str, Profile]) -> Profile | None:
    """The default without `meta.default_hardware`; builders of before August 2026 knew no other."""
    usual = "b200" if variant.precision in _FOUR_BIT and variant.needs is None else "h200"
    return by_id.get(usual) or (by_id[min(by_id)] if by_id else None)


def fits(variant: Variant, profile: Profile) -> bool:
    """Whether the variant's memory is there on one node."""
    return variant.vram <= profile.vram


def replacement(recipe: Recipe, variant: Variant, profile: Profile) -> Variant:
    """The variant that upstream renders: on hardware that cannot be clustered, the largest one that fits it."""
    if profile.scalable or fits(variant, profile):
        return variant
    best = variant
    for other in recipe.variants.values():
        if not fits(other, profile) or not runs_on(recipe, other, profile):
            continue
        if best is variant or other.vram > best.vram:
            best = other
    return best


def least_gpus(recipe: Recipe, strategy: str, profile: Profile) -> int:
    """The GPUs that a recipe asks for at least, by strategy or by hardware."""
    if not recipe.min_gpus:
        return 1
    keys = (strategy, profile.id, *profile.family)
    return max((recipe.min_gpus[key].value for key in keys if key in recipe.min_gpus), default=1)


def nodes_for(recipe: Recipe, strategy: str, profile: Profile) -> int:
    """How many nodes the least number of GPUs takes."""
    return -(-least_gpus(recipe, strategy, profile) // profile.gpus.value)


def declared(recipe: Recipe, profile: Profile) -> list[str]:
    """The strategies of a recipe on a profile: those it lists, then those it grants this hardware alone."""
    names = dict.fromkeys(word.text for word in recipe.compatible)
    for name, states in recipe.granted.items():
        state = exact_or_family(states, profile)
        if state is not None and state.text != "unsupported":
            names[name] = None
    return list(names)


def offered(recipe: Recipe, variant: Variant, profile: Profile, shelf: Shelf) -> list[str]:
    """The serving strategies that upstream offers, in its order."""
    found = []
    for name in declared(recipe, profile):
        strategy = shelf.strategies.get(name)
        if strategy is None:
            continue
        state = exact_or_family(recipe.granted.get(name, {}), profile)
        if state is not None and state.text == "unsupported":
            continue
        if strategy.deploy_type == "single_node":
            if nodes_for(recipe, name, profile) > 1:
                continue
        elif not profile.scalable:
            continue
        if strategy.deploy_type == "pd_cluster" and not _has_pools(recipe, name, variant, profile):
            continue
        found.append(name)
    return found


def pool_style(recipe: Recipe, strategy: str, role: str) -> str:
    """How one pool of a prefill/decode pair is laid out: `tp` unless the recipe says otherwise."""
    role_override = recipe.strategy_overrides.get(strategy, NO_OVERRIDE).roles.get(role, NO_ROLE)
    return role_override.parallelism.text if role_override.parallelism else "tp"


def pool_nodes(recipe: Recipe, variant: Variant, profile: Profile, style: str) -> int:
    """The nodes of one pool: as many as its memory and its least number of GPUs take. 0 where both pools share one node,
    each with half of its GPUs."""
    by_memory = -int(-variant.vram // profile.vram) if profile.vram else 1
    nodes = max(1, by_memory, nodes_for(recipe, f"multi_node_{style}", profile))
    shared = nodes == 1 and variant.vram * 2 <= profile.vram and profile.gpus.value > 1
    return 0 if shared else nodes


def _has_pools(recipe: Recipe, strategy: str, variant: Variant, profile: Profile) -> bool:
    styles = [pool_style(recipe, strategy, role) for role in ROLES]
    return max(pool_nodes(recipe, variant, profile, style) for style in styles) <= MOST_POOL_NODES


def stores_for(profile: Profile, shelf: Shelf) -> list[str]:
    """The KV stores that upstream offers on a profile."""
    return sorted(shelf.stores) if profile.scalable and profile.brand in _STORE_BRANDS else []


def default_nodes(recipe: Recipe, variant: Variant, profile: Profile, shelf: Shelf) -> int:
    """The nodes of the recommended command: one where the variant fits, else what a multi-node strategy takes."""
    if not profile.scalable or not any(_is(name, "multi_node", shelf) for name in declared(recipe, profile)):
        return 1
    least = nodes_for(recipe, "", profile)
    if fits(variant, profile) and least <= 1:
        return 1
    return max(2, least)


def _is(name: str, deploy_type: str, shelf: Shelf) -> bool:
    strategy = shelf.strategies.get(name)
    return strategy is not None and strategy.deploy_type == deploy_type


def recommended(recipe: Recipe, profile: Profile, nodes: int, shelf: Shelf) -> str:
    """The strategy that upstream recommends for a number of nodes, before it asks whether the hardware allows it."""
    names = declared(recipe, profile)
    reach = "multi_node" if nodes > 1 else "single_node"
    style = recipe.default_strategy.removeprefix("single_node_").removeprefix("multi_node_")
    for wish in (f"{reach}_{style}", f"{reach}_tp", f"{reach}_tep", f"{reach}_dep"):
        if wish in names and _is(wish, reach, shelf):
            return wish
    of_reach = [name for name in names if _is(name, reach, shelf)]
    return of_reach[0] if of_reach else (names[0] if names else "")


def default_strategy(recipe: Recipe, variant: Variant, profile: Profile, nodes: int, shelf: Shelf) -> str:
    """The strategy of the recommended command."""
    wish = recommended(recipe, profile, nodes, shelf)
    possible = offered(recipe, variant, profile, shelf)
    return wish if wish in possible or not possible else possible[0]

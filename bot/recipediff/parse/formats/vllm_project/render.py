"""The words and the environment of each process, put together in upstream's order.

From the front: the recipe's base, the variant (and what it adds on exactly this hardware), the strategy, the parallel
sizes, the recipe's amendments of the strategy, those of the hardware, the features, the KV store. Of an option given
twice the later one stays, at its later position.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from recipediff.core.launch import Assignment, Word
from recipediff.core.place import Place
from recipediff.parse.formats.vllm_project.fields import NOTHING, Args, Patch
from recipediff.parse.formats.vllm_project.hardware import Profile, exact_or_family, of_family
from recipediff.parse.formats.vllm_project.overrides import NO_OVERRIDE, NO_ROLE, RoleOverride, StrategyOverride
from recipediff.parse.formats.vllm_project.recipe import Recipe, Variant
from recipediff.parse.formats.vllm_project.strategies import Strategy


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """Everything that one launch depends on."""

    recipe: Recipe
    variant: Variant
    profile: Profile
    strategy: Strategy
    nodes: int
    features: Args
    store: Strategy | None = None

    @property
    def override(self) -> StrategyOverride:
        """The recipe's amendments of the strategy."""
        return self.recipe.strategy_overrides.get(self.strategy.name, NO_OVERRIDE)

    @property
    def model_id(self) -> Word:
        """The model that is served."""
        return self.variant.model_id or self.recipe.model_id


def merge(model: Word, *parts: Args) -> tuple[Word, ...]:
    """The words after `vllm serve`. Last wins, as upstream's builder removes repeats."""
    kept: dict[str, tuple[Word, ...]] = {}
    for part in parts:
        for key, words in part:
            kept.pop(key, None)
            kept[key] = words
    argv = [model]
    for words in kept.values():
        argv += words
    return tuple(argv)


def merge_env(parts: Iterable[tuple[Assignment, ...]]) -> tuple[Assignment, ...]:
    """The environment. Last wins, at the first position."""
    kept: dict[str, Assignment] = {}
    for part in parts:
        for item in part:
            kept[item.name] = item
    return tuple(kept.values())


def option(name: str, value: str | int, named: Place, valued: Place) -> tuple[str, tuple[Word, ...]]:
    """One computed option with the places of the facts that it comes from."""
    return name, (Word(name, named), Word(str(value), valued))


def switch(name: str, place: Place) -> tuple[str, tuple[Word, ...]]:
    """One computed option without a value."""
    return name, (Word(name, place),)


def variant_patch(chosen: Chosen) -> Patch:
    """What the variant adds on exactly this hardware."""
    return chosen.variant.overrides.get(chosen.profile.id, NOTHING)


def hardware_patches(chosen: Chosen, role: RoleOverride = NO_ROLE) -> list[Patch]:
    """The blocks of the hardware slot, in order. A strategy's block for the hardware's family replaces the general ones."""
    profile, recipe, override = chosen.profile, chosen.recipe, chosen.override
    special = of_family(override.overrides, profile)
    if special is not None:
        patches = [special]
    else:
        general = [of_family(recipe.overrides, profile), of_family(chosen.variant.overrides, profile)]
        patches = [patch for patch in general if patch is not None]
    patches += [recipe.overrides.get(profile.id, NOTHING), override.overrides.get(profile.id, NOTHING)]
    own = exact_or_family(role.overrides, profile)
    if own is not None:
        patches.append(own)
    return patches


def image(chosen: Chosen) -> Word | None:
    """The container image: the variant's for this hardware, the variant's, the recipe's, else vLLM's own for the brand."""
    exact = variant_patch(chosen).image
    if exact is not None:
        return exact
    recipe, variant, profile = chosen.recipe, chosen.variant, chosen.profile
    brand = profile.brand.lower()
    # Brands without images of their own (Huawei) get what NVIDIA hardware gets.
    slot = brand if brand in _IMAGES else "nvidia"
    stated = variant.images.get(slot) or recipe.images.get(slot)
    if stated is not None:
        return stated
    name = _IMAGES[slot]
    if slot == "intel":
        name = "vllm/vllm-openai-cpu:latest-x86_64" if profile.generation == "cpu" else "vllm/vllm-openai-xpu:latest"
    elif recipe.nightly and slot in ("nvidia", "amd"):
        name = name.replace(":latest", ":nightly")
    return Word(name, profile.place)


_IMAGES = {
    "nvidia": "vllm/vllm-openai:latest",
    "amd": "vllm/vllm-openai-rocm:latest",
    "google": "vllm/vllm-tpu:latest",
    "intel": "vllm/vllm-openai-xpu:latest",
}

"""Which features are on, and the words that they add."""

from __future__ import annotations

from recipediff.core.place import Place, Problem
from recipediff.parse.formats.vllm_project.features import Choice, Feature
from recipediff.parse.formats.vllm_project.fields import Args, shortlist, shown
from recipediff.parse.formats.vllm_project.hardware import Profile, exact_or_family
from recipediff.parse.formats.vllm_project.recipe import Recipe, Variant

WantedSwitches = tuple[tuple[str, str], ...]
"""Feature and mode; an empty mode leaves it to the recipe."""


def default_features(recipe: Recipe, variant: Variant, profile: Profile) -> WantedSwitches:
    """All but those that are opt-in, on any hardware or on this one; a variant that names a mode switches its feature on."""
    barred = exact_or_family(recipe.hardware_opt_in, profile) or frozenset()
    return tuple(
        (name, "")
        for name in recipe.features
        if name in variant.default_modes or (name not in recipe.opt_in and name not in barred)
    )


def wanted(recipe: Recipe, names: tuple[str, ...], place: Place) -> tuple[WantedSwitches, tuple[Problem, ...]]:
    """The features that a select names (`name` or `name:mode`), in the recipe's order."""
    asked: dict[str, str] = {}
    problems = []
    for text in names:
        name, _, mode = text.partition(":")
        feature = recipe.features.get(name)
        if feature is None:
            problems.append(
                Problem(f"the recipe has no feature {shown(name)}", place, f"it has: {shortlist(recipe.features)}")
            )
        elif mode and mode not in feature.modes:
            what = f"feature {shown(name)} has no mode {shown(mode)}"
            problems.append(Problem(what, feature.place, f"it has: {shortlist(feature.modes)}"))
        else:
            asked[name] = mode
    return tuple((name, asked[name]) for name in recipe.features if name in asked), tuple(problems)


def feature_args(
    recipe: Recipe, choices: WantedSwitches, variant: Variant, profile: Profile, strategy: str
) -> tuple[list[Args], list[Problem]]:
    """The words of each feature, and a problem for each that this launch cannot have."""
    parts: list[Args] = []
    refused: list[Problem] = []
    for name, asked in choices:
        feature = recipe.features[name]
        mode = asked or variant.default_modes.get(name, "") or feature.default_mode
        limits = [feature.base]
        if mode in feature.modes:
            limits.append(feature.modes[mode])
        bar = next((why for choice in limits if (why := _barred(choice, variant, profile, strategy))), "")
        if bar:
            full = f"{name}:{mode}" if mode else name
            refused.append(Problem(f"feature {shown(full)} is not there {bar}", feature.place))
            continue
        parts.append(_words(feature, limits[-1], profile))
    return parts, refused


def _barred(choice: Choice, variant: Variant, profile: Profile, strategy: str) -> str:
    state = exact_or_family(choice.states, profile)
    if state is not None and state.text == "unsupported":
        return f"on {profile.id}"
    if choice.variants is not None and variant.name not in choice.variants:
        return f"for variant {shown(variant.name)} (for: {shortlist(sorted(choice.variants))})"
    if choice.strategies is not None and strategy not in choice.strategies:
        return f"with {strategy} (with: {shortlist(sorted(choice.strategies))})"
    return ""


def _words(feature: Feature, choice: Choice, profile: Profile) -> Args:
    for source in (choice, feature.base):
        found = exact_or_family(source.overrides, profile)
        if found is not None:
            return found
        if source.args:
            return source.args
    return ()

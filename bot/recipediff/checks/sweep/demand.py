"""How many recipes want each flag, value, variable, architecture and hardware profile, and what the engine makes of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from recipediff.checks.sweep.counting import Counted
from recipediff.checks.sweep.judge import LineOption, uses
from recipediff.core.sweep.models import ModelAnswer
from recipediff.core.sweep.result import (
    ArchitectureRow,
    Architectures,
    Axis,
    AxisValue,
    Demand,
    EnvDemand,
    EnvState,
    ProfileRow,
    RecipeOutcome,
)
from recipediff.core.sweep.surface import EngineSurface, FlagState, ran_together, setting_name

AXES = ("reasoning_parser", "tool_call_parser")
"""Axes that are shown for every engine."""
NOT_LOOKED_UP = ModelAnswer("not looked up")


def _recipes_by(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """Names to the recipes that use them: most wanted first, then by name."""
    found: dict[str, dict[str, None]] = {}
    for name, recipe in pairs:
        found.setdefault(name, {})[recipe] = None
    return {name: tuple(found[name]) for name in sorted(found, key=lambda name: (-len(found[name]), name))}


def _all_uses(recipes: Sequence[Counted]) -> list[tuple[str, LineOption]]:
    return [(one.recipe, use) for one in recipes for block in one.blocks for use in uses(block.words)]


def flags(recipes: Sequence[Counted], outcomes: Sequence[RecipeOutcome], surface: EngineSurface) -> tuple[Demand, ...]:
    """Every flag as it is spelled, by demand."""
    at_value: dict[str, set[str]] = {}
    for one in outcomes:
        for stop in one.stops:
            if stop.kind == "value":
                at_value.setdefault(stop.setting, set()).add(one.recipe)
    rows = _recipes_by((use.name, recipe) for recipe, use in _all_uses(recipes))
    return tuple(_flag(name, users, at_value, surface) for name, users in rows.items())


def _flag(name: str, users: tuple[str, ...], at_value: Mapping[str, set[str]], surface: EngineSurface) -> Demand:
    setting = setting_name(name)
    broken = ran_together(name) is not None
    state: FlagState = "aborts" if broken else surface.state(name)
    there = at_value.get(setting, set()) | at_value.get(setting.partition(".")[0], set())
    refused = tuple(user for user in users if user in there) if state == "accepted" else ()
    return Demand(name=name, setting=setting, recipes=users, state=state, run_together=broken, value_stops=refused)


def environment(recipes: Sequence[Counted], surface: EngineSurface) -> tuple[EnvDemand, ...]:
    """Every variable, by demand."""
    rows = _recipes_by((one.name, recipe.recipe) for recipe in recipes for block in recipe.blocks for one in block.env)
    return tuple(EnvDemand(name, users, _env_state(name, surface)) for name, users in rows.items())


def _env_state(name: str, surface: EngineSurface) -> EnvState:
    if surface.env is None:
        return "unknown"
    if name in surface.env:
        return "read"
    # vLLM's table holds its own variables; those of NCCL, CUDA and the like are read by the libraries.
    return "not the engine's own" if surface.grammar and not name.startswith("VLLM_") else "not read"


def axes(recipes: Sequence[Counted], surface: EngineSurface) -> tuple[Axis, ...]:
    """The values of every axis that recipes use, by demand."""
    wanted: dict[str, list[tuple[str, str]]] = {}
    for recipe, use in _all_uses(recipes):
        setting = setting_name(use.name)
        if setting in AXES or setting in surface.values:
            wanted.setdefault(setting, []).extend((text, recipe) for text in use.texts[:1])
    made = [_axis(setting, pairs, surface) for setting, pairs in wanted.items()]
    return tuple(sorted(made, key=lambda axis: (axis.setting not in AXES, -axis.uses, axis.setting)))


def _axis(setting: str, pairs: list[tuple[str, str]], surface: EngineSurface) -> Axis:
    listed = setting in surface.values
    values = tuple(
        AxisValue(name, users, surface.resolves(setting, name) if listed else None)
        for name, users in _recipes_by(pairs).items()
    )
    users = {recipe for _, recipe in pairs}
    unserved = {recipe for value in values if not value.resolves for recipe in value.recipes}
    served = len(users - unserved) if listed else None
    return Axis(
        setting=setting,
        values=values,
        uses=len(users),
        served=served,
        listed=listed,
        checked=listed and setting not in surface.open_values,
    )


def architectures(
    recipes: Sequence[Counted], answers: Mapping[str, ModelAnswer] | None, surface: EngineSurface
) -> Architectures | None:
    """The architectures behind the recipes, joined with the engine's table; None where nobody asked for them."""
    if answers is None:
        return None
    pairs: list[tuple[str, str]] = []
    unverified = []
    for one in recipes:
        answer = answers.get(one.model, NOT_LOOKED_UP)
        if answer.state == "known" and answer.architectures:
            pairs.extend((name, one.recipe) for name in answer.architectures)
        else:
            unverified.append((one.recipe, one.model, answer))
    table = surface.architectures
    rows = tuple(
        ArchitectureRow(name, users, name in table if table is not None else None)
        for name, users in _recipes_by(pairs).items()
    )
    return Architectures(rows, len(recipes) - len(unverified), tuple(unverified))


def hardware(
    stated: Mapping[str, Mapping[str, str]], restricted: Mapping[str, bool], mine: Sequence[str]
) -> tuple[ProfileRow, ...]:
    """What recipes state of each profile: recipe to profile to word. Profiles of one's own first, then the restricted."""
    table: dict[str, dict[str, list[str]]] = {name: {} for name in restricted}
    for recipe, profiles in stated.items():
        for profile, word in profiles.items():
            table.setdefault(profile, {}).setdefault(word, []).append(recipe)
    rows = [
        ProfileRow(
            name,
            restricted.get(name, False),
            name in mine,
            {word: tuple(sorted(who)) for word, who in sorted(words.items())},
        )
        for name, words in table.items()
    ]
    return tuple(sorted(rows, key=lambda row: (not row.mine, not row.restricted, -len(row.listed), row.profile)))

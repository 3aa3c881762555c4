"""The sweep: every recipe of an upstream at a commit against an engine's surface. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from recipediff.checks.sweep import demand
from recipediff.checks.sweep.counting import Counted, counted, described
from recipediff.checks.sweep.judge import doubts, stops
from recipediff.core.sweep.models import ModelAnswer
from recipediff.core.sweep.result import (
    Architectures,
    Axis,
    Demand,
    Gap,
    LaunchOutcome,
    ProfileRow,
    RecipeOutcome,
    SweepResult,
)
from recipediff.core.sweep.surface import EngineSurface
from recipediff.core.upstream import UpstreamFiles
from recipediff.parse.formats.vllm_project import VLLM_PROJECT

MAX_RECIPES = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepSnapshot:
    """What a sweep looks at: upstream's files at one commit, and the engine's surface."""

    upstream: str
    format: str
    commit: str
    files: UpstreamFiles
    paths: tuple[str, ...]
    """Its recipes."""
    surface: EngineSurface
    rule: str = "published"
    models: Mapping[str, ModelAnswer] | None = None
    """What the models' repositories say, by id; None where nobody asked."""
    hardware: tuple[str, ...] = ()
    """The reader's own boxes, by upstream's names."""
    notes: tuple[str, ...] = field(default=())


def sweep(snapshot: SweepSnapshot) -> SweepResult:
    """Raises `BadCount` for a counting rule that does not fit."""
    rule_text = described(snapshot.rule)
    paths = snapshot.paths[:MAX_RECIPES]
    notes = list(snapshot.notes)
    if len(paths) < len(snapshot.paths):
        notes.append(f"only the first {MAX_RECIPES:,} of {len(snapshot.paths):,} recipes were looked at")
    recipes = [counted(snapshot.format, snapshot.files, path, snapshot.rule) for path in paths]
    outcomes = tuple(judge(one, snapshot.surface) for one in recipes)
    flags = demand.flags(recipes, outcomes, snapshot.surface)
    axes = demand.axes(recipes, snapshot.surface)
    architectures = demand.architectures(recipes, snapshot.models, snapshot.surface)
    return SweepResult(
        upstream=snapshot.upstream,
        format=snapshot.format,
        commit=snapshot.commit,
        rule=snapshot.rule,
        rule_text=rule_text,
        surface=snapshot.surface,
        recipes=outcomes,
        flags=flags,
        env=demand.environment(recipes, snapshot.surface),
        axes=axes,
        architectures=architectures,
        hardware=_hardware(snapshot, paths),
        gaps=tuple(_gaps(flags, axes, architectures)),
        notes=tuple(notes),
    )


def models(snapshot: SweepSnapshot) -> tuple[str, ...]:
    """The model of every recipe, each once: what has to be looked up for the architectures."""
    found = (counted(snapshot.format, snapshot.files, path, "published").model for path in snapshot.paths[:MAX_RECIPES])
    return tuple(dict.fromkeys(model for model in found if model))


def judge(recipe: Counted, surface: EngineSurface) -> RecipeOutcome:
    """Whether one recipe starts."""
    judged = [(block, stops(block, surface)) for block in recipe.blocks if block.words]
    if not judged:
        reasons = tuple(str(problem) for problem in recipe.problems) or ("it states no command",)
        return RecipeOutcome(recipe=recipe.recipe, model=recipe.model, outcome="not judged", reasons=reasons)
    found = [
        stop for optional in (False, True) for block, some in judged if block.optional == optional for stop in some
    ]
    # Half a command that starts says nothing about the other half.
    reasons = tuple(str(problem) for problem in recipe.problems)
    outcome: LaunchOutcome = "stops" if found else "not judged" if reasons else "starts"
    lost = tuple(block.name for block, some in judged if some and block.optional)
    free = any(not some for _, some in judged) and not any(some for block, some in judged if not block.optional)
    return RecipeOutcome(
        recipe=recipe.recipe,
        model=recipe.model,
        outcome=outcome,
        stops=tuple(found),
        base_starts=bool(found) and free,
        without=lost,
        doubts=tuple(dict.fromkeys(doubt for block, _ in judged for doubt in doubts(block, surface))),
        reasons=reasons,
        judged=len(judged),
    )


def _hardware(snapshot: SweepSnapshot, paths: Sequence[str]) -> tuple[ProfileRow, ...]:
    if snapshot.format != VLLM_PROJECT.name:
        return ()
    stated = {}
    for path in paths:
        recipe, _ = VLLM_PROJECT.recipe(snapshot.files, path)
        if recipe is not None:
            stated[path] = {profile: word.text for profile, word in recipe.hardware.items()}
    restricted = {name: profile.restricted for name, profile in VLLM_PROJECT.profiles(snapshot.files).items()}
    return demand.hardware(stated, restricted, (*snapshot.hardware, *snapshot.surface.hardware))


def _gaps(flags: Sequence[Demand], axes: Sequence[Axis], architectures: Architectures | None) -> Iterator[Gap]:
    """What recipes need and the engine lacks, by demand within each kind."""
    for flag in flags:
        if flag.state == "aborts" and not flag.run_together:
            yield Gap(kind="flag", name=flag.name, setting=flag.setting, recipes=flag.recipes)
    for axis in axes:
        for value in axis.values:
            if value.resolves is False:
                yield Gap(kind="value", name=value.name, setting=axis.setting, recipes=value.recipes)
    for row in architectures.rows if architectures is not None else ():
        if row.registered is False:
            yield Gap(kind="architecture", name=row.name, setting="", recipes=row.recipes)

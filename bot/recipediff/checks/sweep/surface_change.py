"""What a change of the surface file wins or loses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recipediff.checks.sweep.run import SweepSnapshot, sweep
from recipediff.core.finding import Finding
from recipediff.core.place import Place
from recipediff.core.rules import RULES
from recipediff.core.sweep.change import NameChange, SweepChange, change
from recipediff.core.sweep.result import RecipeOutcome, SweepResult
from recipediff.core.sweep.surface import EngineSurface
from recipediff.core.upstream import Fetched, NotFetched
from recipediff.core.verdict import Evaluation
from recipediff.parse.engine.file import read_surface

_LISTED = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class SurfaceSnapshot:
    """The surface file before and after a change, and upstream's recipes. `after` is None where it was deleted, `before`
    where it is new, or where there is nothing to compare with."""

    file: str
    before: bytes | None
    after: bytes | None
    upstream: str
    format: str
    commit: str
    fetched: Fetched
    paths: tuple[str, ...] = ()


def check(snapshot: SurfaceSnapshot) -> Evaluation:
    """Faults of the file's shape; else at most one finding for what starts no longer, and one for what newly starts."""
    if snapshot.after is None:
        return Evaluation(findings=())
    surface, findings = read_surface(snapshot.after, snapshot.file)
    if surface is None or snapshot.before is None:
        return Evaluation(findings=findings)
    if isinstance(snapshot.fetched, NotFetched):
        return _not_fetched(snapshot.fetched)
    before, _ = read_surface(snapshot.before, snapshot.file)
    if before is None:
        return Evaluation(
            findings=(), notes=(f"{snapshot.file} could not be read before this change, so nothing was compared",)
        )
    moved = change(_swept(snapshot, before), _swept(snapshot, surface))
    return Evaluation(findings=tuple(_findings(moved, snapshot)), notes=(_sum(moved),))


def _not_fetched(fetched: NotFetched) -> Evaluation:
    note = f"what this change wins or loses is not known: {fetched.message}"
    return Evaluation(findings=(), notes=(note,), reason=fetched.reason)


def _swept(snapshot: SurfaceSnapshot, surface: EngineSurface) -> SweepResult:
    if isinstance(snapshot.fetched, NotFetched):
        raise TypeError("there is nothing to sweep")
    return sweep(
        SweepSnapshot(
            upstream=snapshot.upstream,
            format=snapshot.format,
            commit=snapshot.commit,
            files=snapshot.fetched,
            paths=snapshot.paths,
            surface=surface,
        )
    )


def _sum(moved: SweepChange) -> str:
    before, after = (len(result.having("starts")) for result in (moved.before, moved.after))
    total, at = len(moved.after.recipes), moved.after.commit[:12]
    return f"{after} of {total} recipes of {moved.after.upstream} at {at} start with this surface file, {before} did before"


def _findings(moved: SweepChange, snapshot: SurfaceSnapshot) -> Iterator[Finding]:
    place = _place(snapshot)
    engine = moved.after.surface.title
    sides = (
        ("surface-loss", moved.newly_stop, moved.lost, "no longer", "resolves no longer"),
        ("surface-gain", moved.newly_start, moved.gained, "newly", "resolves now"),
    )
    for rule, recipes, names, how, resolves in sides:
        if not recipes and not names:
            continue
        detail = (*_words(rule, recipes), *_names(names, resolves))
        if recipes:
            verb = "starts" if len(recipes) == 1 else "start"
            what = f"{len(recipes)} {'recipe' if len(recipes) == 1 else 'recipes'} {verb} {how} on {engine}: {_listed(recipes)}"
        else:
            what = f"no recipe starts {how} on {engine}, but {len(names)} {'name' if len(names) == 1 else 'names'} of a value {resolves.replace('resolves', 'resolve')}"
        yield Finding(
            rule=rule,
            severity=RULES[rule].severity,
            recipe=snapshot.file,
            message=what,
            place=place,
            detail=detail,
            key=rule,
        )


def _place(snapshot: SurfaceSnapshot) -> Place:
    """The list of flags, where the file has it on a line of its own."""
    lines = (snapshot.after or b"").decode("utf-8", "replace").split("\n")
    at = next((number for number, line in enumerate(lines, 1) if line.startswith("flags:")), 1)
    return Place(file=snapshot.file, line=at, column=1)


def _words(rule: str, recipes: Sequence[RecipeOutcome]) -> Iterator[str]:
    """At which words they stop now."""
    if rule != "surface-loss":
        return
    counts: dict[str, int] = {}
    for one in recipes:
        if one.first is not None:
            counts[one.first.word] = counts.get(one.first.word, 0) + 1
    for word, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        yield f"{count} at {word}"


def _names(names: Sequence[NameChange], resolves: str) -> Iterator[str]:
    for name in sorted(names, key=lambda one: -len(one.recipes)):
        uses = f"{len(name.recipes)} use{'' if len(name.recipes) == 1 else 's'}"
        yield f"--{name.setting.replace('_', '-')} {name.name} {resolves}: {uses}"


def _listed(recipes: Sequence[RecipeOutcome]) -> str:
    names = [one.recipe.removeprefix("models/").removeprefix("recipes/").removesuffix(".yaml") for one in recipes]
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more

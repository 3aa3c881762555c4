"""An upstream move, judged for one recipe: files at two commits go in, its meaning comes out. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from recipediff.core.bumps.trail import Half, Judged, Reassigned
from recipediff.core.config import Upstream
from recipediff.core.launch import Launch, Select
from recipediff.core.meaning import Meaning, mean
from recipediff.core.place import Place, Problem
from recipediff.core.recipe import Source, TestedRecipe
from recipediff.core.upstream import UpstreamFiles
from recipediff.parse.documents.comments import Remarks
from recipediff.parse.formats import FORMATS
from recipediff.parse.formats.format import Format
from recipediff.parse.formats.vllm_project import VllmProject
from recipediff.parse.vllm.launch import ReadVersion, read_version, recipe_invocation, understand


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """Upstream's file at the pin and at the new commit, with what it needs beside it, and its versions around the pin."""

    old: UpstreamFiles
    new: UpstreamFiles
    new_path: str
    earlier: Sequence[tuple[UpstreamFiles, str]] = ()
    """Versions before the pin, oldest first, each with its path."""
    between: Sequence[tuple[UpstreamFiles, str]] = ()
    others: tuple[str, ...] = field(default=())
    """Further files in `new` that may be successors."""


def judge_move(recipe: TestedRecipe, versions: Versions, upstream: Upstream) -> Judged:
    """What the move means for `recipe`, whose source must be there. Never raises for what upstream writes."""
    source, form = recipe.source, FORMATS.get(upstream.format)
    if source is None or form is None:
        return Judged(Meaning(unread=f"no parser for the format “{upstream.format}” of {upstream.repo}"))
    version = read_version(recipe.vllm)
    ours = understand(recipe_invocation(recipe), version)
    old = launch_at(form, versions.old, source.path, source.select, version)
    new = launch_at(form, versions.new, versions.new_path, source.select, version)
    reassigned = _reassigned(form, versions, source, old, new, version)
    if reassigned is not None and reassigned.successor:
        select = replace(source.select, variant=reassigned.successor)
        new = launch_at(form, versions.new, versions.new_path, select, version)
    halves = tuple(_half(form, versions.new, path, source, ours, version) for path in versions.others)
    if not isinstance(new, Launch) or not isinstance(old, Launch) or ours.problems or recipe.unread:
        return Judged(_partly(old, new), reassigned, halves)
    remarks = {path: Remarks(path, data) for path, data in versions.new.blobs.items()}
    meaning = mean(
        source.deviations,
        ours,
        old,
        new,
        words=lambda place: remarks[place.file].at(place) if place.file in remarks else "",
        earlier=_launches(form, versions.earlier, source.select, version),
        between=_launches(form, versions.between, source.select, version),
    )
    return Judged(meaning, reassigned, halves)


def launch_at(
    form: Format, files: UpstreamFiles, path: str, select: Select, version: ReadVersion
) -> Launch | tuple[Problem, ...]:
    """The one launch that `path` describes under `select`, or why it cannot be compared."""
    reading = form.read(files, path, select)
    if reading.problems or not reading.invocations:
        return reading.problems or (Problem(f"{path} describes no launch", Place(file=path)),)
    role = select.role
    chosen = next((i for i in reading.invocations if i.role == role), None) if role else reading.invocations[0]
    if chosen is None:
        return (Problem(f"upstream's launch has no role “{role}”", Place(file=path)),)
    launch = understand(chosen, version)
    return launch.problems or launch


def same_launch(form: Format, versions: Versions, source: Source, version: ReadVersion) -> bool:
    """Whether nothing that the recipe's select sees differs between the two commits."""
    old = launch_at(form, versions.old, source.path, source.select, version)
    new = launch_at(form, versions.new, versions.new_path, source.select, version)
    if not isinstance(old, Launch) or not isinstance(new, Launch):
        return old == new
    meaning = mean((), old, old, new)
    return not meaning.relevant and not meaning.launcher


def _launches(
    form: Format, line: Sequence[tuple[UpstreamFiles, str]], select: Select, version: ReadVersion
) -> list[Launch]:
    read = (launch_at(form, files, path, select, version) for files, path in line)
    return [launch for launch in read if isinstance(launch, Launch)]


def _partly(old: Launch | tuple[Problem, ...], new: Launch | tuple[Problem, ...]) -> Meaning:
    """What is known where one side cannot be compared; where that is the recipe's own, upstream's change still is."""
    if isinstance(old, Launch) and isinstance(new, Launch):
        return mean((), old, old, new)
    unread = "" if isinstance(new, Launch) else "; ".join(map(str, new[:3]))
    blind = "" if isinstance(old, Launch) else "; ".join(map(str, old[:3]))
    return Meaning(unread=unread, blind=blind)


def _reassigned(
    form: Format,
    versions: Versions,
    source: Source,
    old: Launch | tuple[Problem, ...],
    new: Launch | tuple[Problem, ...],
    version: ReadVersion,
) -> Reassigned | None:
    """Whether the variant means another model now, and which variant has the model that it meant."""
    if not isinstance(form, VllmProject) or not isinstance(old, Launch) or not isinstance(new, Launch):
        return None
    before, after = (launch.model.value if launch.model else "" for launch in (old, new))
    if before == after:
        return None
    recipe, _ = form.recipe(versions.new, versions.new_path)
    variant = source.select.variant or "default"
    for name in recipe.variants if recipe is not None else ():
        if name == variant:
            continue
        launch = launch_at(form, versions.new, versions.new_path, replace(source.select, variant=name), version)
        if isinstance(launch, Launch) and launch.model is not None and launch.model.value == before:
            return Reassigned(variant, after, name)
    return Reassigned(variant, after)


def _half(form: Format, files: UpstreamFiles, path: str, source: Source, ours: Launch, version: ReadVersion) -> Half:
    launch = launch_at(form, files, path, source.select, version)
    if not isinstance(launch, Launch):
        return Half(path, None)
    return Half(path, len(mean((), ours, launch, ours).changes))

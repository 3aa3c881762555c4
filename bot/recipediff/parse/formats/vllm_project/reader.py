"""The format itself: files, a path and a select go in; invocations or a reason come out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from recipediff.core.launch import Invocation, Select
from recipediff.core.place import Place, Problem
from recipediff.parse.formats.format import FormatReading, UpstreamFiles
from recipediff.parse.formats.vllm_project.catalogue import COMPANIONS, Problems, recipe_of, shelf_of
from recipediff.parse.formats.vllm_project.choose import (
    Shelf,
    declared,
    default_nodes,
    default_strategy,
    listed,
    offered,
    replacement,
    stores_for,
)
from recipediff.parse.formats.vllm_project.fields import shortlist, shown
from recipediff.parse.formats.vllm_project.hardware import Profile
from recipediff.parse.formats.vllm_project.launches import invocations
from recipediff.parse.formats.vllm_project.recipe import Recipe
from recipediff.parse.formats.vllm_project.select import Impossible, choose


@dataclass(frozen=True, slots=True)
class Offer:
    """One launch that upstream publishes for a recipe."""

    select: Select
    default: bool
    """Whether it is the recommended one for its hardware."""


class VllmProject:
    """The format `vllm-project`. What it has read is kept, so that one commit's launches resolve quickly."""

    name = "vllm-project"

    def __init__(self) -> None:
        self._last: tuple[UpstreamFiles | None, tuple[Shelf, Problems]] = (None, (Shelf({}, {}, {}), ()))

    def companions(self, path: str) -> tuple[str, ...]:
        """Glob patterns of the shared files that every recipe needs."""
        return COMPANIONS

    def read(self, files: UpstreamFiles, path: str, select: Select) -> FormatReading:
        """The invocations of the launch that `select` picks, each with what could not be understood in the files that it
        depends on. Never raises for bad input."""
        recipe, shelf, problems = self._open(files, path)
        if recipe is None:
            return FormatReading((), problems)
        if "omni" in recipe.tasks:
            what = "upstream publishes no `vllm serve` command for a recipe with the task omni"
            return FormatReading((), (*problems, Problem(what, recipe.place, "compare it by hand")))
        try:
            chosen, notes = choose(recipe, shelf, select)
        except Impossible as error:
            names = [select.hardware, select.strategy, *(word.text for word in recipe.compatible)]
            return FormatReading((), (*problems, *_concerning(shelf, names), *error.problems))
        names = [chosen.profile.id, *declared(recipe, chosen.profile), chosen.strategy.name]
        if chosen.store is not None:
            names.append(chosen.store.name)
        problems = (*problems, *_concerning(shelf, names))
        found = invocations(chosen)
        if select.role and not any(one.role == select.role for one in found):
            return FormatReading((), (*problems, _no_role(chosen.strategy.name, select.role, found, recipe)))
        found = tuple(one for one in found if select.role in ("", one.role))
        if problems or notes or recipe.notes:
            extra = (*recipe.notes, *notes)
            found = tuple(replace(one, problems=problems + one.problems, notes=one.notes + extra) for one in found)
        return FormatReading(found)

    def selects(self, files: UpstreamFiles, path: str, model: str, hardware: str) -> tuple[Select, ...]:
        """One for each listed profile whose id has `hardware` as a part (`GB10`: `dgx_spark_gb10`); nothing for others."""
        recipe, _shelf, _problems = self._open(files, path)
        variants = [name for name, served in recipe.model_ids.items() if served == model] if recipe else []
        wanted = {part for part in re.split(r"[^a-z0-9]+", hardware.lower()) if part}
        found = [
            Select(hardware=profile, variant=variant)
            for variant in variants
            for profile in dict.fromkeys(offer.select.hardware for offer in self.offers(files, path, variant))
            if wanted & set(profile.split("_"))
        ]
        return tuple(found)

    def recipe(self, files: UpstreamFiles, path: str) -> tuple[Recipe | None, Problems]:
        """The recipe at `path` as data (verified hardware, model ids, features), and what is wrong in its files."""
        recipe, _shelf, problems = self._open(files, path)
        return recipe, problems

    def profiles(self, files: UpstreamFiles) -> Mapping[str, Profile]:
        """Upstream's hardware profiles, by id."""
        return shelf_of(files)[0].profiles

    def offers(self, files: UpstreamFiles, path: str, variant: str = "") -> Iterator[Offer]:
        """Every launch that upstream publishes for one variant: each hardware, its recommended strategy first."""
        recipe, shelf, _problems = self._open(files, path)
        if recipe is None or "omni" in recipe.tasks:
            return
        asked = recipe.variants.get(variant or "default")
        if asked is None:
            return
        for profile in listed(recipe, asked, shelf):
            rendered = replacement(recipe, asked, profile)
            nodes = default_nodes(recipe, rendered, profile, shelf)
            first = default_strategy(recipe, rendered, profile, nodes, shelf)
            others = [*offered(recipe, rendered, profile, shelf), *stores_for(profile, shelf)]
            for name in (first, *(other for other in others if other != first)):
                if name:
                    yield Offer(Select(hardware=profile.id, variant=variant, strategy=name), name == first)

    def _open(self, files: UpstreamFiles, path: str) -> tuple[Recipe | None, Shelf, Problems]:
        kept, opened = self._last
        if kept is not files:
            opened = shelf_of(files)
            self._last = (files, opened)
        shelf, problems = opened
        data = files.blobs.get(path)
        if data is None:
            missing = Problem(
                "the file is not there at this commit", Place(file=path), "see `source.path` and `source.commit`"
            )
            return None, shelf, (*problems, missing)
        recipe, wrong = recipe_of(path, data)
        return recipe, shelf, (*problems, *wrong) if wrong else problems


def _no_role(strategy: str, role: str, found: tuple[Invocation, ...], recipe: Recipe) -> Problem:
    names = shortlist(one.role for one in found)
    return Problem(f"{strategy} has no role {shown(role)}", recipe.place, f"possible: {names}")


def _concerning(shelf: Shelf, names: Iterable[str]) -> Problems:
    if not shelf.wrong:
        return ()
    return tuple(problem for name in dict.fromkeys(names) for problem in shelf.wrong.get(name, ()))

"""Which upstream to believe: a setting taken from the upstream that has no authority over it (DESIGN.md, comparison, 6).

Only where both upstreams speak about the recipe's model. The upstream with authority over the image knows the names of
backends, the loader, mods and its own environment; a recipe that has the other one's value there has believed the wrong one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from recipediff.core.compare import same
from recipediff.core.config import Config, Upstream
from recipediff.core.finding import Finding, Fix, Related
from recipediff.core.launch import Launch
from recipediff.core.recipe import TestedRecipe
from recipediff.core.setting import Setting
from recipediff.core.upstream import UpstreamFiles
from recipediff.parse.formats import FORMATS
from recipediff.parse.globs import matches
from recipediff.parse.vllm.launch import ReadVersion, understand

IMAGE_FLAGS = frozenset(
    {
        *("attention_backend", "moe_backend", "linear_backend", "mamba_backend", "all2all_backend"),
        *("load_format", "model_loader_extra_config", "kv_cache_dtype", "tokenizer_mode"),
    }
)
"""Flags whose values name something inside the image (spec/recipes.md, Source authority: backend names, loader)."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """What one upstream says about a model: its launches, and where."""

    upstream: Upstream
    launches: tuple[Launch, ...]


def spoken(
    recipe: TestedRecipe, beside: Mapping[str, UpstreamFiles], config: Config, version: ReadVersion
) -> tuple[Spoken, ...]:
    """What each surveyed upstream says about the recipe's model, on its hardware where the upstream knows that."""
    found = []
    for upstream in config.upstreams:
        files, form = beside.get(upstream.repo.lower()), FORMATS.get(upstream.format)
        if files is None or form is None:
            continue
        needle = recipe.model.text.encode()
        launches = [
            understand(invocation, version)
            for path, data in files.blobs.items()
            if matches(path, upstream.recipes) and needle in data
            for select in form.selects(files, path, recipe.model.text, recipe.hardware)
            for invocation in form.read(files, path, select).invocations[:1]
            if not invocation.problems
        ]
        if launches:
            found.append(Spoken(upstream, tuple(launches)))
    return tuple(found)


def believed(recipe: TestedRecipe, ours: Launch, said: tuple[Spoken, ...]) -> Iterator[Finding]:
    """A finding for each image setting in which the recipe has the value of an upstream without authority over it."""
    image = [one for one in said if one.upstream.authority == "image"]
    others = [one for one in said if one.upstream.authority != "image"]
    declared = {(d.kind, d.setting) for d in (recipe.source.deviations if recipe.source else ())}
    for setting in ours.settings:
        if not _about_the_image(setting) or (setting.kind, setting.name) in declared:
            continue
        right, wrong = _values(setting, image), _values(setting, others)
        if not right or any(same(s.meaning, setting.meaning) for s in right):
            continue
        followed = next((s for s in wrong if same(s.meaning, setting.meaning)), None)
        if followed is not None:
            yield _finding(recipe, setting, right[0], followed, image[0].upstream, others)


def joined(findings: Iterable[Finding], believed_wrongly: Iterable[Finding]) -> tuple[Finding, ...]:
    """Both in one: a setting that is undeclared already is reported once, with where its value comes from."""
    kept = list(findings)
    for finding in believed_wrongly:
        known = next(
            (i for i, f in enumerate(kept) if f.rule == "undeclared" and _setting(f) == _setting(finding)), None
        )
        if known is None:
            kept.append(finding)
        else:
            origin = finding.related[1]
            detail = f"the value is that of {origin.message}, which has no authority over the image"
            kept[known] = replace(
                kept[known], detail=(*kept[known].detail, detail), related=(*kept[known].related, origin)
            )
    return tuple(kept)


def _setting(finding: Finding) -> tuple[str | None, str]:
    return (finding.kind, finding.setting)


def _about_the_image(setting: Setting) -> bool:
    return setting.kind == "env" or (setting.kind == "flag" and setting.name in IMAGE_FLAGS)


def _values(setting: Setting, said: list[Spoken]) -> list[Setting]:
    """The same setting in the upstreams' launches; an upstream that leaves it out says nothing."""
    return [
        s
        for one in said
        for launch in one.launches
        for s in launch.settings
        if (s.kind, s.name) == (setting.kind, setting.name)
    ]


def _finding(
    recipe: TestedRecipe, ours: Setting, right: Setting, followed: Setting, image: Upstream, others: list[Spoken]
) -> Finding:
    other = others[0].upstream.repo
    return Finding(
        rule="wrong-authority",
        severity="error",
        recipe=recipe.id,
        message=f"{ours.name} is “{ours.value}” as in {other}; {image.repo}, which knows the image, says “{right.value}”",
        place=ours.place,
        kind=ours.kind,
        setting=ours.name,
        upstream=right.value,
        ours=ours.value,
        fix=Fix(f"write “{right.value}”, or declare the deviation with its reason"),
        related=(Related(f"{image.repo}", right.place), Related(f"{other}", followed.place)),
    )

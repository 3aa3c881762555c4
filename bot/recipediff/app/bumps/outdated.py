"""Looking where upstream is: which recipes trail, by how much, and what that means. Only reads.

All recipes of one upstream are looked at together: its tip and its tree once, each pin's tree once, and then only the
contents of pinned paths that differ. What cannot be found out is said, and is never "no update".
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from recipediff.app.bumps.history import Past, Steps, steps_between
from recipediff.app.bumps.upstream import Sight, Watched, beside_changed, files_of, followed, sha_at, versions_of
from recipediff.app.payload import moment
from recipediff.checks.moves import Versions, judge_move, launch_at, same_launch
from recipediff.core.bumps.trail import Judged, Outdated
from recipediff.core.compare import compact
from recipediff.core.config import Config, Upstream
from recipediff.core.finding import Finding
from recipediff.core.follow import Followed
from recipediff.core.launch import Launch
from recipediff.core.meaning import Meaning, settings_of
from recipediff.core.recipe import Source, TestedRecipe
from recipediff.core.rules import RULES
from recipediff.core.upstream import UpstreamFiles
from recipediff.parse.formats import FORMATS
from recipediff.parse.globs import matches
from recipediff.parse.vllm.launch import read_version
from recipediff.ports.errors import Missing, Unavailable
from recipediff.ports.repository import TreeEntry

__all__ = ["OpenUpstream", "Past", "Seen", "Sight", "look"]

_LICENCE = re.compile(r"(?i)(licen[cs]e|copying|notice)([.-][^/]*)?")


class OpenUpstream(Protocol):
    """Opens a configured upstream."""

    def __call__(self, repo: str) -> Sight: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What was found. Every recipe is in exactly one of `trails`, `current`, `lost`, `unfollowed` and `unknown`."""

    trails: tuple[Outdated, ...] = ()
    current: tuple[str, ...] = ()
    """Recipes whose pin says what upstream says."""
    lost: Mapping[str, str] = field(default_factory=dict)
    """Recipes that cannot be followed, with the reason: another look will not help."""
    unfollowed: Mapping[str, str] = field(default_factory=dict)
    """Recipes that name no commit of a configured upstream."""
    unknown: Mapping[str, str] = field(default_factory=dict)
    """Recipes whose upstream could not be looked at this time, with the reason."""
    findings: tuple[Finding, ...] = ()
    tips: Mapping[str, str] = field(default_factory=dict)
    """The commit at which each upstream's branch was found, by its name in lower case."""


async def look(recipes: Sequence[TestedRecipe], config: Config, open_upstream: OpenUpstream) -> Seen:
    """Where the upstreams of `recipes` are. Never raises for an upstream that cannot be read."""
    grouped: dict[str, list[TestedRecipe]] = {}
    unfollowed: dict[str, str] = {}
    for recipe in recipes:
        source = recipe.source
        upstream = config.upstream(source.repo) if source is not None and source.commit else None
        if source is None or not source.commit:
            unfollowed[recipe.id] = "the recipe names no commit of an upstream"
        elif upstream is None or upstream.format not in FORMATS:
            unfollowed[recipe.id] = f"{source.repo} is not a configured upstream"
        else:
            grouped.setdefault(upstream.repo.lower(), []).append(recipe)
    parts = await asyncio.gather(*(_upstream(config, group, open_upstream) for group in grouped.values()))
    return Seen(
        trails=tuple(sorted((trail for part in parts for trail in part.trails), key=lambda trail: trail.recipe)),
        current=tuple(sorted(name for part in parts for name in part.current)),
        lost={name: why for part in parts for name, why in part.lost.items()},
        unfollowed=unfollowed,
        unknown={name: why for part in parts for name, why in part.unknown.items()},
        findings=tuple(finding for part in parts for finding in part.findings),
        tips={name: tip for part in parts for name, tip in part.tips.items()},
    )


async def _upstream(config: Config, recipes: list[TestedRecipe], open_upstream: OpenUpstream) -> Seen:
    first = recipes[0].source
    upstream = config.upstream(first.repo) if first is not None else None
    if upstream is None:
        return Seen()
    try:
        sight = open_upstream(upstream.repo)
        tip = await sight.past.tip(upstream.branch)
        if tip is None:
            reason = f"{upstream.repo} has no branch {upstream.branch}"
            return Seen(unknown={recipe.id: reason for recipe in recipes})
        after = await sight.repository.tree(tip)
    except Missing as error:
        return Seen(unknown={recipe.id: f"{upstream.repo} cannot be found: {error}" for recipe in recipes})
    except Unavailable as error:
        return Seen(unknown={recipe.id: f"{error.reason}: {error}" for recipe in recipes})
    watch = Watched(upstream=upstream, form=FORMATS[upstream.format], sight=sight, tip=tip, after=after)
    found = await asyncio.gather(*(_one_pin(watch, pin, group) for pin, group in _by_pin(recipes).items()))
    return _joined(found, {upstream.repo.lower(): tip})


def _by_pin(recipes: Iterable[TestedRecipe]) -> dict[str, list[TestedRecipe]]:
    pins: dict[str, list[TestedRecipe]] = {}
    for recipe in recipes:
        if recipe.source is not None:
            pins.setdefault(recipe.source.commit, []).append(recipe)
    return pins


def _joined(parts: Sequence[Seen], tips: Mapping[str, str]) -> Seen:
    return Seen(
        trails=tuple(trail for part in parts for trail in part.trails),
        current=tuple(name for part in parts for name in part.current),
        lost={name: why for part in parts for name, why in part.lost.items()},
        unfollowed={},
        unknown={name: why for part in parts for name, why in part.unknown.items()},
        findings=tuple(finding for part in parts for finding in part.findings),
        tips=tips,
    )


async def _one_pin(watch: Watched, pin: str, recipes: list[TestedRecipe]) -> Seen:
    """The recipes of one pin: its tree once, and whether its branch still has it."""
    name = watch.upstream.repo
    try:
        reachable = pin == watch.tip or await watch.sight.past.contains(watch.upstream.branch, pin)
        before = await watch.sight.repository.tree(pin)
        if not reachable:
            reason = f"the pinned commit {pin[:12]} cannot be reached from {watch.upstream.branch} of {name}"
            findings = tuple(unreachable(recipe, watch.upstream) for recipe in recipes)
            return Seen(lost={recipe.id: reason for recipe in recipes}, findings=findings)
    except Missing:
        reason = f"the pinned commit {pin[:12]} does not exist in {name}"
        findings = tuple(unreachable(recipe, watch.upstream) for recipe in recipes)
        return Seen(lost={recipe.id: reason for recipe in recipes}, findings=findings)
    except Unavailable as error:
        return Seen(unknown={recipe.id: f"{error.reason}: {error}" for recipe in recipes})
    return _joined(await asyncio.gather(*(_recipe(watch, before, recipe) for recipe in recipes)), {})


def unreachable(recipe: TestedRecipe, upstream: Upstream) -> Finding:
    """The finding on a pin that the followed branch does not have: rewritten history, or a commit of a fork."""
    assert recipe.source is not None  # noqa: S101  (only pinned recipes are looked at)
    source = recipe.source
    return Finding(
        rule="unreachable-pin",
        severity=RULES["unreachable-pin"].severity,
        recipe=recipe.id,
        message=f"the pinned commit {source.commit[:12]} cannot be reached from the branch {upstream.branch} of {upstream.repo}",
        place=source.places.get("commit", source.place),
        detail=("upstream's history was rewritten, or the commit is a fork's; no other commit is taken in its place",),
        key="commit",
    )


async def _recipe(watch: Watched, before: Mapping[str, TreeEntry], recipe: TestedRecipe) -> Seen:
    try:
        trail = await _trail(watch, before, recipe)
    except Unavailable as error:
        return Seen(unknown={recipe.id: f"{error.reason}: {error}"})
    except Missing as error:
        return Seen(lost={recipe.id: str(error)})
    return Seen(current=(recipe.id,)) if trail is None else Seen(trails=(trail,))


async def _trail(watch: Watched, before: Mapping[str, TreeEntry], recipe: TestedRecipe) -> Outdated | None:
    """How the recipe trails, or None where upstream says what the pin says."""
    source, after = recipe.source, watch.after
    if source is None:
        return None
    if source.path not in before:
        raise Missing(f"{source.path} does not exist in {watch.upstream.repo} at {source.commit[:12]}")
    patterns = watch.form.companions(source.path)
    touched = sha_at(before, source.path) != sha_at(after, source.path)
    if not touched and not beside_changed(before, after, patterns):
        return None
    old = await files_of(watch.sight.repository, before, source.path, patterns)
    there = (
        await followed(watch, before, source.path, old.blobs[source.path]) if touched else Followed("kept", source.path)
    )
    if there.how == "gone":
        steps = await steps_between(watch.sight.past, watch.upstream.branch, source.commit, (source.path,))
        return _gone(watch, recipe, source, steps)
    new = await files_of(watch.sight.repository, after, there.path, patterns, there.others)
    versions = Versions(old=old, new=new, new_path=there.path, others=there.others)
    if not touched and same_launch(watch.form, versions, source, read_version(recipe.vllm)):
        return None
    paths = tuple(dict.fromkeys((source.path, there.path)))
    steps = await steps_between(watch.sight.past, watch.upstream.branch, source.commit, paths)
    earlier, between = await versions_of(watch, steps, paths, patterns)
    judged = judge_move(
        recipe,
        Versions(old=old, new=new, new_path=there.path, earlier=earlier, between=between, others=there.others),
        watch.upstream,
    )
    return _made(watch, before, recipe, source, there, judged, steps, _identity(watch, recipe, source, new, there.path))


def _identity(watch: Watched, recipe: TestedRecipe, source: Source, new: UpstreamFiles, path: str) -> str:
    """What upstream says now, as one name: the content's id, and with companions the launch that comes of it."""
    sha = sha_at(watch.after, path)
    if not watch.form.companions(path):
        return sha
    launch = launch_at(watch.form, new, path, source.select, read_version(recipe.vllm))
    if not isinstance(launch, Launch):
        return f"{sha}+unread"
    text = compact([[*key, setting.value] for key, setting in settings_of(launch).items()])
    return f"{sha}+{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def _gone(watch: Watched, recipe: TestedRecipe, source: Source, steps: Steps) -> Outdated:
    when = f" ({steps.listed[0].sha[:12]}: {steps.listed[0].subject})" if steps.listed else ""
    why = f"upstream has deleted {source.path}{when}, and no file there is like it"
    return Outdated(
        recipe=recipe.id, file=recipe.file, repo=watch.upstream.repo, pin=source.commit, path=source.path, target=watch.tip, new_path="", how="gone",
        judged=Judged(Meaning(unread=why)), blob="", steps=steps.listed, more=steps.more, since=_since(steps), blocked=why,
    )  # fmt: skip


def _made(
    watch: Watched,
    before: Mapping[str, TreeEntry],
    recipe: TestedRecipe,
    source: Source,
    there: Followed,
    judged: Judged,
    steps: Steps,
    blob: str,
) -> Outdated:
    unread = judged.meaning.unread
    changed = [path for path in {*before, *watch.after} if sha_at(before, path) != sha_at(watch.after, path)]
    launcher = [path for path in changed if recipe.nodes > 1 and matches(path, watch.upstream.launcher)]
    return Outdated(
        recipe=recipe.id,
        file=recipe.file,
        repo=watch.upstream.repo,
        pin=source.commit,
        path=source.path,
        target=watch.tip,
        new_path=there.path,
        how=there.how,
        judged=judged,
        blob=blob,
        steps=steps.listed,
        more=steps.more,
        since=_since(steps),
        licence=tuple(sorted(path for path in changed if _LICENCE.fullmatch(path))),
        launcher=tuple(sorted(launcher)),
        blocked=f"upstream's new version cannot be compared: {unread}" if unread else "",
    )


def _since(steps: Steps) -> float:
    return moment(steps.listed[0].date) if steps.listed else 0.0

"""The one issue that says what upstream's recipes are to an engine now. It is edited in place, never opened once a move.

A person who closes it has closed it: it is then left alone, and reopening it brings it up to date again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from recipediff.app.sweep.sweep import Gaps, Question, gather, with_owners
from recipediff.checks.sweep.run import sweep
from recipediff.core.config import CONFIG_PATH, Config, SurfaceConfig, Upstream
from recipediff.core.sweep.change import SweepChange, change
from recipediff.core.sweep.result import SweepResult
from recipediff.core.sweep.surface import EngineSurface
from recipediff.parse.config.repository import read_config
from recipediff.parse.engine.file import read_surface
from recipediff.ports.errors import Missing, Unavailable
from recipediff.ports.forge import Forge, Home, Issue
from recipediff.ports.repository import MAX_BLOB_BYTES
from recipediff.reports.sweep import tracking as words

LABEL = "recipediff-sweep"
_MARK = re.compile(r"<!-- recipediff:sweep (?P<upstream>\S{1,200}) (?P<commit>[0-9a-f]{40,64}) -->")


@dataclass(frozen=True, slots=True)
class Tracked:
    """What was done. `done` is `opened`, `updated`, `unchanged`, `closed` (left alone) or `nothing` with the reason."""

    done: str
    issue: int | None = None
    reason: str = ""
    tips: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """The commit that was swept, by upstream and branch: another one makes another look worth while."""


def key(repo: str) -> str:
    """The key of the work in the inbox: one a repository, however often upstream moves."""
    return f"sweep:{repo}"


async def track(home: Home, forge: Forge, author: str, gaps: Gaps | None = None) -> Tracked:
    """Bring the issue of `home` up to date. Raises `Unavailable` for what may pass."""
    config, engine, why = await _configured(home)
    if config.surface is None or engine is None:
        return Tracked("nothing", reason=why)
    upstream = config.upstream(config.surface.upstream)
    if upstream is None:
        return Tracked("nothing", reason=f"{config.surface.upstream} is not a configured upstream")
    there = _ours(await home.issues.listed(state="all", label=LABEL), author, upstream.repo)
    if there is not None and there.state == "closed":
        return Tracked("closed", there.number, "somebody closed the issue; reopen it to have it kept up to date")
    opened = forge.upstream(upstream.repo, home)
    tip = await opened.history.tip(upstream.branch)
    if tip is None:
        return Tracked("nothing", reason=f"{upstream.repo} has no branch {upstream.branch}")
    result = sweep(await gather(Question(upstream=upstream, commit=tip, surface=engine), opened.repository))
    if gaps is not None and config.surface.engine_repo:
        result = await with_owners(result, gaps, lambda _name: None)
    earlier = _commit(there) if there is not None else ""
    moved = await _moved(earlier, result, upstream, engine, forge, home) if earlier and earlier != tip else None
    done = await _bring(home, there, result, moved, config.surface)
    return replace(done, tips={(upstream.repo, upstream.branch): tip})


async def _configured(home: Home) -> tuple[Config, EngineSurface | None, str]:
    """The configuration on the default branch and the surface that it names, or why there is none."""
    tip = await home.history.tip(await home.history.default_branch())
    if tip is None:
        return Config(), None, "the repository is empty"
    tree = await home.repository.tree(tip)
    if CONFIG_PATH not in tree:
        return Config(), None, "no surface file is configured"
    config, _ = read_config((await home.repository.blobs([tree[CONFIG_PATH]]))[CONFIG_PATH], CONFIG_PATH)
    if config.surface is None:
        return config, None, "no surface file is configured"
    entry = tree.get(config.surface.file)
    if entry is None or entry.mode not in ("100644", "100755") or (entry.size or 0) > MAX_BLOB_BYTES:
        return config, None, f"{config.surface.file} is not there"
    surface, findings = read_surface((await home.repository.blobs([entry]))[entry.path], entry.path)
    return config, surface, f"{findings[0].place}: {findings[0].message}" if findings else ""


def _ours(issues: Sequence[Issue], author: str, upstream: str) -> Issue | None:
    """The issue that we opened for this upstream; of several the open one, then the oldest."""
    found = [
        one
        for one in issues
        if one.author == author and (mark := _MARK.match(one.body)) and mark["upstream"].lower() == upstream.lower()
    ]
    return min(found, key=lambda one: (one.state != "open", one.number)) if found else None


def _commit(issue: Issue) -> str:
    mark = _MARK.match(issue.body)
    return mark["commit"] if mark else ""


async def _moved(
    earlier: str, result: SweepResult, upstream: Upstream, engine: EngineSurface, forge: Forge, home: Home
) -> SweepChange | None:
    """What upstream's move means; nothing where the earlier commit cannot be read any more."""
    try:
        opened = forge.upstream(upstream.repo, home)
        return change(
            sweep(await gather(Question(upstream=upstream, commit=earlier, surface=engine), opened.repository)), result
        )
    except Missing:
        return None
    except Unavailable as error:
        if error.reason == "too-large":
            return None
        raise


async def _bring(
    home: Home, there: Issue | None, result: SweepResult, moved: SweepChange | None, surface: SurfaceConfig
) -> Tracked:
    mark = f"<!-- recipediff:sweep {result.upstream} {result.commit} -->\n"
    title = words.title(result)
    if there is None:
        made = await home.issues.create(title=title, body=mark + words.body(result, None, surface.file), labels=[LABEL])
        return Tracked("opened", made.number)
    kept = words.move_of(there.body) if moved is None else ""
    body = mark + words.body(result, moved, surface.file, kept)
    if (there.title, there.body.strip().replace("\r\n", "\n")) == (title, body.strip()):
        return Tracked("unchanged", there.number)
    await home.issues.update(there.number, title=title, body=body)
    return Tracked("updated", there.number)

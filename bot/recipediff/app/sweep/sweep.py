"""The sweep as a use case: read upstream at a commit, ask for what the files do not say, look for owners of the gaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from recipediff.checks.sweep.counting import counted
from recipediff.checks.sweep.run import SweepSnapshot, judge, models, sweep
from recipediff.core.config import Upstream
from recipediff.core.sweep.gaps import Ownership, WantedGap
from recipediff.core.sweep.models import ModelAnswer
from recipediff.core.sweep.result import HistoryPoint, SweepResult
from recipediff.core.sweep.surface import EngineSurface
from recipediff.core.upstream import UpstreamFiles
from recipediff.parse.formats import FORMATS
from recipediff.parse.globs import matches
from recipediff.ports.errors import Missing, Unavailable
from recipediff.ports.forge import Commit
from recipediff.ports.repository import Progress, Repository

MAX_FILES = 3_000


class Models(Protocol):
    """Where models' repositories are."""

    async def look_up(self, models: Sequence[str], step: Progress) -> Mapping[str, ModelAnswer]:
        """What each says of its architecture. Never raises; `step` is called with each model that is done."""


class Gaps(Protocol):
    """Where work on an engine is seen."""

    async def owners(self, wanted: Sequence[WantedGap], step: Progress) -> Ownership:
        """Who speaks of or adds what is wanted. Raises `Missing` or `Unavailable`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked of an upstream at a commit."""

    upstream: Upstream
    commit: str
    surface: EngineSurface
    rule: str = "published"
    hardware: tuple[str, ...] = ()


async def gather(question: Question, repository: Repository) -> SweepSnapshot:
    """The snapshot at one commit. Raises `Missing` or `Unavailable`."""
    files = await read_upstream(repository, question.upstream, question.commit)
    paths = tuple(sorted(path for path in files.blobs if matches(path, question.upstream.recipes)))
    if not paths:
        where = ", ".join(question.upstream.recipes)
        raise Missing(f"{question.upstream.repo} has no recipe there (looked for {where})")
    return SweepSnapshot(
        upstream=question.upstream.repo, format=question.upstream.format, commit=question.commit, files=files, paths=paths,
        surface=question.surface, rule=question.rule, hardware=question.hardware,
    )  # fmt: skip


async def read_upstream(repository: Repository, upstream: Upstream, commit: str) -> UpstreamFiles:
    """Every recipe of an upstream and what reading them needs."""
    tree = await repository.tree(commit)
    patterns = (*upstream.recipes, *FORMATS[upstream.format].companions(""))
    entries = [
        entry for path, entry in sorted(tree.items()) if matches(path, patterns) and entry.mode in ("100644", "100755")
    ]
    if len(entries) > MAX_FILES:
        raise Unavailable(
            "too-large", f"{upstream.repo}: {len(entries):,} files are more than the {MAX_FILES:,} that are read"
        )
    return UpstreamFiles(await repository.blobs(entries), frozenset(tree), bool(getattr(repository, "pinned", True)))


async def with_models(snapshot: SweepSnapshot, source: Models, step: Progress) -> SweepSnapshot:
    """The snapshot with what the models' repositories say."""
    return replace(snapshot, models=await source.look_up(models(snapshot), step))


def wanted(result: SweepResult) -> tuple[WantedGap, ...]:
    """The gaps of a result, as somebody may be looked for who works on them."""
    return tuple(WantedGap(gap.kind, gap.name, gap.setting if gap.kind == "value" else "") for gap in result.gaps)


async def with_owners(result: SweepResult, source: Gaps, step: Progress) -> SweepResult:
    """The result with its gaps owned. Where nobody can be asked the gaps stay as they are, and a note says why."""
    try:
        found = await source.owners(wanted(result), step)
    except (Missing, Unavailable) as error:
        return replace(result, notes=(*result.notes, f"nobody was asked who works on the gaps: {error}"))
    gaps = tuple(
        replace(gap, owners=found.owners.get(one)) for gap, one in zip(result.gaps, wanted(result), strict=True)
    )
    return replace(result, gaps=gaps, notes=(*result.notes, *found.notes))


async def history(
    question: Question, repository: Repository, commits: Sequence[Commit], step: Progress
) -> tuple[HistoryPoint, ...]:
    """How many recipes start at each of `commits`. A file that has not changed is judged once.

    Under `published` and `everything` a recipe's outcome hangs on its own file alone; otherwise each commit is judged whole.
    """
    alone = question.rule in ("published", "everything")
    judged: dict[tuple[str, bytes], bool] = {}
    points = []
    for commit in commits:
        try:
            snapshot = await gather(replace(question, commit=commit.sha), repository)
        except Missing:
            continue  # before upstream had its recipes where they are now
        starts = 0
        for path in snapshot.paths:
            key = (path, snapshot.files.blobs[path])
            if not alone or key not in judged:
                one = counted(snapshot.format, snapshot.files, path, question.rule)
                judged[key] = judge(one, question.surface).outcome == "starts"
            starts += judged[key]
        points.append(HistoryPoint(commit.sha, commit.date, len(snapshot.paths), starts))
        step(commit.sha[:12])
    return tuple(points)


__all__ = [
    "Gaps",
    "Models",
    "Question",
    "gather",
    "history",
    "read_upstream",
    "sweep",
    "wanted",
    "with_models",
    "with_owners",
]

"""The guard's part of a review: what of the records a pull request touches, and what stands beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from recipediff.app.records.cross_pulls import beside
from recipediff.app.records.reader import Reader, touched
from recipediff.app.records.tables import Guard, Own
from recipediff.checks.records import OpenPull, Snapshot
from recipediff.checks.records.guard import RecordsSnapshot
from recipediff.checks.records.snapshot import FileContents
from recipediff.core.records import RecordsConfig
from recipediff.ports.forge import Commit, Home, PullRequest
from recipediff.ports.repository import Tree

_COMMITS = 100
"""Commits of a pull request among which its newest merge is looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """The trees of a review by what they are: at the head, where it left the base, at the base's tip; and their commits."""

    head: Tree
    fork: Tree
    tip: Tree
    head_sha: str
    fork_sha: str
    tip_sha: str
    changed: Sequence[str]


@dataclass(frozen=True, slots=True)
class Guarded:
    """The snapshots of head and base, where the change may bring a finding; and the tables, for the memory."""

    own: Own
    pair: tuple[RecordsSnapshot, RecordsSnapshot] | None = None


async def guarded(home: Home, sides: Sides, config: RecordsConfig, pull: PullRequest | None, guard: Guard) -> Guarded:
    """What the guard judges in this review. Raises what `Reader` raises."""
    reader = Reader(repository=home.repository, config=config, isolation=guard.isolation)
    own = _own(reader, sides)
    if not touched(sides.changed, sides.head, config):
        return Guarded(own)
    head, base = await reader.snapshots(sides.head, sides.fork)
    if not own.changes:
        snapshot = RecordsSnapshot(tree=head, config=config)
        return Guarded(own, (snapshot, RecordsSnapshot(tree=base, config=config, library=snapshot.library)))
    tip, fork = await reader.tables(sides.tip), await reader.tables(sides.fork)
    head = await _with_merge(home, reader, sides, replace(head, base=tip, fork=fork))
    snapshot = RecordsSnapshot(tree=head, config=config)
    if pull is not None:
        mine = OpenPull(fork, {path: data for path, data in head.head.items() if path in own.at_head})
        pulls, notes = await beside(home, pull, mine, reader, (sides.tip_sha, sides.tip), guard)
        snapshot = replace(snapshot, number=pull.number, pulls=pulls, notes=notes)
    return Guarded(own, (snapshot, RecordsSnapshot(tree=base, config=config, library=snapshot.library)))


def _own(reader: Reader, sides: Sides) -> Own:
    at_head, at_fork = reader.table_entries(sides.head), reader.table_entries(sides.fork)
    changed = {path for path in {*at_head, *at_fork} if _id(at_head, path) != _id(at_fork, path)}
    return Own(at_head, reader.table_entries(sides.tip), frozenset((path, _id(at_head, path)) for path in changed))


def _id(tables: Tree, path: str) -> str:
    return tables[path].sha if path in tables else ""


async def _with_merge(home: Home, reader: Reader, sides: Sides, head: Snapshot) -> Snapshot:
    """The snapshot with the tables of the parents of the newest merge that the pull request brings, where it has one."""
    commits = await home.history.commits(sides.head_sha, most=_COMMITS)
    merge = newest_merge(commits, sides.head_sha, sides.fork_sha)
    if merge is None or len(merge.parents) != 2:
        return head

    async def tables(commit: str) -> FileContents:
        return await reader.tables(await home.repository.tree(commit))

    one, other = merge.parents
    parted = await home.history.merge_base(one, other)
    return replace(
        head,
        parents=(await tables(one), await tables(other)),
        parted=await tables(parted),
        merged=None if merge.sha == sides.head_sha else await tables(merge.sha),
    )


def newest_merge(commits: Sequence[Commit], head: str, fork: str) -> Commit | None:
    """The first merge in `commits` (newest first) that `head` has and `fork` has not."""
    by_sha = {commit.sha: commit for commit in commits}
    old, mine = _reached(fork, by_sha), _reached(head, by_sha)
    return next((c for c in commits if c.sha in mine and c.sha not in old and len(c.parents) > 1), None)


def _reached(start: str, commits: Mapping[str, Commit]) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        sha = waiting.pop()
        if sha in commits and sha not in found:
            found.add(sha)
            waiting.extend(commits[sha].parents)
    return found

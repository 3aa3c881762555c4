"""Upstream's commits between a pin and the branch, as far as they touched a file."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from recipediff.core.bumps.trail import UpstreamCommit
from recipediff.ports.errors import Missing
from recipediff.ports.forge import Commit

LISTED = 30
"""So many commits are listed; beyond it is said that there are more."""
BETWEEN, EARLIER = 6, 3
"""So many versions after and before the pin are read, to tell news from a value that only went back."""


class Past(Protocol):
    """The commits of an upstream, as far as following it needs them. `recipediff.ports.forge.History` is one."""

    async def tip(self, branch: str) -> str | None:
        """The full id of the commit that a branch is at; None where there is no such branch."""

    async def contains(self, branch: str, commit: str) -> bool:
        """Whether `commit` is reachable from the branch."""

    async def commits(self, branch: str, path: str = "", *, most: int = 100) -> Sequence[Commit]:
        """Newest first, those that touched `path`, at most so many. `branch` may be a full commit id."""


@dataclass(frozen=True, slots=True)
class Steps:
    """`listed` are the commits since the pin, newest first. `earlier` and `between` are ids to be read, oldest first."""

    listed: tuple[UpstreamCommit, ...] = ()
    more: bool = False
    earlier: tuple[str, ...] = ()
    between: tuple[str, ...] = ()


async def steps_between(past: Past, branch: str, pin: str, paths: Sequence[str]) -> Steps:
    """The commits on `branch` that touched one of `paths` (the old name first) and that `pin` does not have."""
    lines = await asyncio.gather(*(past.commits(branch, path, most=LISTED) for path in paths))
    try:
        known = await past.commits(pin, paths[0], most=EARLIER + 1)
    except Missing:
        known = ()
    stops = {commit.sha for commit in known}
    found: dict[str, Commit] = {}
    more = True
    for line in lines:
        new, reached = _until(line, stops)
        found.update((commit.sha, commit) for commit in new)
        more = more and not reached and len(line) == LISTED
    ordered = sorted(found.values(), key=lambda commit: commit.date, reverse=True)
    listed = tuple(UpstreamCommit(commit.sha, commit.subject, commit.date) for commit in ordered[:LISTED])
    between = tuple(step.sha for step in reversed(listed[1 : BETWEEN + 1]))
    # The newest that the pin has made the pinned version itself.
    earlier = tuple(commit.sha for commit in reversed(known[1:]))
    return Steps(listed, more, earlier, between)


def _until(line: Sequence[Commit], stops: set[str]) -> tuple[list[Commit], bool]:
    """The commits before the first that the pin has, and whether there was one."""
    new: list[Commit] = []
    for commit in line:
        if commit.sha in stops:
            return new, True
        new.append(commit)
    return new, False

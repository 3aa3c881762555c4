"""The history of a local checkout, sampled."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from recipediff.adapters.local.git import git
from recipediff.ports.forge import Commit

MAX_COMMITS = 20_000


async def sampled(path: Path, ref: str, paths: Sequence[str], most: int) -> list[Commit]:
    """At most `most` commits of the branch at `ref` that touched `paths`, oldest first, evenly spread, first and last among
    them. Raises `Missing` or `Unavailable`."""
    arguments = ["log", "--first-parent", f"--max-count={MAX_COMMITS}", "--format=%H%x00%cI", "--end-of-options", ref]
    listing = await git(path, [*arguments, "--", *paths])
    rows = [line.split("\0") for line in listing.decode("utf-8", "replace").splitlines() if "\0" in line]
    found = [Commit(sha=sha, subject="", author="", date=date) for sha, date in reversed(rows)]
    return spread(found, most)


def spread(found: list[Commit], most: int) -> list[Commit]:
    """At most `most` of a list, evenly."""
    if len(found) <= most or most < 2:
        return found[-most:]
    step = (len(found) - 1) / (most - 1)
    return [found[round(index * step)] for index in range(most)]

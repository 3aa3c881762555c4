"""The merge that a checkout is in the middle of, or the last one that it made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from recipediff.adapters.local.git import git
from recipediff.ports.errors import Missing, Unavailable


@dataclass(frozen=True, slots=True)
class Merge:
    """A merge of two commits. `commit` is empty while it is being made."""

    parents: tuple[str, str]
    commit: str = ""


async def merge_of(path: Path, since: str | None = None) -> Merge | None:
    """The merge that is being made at `path`, else the newest one that HEAD has and the branch `since` has not; without
    `since`, HEAD itself where it is a merge. Merges of more than two commits are left out."""
    coming = await _resolved(path, "MERGE_HEAD")
    head = await _resolved(path, "HEAD")
    if head is None:
        return None
    if coming is not None:
        return Merge((head, coming))
    arguments = ["rev-list", "--parents", "--max-count=1"]
    if since:
        arguments += ["--min-parents=2", "--max-parents=2", "--end-of-options", "HEAD", f"^{since}"]
    else:
        arguments += ["--end-of-options", "HEAD"]
    words = (await git(path, arguments)).decode().split()
    return Merge((words[1], words[2]), words[0]) if len(words) == 3 else None


async def _resolved(path: Path, ref: str) -> str | None:
    try:
        return (await git(path, ["rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}"])).decode().strip()
    except Missing:
        return None
    except Unavailable as error:
        if error.reason != "git-failed":
            raise
        return None

"""What the use cases need from the outside, as protocols. Adapters satisfy them structurally; `__main__` proves the fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from recipediff.core.git import is_object_id
from recipediff.ports.errors import Missing, Unavailable

MAX_BLOB_BYTES = 4 * 1024 * 1024
"""As much as the readers of `recipediff.parse` take; a larger file is never loaded."""


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One file of a tree. `mode` as git has it: 100644, 100755, 120000 (a symbolic link), 160000 (a submodule)."""

    path: str
    sha: str
    mode: str = "100644"
    size: int | None = None


def full_commit(name: str, commit: str) -> str:
    """`commit` as it is. Raises `Missing` for anything but a full id: a branch or a short id may move or be another's."""
    if not is_object_id(commit):
        raise Missing(f"{name}: {commit[:80]!r} is not a full commit id (40 hex digits)")
    return commit


def plain_file(name: str, entry: TreeEntry, limit: int = MAX_BLOB_BYTES) -> TreeEntry:
    """`entry` as it is. Raises `Missing` for links and submodules, `Unavailable` (`too-large`) over `limit` bytes."""
    if entry.mode == "120000":
        raise Missing(f"{name}: {entry.path} is a symbolic link; links are not followed")
    if entry.mode == "160000":
        raise Missing(f"{name}: {entry.path} is a submodule, not a file")
    if entry.size is not None and entry.size > limit:
        raise Unavailable("too-large", f"{name}: {entry.path} has {entry.size:,} bytes; the limit is {limit:,}")
    return entry


Tree = Mapping[str, TreeEntry]
"""Every file of one commit, by path."""


Progress = Callable[[str], None]
"""Is told what is being read now, for a person who waits."""


class Repository(Protocol):
    """Trees and blobs of one repository, read at a commit: GitHub's API, a local checkout, or a dictionary in a test."""

    name: str
    """`owner/name`, or the path of a local folder."""

    async def tree(self, commit: str) -> Tree:
        """Every file at `commit` (full hex), by path. Raises `Missing` or `Unavailable`; never another commit's tree."""

    async def blobs(self, entries: Iterable[TreeEntry]) -> Mapping[str, bytes]:
        """The contents of `entries`, by path. Raises `Missing` or `Unavailable`."""

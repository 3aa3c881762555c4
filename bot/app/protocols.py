"""What the use cases need from the outside, as protocols. Adapters satisfy them structurally; `__main__` proves the fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from bot.core.objects import is_object_id

MAX_BLOB_BYTES = 4 * 1024 * 1024
"""As much as the readers of `bot.parse` take; a larger file is never loaded."""

TRANSIENT = frozenset(
    {"rate-limited", "secondary-rate-limited", "server-error", "timeout", "network", "bad-answer", "busy"}
)
"""The reasons of `Unavailable` that pass by themselves; the others need a person."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of a tree. `mode` as git has it: 100644, 100755, 120000 (a symbolic link), 160000 (a submodule)."""

    path: str
    sha: str
    mode: str = "100644"
    size: int | None = None


class Missing(Exception):
    """The repository, commit or blob does not exist (or may not be seen). Asking again will not help."""


class Unavailable(Exception):
    """It could not be found out: network, rate limit, a fault on the other side. `reason` is a reason code."""

    def __init__(self, reason: str, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.reason = reason
        self.retry_after = retry_after
        """Seconds after which asking again may help, where that is known."""


class Refused(Exception):
    """The other side understood a write and will not do it; the same write again would be refused again."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class Moved(Exception):
    """A branch or a reference was not where it was expected: somebody else has moved, made or deleted it."""


def full_commit(name: str, commit: str) -> str:
    """`commit` as it is. Raises `Missing` for anything but a full id: a branch or a short id may move or be another's."""
    if not is_object_id(commit):
        raise Missing(f"{name}: {commit[:80]!r} is not a full commit id (40 hex digits)")
    return commit


def plain_file(name: str, entry: Entry, limit: int = MAX_BLOB_BYTES) -> Entry:
    """`entry` as it is. Raises `Missing` for links and submodules, `Unavailable` (`too-large`) over `limit` bytes."""
    if entry.mode == "120000":
        raise Missing(f"{name}: {entry.path} is a symbolic link; links are not followed")
    if entry.mode == "160000":
        raise Missing(f"{name}: {entry.path} is a submodule, not a file")
    if entry.size is not None and entry.size > limit:
        raise Unavailable("too-large", f"{name}: {entry.path} has {entry.size:,} bytes; the limit is {limit:,}")
    return entry


class Repository(Protocol):
    """Trees and blobs of one repository, read at a commit: GitHub's API, a local checkout, or a dictionary in a test."""

    name: str
    """`owner/name`, or the path of a local folder."""

    async def tree(self, commit: str) -> Mapping[str, Entry]:
        """Every file at `commit` (full hex), by path. Raises `Missing` or `Unavailable`; never another commit's tree."""

    async def blobs(self, entries: Iterable[Entry]) -> Mapping[str, bytes]:
        """The contents of `entries`, by path. Raises `Missing` or `Unavailable`."""

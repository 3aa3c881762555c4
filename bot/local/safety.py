"""What every local repository refuses: paths that leave it, entries that are not plain files, files over the bound."""

from __future__ import annotations

import hashlib
import re

from bot.app.protocols import Entry, Missing, Unavailable

MAX_BLOB_BYTES = 4 * 1024 * 1024
"""As much as the readers of `bot.parse` take; a larger file is never loaded."""

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def is_commit(text: str) -> bool:
    """Whether `text` is a full object id (40 hex digits, or 64 in a SHA-256 repository)."""
    return _COMMIT.fullmatch(text) is not None


def full_commit(name: str, commit: str) -> str:
    """`commit` as it is. Raises `Missing` for anything but a full id: a branch or a short id may move or be another's."""
    if not is_commit(commit):
        raise Missing(f"{name}: {commit[:80]!r} is not a full commit id (40 hex digits)")
    return commit


def plain_file(name: str, entry: Entry, limit: int) -> Entry:
    """`entry` as it is. Raises `Missing` for links and submodules, `Unavailable` (`too-large`) over `limit` bytes."""
    if entry.mode == "120000":
        raise Missing(f"{name}: {entry.path} is a symbolic link; links are not followed")
    if entry.mode == "160000":
        raise Missing(f"{name}: {entry.path} is a submodule, not a file")
    if entry.size is not None and entry.size > limit:
        raise Unavailable("too-large", f"{name}: {entry.path} has {entry.size:,} bytes; the limit is {limit:,}")
    return entry


def blob_sha(content: bytes, like: str = "") -> str:
    """The object id that git gives to `content`; SHA-256 where `like` is such an id."""
    head = b"blob %d\0" % len(content)
    if len(like) == 64:
        return hashlib.sha256(head + content).hexdigest()
    return hashlib.sha1(head + content, usedforsecurity=False).hexdigest()

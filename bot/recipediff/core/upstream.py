"""What came of asking for upstream's files at a commit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class UpstreamFiles:
    """The part of an upstream tree that was asked for, at one commit."""

    blobs: Mapping[str, bytes]
    paths: frozenset[str] | None = None
    """Every path of the tree at that commit, where it is known; None where it is not."""
    pinned: bool = True
    """False where they came from a plain folder, which knows no commits."""
    moved: str = ""
    """Where they were really read, if the repository answers under another name now."""


@dataclass(frozen=True, slots=True)
class NotFetched:
    """Why upstream's files are not there. `temporary`: asking again later may help, so nothing was evaluated."""

    reason: str
    """A reason code such as `commit-missing`, `upstream-unreachable`, `rate-limited`."""
    message: str
    temporary: bool = False


Fetched = UpstreamFiles | NotFetched

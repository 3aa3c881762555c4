"""What the use cases need from the outside, as protocols. Adapters satisfy them structurally; `__main__` proves the fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol


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


class Repository(Protocol):
    """Trees and blobs of one repository, read at a commit: GitHub's API, a local checkout, or a dictionary in a test."""

    name: str
    """`owner/name`, or the path of a local folder."""

    async def tree(self, commit: str) -> Mapping[str, Entry]:
        """Every file at `commit` (full hex), by path. Raises `Missing` or `Unavailable`; never another commit's tree."""

    async def blobs(self, entries: Iterable[Entry]) -> Mapping[str, bytes]:
        """The contents of `entries`, by path. Raises `Missing` or `Unavailable`."""

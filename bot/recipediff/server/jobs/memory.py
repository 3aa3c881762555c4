"""What this process has seen, so that a review of something new need not ask GitHub what cannot be there yet."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from cachetools import LRUCache

from recipediff.inbox.contract import Data, Job

FRESH = 60.0
"""Seconds for which an event's own data is believed."""
AHEAD = 5.0
"""Seconds by which GitHub's clock may be before ours."""
_KEPT = 20_000


class Memory:
    """Bounded; forgetting costs requests, never a verdict.

    `alone`: no other process works on the same inbox. `started`: when this one began, in seconds since the epoch. What happened
    before that may have been dealt with by a process that died.
    """

    def __init__(self, *, alone: bool, started: float) -> None:
        self._alone = alone
        self._started = started
        self._newest: LRUCache[str, float] = LRUCache(_KEPT)
        self._heads: LRUCache[tuple[str, str], bool] = LRUCache(_KEPT)
        self._locks: dict[tuple[str, str], tuple[asyncio.Lock, int]] = {}

    def believes(self, job: Job, data: Data, now: float) -> bool:
        """Whether the event is the newest there can be, so that GitHub need not be asked how things stand."""
        updated = float(data.get("updated") or 0.0)
        return (
            self._alone
            and data.get("action") in ("opened", "synchronize")
            and job.attempt == 1
            and not job.lost
            and -AHEAD <= now - updated < FRESH
            and updated >= self._started
            and updated > self._newest.get(job.key, 0.0)
        )

    def begins(self, job: Job, repo: str, head: str, updated: float) -> bool:
        """Note that a review of `head` begins; True where it is the first in this process."""
        first = (repo, head) not in self._heads
        self._heads[repo, head] = True
        self._newest[job.key] = max(updated, self._newest.get(job.key, 0.0))
        return first

    @asynccontextmanager
    async def turn(self, repo: str, head: str) -> AsyncIterator[None]:
        """One review of a head at a time: two pull requests may have the same, and its check run is one."""
        key = (repo, head)
        lock, users = self._locks.get(key, (asyncio.Lock(), 0))
        self._locks[key] = (lock, users + 1)
        try:
            async with lock:
                yield
        finally:
            lock, users = self._locks[key]
            if users == 1:
                del self._locks[key]
            else:
                self._locks[key] = (lock, users - 1)

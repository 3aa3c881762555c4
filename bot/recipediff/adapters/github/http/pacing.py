"""How fast one installation may be spoken to: reads side by side up to a bound, writes one at a time and apart.

GitHub asks for at least a second between writes, and for silence after a limit was hit. Silence is kept here: until it
is over no call leaves, short ones wait and long ones are given back to the caller with the time to come again.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from recipediff.ports.errors import Unavailable

Sleep = Callable[[float], Awaitable[None]]


class Pacing:
    """The pace of one installation (or one token). Shared by every client that speaks for it."""

    def __init__(
        self,
        *,
        interval: float = 1.0,
        burst: int = 1,
        reads: int = 16,
        patience: float = 5.0,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        """`interval`: seconds from the end of a write to the start of the next. `burst`: so many writes may follow each
        other at once after a pause, `interval` apart on average. `patience`: the longest wait in silence, in seconds."""
        self._interval = interval
        self._patience = patience
        self._monotonic = monotonic
        self._sleep = sleep
        self._writing = asyncio.Lock()
        self._reading = asyncio.Semaphore(reads)
        self._written: deque[float] = deque(maxlen=burst)
        self._silent_until = 0.0
        self._reason = ""

    def silence(self, reason: str, seconds: float) -> None:
        """No call for `seconds`, because of `reason`. A shorter silence never cuts a longer one."""
        until = self._monotonic() + seconds
        if until > self._silent_until:
            self._silent_until, self._reason = until, reason

    @asynccontextmanager
    async def turn(self, *, write: bool) -> AsyncIterator[None]:
        """Waits for the turn of one call. Raises `Unavailable` where a limit asks for more patience than there is."""
        async with self._writing if write else self._reading:
            await self._keep_silence()
            if write:
                await self._keep_apart()
                await self._keep_silence()
            try:
                yield
            finally:
                if write:
                    self._written.append(self._monotonic())

    async def _keep_apart(self) -> None:
        if len(self._written) == self._written.maxlen:
            ready = self._written[0] + self._interval * len(self._written)
            if (wait := ready - self._monotonic()) > 0:
                await self._sleep(wait)

    async def _keep_silence(self) -> None:
        while (wait := self._silent_until - self._monotonic()) > 0:
            if wait > self._patience:
                raise Unavailable(self._reason, f"GitHub asked for silence for another {wait:.0f} s", wait)
            await self._sleep(wait)

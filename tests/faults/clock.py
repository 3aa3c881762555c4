"""Time for tests that wait for hours: it runs as the real one does, and leaps where everybody only waits."""

from __future__ import annotations

import asyncio
import heapq
import time
from datetime import UTC, datetime


class LeapingClock:
    """One time for a bot and its GitHub. Whoever sleeps is woken in order; the clock leaps to the first of them."""

    def __init__(self) -> None:
        self._ahead = 0.0
        self._waiting: list[float] = []
        self.slept: list[float] = []
        """What was asked of `sleep`, in seconds."""

    def now(self) -> float:
        """Unix seconds."""
        return time.time() + self._ahead

    def monotonic(self) -> float:
        """Seconds of a steady clock."""
        return time.monotonic() + self._ahead

    def date(self) -> datetime:
        """As GitHub keeps it, to the second."""
        return datetime.fromtimestamp(self.now(), UTC).replace(microsecond=0)

    def leap(self, seconds: float) -> None:
        """Let so much time be over."""
        self._ahead += max(seconds, 0.0)

    async def sleep(self, seconds: float) -> None:
        """Return when `seconds` are over; what is under way meanwhile gets a moment to come back first."""
        self.slept.append(seconds)
        until = self.monotonic() + seconds
        heapq.heappush(self._waiting, until)
        try:
            while (rest := until - self.monotonic()) > 0:
                await asyncio.sleep(min(rest, 0.004))
                if self._waiting[0] == until:
                    self.leap(until - self.monotonic())
        finally:
            self._waiting.remove(until)
            heapq.heapify(self._waiting)

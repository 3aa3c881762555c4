"""Whether the process lives (`/healthz`), whether it can do its work (`/readyz`), and its figures (`/metrics`)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from aiohttp import web

from recipediff.inbox.contract import Depth, NotStored, Operator
from recipediff.server.metrics import CONTENT_TYPE, Metrics

PATIENCE = 2.0
"""Seconds for the inbox to say how it is."""
LATE = 900.0
"""Seconds by which the longest waiting job may be late before somebody should look."""


@dataclass(slots=True)
class Parts:
    """What the process is made of, by name: each tells whether it runs."""

    running: dict[str, Callable[[], bool]] = field(default_factory=dict)
    stopping: bool = False


class Health:
    """The three pages. The inbox is asked once a second at most, whoever asks."""

    def __init__(
        self, inbox: Operator, metrics: Metrics, parts: Parts, *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._inbox = inbox
        self._metrics = metrics
        self._parts = parts
        self._monotonic = monotonic
        self._known: tuple[float, Depth | None] = (float("-inf"), None)
        self._lock = asyncio.Lock()

    async def alive(self, request: web.Request) -> web.Response:
        """The loop turns; nothing else is looked at, for a restart would not help against it."""
        del request
        return web.json_response({"status": "alive"})

    async def ready(self, request: web.Request) -> web.Response:
        """200 where deliveries can be stored and jobs are done, else 503 with what is wrong."""
        del request
        depth = await self._depth()
        wrong = [f"{name} does not run" for name, runs in self._parts.running.items() if not runs()]
        if depth is None:
            wrong.append("the inbox does not answer")
        if self._parts.stopping:
            wrong.append("stopping")
        body: dict[str, object] = {"status": "not ready" if wrong else "ready", "wrong": wrong}
        if depth is not None:
            body["inbox"] = {"waiting": depth.waiting, "delayed": depth.delayed, "running": depth.running,
                             "dead": depth.dead, "late": round(depth.oldest, 1), "slow": depth.oldest > LATE}  # fmt: skip
        return web.json_response(body, status=503 if wrong else 200)

    async def metrics(self, request: web.Request) -> web.Response:
        """For Prometheus."""
        del request
        page = self._metrics.page(await self._depth())
        return web.Response(body=page, headers={"Content-Type": CONTENT_TYPE})

    async def _depth(self) -> Depth | None:
        async with self._lock:
            asked, depth = self._known
            if self._monotonic() - asked >= 1.0:
                try:
                    async with asyncio.timeout(PATIENCE):
                        depth = await self._inbox.depth()
                except (NotStored, TimeoutError):
                    depth = None
                self._known = (self._monotonic(), depth)
            return depth

"""The running server: the door first, then worker and timers; stopped in the other order."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog
from aiohttp import web

from recipediff.inbox.contract import Inbox
from recipediff.inbox.worker import Worker
from recipediff.server import timers
from recipediff.server.health import Health, Parts
from recipediff.server.intake import MOST_BYTES, DeliveryHandler
from recipediff.server.metrics import Metrics

if TYPE_CHECKING:
    from recipediff.server.jobs.handler import JobHandler  # what it needs is loaded when the door is open

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Listening:
    """Where to listen. `port` 0 takes a free one."""

    host: str = "127.0.0.1"
    port: int = 8080
    most_bytes: int = MOST_BYTES


def application(door: DeliveryHandler, health: Health, most_bytes: int = MOST_BYTES) -> web.Application:
    """The pages."""
    app = web.Application(client_max_size=most_bytes)
    app.router.add_post("/webhook", door.handle)
    app.router.add_get("/healthz", health.alive)
    app.router.add_get("/readyz", health.ready)
    app.router.add_get("/metrics", health.metrics)
    app.router.add_get("/", _front)
    return app


async def _front(request: web.Request) -> web.Response:
    del request
    return web.Response(text="recipediff runs here. GitHub delivers to POST /webhook.\n")


@asynccontextmanager
async def listening(app: web.Application, at: Listening) -> AsyncIterator[int]:
    """Serve `app`; yields the port. On leaving, what is being answered is answered first."""
    runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=5.0, handler_cancellation=False)
    await runner.setup()
    try:
        site = web.TCPSite(runner, at.host, at.port, backlog=1024)
        await site.start()
        port = int(runner.addresses[0][1])
        _log.info("listening", host=at.host, port=port)
        yield port
    finally:
        await runner.cleanup()


@asynccontextmanager
async def working(
    inbox: Inbox,
    handler: JobHandler,
    metrics: Metrics,
    parts: Parts,
    *,
    concurrency: int = 4,
    every: float = timers.HOUR,
    grace: float = 20.0,
) -> AsyncIterator[None]:
    """Jobs are done and timers run. On leaving, what runs is finished within `grace` seconds.

    The door stays open meanwhile: what comes is stored, and done by the next process.
    """
    worker = Worker(inbox, handler, concurrency=concurrency, buried=handler.buried, ended=metrics.ended)
    jobs = asyncio.create_task(worker.run(grace=grace))
    ticks = asyncio.create_task(timers.run(inbox, every=every))
    parts.running = {"worker": lambda: not jobs.done(), "timers": lambda: not ticks.done()}
    try:
        yield
    finally:
        parts.stopping = True
        worker.stop()
        ticks.cancel()
        await asyncio.gather(jobs, ticks, return_exceptions=True)
        _log.info("stopping")


async def told_to_stop() -> None:
    """Return at SIGTERM or SIGINT."""
    told, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(number, told.set)
    await told.wait()

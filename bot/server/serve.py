"""The running server: door, worker and timers together, started in that order and stopped in the other."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import structlog
from aiohttp import web

from bot.inbox.contract import Inbox
from bot.inbox.worker import Worker
from bot.server import timers
from bot.server.handler import Handler
from bot.server.health import Health, Parts
from bot.server.intake import MOST_BYTES, Door
from bot.server.metrics import Metrics
from bot.server.who import Who

_log = structlog.get_logger(__name__)
GRACE = 20.0
"""Seconds for the jobs that run when the server is told to stop."""


@dataclass(frozen=True, slots=True)
class Listening:
    """Where to listen. `port` 0 takes a free one."""

    host: str = "127.0.0.1"
    port: int = 8080
    most_bytes: int = MOST_BYTES


@dataclass(frozen=True, slots=True)
class Service:
    """What a server needs; put together outside. The inbox is open."""

    inbox: Inbox
    handler: Handler
    who: Who
    secrets: Sequence[str]
    metrics: Metrics
    concurrency: int = 4
    every: float = timers.HOUR


def application(door: Door, health: Health, most_bytes: int = MOST_BYTES) -> web.Application:
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
        yield int(runner.addresses[0][1])
    finally:
        await runner.cleanup()


@asynccontextmanager
async def running(service: Service, at: Listening, *, grace: float = GRACE) -> AsyncIterator[int]:
    """The whole server; yields the port once it takes deliveries. On leaving it finishes what runs, within `grace` seconds."""
    parts = Parts()
    worker = Worker(
        service.inbox,
        service.handler,
        concurrency=service.concurrency,
        buried=service.handler.buried,
        ended=service.metrics.ended,
    )
    door = Door(service.inbox, service.secrets, service.who.me, service.metrics, most_bytes=at.most_bytes)
    health = Health(service.inbox, service.metrics, parts)
    async with listening(application(door, health, at.most_bytes), at) as port:
        working = asyncio.create_task(worker.run(grace=grace))
        ticking = asyncio.create_task(timers.run(service.inbox, every=service.every))
        parts.running = {"worker": lambda: not working.done(), "timers": lambda: not ticking.done()}
        _log.info("listening", host=at.host, port=port)
        try:
            yield port
        finally:
            # The door stays open while jobs end: what comes meanwhile is stored, and done by the next process.
            parts.stopping = True
            worker.stop()
            ticking.cancel()
            await asyncio.gather(working, ticking, return_exceptions=True)
            _log.info("stopping")


async def told_to_stop() -> None:
    """Return at SIGTERM or SIGINT."""
    told, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(number, told.set)
    await told.wait()

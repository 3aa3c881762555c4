"""What happens by the clock: the hourly look at everything, and forgetting what is old."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from recipediff.app.events import RECONCILE
from recipediff.inbox.contract import Inbox, NotStored, Work

_log = structlog.get_logger(__name__)
HOUR = 3600.0
AGAIN = 30.0
"""Seconds before a store that refused is asked once more."""


async def run(inbox: Inbox, *, every: float = HOUR, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
    """At once, and then every hour, until cancelled. Both are jobs: they are tried again, and done once by several replicas."""
    while True:
        try:
            await tick(inbox)
            pause = every
        except NotStored as refusal:
            _log.error("timer", error=str(refusal))
            pause = min(every, AGAIN)
        await sleep(pause)


async def tick(inbox: Inbox) -> None:
    """Ask for the sweep, for a poll of every upstream and for redelivery; forget old deliveries and dead jobs."""
    await inbox.ask(
        [
            Work(key="redeliver:all", priority=RECONCILE),
            Work(key="sweep:all", priority=RECONCILE),
            Work(key="polls:all", priority=RECONCILE),
        ]
    )
    gone = await inbox.prune()
    _log.info("hourly", forgotten=gone)

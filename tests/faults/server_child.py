"""The bot's server as a process of its own, to be killed at any moment. Waiting times are short, everything else is as served."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import recipediff.adapters.github.connect
import recipediff.adapters.github.covered
import recipediff.server.jobs.handler
from recipediff.adapters.local.credentials import AppCredentials
from recipediff.app import events
from recipediff.app.review import reconcile
from recipediff.inbox.contract import Inbox
from recipediff.inbox.postgres.engine import PostgresInbox
from recipediff.inbox.sqlite.engine import SqliteInbox
from recipediff.server import logs
from recipediff.server.jobs import upkeep
from recipediff.wiring import server as compose
from recipediff.wiring.settings import Hosting

LEASE = 2.0
SETTLED = 1.0

__all__ = ["recipediff"]  # what a review needs is loaded once, before the processes part


@dataclass(frozen=True, slots=True)
class Told:
    """What a process is to be."""

    hosting: Hosting
    credentials: AppCredentials
    log: Path


def inbox(config: Hosting) -> Inbox:
    """As `compose.open_inbox`, with a short lease, so that a killed process is not waited for."""
    if config.database_url:
        return PostgresInbox(config.database_url, lease=LEASE, poll=0.1)
    return SqliteInbox(config.data / "inbox.db", lease=LEASE, poll=0.1)


def main(told: Told, report: Connection) -> None:
    """Serve until killed; says once that it does."""
    compose.open_inbox = inbox
    reconcile.ON_ITS_WAY = SETTLED
    vars(upkeep)["ON_ITS_WAY"] = SETTLED - 29.0  # it adds half a minute
    events.SETTLE = SETTLED
    with told.log.open("a") as stream:
        logs.configure(secrets=told.hosting.secret_texts(told.credentials), stream=stream)
        asyncio.run(_serve(told, report))


async def _serve(told: Told, report: Connection) -> None:
    async with compose.serving(told.hosting, told.credentials) as port:
        report.send(port)
        await asyncio.Event().wait()

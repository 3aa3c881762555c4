"""Both engines of the inbox behind one handle, with a clock that tests move."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import psycopg

from recipediff.inbox.contract import Inbox
from recipediff.inbox.postgres.engine import PostgresInbox
from recipediff.inbox.sqlite.engine import SqliteInbox

LEASE = 30.0


class Engine(Protocol):
    """One store, that several inboxes may open."""

    def inbox(self) -> Inbox:
        """An inbox on the store, not open yet; as another process would have it."""

    def now(self) -> float:
        """The store's time, Unix seconds."""

    def advance(self, seconds: float) -> None:
        """Let so much time pass."""


class Sqlite:
    """A file, and a clock that stands until it is moved."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._time = 1_800_000_000.0

    def inbox(self) -> Inbox:
        return SqliteInbox(self._path, lease=LEASE, clock=self.now, poll=0.05)

    def now(self) -> float:
        return self._time

    def advance(self, seconds: float) -> None:
        self._time += seconds


class Postgres:
    """A database. Its clock cannot be moved, so everything that is written in it is moved into the past instead."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._offset = 0.0

    def inbox(self) -> Inbox:
        clock: Callable[[], float] = lambda: time.monotonic() + self._offset  # noqa: E731
        return PostgresInbox(self._address, lease=LEASE, monotonic=clock, poll=0.05)

    def now(self) -> float:
        return time.time()

    def advance(self, seconds: float) -> None:
        self._offset += seconds
        with psycopg.connect(self._address) as connection:
            connection.execute(
                "UPDATE procrastinate_workers SET last_heartbeat = last_heartbeat - %s * interval '1 s'", (seconds,)
            )
            connection.execute(
                "UPDATE procrastinate_jobs SET scheduled_at = scheduled_at - %s * interval '1 s'", (seconds,)
            )
            connection.execute("UPDATE recipediff_delivery SET received = received - %s", (seconds,))
            connection.execute(
                "UPDATE recipediff_job SET due = due - %(s)s, since = since - %(s)s, hold = hold - %(s)s,"
                " asked = asked - %(s)s, next_due = next_due - %(s)s",
                {"s": seconds},
            )

    def empty(self) -> None:
        """Forget everything, where the tables are there."""
        with psycopg.connect(self._address) as connection:
            connection.execute(
                "TRUNCATE recipediff_delivery, recipediff_job, procrastinate_jobs, procrastinate_workers CASCADE"
            )

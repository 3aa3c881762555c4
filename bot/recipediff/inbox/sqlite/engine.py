"""The inbox in one SQLite file: the default, for one replica."""

from __future__ import annotations

import asyncio
import secrets
import sqlite3
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from recipediff.inbox import rules
from recipediff.inbox.contract import (
    KEEP_DEAD,
    KEEP_DELIVERIES,
    Delivery,
    Depth,
    Job,
    JobEntry,
    JobState,
    Settlement,
    Work,
)
from recipediff.inbox.rules import COLUMNS, DELIVERY_COLUMNS, JobRow
from recipediff.inbox.sqlite.thread import SqliteThread

_LAYOUT = 1
_SCHEMA = """
CREATE TABLE delivery (
  id TEXT PRIMARY KEY, event TEXT NOT NULL, action TEXT NOT NULL, received REAL NOT NULL,
  ignored TEXT NOT NULL, keys TEXT NOT NULL, payload BLOB NOT NULL);
CREATE INDEX delivery_received ON delivery (received);
CREATE TABLE job (
  key TEXT PRIMARY KEY, data TEXT NOT NULL, newest REAL NOT NULL, state TEXT NOT NULL, due REAL NOT NULL,
  since REAL NOT NULL, priority INTEGER NOT NULL, delivery TEXT NOT NULL, attempts INTEGER NOT NULL,
  lost INTEGER NOT NULL, hold REAL NOT NULL, asked REAL, next_due REAL NOT NULL, worker TEXT NOT NULL,
  token TEXT NOT NULL, reason TEXT NOT NULL, message TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX job_due ON job (state, priority DESC, due)
"""
_ROW = ", ".join(COLUMNS)
_GET = f"SELECT {_ROW} FROM job WHERE key = ?"  # noqa: S608  (column names of our own)
_PUT = f"INSERT OR REPLACE INTO job ({_ROW}) VALUES ({', '.join('?' * len(COLUMNS))})"  # noqa: S608
_DELIVERY = ", ".join(DELIVERY_COLUMNS)
_KEEP = f"INSERT OR IGNORE INTO delivery ({_DELIVERY}) VALUES (?, ?, ?, ?, ?, ?, ?)"  # noqa: S608
_LOST = f"SELECT {_ROW} FROM job WHERE state = 'running' AND due < ? ORDER BY priority DESC, due LIMIT ?"  # noqa: S608
_DUE = f"SELECT {_ROW} FROM job WHERE state = 'waiting' AND due <= ? ORDER BY priority DESC, due LIMIT ?"  # noqa: S608
_PRUNE_BATCH = 5000


class SqliteInbox:
    """The contract over one file. Several processes may open it (an operator's command beside the server)."""

    def __init__(
        self, path: Path, *, lease: float = 30.0, clock: Callable[[], float] = time.time, poll: float = 1.0
    ) -> None:
        self.lease = lease
        self._clock = clock
        self._poll = poll
        self._thread = SqliteThread(path, _SCHEMA, _LAYOUT)
        self._me = secrets.token_hex(8)
        self._news = asyncio.Event()

    async def open(self) -> None:
        await self._thread.start()

    async def close(self) -> None:
        await self._thread.stop()

    async def store(self, delivery: Delivery, work: Sequence[Work] = ()) -> bool:
        rules.check(delivery, work)

        def operation(db: sqlite3.Connection) -> bool:
            if db.execute(_KEEP, rules.kept(delivery, work)).rowcount == 0:
                return False
            self._ask(db, work, delivery.id)
            return True

        new = await self._thread.run(operation)
        self._news.set()
        return new

    async def ask(self, work: Sequence[Work]) -> None:
        rules.check(None, work)
        for part in rules.parts(work):
            await self._thread.run(lambda db, p=part: self._ask(db, p, ""))  # type: ignore[misc]
            self._news.set()

    def _ask(self, db: sqlite3.Connection, work: Sequence[Work], delivery: str) -> None:
        now = self._clock()
        for each in work:
            row = _get(db, each.key)
            db.execute(_PUT, rules.asked_for(row, each, now=now, delivery=delivery).values())

    async def take(self, limit: int) -> list[Job]:
        self._news.clear()

        def operation(db: sqlite3.Connection) -> list[Job]:
            now = self._clock()
            found = db.execute(_LOST, (now, limit)).fetchall()
            found += db.execute(_DUE, (now, limit - len(found))).fetchall()
            rows = [rules.taken(_row(r), now=now, lease=self.lease, worker=self._me) for r in found]
            db.executemany(_PUT, [row.values() for row in rows])
            return [rules.job_of(row) for row in rows]

        return await self._thread.run(operation)

    async def beat(self) -> frozenset[str]:
        def operation(db: sqlite3.Connection) -> frozenset[str]:
            mine = "worker = ? AND state = 'running'"
            db.execute(f"UPDATE job SET due = ? WHERE {mine}", (self._clock() + self.lease, self._me))  # noqa: S608
            return frozenset(t for (t,) in db.execute(f"SELECT token FROM job WHERE {mine}", (self._me,)))  # noqa: S608

        return await self._thread.run(operation)

    async def settle(self, job: Job, settlement: Settlement) -> bool:
        def operation(db: sqlite3.Connection) -> bool:
            row = _get(db, job.key)
            if row is None or row.token != job.token:
                return False
            _put(db, job.key, rules.settled(row, settlement, now=self._clock()))
            return True

        settled = await self._thread.run(operation)
        self._news.set()
        return settled

    async def wait(self, seconds: float) -> None:
        if not self._news.is_set():
            soon = min(seconds, self._poll, await self._until_due())
            try:
                await asyncio.wait_for(self._news.wait(), max(soon, 0.0))
            except TimeoutError:
                return
        self._news.clear()

    async def _until_due(self) -> float:
        def operation(db: sqlite3.Connection) -> float:
            (due,) = db.execute("SELECT min(due) FROM job WHERE state != 'dead'").fetchone()
            return self._poll if due is None else float(due) - self._clock()

        return await self._thread.run(operation)

    async def entries(self, state: JobState | None = None, *, limit: int = 100, after: str = "") -> list[JobEntry]:
        query = f"SELECT {_ROW} FROM job WHERE key > ? AND (? IS NULL OR state = ?) ORDER BY key LIMIT ?"  # noqa: S608
        found = await self._thread.run(lambda db: db.execute(query, (after, state, state, limit)).fetchall())
        return [rules.entry_of(_row(r)) for r in found]

    async def show(self, key: str) -> JobEntry | None:
        row = await self._thread.run(lambda db: _get(db, key))
        return None if row is None else rules.entry_of(row)

    async def deliveries(self, key: str = "", *, limit: int = 20) -> list[Delivery]:
        query = (
            f"SELECT {_DELIVERY} FROM delivery WHERE ? = '' OR instr(keys, char(10) || ? || char(10))"  # noqa: S608
            " ORDER BY received DESC, rowid DESC LIMIT ?"
        )
        found = await self._thread.run(lambda db: db.execute(query, (key, key, limit)).fetchall())
        return [rules.delivery_of(r) for r in found]

    async def replay(self, key: str) -> bool:
        def operation(db: sqlite3.Connection) -> bool:
            row = _get(db, key)
            new = None if row is None else rules.replayed(row, now=self._clock())
            if new is not None:
                _put(db, key, new)
            return new is not None

        done = await self._thread.run(operation)
        self._news.set()
        return done

    async def drop(self, key: str) -> bool:
        query = "DELETE FROM job WHERE key = ? AND state != 'running'"
        return await self._thread.run(lambda db: db.execute(query, (key,)).rowcount > 0)

    async def depth(self) -> Depth:
        query = """
            SELECT count(*) FILTER (WHERE state = 'waiting' AND due <= :now),
                   count(*) FILTER (WHERE state = 'waiting' AND due > :now),
                   count(*) FILTER (WHERE state = 'running'), count(*) FILTER (WHERE state = 'dead'),
                   coalesce(max(:now - due) FILTER (WHERE state = 'waiting' AND due <= :now), 0) FROM job"""
        now = self._clock()
        return Depth.of(await self._thread.run(lambda db: db.execute(query, {"now": now}).fetchone()))

    async def prune(self, *, deliveries: float = KEEP_DELIVERIES, dead: float = KEEP_DEAD) -> int:
        now = self._clock()
        first = "DELETE FROM delivery WHERE rowid IN (SELECT rowid FROM delivery WHERE received < ? LIMIT ?)"
        second = "DELETE FROM job WHERE key IN (SELECT key FROM job WHERE state = 'dead' AND due < ? LIMIT ?)"
        total = 0
        for query, age in ((first, deliveries), (second, dead)):
            gone = _PRUNE_BATCH
            while gone == _PRUNE_BATCH:  # in pieces, so that no delivery waits long behind it
                bound = (now - age, _PRUNE_BATCH)
                gone = await self._thread.run(lambda db, q=query, b=bound: int(db.execute(q, b).rowcount))  # type: ignore[misc]
                total += gone
        return total


def _row(values: Sequence[Any]) -> JobRow:
    row = JobRow.of(values)
    return replace(row, lost=bool(row.lost))  # SQLite keeps a flag as a number


def _get(db: sqlite3.Connection, key: str) -> JobRow | None:
    found = db.execute(_GET, (key,)).fetchone()
    return None if found is None else _row(found)


def _put(db: sqlite3.Connection, key: str, row: JobRow | None) -> None:
    if row is None:
        db.execute("DELETE FROM job WHERE key = ?", (key,))
    else:
        db.execute(_PUT, row.values())

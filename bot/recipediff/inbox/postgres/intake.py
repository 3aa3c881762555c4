"""Deliveries into PostgreSQL, those that wait in one transaction: the price of making it durable is paid once for all of them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import UTC, datetime

from procrastinate.jobs import Job as ProcrastinateJob

from recipediff.inbox import rules
from recipediff.inbox.contract import Delivery, NotStored, Work
from recipediff.inbox.postgres import tables
from recipediff.inbox.postgres.link import Connection, manager_on
from recipediff.inbox.rules import JobRow

QUEUE = "recipediff"
TASK = "recipediff.job"
BATCH = 200
"""Deliveries a transaction at most."""
BACKLOG = 2000
"""Deliveries waiting at most: bounds memory. Beyond, `NotStored`."""

ANALYZE_EVERY = 1000
"""Jobs asked for between two looks of the planner. Without statistics procrastinate's fetch takes seconds at 10,000 jobs;
the server's own look comes a minute later."""

_END = datetime(9999, 12, 31, tzinfo=UTC)
RowChange = tuple[JobRow | None, int, JobRow]
"""The row before, the number of its job at procrastinate, and the row after (waiting or running)."""


@dataclass(slots=True)
class _Item:
    delivery: Delivery | None
    work: Sequence[Work]
    answer: asyncio.Future[bool]


class BatchedIntake:
    """Collects deliveries and writes them together; `add` returns when they are durable."""

    def __init__(self, transaction: Callable[[], AbstractAsyncContextManager[Connection]], news: asyncio.Event) -> None:
        self._transaction = transaction
        self._news = news
        self._items: list[_Item] = []
        self._writer: asyncio.Task[None] | None = None
        self._asked = 0

    async def add(self, delivery: Delivery | None, work: Sequence[Work]) -> bool:
        """False: a duplicate. Raises `NotStored` and `ValueError`."""
        rules.check(delivery, work)
        if len(self._items) >= BACKLOG:
            raise NotStored(f"{BACKLOG} deliveries are waiting for the database; try again later")
        item = _Item(delivery, work, asyncio.get_running_loop().create_future())
        self._items.append(item)
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._drain())
        return await item.answer

    async def stop(self) -> None:
        """Return when nothing waits any more."""
        if self._writer is not None:
            await self._writer

    async def _drain(self) -> None:
        while self._items:
            batch, self._items = self._items[:BATCH], self._items[BATCH:]
            try:
                async with self._transaction() as connection:
                    new = await _write(connection, batch)
            except BaseException as error:
                for item in batch:
                    if not item.answer.done():
                        item.answer.set_exception(error if isinstance(error, NotStored) else NotStored(repr(error)))
                if not isinstance(error, NotStored):
                    raise
                continue
            self._news.set()
            for item, fresh in zip(batch, new, strict=True):
                if not item.answer.done():
                    item.answer.set_result(fresh)
            self._asked += sum(len(item.work) for item in batch)
            if self._asked >= ANALYZE_EVERY:
                self._asked = 0
                with contextlib.suppress(NotStored):
                    async with self._transaction() as connection:
                        await connection.execute("ANALYZE procrastinate_jobs, recipediff_job")


async def _write(connection: Connection, batch: list[_Item]) -> list[bool]:
    """Which of `batch` were new. Everybody takes delivery ids before keys and each in one order, so that nobody waits in a ring."""
    fresh = await _keep(connection, batch)
    wanted = [(item, each) for item, new in zip(batch, fresh, strict=True) if new for each in item.work]
    keys = sorted({each.key for _, each in wanted})
    if keys:
        now = await tables.lock(connection, keys)
        before = await tables.rows(connection, keys)
        after: dict[str, JobRow] = {key: row for key, (row, _) in before.items()}
        for item, each in wanted:
            delivery = item.delivery.id if item.delivery else ""
            after[each.key] = rules.asked_for(after.get(each.key), each, now=now, delivery=delivery)
        await put(connection, [(*before.get(key, (None, 0)), after[key]) for key in keys])
    return fresh


async def _keep(connection: Connection, batch: list[_Item]) -> list[bool]:
    fresh = [item.delivery is None for item in batch]
    kept = [(n, rules.kept(item.delivery, item.work)) for n, item in enumerate(batch) if item.delivery is not None]
    kept.sort(key=lambda pair: (pair[1][0], pair[0]))
    if kept:
        async with connection.cursor() as cursor:
            await cursor.executemany(tables.KEEP, [row for _, row in kept], returning=True)
            for n, _ in kept:
                fresh[n] = await cursor.fetchone() is not None
                cursor.nextset()
    return fresh


async def put(connection: Connection, changes: Sequence[RowChange]) -> None:
    """Write the rows, and let procrastinate's jobs follow them. The keys are locked by the caller."""
    manager = manager_on(connection)
    numbers = {new.key: job_id for _, job_id, new in changes}
    defer: list[JobRow] = []
    for old, job_id, new in changes:
        if old is None:
            defer.append(new)
        elif old.state == "dead":
            await connection.execute(tables.FORGET, (job_id,))
            defer.append(new)
        elif old.state == "waiting" and (old.due, old.priority) != (new.due, new.priority):
            # A job deferred anew tells the other replicas. One that is being taken just now runs with the new data anyway.
            free = await connection.execute(tables.FREE, (job_id,))
            if free.rowcount and await manager.cancel_job_by_id_async(job_id, delete_job=True):
                defer.append(new)
    if defer:
        for row, job in zip(defer, await manager.batch_defer_jobs_async([_job(r) for r in defer]), strict=True):
            numbers[row.key] = job.id or 0
    async with connection.cursor() as cursor:
        await cursor.executemany(tables.PUT, [(*new.values(), numbers[new.key]) for _, _, new in changes])


def _job(row: JobRow) -> ProcrastinateJob:
    """One running and one waiting at most a key: procrastinate's own locks say so too."""
    return ProcrastinateJob(
        queue=QUEUE,
        task_name=TASK,
        lock=row.key,
        queueing_lock=row.key,
        priority=row.priority,
        task_kwargs={"key": row.key},
        scheduled_at=instant(row.due),
    )


def instant(seconds: float) -> datetime:
    """Unix seconds as procrastinate takes them, kept inside of what a date can say."""
    return min(datetime.fromtimestamp(min(max(seconds, 0.0), _END.timestamp()), UTC), _END)

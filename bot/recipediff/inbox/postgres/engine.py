"""The inbox in PostgreSQL through procrastinate: for several replicas.

procrastinate schedules, hands a job to one replica only, and knows which workers live. Beside it stand two tables of ours for what
it does not do: remember delivery ids, let the newest data win, and tell one run's lease from the next.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import psycopg
import psycopg_pool
from procrastinate import PsycopgConnector
from procrastinate.jobs import Status
from procrastinate.manager import JobManager

from recipediff.inbox import rules
from recipediff.inbox.cancelling import cancel
from recipediff.inbox.contract import (
    KEEP_DEAD,
    KEEP_DELIVERIES,
    Delivery,
    Depth,
    Job,
    JobEntry,
    JobState,
    NotStored,
    Settlement,
    Work,
)
from recipediff.inbox.postgres import tables
from recipediff.inbox.postgres.intake import QUEUE, BatchedIntake, instant, put
from recipediff.inbox.postgres.link import Connection, manager_on
from recipediff.inbox.rules import JobRow

_log = logging.getLogger(__name__)
_LISTEN_AGAIN = 5.0
_PRUNE_BATCH = 1000
_STALE_WORKERS = 3600.0


class PostgresInbox:
    """The contract over the database at `url`. Times are the database's, so that replicas agree."""

    def __init__(
        self,
        url: str,
        *,
        lease: float = 30.0,
        poll: float = 1.0,
        connections: int = 4,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.lease = lease
        self._monotonic = monotonic
        self._poll = poll
        self._pool: psycopg_pool.AsyncConnectionPool[Connection] = psycopg_pool.AsyncConnectionPool(
            url, min_size=1, max_size=connections, open=False, check=psycopg_pool.AsyncConnectionPool.check_connection
        )
        self._news = asyncio.Event()
        self._intake = BatchedIntake(self._transaction, self._news)
        self._worker: int | None = None
        self._looked = self._beaten = float("-inf")
        self._listener: asyncio.Task[None] | None = None

    async def open(self) -> None:
        try:
            await self._pool.open(wait=True, timeout=10.0)
        except psycopg_pool.PoolTimeout as error:
            await self._pool.close()
            raise NotStored(
                "the inbox's database does not answer; check DATABASE_URL and that PostgreSQL runs"
            ) from error
        async with self._transaction() as connection:
            await tables.prepare(connection)

    async def close(self) -> None:
        await self._intake.stop()
        if self._listener is not None:
            await cancel(self._listener)
            self._listener = None
        await self._pool.close()

    async def store(self, delivery: Delivery, work: Sequence[Work] = ()) -> bool:
        return await self._intake.add(delivery, work)

    async def ask(self, work: Sequence[Work]) -> None:
        rules.check(None, work)
        for part in rules.parts(work):
            await self._intake.add(None, part)

    async def take(self, limit: int) -> list[Job]:
        self._news.clear()
        worker = await self._alive()
        jobs: list[Job] = []
        while len(jobs) < limit:
            async with self._transaction() as connection:
                fetched = await manager_on(connection).fetch_job([QUEUE], worker)
                if fetched is None or fetched.id is None:
                    break
                key = str(fetched.task_kwargs["key"])
                now = await tables.lock(connection, [key])
                row, job_id = (await tables.rows(connection, [key]))[key]
                row = rules.taken(row, now=now, lease=self.lease, worker=str(worker))
                await connection.execute(tables.PUT, (*row.values(), job_id))
            jobs.append(rules.job_of(row))
        return jobs

    async def _alive(self) -> int:
        """This inbox as a worker of procrastinate with a heart that beats; procrastinate's leases are a worker's.

        Lost jobs are put back first, so that a beat after a long standstill does not revive what should be taken again.
        """
        now = self._monotonic()
        if now - self._looked >= self.lease / 3:
            self._looked = now
            await self._recover()
        if self._worker is not None and now - self._beaten >= self.lease / 4:
            await self.beat()
        if self._worker is None:
            async with self._transaction() as connection:
                self._worker = await manager_on(connection).register_worker()
            self._beaten = now
            self._listener = self._listener or asyncio.create_task(self._listen())
        return self._worker

    async def _listen(self) -> None:
        """Learn of jobs that other replicas stored. Only a hint: `wait` looks now and then all the same."""
        connector = PsycopgConnector()
        await connector.open_async(self._pool)

        async def told(**_: object) -> None:
            self._news.set()

        while True:
            try:
                await JobManager(connector).listen_for_jobs(on_notification=told, queues=[QUEUE])
            except Exception:
                _log.warning("inbox: not told of new jobs, looking every %s s instead", self._poll, exc_info=True)
            await asyncio.sleep(_LISTEN_AGAIN)

    async def _recover(self) -> None:
        """Put the jobs of workers without a heartbeat back."""
        async with self._transaction() as connection:
            keys = await self._stalled(connection)
        for key in sorted(keys):
            async with self._transaction() as connection:
                now = await tables.lock(connection, [key])
                found = (await tables.rows(connection, [key])).get(key)
                # Looked at again under the lock: another replica may have been quicker, or the worker may beat again.
                if found is None or (await self._stalled(connection)).get(key) != found[1]:
                    continue
                row = rules.lost(found[0], now=now)
                await manager_on(connection).retry_job_by_id_async(found[1], instant(row.due), row.priority)
                await connection.execute(tables.PUT, (*row.values(), found[1]))

    async def _stalled(self, connection: Connection) -> dict[str, int | None]:
        stalled = await manager_on(connection).get_stalled_jobs(queue=QUEUE, seconds_since_heartbeat=self.lease)
        return {str(job.task_kwargs["key"]): job.id for job in stalled}

    async def beat(self) -> frozenset[str]:
        if self._worker is None:
            return frozenset()
        known = "SELECT 1 FROM procrastinate_workers WHERE id = %s"
        beaten = self._monotonic()
        mine = "SELECT token FROM recipediff_job WHERE state = 'running' AND worker = %s"
        async with self._transaction() as connection:
            await manager_on(connection).update_heartbeat(self._worker)
            if not await _all(connection, known, (self._worker,)):
                self._worker = None  # stood still for so long that it was forgotten; its jobs are others' now
                return frozenset()
            held = frozenset(token for (token,) in await _all(connection, mine, (str(self._worker),)))
        self._beaten = beaten
        return held

    async def settle(self, job: Job, settlement: Settlement) -> bool:
        async with self._transaction() as connection:
            now = await tables.lock(connection, [job.key])
            row, job_id = (await tables.rows(connection, [job.key])).get(job.key, (None, 0))
            if row is None or row.token != job.token:
                return False
            new = rules.settled(row, settlement, now=now)
            manager = manager_on(connection)
            if new is None:
                await manager.finish_job_by_id_async(job_id, Status.SUCCEEDED, delete_job=True)
                await connection.execute(tables.DELETE, (job.key,))
            else:
                if new.state == "dead":
                    await manager.finish_job_by_id_async(job_id, Status.FAILED, delete_job=False)
                else:
                    await manager.retry_job_by_id_async(job_id, instant(new.due), new.priority)
                await connection.execute(tables.PUT, (*new.values(), job_id))
        self._news.set()
        return True

    async def wait(self, seconds: float) -> None:
        if not self._news.is_set():
            async with self._transaction() as connection:
                query = "SELECT min(due) - extract(epoch FROM clock_timestamp()) FROM recipediff_job WHERE state = 'waiting'"
                ((due,),) = await _all(connection, query)
            soon = min(seconds, self._poll, self._poll if due is None else max(float(due), 0.01))
            try:
                await asyncio.wait_for(self._news.wait(), soon)
            except TimeoutError:
                return
        self._news.clear()

    async def entries(self, state: JobState | None = None, *, limit: int = 100, after: str = "") -> list[JobEntry]:
        query = (
            f"SELECT {tables.ROW} FROM recipediff_job WHERE key > %s AND (%s::text IS NULL OR state = %s)"  # noqa: S608
            " ORDER BY key LIMIT %s"
        )
        async with self._transaction() as connection:
            found = await _all(connection, query, (after, state, state, limit))
        return [rules.entry_of(JobRow.of(r)) for r in found]

    async def show(self, key: str) -> JobEntry | None:
        async with self._transaction() as connection:
            found = (await tables.rows(connection, [key])).get(key)
        return None if found is None else rules.entry_of(found[0])

    async def deliveries(self, key: str = "", *, limit: int = 20) -> list[Delivery]:
        query = (
            f"SELECT {tables.DELIVERY} FROM recipediff_delivery"  # noqa: S608
            " WHERE %s = '' OR strpos(keys, chr(10) || %s || chr(10)) > 0 ORDER BY received DESC, serial DESC LIMIT %s"
        )
        async with self._transaction() as connection:
            return [rules.delivery_of(r) for r in await _all(connection, query, (key, key, limit))]

    async def replay(self, key: str) -> bool:
        async with self._transaction() as connection:
            now = await tables.lock(connection, [key])
            row, job_id = (await tables.rows(connection, [key])).get(key, (None, 0))
            new = None if row is None else rules.replayed(row, now=now)
            if row is None or new is None:
                return False
            await put(connection, [(row, job_id, new)])
        self._news.set()
        return True

    async def drop(self, key: str) -> bool:
        async with self._transaction() as connection:
            await tables.lock(connection, [key])
            row, job_id = (await tables.rows(connection, [key])).get(key, (None, 0))
            if row is None or row.state == "running":
                return False
            if row.state == "dead":
                await connection.execute(tables.FORGET, (job_id,))
            elif await _all(connection, tables.FREE, (job_id,)):
                await manager_on(connection).cancel_job_by_id_async(job_id, delete_job=True)
            else:
                return False  # just being taken
            await connection.execute(tables.DELETE, (key,))
        return True

    async def depth(self) -> Depth:
        query = """
            SELECT count(*) FILTER (WHERE state = 'waiting' AND due <= t), count(*) FILTER (WHERE state = 'waiting' AND due > t),
                   count(*) FILTER (WHERE state = 'running'), count(*) FILTER (WHERE state = 'dead'),
                   coalesce(max(t - due) FILTER (WHERE state = 'waiting' AND due <= t), 0)::float8
            FROM recipediff_job, (SELECT extract(epoch FROM clock_timestamp())::float8 AS t) AS clock"""
        async with self._transaction() as connection:
            (row,) = await _all(connection, query)
        return Depth.of(row)

    async def prune(self, *, deliveries: float = KEEP_DELIVERIES, dead: float = KEEP_DEAD) -> int:
        old = (
            "DELETE FROM recipediff_delivery WHERE id IN (SELECT id FROM recipediff_delivery"
            " WHERE received < extract(epoch FROM clock_timestamp()) - %s LIMIT %s FOR UPDATE SKIP LOCKED)"
        )
        buried = (
            "SELECT key FROM recipediff_job WHERE state = 'dead'"
            " AND due < extract(epoch FROM clock_timestamp()) - %s ORDER BY key LIMIT %s"
        )
        total, gone = 0, _PRUNE_BATCH
        while gone == _PRUNE_BATCH:
            async with self._transaction() as connection:
                gone = (await connection.execute(old, (deliveries, _PRUNE_BATCH))).rowcount
            total += gone
        async with self._transaction() as connection:
            keys = [key for (key,) in await _all(connection, buried, (dead, _PRUNE_BATCH))]
            await manager_on(connection).prune_stalled_workers(max(_STALE_WORKERS, 10 * self.lease))
        for key in keys:
            total += await self.drop(key)
        return total

    @contextlib.asynccontextmanager
    async def _transaction(self) -> AsyncIterator[Connection]:
        """One transaction: committed at the end, undone by any exception."""
        try:
            async with self._pool.connection() as connection:
                yield connection
        except (psycopg.Error, psycopg_pool.PoolTimeout, psycopg_pool.PoolClosed) as error:
            raise NotStored(f"the inbox's database refuses: {type(error).__name__}: {error}") from error


async def _all(connection: Connection, query: Any, arguments: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    return await (await connection.execute(query, arguments)).fetchall()

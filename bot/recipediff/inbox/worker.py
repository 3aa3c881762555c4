"""The worker loop: takes jobs, runs the handler, reports the outcome by the retry policy, keeps the leases."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from recipediff.inbox.cancelling import cancel
from recipediff.inbox.contract import Buried, Done, Job, NotStored, Queue, Released, Settlement
from recipediff.inbox.policy import decide, spent

_log = logging.getLogger(__name__)
PAUSE = 1.0
"""Seconds before a store that refuses is asked again."""


@dataclass(frozen=True, slots=True)
class Retry:
    """An outcome: not done, for a reason code of the policy table. `after`: the other side's Retry-After, in seconds."""

    reason: str
    message: str = ""
    after: float | None = None


@dataclass(frozen=True, slots=True)
class Dead:
    """An outcome: not done, and trying again would not help. An operator should see it."""

    reason: str
    message: str = ""


JobOutcome = Done | Retry | Dead
HandleJob = Callable[[Job], Awaitable[JobOutcome]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded:
    """What became of one run, for metrics and logs."""

    job: Job
    outcome: JobOutcome
    settlement: Settlement
    seconds: float
    kept: bool
    """False: the lease was lost meanwhile, and the report changed nothing."""


class Worker:
    """Runs up to `concurrency` jobs at a time until `stop`.

    A handler that raises is an outcome of reason `own-fault`, one that takes longer than `limit` seconds of reason `timeout`.
    `buried` is called before a job becomes dead, also for one whose process died every time, so that somebody can be told.
    """

    def __init__(
        self,
        queue: Queue,
        handler: HandleJob,
        *,
        concurrency: int = 4,
        limit: float = 600.0,
        idle: float = 5.0,
        buried: Callable[[Job, Buried], Awaitable[None]] | None = None,
        ended: Callable[[RunEnded], None] | None = None,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._queue = queue
        self._handler = handler
        self._concurrency = concurrency
        self._limit = limit
        self._idle = idle
        self._buried = buried
        self._ended = ended
        self._jitter = jitter
        self._runs: dict[str, asyncio.Task[None]] = {}
        self._lost: set[str] = set()
        self._reporting: set[str] = set()
        self._stopping = asyncio.Event()
        self._room = asyncio.Event()

    def stop(self) -> None:
        """Take no more jobs. `run` returns when those that run have ended or their grace is over."""
        self._stopping.set()
        self._room.set()

    async def run(self, *, grace: float = 20.0) -> None:
        """Work until `stop`. What has not ended `grace` seconds later is interrupted and given back at once."""
        beats = asyncio.create_task(self._beat())
        try:
            while not self._stopping.is_set():
                await self._step()
            if self._runs:
                await asyncio.wait(self._runs.values(), timeout=grace)
        finally:
            await cancel(*self._runs.values())
            await cancel(beats)

    async def _step(self) -> None:
        """Take what there is room for, or wait until there is something."""
        room = self._concurrency - len(self._runs)
        self._room.clear()
        if room <= 0:
            await self._room.wait()
            return
        try:
            jobs = await self._queue.take(room)
            for job in jobs:
                self._runs[job.token] = asyncio.create_task(self._one(job))
            if not jobs:
                await self._first(self._wait())
        except NotStored as refusal:
            _log.error("inbox: cannot take jobs, trying again: %s", refusal)
            await self._first(asyncio.sleep(PAUSE))

    async def _wait(self) -> None:
        await self._queue.wait(self._idle)

    async def _first(self, waiting: Coroutine[Any, Any, None]) -> None:
        """Wait, but not beyond `stop`."""
        tasks: list[asyncio.Task[Any]] = [asyncio.create_task(waiting), asyncio.create_task(self._stopping.wait())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await cancel(*tasks)
        if not tasks[0].cancelled() and (error := tasks[0].exception()) is not None:
            raise error

    async def _one(self, job: Job) -> None:
        began = asyncio.get_running_loop().time()
        try:
            outcome = await self._outcome(job)
            settlement = self._settlement(job, outcome)
            if isinstance(settlement, Buried):
                await self._tell(job, settlement)
            self._reporting.add(job.token)
            kept = await self._settle(job, settlement)
        except asyncio.CancelledError:
            if job.token in self._lost:
                _log.warning("inbox: %s: the lease was lost, the run is given up", job.key)
            elif job.token not in self._reporting:
                await self._settle(job, Released())
            raise
        finally:
            self._runs.pop(job.token, None)
            self._lost.discard(job.token)
            self._reporting.discard(job.token)
            self._room.set()
        if self._ended is not None:
            self._ended(
                RunEnded(
                    job=job,
                    outcome=outcome,
                    settlement=settlement,
                    seconds=asyncio.get_running_loop().time() - began,
                    kept=kept,
                )
            )

    async def _tell(self, job: Job, settlement: Buried) -> None:
        if self._buried is None:
            return
        try:
            await self._buried(job, settlement)
        except Exception:
            _log.exception("inbox: %s: telling that the job is dead failed", job.key)

    async def _outcome(self, job: Job) -> JobOutcome:
        if job.lost and spent("worker-lost", job.attempt - 1):
            return Dead("worker-lost", f"the process died or stood still in each of {job.attempt - 1} runs")
        try:
            async with asyncio.timeout(self._limit) as limit:
                return await self._handler(job)
        except Exception as error:
            if limit.expired():
                return Retry("timeout", f"the run took longer than {self._limit:g} s")
            _log.exception("inbox: %s: the handler raised in run %d", job.key, job.attempt)
            return Retry("own-fault", f"{type(error).__name__} in the handler; the log of this time says where")

    def _settlement(self, job: Job, outcome: JobOutcome) -> Settlement:
        match outcome:
            case Retry(reason, message, after):
                return decide(reason, job.attempt, message=message, after=after, jitter=self._jitter)
            case Dead(reason, message):
                return Buried(reason, message)
            case Done():
                return outcome

    async def _settle(self, job: Job, settlement: Settlement) -> bool:
        """Report, again and again while the store refuses and the lease may still be ours."""
        tries = max(1, round(self._queue.lease / PAUSE))
        for _ in range(tries):
            try:
                return await self._queue.settle(job, settlement)
            except NotStored as refusal:
                _log.error("inbox: %s: cannot report the end of the run, trying again: %s", job.key, refusal)
                await asyncio.sleep(PAUSE)
        return False

    async def _beat(self) -> None:
        """Renew the leases; interrupt runs whose lease is lost, since another worker may have the job."""
        loop = asyncio.get_running_loop()
        good = loop.time()
        while True:
            await asyncio.sleep(self._queue.lease / 4)
            known, asked = set(self._runs), loop.time()
            try:
                held, good = await self._queue.beat(), asked
            except NotStored as refusal:
                _log.error("inbox: cannot renew the leases, trying again: %s", refusal)
                if asked - good < self._queue.lease:
                    continue
                held = frozenset()
            for token in known - held - self._reporting:
                if (task := self._runs.get(token)) is not None:
                    self._lost.add(token)
                    task.cancel()

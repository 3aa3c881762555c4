"""The worker loop over each engine."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from recipediff.inbox.contract import Buried, Done, Inbox, Job, Work
from recipediff.inbox.worker import Dead, JobOutcome, Retry, RunEnded, Worker
from tests.contract.engines import LEASE, Engine


@asynccontextmanager
async def working(
    inbox: Inbox, handler: Callable[[Job], Awaitable[JobOutcome]], *, grace: float = 5.0, **more: Any
) -> AsyncIterator[Worker]:
    worker = Worker(inbox, handler, idle=0.05, **more)
    task = asyncio.create_task(worker.run(grace=grace))
    try:
        yield worker
    finally:
        worker.stop()
        await asyncio.wait_for(task, 10)


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not true():
            await asyncio.sleep(0.01)


async def test_jobs_are_worked_off_side_by_side_up_to_the_bound(inbox: Inbox) -> None:
    running = most = 0
    ended: list[RunEnded] = []

    async def handler(job: Job) -> JobOutcome:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.02)
        running -= 1
        return Done()

    await inbox.ask([Work(key=f"k{n}") for n in range(20)])
    async with working(inbox, handler, concurrency=3, ended=ended.append):
        await until(lambda: len(ended) == 20)
    assert most == 3
    assert all(each.kept for each in ended)
    assert await inbox.entries() == []


async def test_a_crash_of_the_handler_is_our_fault_and_is_tried_again(
    inbox: Inbox, caplog: pytest.LogCaptureFixture
) -> None:
    ended: list[RunEnded] = []

    async def handler(job: Job) -> JobOutcome:
        if job.key == "bad":
            raise KeyError("ghp_secret")
        return Done()

    await inbox.ask([Work(key="bad"), Work(key="good")])
    with caplog.at_level(logging.CRITICAL):
        async with working(inbox, handler, ended=ended.append):
            await until(lambda: len(ended) == 2)
    (entry,) = await inbox.entries()
    assert (entry.key, entry.state, entry.reason, entry.attempts) == ("bad", "waiting", "own-fault", 1)
    assert "KeyError" in entry.message
    assert "secret" not in entry.message


async def test_a_retry_follows_the_policy_until_it_is_spent(inbox: Inbox, engine: Engine) -> None:
    runs: list[int] = []
    dead: list[tuple[str, Buried]] = []

    async def handler(job: Job) -> JobOutcome:
        runs.append(job.attempt)
        return Retry("conflict", "the head moved")

    async def buried(job: Job, why: Buried) -> None:
        dead.append((job.key, why))

    await inbox.ask([Work(key="k")])
    async with working(inbox, handler, buried=buried, jitter=lambda: 0.0):
        for attempt in range(1, 6):
            await until(lambda n=attempt: len(runs) == n)  # type: ignore[misc]
            await asyncio.sleep(0.1)
            engine.advance(29)
    assert runs == [1, 2, 3, 4, 5]
    assert dead == [("k", Buried("conflict", "the head moved"))]
    (entry,) = await inbox.entries("dead")
    assert entry.message == "the head moved"


async def test_a_dead_outcome_is_not_tried_again_even_where_telling_fails(
    inbox: Inbox, caplog: pytest.LogCaptureFixture
) -> None:
    ended: list[RunEnded] = []

    async def handler(job: Job) -> JobOutcome:
        return Dead("forbidden", "contents: read is missing")

    async def buried(job: Job, why: Buried) -> None:
        raise OSError("GitHub is away")

    await inbox.ask([Work(key="k")])
    with caplog.at_level(logging.CRITICAL):
        async with working(inbox, handler, buried=buried, ended=ended.append):
            await until(lambda: bool(ended))
    assert [e.reason for e in await inbox.entries("dead")] == ["forbidden"]


async def test_a_run_that_takes_too_long_is_interrupted(inbox: Inbox) -> None:
    ended: list[RunEnded] = []

    async def handler(job: Job) -> JobOutcome:
        await asyncio.sleep(60)
        return Done()

    await inbox.ask([Work(key="k")])
    async with working(inbox, handler, limit=0.05, ended=ended.append):
        await until(lambda: bool(ended))
    assert [e.reason for e in await inbox.entries("waiting")] == ["timeout"]


async def test_stopping_waits_for_runs_and_gives_back_what_does_not_end(inbox: Inbox, other: Inbox) -> None:
    started: list[str] = []

    async def handler(job: Job) -> JobOutcome:
        started.append(job.key)
        await asyncio.sleep(0.2 if job.key == "short" else 60)
        return Done()

    await inbox.ask([Work(key="short"), Work(key="long")])
    async with working(inbox, handler, grace=0.6):
        await until(lambda: len(started) == 2)
    (job,) = await other.take(5)
    assert (job.key, job.attempt, job.lost) == ("long", 1, False)


async def test_a_job_whose_process_always_dies_ends_dead(inbox: Inbox, other: Inbox, engine: Engine) -> None:
    dead: list[str] = []

    async def handler(job: Job) -> JobOutcome:
        raise AssertionError("a poisonous job is not run again")

    async def buried(job: Job, why: Buried) -> None:
        dead.append(why.reason)

    await inbox.ask([Work(key="poison")])
    for attempt in range(1, 6):
        (job,) = await inbox.take(1)
        assert job.attempt == attempt
        engine.advance(LEASE + 1)
    async with working(other, handler, buried=buried):
        await until(lambda: bool(dead))
    assert dead == ["worker-lost"]
    assert [e.reason for e in await inbox.entries("dead")] == ["worker-lost"]


async def test_a_run_whose_lease_was_lost_is_interrupted(engine: Engine, inbox: Inbox, other: Inbox) -> None:
    started = asyncio.Event()
    interrupted = asyncio.Event()

    async def handler(job: Job) -> JobOutcome:
        started.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            interrupted.set()
            raise
        return Done()

    await inbox.ask([Work(key="k")])
    inbox.lease = 0.4  # beats come every tenth of a second of real time
    async with working(inbox, handler):
        await started.wait()
        engine.advance(LEASE + 1)
        taken = await other.take(1)
        if taken:  # unless a beat came first, and the lease holds
            await asyncio.wait_for(interrupted.wait(), 10)
            assert await other.settle(taken[0], Done())

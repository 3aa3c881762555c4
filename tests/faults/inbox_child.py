"""A process that stores deliveries and works them off, to be killed at any moment. It reports what it did over a pipe."""

from __future__ import annotations

import asyncio
import fcntl
import os
import random
from multiprocessing.connection import Connection
from pathlib import Path

from recipediff.inbox.contract import Delivery, Done, Inbox, Job, Work
from recipediff.inbox.postgres.engine import PostgresInbox
from recipediff.inbox.sqlite.engine import SqliteInbox
from recipediff.inbox.worker import JobOutcome, Retry, Worker

LEASE = 3.0
KEYS = 40


def make(address: str) -> Inbox:
    """The inbox at a file or a database address."""
    if address.startswith("postgresql:"):
        return PostgresInbox(address, lease=LEASE, poll=0.1)
    return SqliteInbox(Path(address), lease=LEASE, poll=0.1)


def main(address: str, locks: str, seed: int, first: int, report: Connection) -> None:
    """Store deliveries `first`, `first` + 1, … and work, until killed. `first` < 0: only work, until nothing is left."""
    asyncio.run(_main(make(address), Path(locks), random.Random(seed), first, report))


async def _main(inbox: Inbox, locks: Path, chance: random.Random, first: int, report: Connection) -> None:
    await inbox.open()
    report.send(("up", "", 0))

    async def handle(job: Job) -> JobOutcome:
        with (locks / job.key.replace("/", "_")).open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                report.send(("twice", job.key, 0))
            if job.lost:
                report.send(("lost", job.key, 0))
            await asyncio.sleep(chance.random() * 0.02)
            if chance.random() < 0.05:
                return Retry("conflict")
            if chance.random() < 0.02:
                raise RuntimeError("a defect")
            report.send(("handled", job.key, job.data["head"]))
            return Done()

    worker = Worker(inbox, handle, concurrency=3, jitter=lambda: 0.0)
    working = asyncio.create_task(worker.run())
    if first >= 0:
        await asyncio.gather(*(_store(inbox, chance, first, lane, report) for lane in range(3)))
    while (depth := await inbox.depth()).waiting + depth.delayed + depth.running:
        await asyncio.sleep(0.05)
    for entry in await inbox.entries():
        report.send(("left", entry.key, entry.reason))
    worker.stop()
    await working
    await inbox.close()
    report.send(("empty", "", 0))


async def _store(inbox: Inbox, chance: random.Random, first: int, lane: int, report: Connection) -> None:
    """Deliveries out of order, some of them twice."""
    head = first + lane
    while True:
        for each in (head + 3, head) if chance.random() < 0.3 else (head, head + 3):
            key = f"review:o/r#{chance.randrange(KEYS)}"
            delivery = Delivery(id=f"d{each}", event="push", action="", received=0.0, payload=os.urandom(200))
            report.send(("tried", key, each))
            new = await inbox.store(delivery, [Work(key=key, data={"head": each}, order=each)])
            report.send(("stored" if new else "dropped", key, each))
            if (
                new
                and chance.random() < 0.2
                and await inbox.store(delivery, [Work(key=key, data={"head": -1}, order=each + 0.5)])
            ):
                report.send(("duplicate", key, each))
        head += 6
        await asyncio.sleep(chance.random() * 0.01)

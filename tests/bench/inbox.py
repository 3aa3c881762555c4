"""How fast and how large the inbox is: `python -m tests.bench.inbox [sqlite|postgres]` prints a table."""

from __future__ import annotations

import asyncio
import json
import random
import resource
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from recipediff.inbox.contract import Delivery, Done, Inbox, Work
from recipediff.inbox.postgres.engine import PostgresInbox
from recipediff.inbox.sqlite.engine import SqliteInbox
from tests.postgres import cluster, database

_RANDOM = random.Random(1)
_PART = "https://api.github.com/repos/octo/recipes/{}/{:x}"
PAYLOAD = json.dumps({f"part_{n}": _PART.format(n, _RANDOM.getrandbits(120)) for n in range(260)}).encode()
"""About the size of a `pull_request` payload, and as hard to compress."""


def _memory() -> float:
    """Resident megabytes now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


async def _store(inbox: Inbox, number: int, keys: int) -> float:
    began = time.perf_counter()
    work = [
        Work(
            key=f"review:octo/recipes#{number % keys}", data={"head": f"{number:040x}", "number": number}, order=number
        )
    ]
    await inbox.store(
        Delivery(
            id=f"{number:036x}", event="pull_request", action="synchronize", received=time.time(), payload=PAYLOAD
        ),
        work,
    )
    return time.perf_counter() - began


async def full_speed(inbox: Inbox, total: int, lanes: int, first: int) -> tuple[float, float]:
    """Stored deliveries a second with `lanes` at a time, and the share of one core that it took."""
    began, spent = time.perf_counter(), time.process_time()

    async def lane(n: int) -> None:
        for number in range(n, total, lanes):
            await _store(inbox, first + number, 500)

    await asyncio.gather(*(lane(n) for n in range(lanes)))
    seconds = time.perf_counter() - began
    return total / seconds, (time.process_time() - spent) / seconds


async def paced(inbox: Inbox, rate: int, seconds: int, first: int) -> list[float]:
    """Seconds that each of `rate` a second took, sorted."""
    tasks: list[asyncio.Task[float]] = []
    began = time.perf_counter()
    for n in range(rate * seconds):
        await asyncio.sleep(max(0.0, began + n / rate - time.perf_counter()))
        tasks.append(asyncio.create_task(_store(inbox, first + n, 500)))
    return sorted(await asyncio.gather(*tasks))


async def measure(name: str, inbox: Inbox) -> None:
    """Print one line an aspect."""
    began = time.perf_counter()
    await inbox.open()
    print(f"{name}: open                         {(time.perf_counter() - began) * 1000:8.0f} ms")
    await full_speed(inbox, 500, 50, 0)
    rate, core = await full_speed(inbox, 6000, 64, 1_000)
    print(f"{name}: stored, 64 at a time         {rate:8.0f} a second, {core:.2f} cores")
    took = await paced(inbox, 500, 5, 100_000)
    p50, p99 = took[len(took) // 2] * 1000, took[int(len(took) * 0.99)] * 1000
    print(f"{name}: at 500 a second              {p50:8.1f} ms median, {p99:.1f} ms p99, {took[-1] * 1000:.1f} ms most")
    await inbox.ask([Work(key=f"review:octo/many#{n}", data={"head": f"{n:040x}"}) for n in range(10_000)])
    print(f"{name}: with 10,000 waiting jobs     {_memory():8.0f} MB")
    began, done = time.perf_counter(), 0
    while done < 2000:
        for job in await inbox.take(8):
            done += await inbox.settle(job, Done())
    print(f"{name}: taken and settled            {done / (time.perf_counter() - began):8.0f} a second")
    await inbox.close()


def main() -> None:
    """Measure the engines named on the command line, or both."""
    engines = sys.argv[1:] or ["sqlite", "postgres"]
    with ExitStack() as stack:
        if "sqlite" in engines:
            folder = stack.enter_context(tempfile.TemporaryDirectory(dir="."))
            asyncio.run(measure("SQLite", SqliteInbox(Path(folder) / "inbox.db")))
        if "postgres" in engines:
            address = stack.enter_context(database(stack.enter_context(cluster())))
            asyncio.run(measure("PostgreSQL", PostgresInbox(address)))


if __name__ == "__main__":
    main()

"""Processes are killed while they store and work, again and again; nothing that was acknowledged may be lost.

`RECIPEDIFF_KILLS=300 pytest -n0 tests/faults/test_inbox_kill.py` is the full measure.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import time
from collections import Counter
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import cast

import pytest

from tests.faults import inbox_child
from tests.postgres import postgres_cluster, postgres_database

__all__ = ["postgres_cluster", "postgres_database"]

KILLS = int(os.environ.get("RECIPEDIFF_KILLS", "25"))
PROCESSES = multiprocessing.get_context("forkserver")
DRAIN = 90.0
PATIENCE = 3.0
"""Seconds that a process may take to start."""
_STRIDE = 100_000
"""Deliveries that one process may number."""


class Killing:
    """Two replicas at work on one store; the record of what they said."""

    def __init__(self, address: str, folder: Path, seed: int) -> None:
        self.address = address
        self.folder = folder
        self.chance = random.Random(seed)
        self.counts: Counter[str] = Counter()
        self.stored: dict[str, int] = {}
        self.tried: dict[str, int] = {}
        self.handled: dict[str, list[int]] = {}
        self.spawned = 0
        self.left: list[str] = []

    def spawn(self, *, drain: bool = False) -> tuple[BaseProcess, Connection]:
        mine, theirs = PROCESSES.Pipe(duplex=False)
        first = -1 if drain else self.spawned * _STRIDE
        self.spawned += 1
        arguments = (self.address, str(self.folder), self.chance.randrange(2**32), first, theirs)
        process = PROCESSES.Process(target=inbox_child.main, args=arguments, daemon=True)
        process.start()
        theirs.close()
        return process, mine

    def listen(self, reports: list[Connection], seconds: float, *, until: int | None = None) -> bool:
        """Take down what is said for so long, or until so many processes were up; true once one says that all is done."""
        end = time.monotonic() + seconds
        while (until is None or self.counts["up"] < until) and (rest := end - time.monotonic()) > 0 and reports:
            for ready in wait(reports, rest):
                report = cast("Connection", ready)
                try:
                    what, key, head = report.recv()
                except (EOFError, OSError):
                    reports.remove(report)
                    continue
                if what == "empty":
                    return True
                self.note(what, key, head)
        return False

    def note(self, what: str, key: str, head: int) -> None:
        self.counts[what] += 1
        if what == "stored":
            self.stored[key] = max(head, self.stored.get(key, -1))
        elif what == "tried":
            self.tried[key] = max(head, self.tried.get(key, -1))
        elif what == "handled":
            self.handled.setdefault(key, []).append(head)
        elif what == "left":
            self.left.append(f"{key}: {head}")

    def run(self, kills: int) -> None:
        running = [self.spawn(), self.spawn()]
        for _ in range(kills):
            # From the first instant of a process to well into its work; most of them in their work.
            ups = self.counts["up"]
            if self.chance.random() < 0.8:
                self.listen([r for _, r in running], PATIENCE, until=ups + 1)
            self.listen([r for _, r in running], self.chance.uniform(0.0, 0.4))
            process, report = running.pop(0)
            process.kill()
            process.join()
            self.listen([report], 0.5)  # what it still said stands in the pipe
            report.close()
            running.append(self.spawn())
        for process, report in running:
            self.listen([report], 0.3)
            process.kill()
            process.join()
            self.listen([report], 0.5)
            report.close()
        self.drain()

    def drain(self) -> None:
        process, report = self.spawn(drain=True)
        try:
            assert self.listen([report], DRAIN), f"not worked off in {DRAIN:g} s"
            process.join(10)
            assert process.exitcode == 0
        finally:
            process.kill()
            process.join()
            report.close()


def check(killing: Killing, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    counts = killing.counts
    with capsys.disabled():
        print(
            f"\n{name}: {KILLS + 2} processes killed; {counts['stored']} deliveries acknowledged, {counts['handled']} runs"
            f" finished, {counts['lost']} runs taken over; {counts['twice']} keys run twice at once,"
            f" {counts['duplicate']} duplicates taken, {len(killing.left)} jobs left"
        )
    assert counts["stored"] > KILLS
    assert counts["lost"] > 0, "no process was killed at work: the test tests nothing"
    assert counts["twice"] == 0
    assert counts["duplicate"] == 0
    assert killing.left == []
    for key, head in killing.stored.items():
        newest = max(killing.handled.get(key, [-1]))
        assert head <= newest <= killing.tried[key], f"{key}: acknowledged {head}, finished at {newest}"


def test_sqlite_loses_nothing_to_kills(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    killing = Killing(str(tmp_path / "inbox.db"), tmp_path, seed=7)
    killing.run(KILLS)
    check(killing, "SQLite", capsys)


@pytest.mark.postgres
def test_postgres_loses_nothing_to_kills(
    postgres_database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    killing = Killing(postgres_database, tmp_path, seed=8)
    killing.run(KILLS)
    check(killing, "PostgreSQL", capsys)


PROCESSES.set_forkserver_preload(["tests.faults.inbox_child"])

"""The server is killed at its work, again and again, while deliveries are lost, doubled, late and out of order.

`RECIPEDIFF_KILLS=300 pytest -n0 tests/faults/test_kill.py` is the full measure.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.faults.chaos import Chaos, chaos
from tests.postgres import postgres_cluster, postgres_database

__all__ = ["postgres_cluster", "postgres_database"]

KILLS = int(os.environ.get("RECIPEDIFF_KILLS", "12"))


async def run(made: Chaos, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(KILLS):
        await made.round()
    await made.calm()
    await made.quiet()
    starts = sorted(made.starts)
    told = ", ".join(f"{count} {what}" for what, count in sorted(made.counts.items()))
    where = ", ".join(f"{count} at {what}" for what, count in made.killed_at.most_common())
    with capsys.disabled():
        print(f"\n{name}: {told}\n  killed {where}\n  start {starts[len(starts) // 2] * 1000:.0f} ms median")
    raised = [line for line in made.told.log.read_text("utf-8").splitlines() if "raised in run" in line]
    assert raised == []
    assert made.wrong() == []


async def test_kills_of_the_server_lose_nothing_sqlite(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with chaos(tmp_path, seed=3) as made:
        await run(made, "SQLite, one server", capsys)


@pytest.mark.postgres
async def test_kills_of_two_servers_lose_nothing_postgres(
    postgres_database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with chaos(tmp_path, seed=4, replicas=2, database_url=postgres_database) as made:
        await run(made, "PostgreSQL, two servers", capsys)

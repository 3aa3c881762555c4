"""The contract's tests run on each engine alike."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from recipediff.inbox.contract import Inbox
from tests.contract.engines import Engine, Postgres, Sqlite
from tests.postgres import postgres_cluster, postgres_database

__all__ = ["postgres_cluster", "postgres_database"]


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    """An empty store."""
    if request.param == "sqlite":
        return Sqlite(tmp_path / "inbox.db")
    return Postgres(request.getfixturevalue("postgres_database"))


@pytest.fixture
async def inbox(engine: Engine) -> AsyncIterator[Inbox]:
    """An open inbox on the store."""
    inbox = engine.inbox()
    await inbox.open()
    yield inbox
    await inbox.close()


@pytest.fixture
async def other(engine: Engine, inbox: Inbox) -> AsyncIterator[Inbox]:
    """A second open inbox on the same store, as another process has it."""
    other = engine.inbox()
    await other.open()
    yield other
    await other.close()

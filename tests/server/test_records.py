"""Two open pull requests that add one key: each is told of the other, and told again when the other withdraws."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sandbox.model import IssueRecord
from tests.server.stage import Stage, stage, until

TABLE = "docs/rows.md"
CONFIG = "records:\n  tables:\n    - {file: docs/rows.md, key: ID, space: rows}\n"
ROWS = [f"| ROW-{number:02} | about it |" for number in range(30)]


def table(place: int = 0, *keys: str) -> str:
    rows = [*ROWS[:place], *(f"| {key} | new |" for key in keys), *ROWS[place:]]
    return "# Rows\n\n| ID | What |\n|---|---|\n" + "\n".join(rows) + "\n"


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[Stage]:
    async with stage(tmp_path) as made:
        made.sandbox.commit(made.repo, "main", {".github/recipediff.yml": CONFIG, TABLE: table()}, "Keep records")
        yield made


def adding(here: Stage, branch: str, place: int, key: str) -> IssueRecord:
    here.sandbox.commit(here.repo, branch, {TABLE: table(place, key)}, f"Add {key}")
    return here.sandbox.open_pull(here.repo, branch, f"Add {key}")


async def stands(here: Stage, issue: IssueRecord, conclusion: str, title: str) -> None:
    async def found() -> bool:
        runs = sorted(here.runs(issue), key=lambda run: run.id)  # of one name the newest counts
        return bool(runs) and runs[-1].conclusion == conclusion and title in (runs[-1].title or "")

    await until(found, 60)


NAMED = "1 record cross pull duplicate"


async def test_the_other_is_looked_at_again_when_one_is_opened_changed_closed_and_merged(here: Stage) -> None:
    one = adding(here, "one", 3, "KEY-NEW")
    await stands(here, one, "success", "nothing to report")
    two = adding(here, "two", 27, "KEY-NEW")
    await stands(here, two, "failure", NAMED)
    await stands(here, one, "failure", NAMED)
    here.sandbox.commit(here.repo, "two", {TABLE: table(27, "KEY-OTHER")}, "Withdraw it")
    await stands(here, two, "success", "nothing to report")
    await stands(here, one, "success", "nothing to report")
    here.sandbox.commit(here.repo, "two", {TABLE: table(27, "KEY-NEW")}, "Take it back")
    await stands(here, one, "failure", NAMED)
    here.sandbox.close(two)
    await stands(here, one, "success", "nothing to report")
    here.sandbox.reopen(two)
    await stands(here, one, "failure", NAMED)
    here.sandbox.merge(two)
    await stands(here, one, "failure", "1 record duplicate key")

    async def said() -> bool:
        return ["in the base branch at" in comment.body for comment in here.said(one)] == [True]

    await until(said, 20)


async def test_it_comes_to_rest(here: Stage) -> None:
    one = adding(here, "one", 3, "KEY-NEW")
    two = adding(here, "two", 27, "KEY-NEW")
    await stands(here, one, "failure", NAMED)
    await stands(here, two, "failure", NAMED)

    async def none_waits() -> bool:
        async with here.inbox() as box:
            return not [entry for entry in await box.entries() if entry.key.startswith(("records:", "review:"))]

    await until(none_waits, 60)
    before = len(here.sandbox.requests)
    await here.quiet()
    assert len(here.sandbox.requests) == before
    assert len(here.said(one)) == len(here.said(two)) == 1

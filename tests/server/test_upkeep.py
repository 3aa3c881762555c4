"""Nothing is lost: what was missed is found by looking, and asked for again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from recipediff.app.review import reconcile as use_case
from recipediff.inbox.contract import Depth, Job, NotStored, Work
from recipediff.inbox.sqlite.engine import SqliteInbox
from recipediff.ports.errors import Unavailable
from recipediff.server import timers
from recipediff.server.health import Health, Parts
from recipediff.server.metrics import Metrics
from sandbox.model import IssueRecord
from tests.app.review.world import RECIPE_PATH, recipe_text
from tests.server.stage import Stage, client, stage, until, with_secrets

NOBODY = "http://127.0.0.1:9/webhook"


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[Stage]:
    async with stage(tmp_path, serve=False) as made:
        made.installation.app.webhook_url = NOBODY
        yield made


def age(here: Stage, issue: IssueRecord, seconds: float = 600) -> None:
    """As if it had been opened a while ago."""
    issue.updated = here.sandbox.world.clock() - timedelta(seconds=seconds)


async def test_what_was_opened_while_nobody_listened_is_reviewed_at_the_start(here: Stage) -> None:
    issue = here.open(here.bad())
    await here.sandbox.settled()
    age(here, issue)
    here.sandbox.hooks.log.clear()  # GitHub has forgotten the deliveries
    async with here.serving():
        assert (await here.concluded(issue)).conclusion == "failure"
        assert len(here.said(issue)) == 1


async def test_github_is_asked_to_send_again_what_it_could_not_deliver(here: Stage) -> None:
    """Opened a moment ago: reconciliation leaves it to its webhook, which is sent again."""
    issue = here.open(here.bad())
    await here.sandbox.settled()
    failed = [each for each in here.sandbox.hooks.log if each.event == "pull_request"]
    assert [each.status_code for each in failed] == [502]
    async with here.serving():
        assert (await here.concluded(issue)).conclusion == "failure"
        again = [each for each in here.sandbox.hooks.log if each.guid == failed[0].guid]
        assert [each.status_code for each in again] == [502, 202]


async def test_a_new_installation_has_its_pull_requests_reviewed(here: Stage) -> None:
    other = here.sandbox.create_repo("lab/more", {RECIPE_PATH: recipe_text(here.pin)})
    here.sandbox.commit(other, "topic", {RECIPE_PATH: here.bad()}, "Change")
    issue = here.sandbox.open_pull(other, "topic", "Change")
    age(here, issue)
    async with here.serving():
        here.sandbox.install(here.installation.app, "lab", None)
        await here.sandbox.settled()
        async with here.inbox() as box:
            await box.replay(f"installation:{here.installation.id + 1}")  # it waits a little by itself

        async def reviewed() -> bool:
            async with here.inbox() as box:
                for entry in await box.entries("waiting"):
                    await box.replay(entry.key)
            return any(run.status == "completed" for run in here.sandbox.check_runs(other))

        await until(reviewed, 20)
    (run,) = here.sandbox.check_runs(other)
    assert run.conclusion == "failure"


async def test_when_the_base_moves_the_verdicts_on_it_are_looked_at_again(here: Stage) -> None:
    async with here.serving():
        issue = here.open(here.bad())
        assert (await here.concluded(issue)).conclusion == "failure"
        config = "recipes:\n  - elsewhere/*.yaml\n"
        here.sandbox.commit(here.repo, "main", {".github/recipediff.yml": config}, "Look elsewhere")
        await here.sandbox.settled()
        async with here.inbox() as box:
            assert await box.replay("reconcile:org/recipes@main")

        async def green() -> bool:
            return here.runs(issue)[-1].conclusion == "success"

        await until(green, 20)


async def test_only_what_lacks_a_verdict_is_asked_for(here: Stage) -> None:
    async with here.serving():
        done = here.open(here.good())
        await here.concluded(done)
    missed, fresh = here.open(here.bad(), "missed"), here.open(here.bad(), "fresh")
    for issue in (done, missed):
        age(here, issue)
    async with here.handler() as handler:
        job = Job(
            key="reconcile:org/recipes",
            data={"repo": "org/recipes", "installation": here.installation.id},
            attempt=1,
            lost=False,
            since=0,
            delivery="",
            token="t",
        )
        await handler(job)
    async with here.inbox() as box:
        keys = {entry.key: entry for entry in await box.entries("waiting")}
    assert f"review:org/recipes#{missed.number}" in keys
    assert f"review:org/recipes#{done.number}" not in keys
    assert f"review:org/recipes#{fresh.number}" not in keys
    later = keys["reconcile:org/recipes"]  # for the one whose webhook may be on its way
    assert 100 < later.due - time.time() < 200


@dataclass
class Tried:
    id: int
    guid: str
    failed: bool


class Deliveries:
    """What GitHub tried, newest first."""

    def __init__(self, tried: Sequence[Tried], *, endless: bool = False) -> None:
        self.tried, self.endless, self.asked = tried, endless, []  # type: ignore[var-annotated]

    async def deliveries(self, *, since: float, most: int = 20) -> AsyncIterator[Tried]:
        del since, most
        for each in self.tried:
            yield each
        if self.endless:
            raise Unavailable("too-large", "more pages than that")

    async def redeliver(self, delivery: int) -> bool:
        self.asked.append(delivery)
        return True


@pytest.mark.parametrize("endless", [False, True])
async def test_a_delivery_is_asked_for_again_until_it_was_taken_or_tried_enough(endless: bool) -> None:
    tried = [
        Tried(9, "lost", True),
        Tried(8, "taken later", False),
        Tried(7, "taken later", True),
        Tried(6, "hopeless", True),
        Tried(5, "hopeless", True),
        Tried(4, "hopeless", True),
        Tried(3, "older", True),
        Tried(2, "fine", False),
    ]
    app = Deliveries(tried, endless=endless)
    assert await use_case.redeliver(app, since=0) == 2
    assert app.asked == [3, 9]


class Full(SqliteInbox):
    """Refuses the first `refusals` times."""

    refusals = 2

    async def ask(self, work: Sequence[Work]) -> None:
        if self.refusals:
            self.refusals -= 1
            raise NotStored("full")
        await super().ask(work)

    async def depth(self) -> Depth:
        raise NotStored("the disk is gone")


async def test_the_timer_outlives_a_store_that_refuses(tmp_path: Path) -> None:
    box, slept = Full(tmp_path / "inbox.db"), list[float]()

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 4:
            raise asyncio.CancelledError

    await box.open()
    with pytest.raises(asyncio.CancelledError):
        await timers.run(box, sleep=sleep)
    assert slept == [timers.AGAIN, timers.AGAIN, timers.HOUR, timers.HOUR]
    assert {entry.key for entry in await box.entries()} == {"sweep:all", "polls:all", "redeliver:all"}
    await box.close()


async def test_ready_says_what_is_wrong(tmp_path: Path, here: Stage) -> None:
    async with here.serving(), client(here) as session:
        ready = await session.get("/readyz")
        assert (ready.status_code, ready.json()["wrong"]) == (200, [])
        figures = (await session.get("/metrics")).text
        assert 'recipediff_inbox_jobs{state="dead"} 0.0' in figures
    box = Full(tmp_path / "inbox.db")
    parts = Parts({"worker": lambda: False}, stopping=True)
    health = Health(box, Metrics(), parts)
    answer = await health.ready(None)  # type: ignore[arg-type]
    assert answer.status == 503
    assert all(word in (answer.text or "") for word in ("worker", "inbox", "stopping"))


async def test_a_secret_can_be_changed_without_losing_a_delivery(here: Stage) -> None:
    with_secrets(here, "the-new-one-of-them", here.credentials.webhook_secrets[0])
    async with here.serving():
        for secret in here.credentials.webhook_secrets:
            here.installation.app.secret = secret
            issue = here.open(here.bad(), f"topic-{len(secret)}")
            await here.concluded(issue)
        assert {each.status_code for each in here.sandbox.hooks.log if each.event == "pull_request"} == {202}

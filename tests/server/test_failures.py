"""Whatever fails: never a green check for work not done, and never one that stays in progress for good."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from recipediff.app.events import Me, plan
from recipediff.inbox.contract import Again, Buried, Done, Job
from recipediff.inbox.policy import POLICY, decide
from recipediff.inbox.worker import Dead, Retry
from recipediff.server.jobs import outcomes
from recipediff.server.jobs.handler import JobHandler
from sandbox import FaultKind
from sandbox.model import IssueRecord
from tests.app.review.world import RECIPE_PATH
from tests.server.stage import Stage, stage


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[Stage]:
    async with stage(tmp_path, serve=False) as made:
        made.installation.app.webhook_url = "http://127.0.0.1:9/"
        made.sandbox.hooks.held = True
        yield made


@pytest.fixture
async def handler(here: Stage) -> AsyncIterator[JobHandler]:
    async with here.handler() as made:
        yield made


def job(here: Stage, *, attempt: int = 1, lost: bool = False, event: str = "pull_request", last: int = -1) -> Job:
    """The job that a delivery asks for."""
    delivery = [each for each in here.sandbox.hooks.waiting if each.event == event][last]
    (asked,) = plan(event, delivery.payload, Me(here.installation.app.id)).asked
    return Job(key=asked.key, data=asked.data, attempt=attempt, lost=lost, since=0.0, delivery="d-1", token="t-1")


def not_evaluated(here: Stage, issue: IssueRecord) -> str:
    """The title of the one check run, which is red and says that there is no verdict."""
    (run,) = here.runs(issue)
    assert (run.status, run.conclusion) == ("completed", "failure")
    title = str(run.title)
    assert title.lower().startswith("not evaluated")
    return title


@pytest.mark.parametrize("operation", ["git/get-tree", "git/get-blob", "checks/update", "issues/create-comment"])
@pytest.mark.parametrize("kind", [FaultKind.SERVER_ERROR, FaultKind.RESET, FaultKind.TRUNCATED])
async def test_a_passing_fault_is_tried_again_and_then_all_is_well(
    here: Stage, handler: JobHandler, operation: str, kind: FaultKind
) -> None:
    issue = here.open(here.bad())
    here.sandbox.faults.add(kind, operation, times=1)
    outcome = await handler(job(here))
    assert isinstance(outcome, Retry)
    assert outcome.reason in POLICY
    assert all(run.conclusion != "success" for run in here.runs(issue))
    assert await handler(job(here, attempt=2)) == Done()
    (run,) = here.runs(issue)
    assert run.conclusion == "failure"
    assert len(here.said(issue)) == 1


async def test_when_the_attempts_are_spent_the_check_says_why(here: Stage, handler: JobHandler) -> None:
    issue = here.open(here.bad())
    here.sandbox.faults.add(FaultKind.SERVER_ERROR, "git/get-tree", times=None)
    outcome = await handler(job(here))
    assert isinstance(outcome, Retry)
    (run,) = here.runs(issue)
    assert run.status == "in_progress"
    settled = decide(outcome.reason, POLICY[outcome.reason].attempts, message=outcome.message)
    assert isinstance(settled, Buried)
    await handler.buried(job(here), settled)
    assert "server-fault" in not_evaluated(here, issue)
    assert here.said(issue) == []


async def test_a_limit_is_obeyed(here: Stage, handler: JobHandler) -> None:
    here.open(here.bad())
    here.sandbox.faults.add(FaultKind.TOO_MANY_RETRY_AFTER, "git/get-tree", retry_after=60)
    outcome = await handler(job(here))
    assert isinstance(outcome, Retry)
    assert outcome.reason == "rate-limited"
    assert outcome.after is not None
    settled = decide(outcome.reason, 1, after=outcome.after)
    assert isinstance(settled, Again)
    assert settled.hold
    assert settled.after >= outcome.after


async def test_what_will_not_pass_concludes_at_once(here: Stage, handler: JobHandler) -> None:
    files = {f"recipes/r{number}.yaml": f"model: m{number}\n" for number in range(301)}
    here.sandbox.commit(here.repo, "topic", files, "Many")
    issue = here.sandbox.open_pull(here.repo, "topic", "Many")
    assert await handler(job(here)) == Done()
    assert "too-many-recipes" in not_evaluated(here, issue)


async def test_a_repository_that_vanished_is_nobodys_trouble(here: Stage, handler: JobHandler) -> None:
    here.open(here.bad())
    taken = job(here, attempt=POLICY["conflict"].attempts)
    here.sandbox.delete_repo(here.repo)
    outcome = await handler(taken)
    assert outcome == Done() or (isinstance(outcome, Retry) and outcome.reason == "forbidden")


async def test_histories_without_a_common_commit_end_in_words(here: Stage, handler: JobHandler) -> None:
    git = here.repo.git
    tree = git.write_tree(None, {RECIPE_PATH: ("100644", git.write("blob", here.bad().encode()))})
    orphan = git.write_commit(tree, [], "Orphan", here.sandbox.world.person("octocat"))
    here.sandbox.push(here.repo, "topic", orphan)
    issue = here.sandbox.open_pull(here.repo, "topic", "Orphan")
    first = await handler(job(here))
    assert isinstance(first, Retry)
    assert await handler(job(here, attempt=POLICY["conflict"].attempts)) == Done()
    assert "missing" in not_evaluated(here, issue)


async def test_a_run_that_was_cut_off_leaves_no_second_check(here: Stage, handler: JobHandler) -> None:
    issue = here.open(here.bad())
    here.sandbox.faults.add(FaultKind.RESET, "checks/create", times=1, after=True)
    assert isinstance(await handler(job(here)), Retry)
    assert await handler(job(here, attempt=2, lost=True)) == Done()
    assert len(here.runs(issue)) == 1


async def test_closed_meanwhile_the_check_does_not_stay_in_progress(here: Stage, handler: JobHandler) -> None:
    issue = here.open(here.bad())
    here.sandbox.faults.add(FaultKind.SERVER_ERROR, "git/get-tree", times=1)
    taken = job(here)
    assert isinstance(await handler(taken), Retry)
    here.sandbox.close(issue)
    assert (
        await handler(
            Job(key=taken.key, data=taken.data, attempt=2, lost=False, since=0.0, delivery="d-1", token="t-2")
        )
        == Done()
    )
    assert "closed" in not_evaluated(here, issue)
    assert here.said(issue) == []


async def test_an_old_event_that_comes_late_says_nothing_about_the_old_head(here: Stage, handler: JobHandler) -> None:
    issue = here.open(here.bad())
    first = job(here)
    here.sandbox.commit(here.repo, "topic", {RECIPE_PATH: here.good()}, "Fix")
    assert await handler(job(here)) == Done()
    assert await handler(first) == Done()
    assert here.said(issue) == []
    (run,) = here.runs(issue)
    assert run.conclusion == "success"


@pytest.mark.parametrize("seed", range(12))
async def test_duplicated_reordered_and_delayed_deliveries_end_alike(tmp_path: Path, seed: int) -> None:
    """GitHub promises no order. Whatever comes when: one right check run on the head, one comment that fits it."""
    chance = random.Random(seed)
    async with stage(tmp_path) as here:
        here.sandbox.hooks.held = True
        issue = here.open(here.bad())
        for text in (here.good(), here.bad() + "# once more\n"):
            here.sandbox.commit(here.repo, "topic", {RECIPE_PATH: text}, "Change")
        waiting = [each for each in here.sandbox.hooks.waiting if each.event != "check_run"]
        sent = waiting + chance.sample(waiting, 2)
        chance.shuffle(sent)
        for delivery in sent:
            await here.sandbox.hooks.send(delivery)
            if chance.random() < 0.4:
                await here.quiet()
        here.sandbox.hooks.held = False
        await here.quiet()
        (run,) = here.runs(issue)
        assert (run.status, run.conclusion) == ("completed", "failure")
        (comment,) = here.said(issue)
        assert issue.pull is not None
        assert issue.pull.head_sha[:12] in (comment.body or "")
        assert all(each.status == "completed" for each in here.sandbox.check_runs(here.repo))


def test_every_reason_stands_in_the_policy() -> None:
    assert set(outcomes.RETRIED.values()) <= set(POLICY)


async def test_a_job_that_nobody_knows_is_shown_to_the_operator(handler: JobHandler) -> None:
    outcome = await handler(
        Job(key="dance:org/recipes", data={}, attempt=1, lost=False, since=0.0, delivery="", token="t")
    )
    assert isinstance(outcome, Dead)
    assert outcome.reason == "unknown-kind"

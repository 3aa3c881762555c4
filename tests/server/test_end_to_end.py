"""From a delivery to the verdict, as people meet it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.app.review.world import RECIPE_PATH
from tests.server.stage import Stage, stage


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[Stage]:
    async with stage(tmp_path) as made:
        yield made


async def test_a_pull_request_gets_one_check_and_one_comment_and_a_fix_turns_both(here: Stage) -> None:
    issue = here.open(here.bad())
    run = await here.concluded(issue)
    assert (run.name, run.conclusion) == ("recipediff", "failure")
    (comment,) = here.said(issue)
    assert "max_num_seqs" in comment.body
    here.sandbox.commit(here.repo, "topic", {RECIPE_PATH: here.good()}, "Fix")
    run = await here.concluded(issue)
    assert run.conclusion == "success"
    (comment,) = here.said(issue)
    assert "resolved" in comment.body


async def test_a_pull_request_without_recipes_is_green_and_silent(here: Stage) -> None:
    here.sandbox.commit(here.repo, "docs", {"README.md": "hello again\n"}, "Say hello")
    issue = here.sandbox.open_pull(here.repo, "docs", "Say hello")
    run = await here.concluded(issue)
    assert run.conclusion == "success"
    assert here.said(issue) == []


async def test_two_pull_requests_with_one_head_share_the_check_and_have_a_comment_each(here: Stage) -> None:
    here.sandbox.commit(here.repo, "other", {"README.md": "other\n"}, "Elsewhere", notify=False)
    first = here.open(here.bad())
    second = here.sandbox.open_pull(here.repo, "topic", "The same", base="other")
    await here.quiet()
    assert first.pull is not None
    assert second.pull is not None
    assert first.pull.head_sha == second.pull.head_sha
    (run,) = here.runs(first)
    assert run.conclusion == "failure"
    assert (len(here.said(first)), len(here.said(second))) == (1, 1)


async def test_a_fork_that_is_deleted_keeps_its_verdict(here: Stage) -> None:
    fork = here.sandbox.fork(here.repo, "mallory")
    here.sandbox.commit(fork, "topic", {RECIPE_PATH: here.bad()}, "Change", "mallory")
    issue = here.sandbox.open_pull(here.repo, "topic", "Change", author="mallory", head=fork)
    await here.concluded(issue)
    here.sandbox.delete_repo(fork)
    (run,) = here.runs(issue)
    here.sandbox.rerequest(run)
    run = await here.concluded(issue)
    assert run.conclusion == "failure"


async def test_run_again_and_the_button_look_again_and_change_nothing_without_need(here: Stage) -> None:
    issue = here.open(here.bad())
    run = await here.concluded(issue)
    for press in (here.sandbox.rerequest, here.sandbox.rerequest_suite):
        before = len(here.sandbox.requests)
        press(run)
        assert (await here.concluded(issue)).id == run.id
        assert len(here.sandbox.requests) > before
    here.sandbox.press(run, "recheck")
    assert (await here.concluded(issue)).id == run.id
    assert len(here.said(issue)) == 1


async def test_a_merge_group_gets_the_check(here: Stage) -> None:
    issue = here.open(here.good())
    await here.concluded(issue)
    head = here.sandbox.enqueue(issue).head_sha
    await here.quiet()
    (run,) = here.sandbox.check_runs(here.repo, head)
    assert (run.name, run.conclusion) == ("recipediff", "success")
    here.sandbox.rerequest(run)
    await here.quiet()
    assert [each.id for each in here.sandbox.check_runs(here.repo, head)] == [run.id]


async def test_a_changed_base_branch_is_judged_anew(here: Stage) -> None:
    taken = here.sandbox.commit(here.repo, "next", {RECIPE_PATH: here.bad()}, "Take it", notify=False)
    here.sandbox.commit(here.repo, "topic", {"README.md": "more\n"}, "More", parent=taken)
    issue = here.sandbox.open_pull(here.repo, "topic", "More")
    assert (await here.concluded(issue)).conclusion == "failure"
    here.sandbox.edit(issue, base="next")
    await here.quiet()
    assert here.runs(issue)[-1].conclusion == "success"


async def test_a_draft_is_reviewed_and_reviewed_again_when_ready(here: Stage) -> None:
    here.sandbox.commit(here.repo, "topic", {RECIPE_PATH: here.bad()}, "Change")
    issue = here.sandbox.open_pull(here.repo, "topic", "Change", draft=True)
    run = await here.concluded(issue)
    here.sandbox.ready(issue)
    assert (await here.concluded(issue)).id == run.id

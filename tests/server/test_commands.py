"""Chat commands over the whole way: who is heard, what is answered, and that doing it twice changes nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sandbox.model import CommentRecord, IssueRecord
from tests.server.stage import Stage, stage


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[Stage]:
    async with stage(tmp_path) as made:
        made.sandbox.permit(made.repo, "ada", "write")
        made.sandbox.permit(made.repo, "rosa", "read")
        yield made


@pytest.fixture
async def issue(here: Stage) -> IssueRecord:
    made = here.open(here.bad())
    await here.concluded(made)
    return made


async def say(here: Stage, issue: IssueRecord, text: str, author: str = "ada") -> CommentRecord:
    made = here.sandbox.comment(issue, text, author)
    await here.quiet()
    return made


def answers(here: Stage, issue: IssueRecord, asked: CommentRecord) -> list[str]:
    marker = f"<!-- recipediff:answer:{asked.id} -->\n"
    bodies = [each.body or "" for each in here.sandbox.comments(issue)]
    return [body.removeprefix(marker) for body in bodies if body.startswith(marker)]


def reactions(comment: CommentRecord) -> list[str]:
    return sorted(each.content for each in comment.reactions)


async def test_recheck_looks_again_and_shows_a_receipt(here: Stage, issue: IssueRecord) -> None:
    (run,) = here.runs(issue)
    before = len(here.sandbox.requests)
    asked = await say(here, issue, "@recipediff recheck")
    operations = {each.operation for each in list(here.sandbox.requests)[before:]}
    assert {"pulls/get", "checks/list-for-ref", "issues/list-comments"} <= operations
    assert reactions(asked) == ["+1"]
    assert [each.id for each in here.runs(issue)] == [run.id]
    assert answers(here, issue, asked) == []


async def test_explain_and_help_answer_once(here: Stage, issue: IssueRecord) -> None:
    for text, part in (
        ("@recipediff explain undeclared", "eviation"),
        ("@recipediff help", "| `@recipediff recheck` |"),
        ("@recipediff fly", "There is no command `fly`."),
    ):
        asked = await say(here, issue, text)
        (answer,) = answers(here, issue, asked)
        assert part in answer
        assert reactions(asked) == ["confused" if "fly" in text else "+1"]


@pytest.mark.parametrize("text", ["@recipediff recheck", "@recipediff help", "@recipediff explain undeclared"])
@pytest.mark.parametrize("author", ["rosa", "stranger"])
async def test_who_may_not_write_gets_no_effect_at_all(here: Stage, issue: IssueRecord, text: str, author: str) -> None:
    before = len(here.sandbox.requests)
    asked = await say(here, issue, text, author)
    methods = {each.method for each in list(here.sandbox.requests)[before:] if "access_tokens" not in each.path}
    assert methods == {"GET"}
    assert reactions(asked) == []
    assert answers(here, issue, asked) == []


async def test_a_command_done_twice_has_one_answer(here: Stage, issue: IssueRecord) -> None:
    asked = await say(here, issue, "@recipediff help")
    key = f"command:{here.repo.full_name}#{asked.id}"
    async with here.inbox() as box:
        (delivery,) = await box.deliveries(key)
    again = next(each for each in here.sandbox.hooks.log if each.guid == delivery.id)
    again.guid = "another-delivery-of-the-same"
    await here.sandbox.hooks.send(again)
    await here.quiet()
    assert len(answers(here, issue, asked)) == 1
    assert reactions(asked) == ["+1"]


async def test_a_ping_in_an_unknown_command_does_not_ping(here: Stage, issue: IssueRecord) -> None:
    asked = await say(here, issue, "@recipediff @everyone #1 <b>x</b>")
    (answer,) = answers(here, issue, asked)
    assert "`@everyone`" in answer
    assert "<b>" not in answer

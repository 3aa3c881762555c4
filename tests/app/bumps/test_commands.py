"""What people ask of a bump, and what the overview issue says and hears."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from recipediff.app.bumps.commands import Reply, obey_order, order_of
from recipediff.app.bumps.move import About
from recipediff.app.bumps.overview import LABEL
from recipediff.app.bumps.tend import tend
from recipediff.core.bumps.boxes import box
from recipediff.core.bumps.calendar import DAY
from recipediff.core.bumps.marker import read
from sandbox.model import IssueRecord
from sandbox.server import ServedRequest
from tests.app.bumps.test_life import QUIET, SEQS
from tests.app.bumps.world import BRANCH, RECIPE, Lab, lab
from tests.app.review.world import RECIPE_PATH


@pytest.fixture
async def here() -> AsyncIterator[Lab]:
    async with lab() as made:
        yield made


def about(here: Lab, days: float = 2.0, **more: object) -> About:
    now = here.world.sandbox.world.clock().timestamp() + days * DAY
    return About(author=here.world.author, now=now, **more)  # type: ignore[arg-type]


async def order(here: Lab, number: int, words: str) -> Reply:
    name = order_of(words)
    assert name is not None, words
    return await obey_order(here.world.home, here.world.forge, number, name, about(here))


async def tended(here: Lab, days: float = 2.0, **more: object) -> IssueRecord:
    await tend(here.world.home, here.world.forge, about(here, days, **more))
    issues = [
        i for i in here.world.repo.issues.values() if not i.pull and any(label.name == LABEL for label in i.labels)
    ]
    assert len(issues) == 1
    return issues[0]


@pytest.mark.parametrize("words", ["rebase", "Recreate!", "ignore  this move", "ignore this recipe."])
def test_orders_are_understood(words: str) -> None:
    assert order_of(words) is not None


@pytest.mark.parametrize("words", ["", "ignore", "rebase it all", "recheck", "ignore this"])
def test_other_words_are_no_orders(words: str) -> None:
    assert order_of(words) is None


async def test_rebase_brings_the_base_in(here: Lab) -> None:
    here.upstream(SEQS)
    await here.run()
    (bump,) = here.bumps()
    main = here.world.sandbox.commit(here.world.repo, "main", {"README.md": "# other\n"}, "Elsewhere")
    assert not here.world.repo.git.is_ancestor(main, here.tip() or "")
    await order(here, bump.number, "rebase")
    assert here.world.repo.git.is_ancestor(main, here.tip() or "")


async def test_rebase_leaves_a_humans_commit_alone_and_recreate_builds_on_it(here: Lab) -> None:
    here.upstream(SEQS)
    await here.run()
    (bump,) = here.bumps()
    text = here.file(BRANCH) + "notes: by hand\n"
    theirs = here.world.sandbox.commit(here.world.repo, BRANCH, {RECIPE_PATH: text}, "By hand")
    assert "left as it is" in (await order(here, bump.number, "rebase")).text
    assert here.tip() == theirs
    await order(here, bump.number, "recreate")
    assert here.world.repo.git.is_ancestor(theirs, here.tip() or "")
    assert "by hand" not in here.file(BRANCH)
    assert "Somebody else has committed" not in (bump.body or "")


async def test_ignore_this_move_waits_for_the_next(here: Lab) -> None:
    here.upstream(SEQS)
    await here.run()
    (bump,) = here.bumps()
    await order(here, bump.number, "ignore this move")
    await here.run()
    assert (bump.state, here.bumps()) == ("closed", [])
    here.upstream(("port: 8000", "port: 9000"))
    await here.run()
    assert len(here.bumps()) == 1


async def test_ignore_this_recipe_holds_until_its_box_is_ticked(here: Lab) -> None:
    here.upstream(SEQS)
    await here.run()
    (bump,) = here.bumps()
    await order(here, bump.number, "ignore this recipe")
    here.upstream(("port: 8000", "port: 9000"))
    kept = await here.run()
    assert [action.code for action in kept.actions] == ["ignored"]
    await here.run(asked=frozenset({RECIPE}))
    assert len(here.bumps()) == 1


async def test_recreate_opens_a_closed_one_again(here: Lab) -> None:
    here.upstream(SEQS)
    await here.run()
    (bump,) = here.bumps()
    here.world.sandbox.close(bump)
    assert not (await order(here, bump.number, "rebase")).understood
    await order(here, bump.number, "recreate")
    (again,) = here.bumps()
    assert again.number != bump.number
    marker = read(again.body or "")
    assert marker is not None
    assert marker.asked


async def test_orders_mean_nothing_on_other_pull_requests(here: Lab) -> None:
    pull = here.world.open({"README.md": "# x\n"})
    assert not (await order(here, pull.number, "recreate")).understood


async def test_the_overview_shows_what_trails_and_why_it_waits(here: Lab) -> None:
    here.upstream(SEQS)
    issue = await tended(here, days=0.0)
    body = issue.body or ""
    assert f"{box(RECIPE)} **{RECIPE}**: upstream changed it less than 1 day ago, until" in body
    assert "1 commit behind" in body
    assert here.bumps() == []
    before = issue.body
    assert (await tended(here, days=0.0)).body == before


async def test_a_tick_opens_a_bump_and_is_taken_off(here: Lab) -> None:
    here.upstream(QUIET)
    here.config("bumps: {quiet: skip}\n")
    issue = await tended(here)
    assert here.bumps() == []
    here.world.sandbox.edit(issue, body=(issue.body or "").replace("- [ ]", "- [x]"))
    issue = await tended(here)
    (bump,) = here.bumps()
    assert bump.pull is not None
    assert bump.pull.head_ref == BRANCH
    assert "[x]" not in (issue.body or "")
    assert f"(../pull/{bump.number})" in (issue.body or "")
    await tended(here)
    assert here.bumps() == [bump]


async def test_a_tick_whose_text_was_written_over_is_heard_by_its_event(here: Lab) -> None:
    here.upstream(SEQS)
    issue = await tended(here, days=0.0)
    await tended(here, days=0.0, asked=frozenset({RECIPE}))
    assert len(here.bumps()) == 1
    assert issue.body is not None


async def test_an_overview_that_somebody_closed_stays_closed(here: Lab) -> None:
    here.upstream(SEQS)
    issue = await tended(here)
    here.world.sandbox.close(issue)
    before = issue.body
    here.upstream(("port: 8000", "port: 9000"))
    assert (await tended(here)).body == before
    assert issue.state == "closed"


@pytest.mark.parametrize("round_", [0, 1])
async def test_a_tick_that_comes_while_the_issue_is_edited_is_not_written_over(here: Lab, round_: int) -> None:
    here.upstream(SEQS)
    issue = await tended(here, days=0.0)
    here.upstream(("port: 8000", "port: 9000"))
    seen = 0

    def tick(exchange: ServedRequest) -> None:
        nonlocal seen
        if exchange.operation == "issues/list-for-repo":
            seen += 1
            if seen == round_ + 1:
                here.world.sandbox.edit(issue, body=(issue.body or "").replace("- [ ]", "- [x]"))

    here.world.sandbox.observers.append(tick)
    kept = await tend(here.world.home, here.world.forge, about(here, 0.0))
    here.world.sandbox.observers.remove(tick)
    if round_ == 0:  # right after the first look: seen before the issue is written
        assert len(here.bumps()) == 1
        assert "[x]" not in (issue.body or "")
    else:  # right after the last look before writing: its event asks for the bump
        assert kept.bumps.open == {}
        await tended(here, days=0.0, asked=frozenset({RECIPE}))
        assert len(here.bumps()) == 1

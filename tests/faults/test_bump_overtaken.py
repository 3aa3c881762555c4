"""Races over real sockets: two replicas at once, and a person who acts between two of the bot's calls."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest

from recipediff.adapters.github.connect import GitHubForge
from recipediff.ports.errors import Unavailable
from sandbox.server import ServedRequest
from tests.app.bumps.test_life import SEQS
from tests.app.bumps.world import BRANCH, Lab, lab
from tests.app.review.world import RECIPE_PATH, recipe_text

PORT = ("port: 8000", "port: 9000")


@pytest.fixture
async def here() -> AsyncIterator[Lab]:
    async with lab() as made:
        yield made


def replica(here: Lab) -> Lab:
    """Another process: nothing is shared but GitHub."""
    old = here.world.forge
    other = Lab(here.world, here.text)
    other.world.forge = GitHubForge(old._connection, old._credentials, old._settings)
    return other


def once(here: Lab, operation: str, act: Callable[[], None], *, skip: int = 0) -> None:
    """Act right after the bot's next call of `operation` was answered (the first `skip` aside)."""
    seen = 0

    def look(exchange: ServedRequest) -> None:
        nonlocal seen
        if exchange.operation == operation:
            seen += 1
            if seen == skip + 1:
                act()

    here.world.sandbox.observers.append(look)


def by_hand(here: Lab) -> Callable[[], None]:
    """A person commits to the bump's branch."""
    return lambda: void(
        here.world.sandbox.commit(
            here.world.repo, BRANCH, {RECIPE_PATH: recipe_text(here.world.pin) + "notes: x\n"}, "By hand"
        )
    )


def void(_made: object) -> None:
    """What was made is looked at later."""


@pytest.mark.parametrize("round_", range(4))
async def test_two_replicas_at_once_open_one_pull_request(here: Lab, round_: int) -> None:
    here.world.sandbox.faults.latency = 0.002 * round_
    here.upstream(SEQS)
    await asyncio.gather(here.run(), replica(here).run(), return_exceptions=True)
    await here.run()
    (bump,) = here.bumps("all")
    moved = here.upstream(PORT)
    await asyncio.gather(here.run(), replica(here).run(), return_exceptions=True)
    await here.run()
    assert here.bumps("all") == [bump]
    assert here.file(BRANCH) == recipe_text(here.world.pin).replace(here.world.pin, moved)
    assert "Somebody else" not in (bump.body or "")


@pytest.mark.parametrize("operation", ["git/create-tree", "git/create-commit"])
async def test_a_push_between_read_and_write_stands(here: Lab, operation: str) -> None:
    here.upstream(SEQS)
    await here.run()
    (bump,) = here.bumps()
    here.upstream(PORT)
    once(here, operation, by_hand(here))
    kept = await here.run()
    assert kept.done == {BRANCH: "somebody else moved the branch"}
    theirs = here.tip()
    assert "notes: x" in here.file(BRANCH)
    await here.run()
    assert here.tip() == theirs
    assert (bump.body or "").count("Somebody else has committed") == 1


async def test_a_push_right_before_it_would_be_closed_keeps_it_open(here: Lab) -> None:
    here.upstream(SEQS)
    await here.run()
    (bump,) = here.bumps()
    here.upstream((SEQS[1], SEQS[0]))
    once(here, "pulls/list", by_hand(here))
    await here.run()
    assert bump.state == "open"
    assert "notes: x" in here.file(BRANCH)


async def test_a_branch_that_goes_while_it_is_moved_costs_nothing(here: Lab) -> None:
    here.upstream(SEQS)
    await here.run()
    here.upstream(PORT)
    once(here, "git/create-commit", lambda: here.world.sandbox.push(here.world.repo, BRANCH, None))
    await here.run()
    assert here.bumps() == []
    await here.run()
    assert len(here.bumps("all")) <= 2


async def test_a_base_that_moves_meanwhile_is_taken_in_by_the_next_run(here: Lab) -> None:
    here.upstream(SEQS)
    text = recipe_text(here.world.pin) + "notes: edited on the base\n"
    once(
        here,
        "git/create-commit",
        lambda: void(here.world.sandbox.commit(here.world.repo, "main", {RECIPE_PATH: text}, "Edit")),
    )
    await here.run()
    assert "edited on the base" not in here.file(BRANCH)
    await here.run()
    assert "edited on the base" in here.file(BRANCH)
    assert len(here.bumps("all")) == 1


async def test_a_branch_of_that_name_that_is_not_the_bots_is_left_alone(here: Lab) -> None:
    by_hand(here)()
    theirs = here.tip()
    here.upstream(SEQS)
    kept = await here.run()
    assert kept.done == {BRANCH: "the branch has commits that are not the bot's"}
    assert (here.tip(), here.bumps("all")) == (theirs, [])


async def test_a_run_that_was_cut_off_after_the_branch_is_taken_up(here: Lab) -> None:
    here.upstream(SEQS)
    here.world.sandbox.faults.add("500", "pulls/create")
    with pytest.raises(Unavailable):
        await here.run()
    made = here.tip()
    assert made is not None
    assert here.bumps("all") == []
    await here.run()
    assert len(here.bumps("all")) == 1
    assert here.tip() == made

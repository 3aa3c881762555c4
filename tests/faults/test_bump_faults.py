"""Every fault of the review's fault table at each call of a bump's life: nothing is closed, opened twice or lost by it.

By default at every fifth call; `RECIPEDIFF_FAULTS=all` takes each.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator

import pytest

from recipediff.adapters.github.connect import GitHubForge
from recipediff.ports.errors import Missing, Refused, Unavailable
from sandbox.faults import FaultKind
from tests.app.bumps.test_life import SEQS
from tests.app.bumps.world import BRANCH, Lab, lab
from tests.app.review.world import recipe_text

KINDS: list[FaultKind] = [kind for kind in FaultKind if kind is not FaultKind.TIMEOUT]
"""A timeout is a reset that takes longer; the client's own tests wait for it."""
STEP = 1 if os.environ.get("RECIPEDIFF_FAULTS") == "all" else 5
SETTING = ("port: 8000", "port: 9000")


@pytest.fixture
async def here() -> AsyncIterator[Lab]:
    async with lab() as made:
        made.world.sandbox.faults.hang = 0.1
        yield made


async def attempt(here: Lab) -> bool:
    """One run, as the inbox would start it in a new process. Whether it came to its end."""
    old = here.world.forge
    here.world.forge = GitHubForge(old._connection, old._credentials, old._settings)
    try:
        await here.run()
    except (Unavailable, Missing, Refused):
        return False
    return True


async def through(here: Lab, kind: FaultKind, *, after: bool) -> int:
    """Run with the fault at the first call, then at the second, and so on, each followed by a healthy run until the
    fault meets nothing any more. The number of calls that were met."""
    faults = here.world.sandbox.faults
    place = KINDS.index(kind) % STEP
    while place < 80:
        faults.clear()
        fault = faults.add(kind, skip=place, after=after, retry_after=0)
        await attempt(here)
        met = fault.met > place
        faults.clear()
        judge(here)
        if not met:
            return place
        place += STEP
    return place


def judge(here: Lab) -> None:
    """What must hold whatever failed."""
    assert len(here.bumps()) <= 1
    assert [bump for bump in here.bumps("all") if bump.state == "closed"] == []


@pytest.mark.parametrize("after", [False, True], ids=["before the work", "after the work"])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.value)
async def test_a_fault_at_any_call_costs_no_bump(here: Lab, kind: FaultKind, after: bool) -> None:
    moved = here.upstream(SEQS)
    met = await through(here, kind, after=after)
    assert met > 5
    assert await attempt(here)
    (bump,) = here.bumps("all")
    assert here.file(BRANCH) == recipe_text(here.world.pin).replace(here.world.pin, moved)
    moved = here.upstream(SETTING)
    await through(here, kind, after=after)
    assert await attempt(here)
    assert here.bumps("all") == [bump]
    assert here.file(BRANCH) == recipe_text(here.world.pin).replace(here.world.pin, moved)
    here.text = here.text.replace(SETTING[1], SETTING[0]).replace(SEQS[1], SEQS[0])
    here.upstream()
    for _ in range(3):
        await attempt(here)
    assert bump.state == "closed"
    assert len([c for c in here.world.sandbox.comments(bump) if "Closed:" in c.body]) == 1

"""GitHub fails at each call of a review in each way that it has; hours of retries pass in milliseconds.

By default each call meets some of the faults. `RECIPEDIFF_FAULTS=all pytest -n0 tests/faults/test_review_faults.py` takes
all of them with all of the calls, and prints the table.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from sandbox import FaultKind, ServedRequest
from sandbox.model import CheckRunRecord, IssueRecord
from tests.app.review.world import UPSTREAM_PATH, recipe_text
from tests.faults.rig import Bot, Rig, rig
from tests.faults.story import Call, calls, opened, pushed, too_fast, verdict

EVERYTHING = os.environ.get("RECIPEDIFF_FAULTS", "") == "all"
KINDS = tuple(FaultKind)
STORIES: dict[str, Callable[[Rig, str], AbstractAsyncContextManager[tuple[Bot, IssueRecord]]]] = {
    "opened": opened,
    "pushed": pushed,
}
Case = tuple[Call, bool, bool, bool]
"""The call; whether the fault lasts; whether the work is done and only the answer lost; whether the recipe is good."""


def cases(known: list[Call], kind: FaultKind) -> list[Case]:
    """What is tried with one kind of fault: everything, or a share in which each call and each kind comes up."""
    found: list[Case] = []
    for number, call in enumerate(known):
        goods = (False,) if call.operation.startswith("issues/create") else (False, True)
        dones = (False, True) if call.writes else (False,)
        mine = [(call, lasts, done, good) for lasts in (False, True) for done in dones for good in goods]
        if EVERYTHING:
            found += mine
        elif number % len(KINDS) == KINDS.index(kind):
            half = len(mine) // 2
            found += [mine[number % half], mine[half + (number // 2) % half]]
    return found


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.value.replace(" ", "-"))
@pytest.mark.parametrize("story", STORIES)
async def test_a_fault_at_any_call(
    tmp_path: Path, story: str, kind: FaultKind, capsys: pytest.CaptureFixture[str]
) -> None:
    counts: dict[str, Counter[str]] = {}
    wrong: list[str] = []
    async with rig(tmp_path) as made:
        for call, lasts, after, good in cases(await healthy(made, story), kind):
            name = f"{kind.value}{' for ever' if lasts else ''}{', work done' if after else ''}"
            found, broken = await one(made, story, kind, call, lasts=lasts, after=after, good=good)
            counts.setdefault(f"{call}", Counter())[found] += 1
            wrong += [f"{story}: {name} at {call}, {'good' if good else 'bad'}: {each}" for each in broken]
    with capsys.disabled():
        for row, outcomes in counts.items():
            told = ", ".join(f"{number} {outcome}" for outcome, number in sorted(outcomes.items()))
            print(f"\n{story:7} {kind.value:27} {row:42} {told}", end="")
    assert not wrong, "\n".join(wrong)


async def healthy(made: Rig, story: str) -> list[Call]:
    """The calls of a review that nothing disturbs."""
    async with STORIES[story](made, made.bad()) as (bot, issue):
        assert await bot.work() == []
        assert verdict(newest(made, issue)) == "failure"
        return calls(made.seen)


async def one(
    made: Rig, story: str, kind: FaultKind, call: Call, *, lasts: bool, after: bool, good: bool
) -> tuple[str, list[str]]:
    """One fault at one call, until the bot has nothing more to do; then the hourly look without the fault."""
    retry_after = 2 if good else 90
    broken: list[str] = []
    async with STORIES[story](made, made.good() if good else made.bad()) as (bot, issue):
        fault = made.sandbox.faults.add(
            kind, call.operation, skip=call.nth, times=None if lasts else 1, after=after,
            retry_after=retry_after, path=call.repository,
        )  # fmt: skip
        dead = await bot.work()
        made.sandbox.faults.clear()
        check = newest(made, issue)
        first = verdict(check)
        broken += too_fast(made.asked, kind, retry_after, ended=lasts)
        if fault.met <= fault.skip:
            broken.append("the fault met nothing")
        done = after or kind in (FaultKind.RESET_MIDWAY, FaultKind.TRUNCATED)
        broken += judge(call, kind, check, lasts=lasts, done=done, good=good, dead=bool(dead))
        broken += alone(made, issue)
        await bot.look()
        last = verdict(newest(made, issue))
        if last != ("success" if good else "failure") and not (kind is FaultKind.NOT_FOUND and last == "failure"):
            broken.append(f"in the end the check says {last}")
        broken += alone(made, issue)
        made.sandbox.close(issue)  # the hourly look of the next case is at its own pull request alone
    return f"{first}{' then right' if last != first else ''}", broken


def alone(made: Rig, issue: IssueRecord) -> list[str]:
    """One check run and one comment, at most."""
    found = []
    if len(made.runs(issue)) > 1:
        found.append(f"{len(made.runs(issue))} check runs")
    if len(made.said(issue)) > 1:
        found.append(f"{len(made.said(issue))} comments")
    return found


def judge(
    call: Call, kind: FaultKind, check: CheckRunRecord | None, *, lasts: bool, done: bool, good: bool, dead: bool
) -> list[str]:
    """Whether the check is as it must be once the retries are over."""
    first, right = verdict(check), "success" if good else "failure"
    # The tip of a base branch that is not to be found is taken from the event.
    if call.operation == "repos/get-content" or (call.operation == "git/get-ref" and kind is FaultKind.NOT_FOUND):
        return [] if first == right else [f"only a help fails, and the check says {first}"]
    if kind is FaultKind.NOT_FOUND and call.repository.startswith("eugr/"):
        # Nobody can compare. What the pull request leaves as it was may pass, and is called open.
        open_still = good and check is not None and "open on the base" in str(check.title)
        return [] if first == "failure" or open_still else [f"nobody could compare, and the check says {first}"]
    if not lasts:
        return [] if (first, dead) == (right, False) else [f"it passed by, but the check says {first}, dead: {dead}"]
    if call.operation.startswith("issues/"):
        return [] if first == right else [f"only the comment fails, the check says {first}"]
    if call.operation.startswith("apps/"):
        expected = {"no check"}  # without a token nothing can be written
    elif call.operation.startswith("checks/"):
        # Where GitHub takes no word on the check there is nothing to be seen of it; where it takes it and does not say so,
        # the word stands.
        expected = {"no check", "in progress", *([right] if done else [])}
    else:
        expected = {"not evaluated"}
    return [] if first in expected else [f"the check says {first}"]


@pytest.mark.parametrize("story", STORIES)
async def test_a_repository_that_vanishes_at_any_call_leaves_no_green_check_and_no_work(
    tmp_path: Path, story: str
) -> None:
    async with rig(tmp_path) as made:
        for call in await healthy(made, story):
            async with STORIES[story](made, made.bad()) as (bot, issue):
                met: list[ServedRequest] = []

                def vanish(seen: ServedRequest, call: Call = call, met: list[ServedRequest] = met) -> None:
                    if seen.operation == call.operation and call.repository in seen.path:
                        met.append(seen)
                        made.repo.deleted = len(met) > call.nth or made.repo.deleted

                made.sandbox.before.append(vanish)
                dead = await bot.work()
                made.sandbox.before.remove(vanish)
                assert made.repo.deleted, f"{call} was never made"
                assert [each.reason for each in dead if each.reason != "forbidden"] == [], f"{call}: {dead}"
                assert verdict(newest(made, issue)) in ("no check", "in progress", "failure")
                made.repo.deleted = False
                await bot.look()
                assert verdict(newest(made, issue)) == "failure"
                assert alone(made, issue) == []


LARGE = b"x: " + b"y" * (5 * 1024 * 1024)


@pytest.mark.parametrize("large", ["recipe", "upstream", "config"])
async def test_a_blob_over_the_limit_is_said_and_never_green(tmp_path: Path, large: str) -> None:
    async with rig(tmp_path) as made:
        text = made.bad()
        if large == "upstream":
            text = recipe_text(made.sandbox.commit(made.upstream, "main", {UPSTREAM_PATH: LARGE}, "Grow"))
        if large == "config":
            made.sandbox.commit(made.repo, "main", {".github/recipediff.yml": LARGE}, "Grow")
        async with made.bot() as bot:
            issue = made.pull(LARGE.decode() + "\n" if large == "recipe" else text)
            await bot.deliver()
            assert await bot.work() == []
            check = newest(made, issue)
            assert check is not None
            assert (check.status, check.conclusion) == ("completed", "failure")
            told = f"{check.title} {check.summary} {[each.body for each in made.said(issue)]}"
            assert "too-large" in told or "bytes" in told
            assert sum(a.path.endswith(made.repo.git.write("blob", LARGE)) for a in made.asked) == 0
            assert alone(made, issue) == []


async def test_an_hour_whose_limit_is_spent_is_waited_for(tmp_path: Path) -> None:
    """Not a fault this time: the sandbox counts, as GitHub does."""
    async with rig(tmp_path) as made:
        made.sandbox.world.rate_limit = 7
        async with made.bot() as bot:
            issue = made.pull(made.bad())
            await bot.deliver()
            began = made.clock.now()
            work = bot.work()
            made.sandbox.before.append(
                lambda _: setattr(made.sandbox.world, "rate_limit", 7 if made.clock.now() < began + 3000 else 5000)
            )
            assert await work == []
            assert made.clock.now() - began > 3500
            assert len(made.asked) < 30
            assert verdict(newest(made, issue)) == "failure"
            assert alone(made, issue) == []


def newest(made: Rig, issue: IssueRecord) -> CheckRunRecord | None:
    """The check run that counts."""
    return next(reversed(made.runs(issue)), None)

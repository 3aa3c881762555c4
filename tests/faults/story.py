"""The calls of a review one by one, and what must hold whatever becomes of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from sandbox import FaultKind, ServedRequest
from sandbox.model import CheckRunRecord, IssueRecord
from tests.app.review.world import RECIPE_PATH
from tests.faults.rig import Asked, Bot, Rig

BURST, APART = 3, 1.0
"""Writes that may follow each other at once, and the seconds between them on average."""
UNNAMED = 60.0
"""Seconds of silence after a limit that names no time."""
NAMED = frozenset({FaultKind.FORBIDDEN_RETRY_AFTER, FaultKind.TOO_MANY_RETRY_AFTER})
LIMITS = frozenset({*NAMED, FaultKind.FORBIDDEN, FaultKind.TOO_MANY, FaultKind.LIMITED})
AGAIN = 0.5
"""Seconds before a call that failed otherwise is made again: the shortest delay of the retry policy."""


@dataclass(frozen=True, slots=True)
class Call:
    """One request of a review: the `nth` of its operation in that repository."""

    operation: str
    repository: str
    nth: int

    def __str__(self) -> str:
        where = "upstream" if self.repository.startswith("eugr/") else "home"
        return f"{self.operation} ({where}, {self.nth + 1})"

    @property
    def writes(self) -> bool:
        """Whether people see what it does."""
        return self.operation in WRITES


WRITES = frozenset({"checks/create", "checks/update", "issues/create-comment", "issues/update-comment"})


def calls(seen: Sequence[ServedRequest]) -> list[Call]:
    """The calls of a healthy review."""
    found: list[Call] = []
    for each in seen:
        name = "/".join(each.path.split("/")[2:4]) if each.path.startswith("/repos/") else ""
        before = sum((old.operation, old.repository) == (each.operation, name) for old in found)
        found.append(Call(each.operation, name, before))
    return found


@asynccontextmanager
async def opened(rig: Rig, text: str) -> AsyncIterator[tuple[Bot, IssueRecord]]:
    """The first look at a new pull request, by a bot that saw it open."""
    async with rig.bot() as bot:
        issue = rig.pull(text)
        await bot.deliver()
        yield bot, issue


@asynccontextmanager
async def pushed(rig: Rig, text: str) -> AsyncIterator[tuple[Bot, IssueRecord]]:
    """A push to a pull request that has its comment, looked at by a bot that was just started and asks for everything."""
    async with rig.bot() as bot:
        issue = rig.pull(rig.bad())
        await bot.deliver()
        assert await bot.work() == []
    async with rig.bot() as bot:
        bot.handler._reviews._memory._started = float("inf")
        text = f"{text}notes: pushed {rig.cases}\n"
        rig.sandbox.commit(rig.repo, f"topic-{rig.cases}", {RECIPE_PATH: text}, "Again")
        await bot.deliver()
        yield bot, issue


def verdict(run: CheckRunRecord | None) -> str:
    """What the check says, in a word."""
    if run is None:
        return "no check"
    if run.status != "completed":
        return "in progress"
    title = str(run.title or "").lower()
    if title.startswith("not evaluated"):
        return "not evaluated"
    return str(run.conclusion)


def too_fast(asked: Sequence[Asked], kind: FaultKind, retry_after: float, *, ended: bool) -> list[str]:
    """Every request that left sooner than GitHub had allowed. `ended`: the attempts were spent, so that the check was to be
    concluded at once; that asks for two things, which may be what failed before, where no limit was named."""
    silent = retry_after if kind in NAMED else retry_after - 1 if kind is FaultKind.LIMITED else UNNAMED
    wrong: list[str] = []
    soon: dict[int, str] = {}
    for line in ([a for a in asked if a.token], [a for a in asked if not a.token]):
        for number, failed in enumerate(line):
            if failed.failed in LIMITS:
                wrong += [_told(each, failed) for each in line if _within(each, failed, silent)]
            elif failed.failed:
                same = [each for each in line[number + 1 :] if (each.method, each.path) == (failed.method, failed.path)]
                soon |= {id(each): _told(each, failed) for each in same if _within(each, failed, AGAIN)}
    wrong += [*soon.values()][2 if ended else 0 :]
    writes = [each for each in asked if each.write]
    for first, last in zip(writes, writes[BURST:], strict=False):
        if last.began - first.began < BURST * APART - 0.001:
            wrong.append(f"{BURST + 1} writes within {last.began - first.began:.2f} s")
    return wrong


def _within(each: Asked, failed: Asked, seconds: float) -> bool:
    return failed.ended < each.began < failed.ended + seconds - 0.01


def _told(each: Asked, failed: Asked) -> str:
    return f"{each.method} {each.path} left {each.began - failed.ended:.3f} s after {failed.failed}"

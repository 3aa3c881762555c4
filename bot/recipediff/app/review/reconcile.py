"""Nothing is lost: which open pull requests want a review, and which deliveries GitHub should send again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol

from recipediff.app.payload import moment
from recipediff.app.review.review import CHECK_NAME
from recipediff.ports.errors import Missing, Unavailable
from recipediff.ports.forge import CheckRun, Home, PullRequest

ON_ITS_WAY = 120.0
"""Seconds in which the webhook of a change may still come."""
MOST_ATTEMPTS = 3
"""Attempts at one delivery, GitHub's first included; after them reconciliation alone brings the verdict."""
AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class WantedReview:
    """A pull request to be reviewed. `base` is the tip of its base branch now."""

    pull: PullRequest
    base: str


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What reconciliation found. `soon`: some changed so lately that they are better looked at a little later."""

    wanted: tuple[WantedReview, ...]
    looked_at: int
    soon: bool = False
    bases: tuple[str, ...] = ()
    """The branches that open pull requests are onto."""


async def reconcile(home: Home, author: str, *, now: float, base_ref: str = "") -> Reconciled:
    """Look at every open pull request; with `base_ref` at those on that branch alone, whose rules may be others now.

    `author` is the account that the bot writes under, `now` in seconds since the epoch.
    """
    pulls = await home.pulls.listed(base=base_ref) if base_ref else await home.pulls.listed()
    settled = [pull for pull in pulls if base_ref or now - moment(pull.updated_at) >= ON_ITS_WAY]
    lacking = settled if base_ref else await _lacking(home, author, settled)
    tips = await _tips(home, {pull.base_ref for pull in lacking})
    wanted = tuple(WantedReview(pull, tips.get(pull.base_ref) or pull.base_sha) for pull in lacking)
    bases = tuple(sorted({pull.base_ref for pull in pulls}))
    return Reconciled(wanted, len(pulls), soon=len(settled) < len(pulls), bases=bases)


async def of_head(home: Home, head: str) -> tuple[WantedReview, ...]:
    """The open pull requests at one head: the events of a check name none of a fork, and there may be two."""
    pulls = [pull for pull in await home.pulls.listed() if pull.head_sha == head]
    tips = await _tips(home, {pull.base_ref for pull in pulls})
    return tuple(WantedReview(pull, tips.get(pull.base_ref) or pull.base_sha) for pull in pulls)


async def _lacking(home: Home, author: str, pulls: list[PullRequest]) -> list[PullRequest]:
    """Those whose head has no conclusion of ours, or one that says that there is no verdict."""
    turns = asyncio.Semaphore(AT_ONCE)

    async def lacks(pull: PullRequest) -> bool:
        async with turns:
            try:
                runs = await home.checks.named(pull.head_sha, CHECK_NAME)
            except Missing:
                return False  # a head that GitHub does not know any more
        ours = next((run for run in runs if run.app == author.removesuffix("[bot]")), None)
        return ours is None or not _is_verdict(ours)

    found = await asyncio.gather(*(lacks(pull) for pull in pulls))
    return [pull for pull, missing in zip(pulls, found, strict=True) if missing]


def _is_verdict(run: CheckRun) -> bool:
    return run.status == "completed" and not run.title.lower().startswith("not evaluated")


async def _tips(home: Home, branches: set[str]) -> dict[str, str | None]:
    names = sorted(branches)
    return dict(zip(names, await asyncio.gather(*(home.history.tip(name) for name in names)), strict=True))


class Attempt(Protocol):
    """One attempt of GitHub to deliver a webhook; several have one `guid`."""

    @property
    def id(self) -> int:
        """Of the attempt."""

    @property
    def guid(self) -> str:
        """Of the delivery."""

    @property
    def failed(self) -> bool:
        """Whether it was not taken."""


class Deliveries(Protocol):
    """What GitHub tried to deliver to the App."""

    def deliveries(self, *, since: float, most: int = 20) -> AsyncIterator[Attempt]:
        """Newest first, back to `since`."""

    async def redeliver(self, delivery: int) -> bool:
        """Ask for it once more."""


async def redeliver(app: Deliveries, *, since: float) -> int:
    """Ask GitHub to send again what was never taken since then; how many it was asked for."""
    tried: dict[str, list[Attempt]] = {}
    try:
        async for attempt in app.deliveries(since=since):
            tried.setdefault(attempt.guid, []).append(attempt)
    except Unavailable as error:
        if error.reason != "too-large":
            raise
    lost = [each[0] for each in tried.values() if len(each) < MOST_ATTEMPTS and all(one.failed for one in each)]
    asked = 0
    for attempt in reversed(lost):  # oldest first, as they happened
        asked += await app.redeliver(attempt.id)
    return asked

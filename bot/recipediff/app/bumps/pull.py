"""The pull requests of bumps: dressed with labels and people, marked, merged where that was asked for, and ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from recipediff.app.bumps.state import Base, Bump, Bumps
from recipediff.app.review.review import CHECK_NAME
from recipediff.core.bumps.branches import QUIET
from recipediff.core.bumps.marker import EndedBy, Marker
from recipediff.core.bumps.plan import Action
from recipediff.core.bumps.trail import Outdated
from recipediff.ports.errors import Missing, Refused
from recipediff.ports.forge import Home
from recipediff.reports.bumps import pull as words


@dataclass(slots=True, kw_only=True)
class Desk:
    """Everything that carrying out a plan needs."""

    home: Home
    base: Base
    trails: Mapping[str, Outdated]
    bumps: Bumps
    author: str
    now: float

    @property
    def name(self) -> str:
        """How the bot is addressed."""
        return called(self.author)

    def body(self, trails: Sequence[Outdated], marker: Marker, action: Action) -> str:
        """The text of a bump's pull request."""
        return words.body(trails, marker, name=self.name, quiet=action.branch == QUIET)


def called(author: str) -> str:
    """How the account `author` is addressed in a comment."""
    return "@" + author.removesuffix("[bot]")


async def dress(desk: Desk, bump: Bump) -> None:
    """Labels, reviewers and assignees: once, so that people may take them off again."""
    if bump.marker.dressed:
        return
    policy, number = desk.base.config.bumps, bump.pull.number
    if policy.labels:
        await desk.home.issues.label(number, policy.labels)
    if policy.reviewers:
        try:
            await desk.home.pulls.ask_for_review(number, policy.reviewers)
        except Refused:
            # One who may not review here would refuse them all; each is asked alone.
            for reviewer in policy.reviewers:
                await _ask(desk, number, reviewer)
    if policy.assignees:
        await desk.home.issues.assign(number, policy.assignees)
    await remark(desk, bump, replace(bump.marker, dressed=True))


async def _ask(desk: Desk, number: int, reviewer: str) -> None:
    try:
        await desk.home.pulls.ask_for_review(number, [reviewer])
    except Refused:
        return


async def remark(desk: Desk, bump: Bump, marker: Marker) -> None:
    """Write another marker into the body that is there."""
    body = words.remarked(bump.pull.body, marker, name=desk.name)
    pull = await desk.home.pulls.update(bump.pull.number, body=body)
    desk.bumps.open[bump.pull.head_ref] = replace(bump, pull=replace(bump.pull, body=pull.body), marker=marker)


async def say_left_alone(desk: Desk) -> None:
    """Say in each pull request that somebody else committed to that it is left alone: in its text, once."""
    for bump in list(desk.bumps.open.values()):
        if bump.foreign and not bump.marker.noticed:
            await remark(desk, bump, replace(bump.marker, noticed=True))


async def ending(home: Home, author: str, bump: Bump, reason: str, ended: EndedBy) -> str:
    """Close a bump with one line, unless somebody has just committed to it.

    Its branch stays: GitHub deletes a branch wherever it is by then, and with it what somebody has just pushed. The next
    bump of the recipe takes it up again.
    """
    number = bump.pull.number
    now = await home.pulls.get(number)
    if now.state != "open":
        return "it was closed already"
    if now.head_sha != bump.tip:
        return "somebody else moved the branch"
    line = words.closed(reason, bump.marker)
    if await home.comments.find(number, line.split("\n", 1)[0], author) is None:
        await home.comments.create(number, line)
    marker = replace(bump.marker, ended=ended)
    await home.pulls.update(number, body=words.remarked(now.body, marker, name=called(author)), state="closed")
    return "closed"


async def merge_quiet(desk: Desk) -> None:
    """Merge the quiet bump where the configuration says so, its check is green, and all of it is ours."""
    bump = desk.bumps.open.get(QUIET)
    if bump is None or bump.foreign or desk.base.config.bumps.automerge != "quiet":
        return
    if any(m.recipe not in desk.trails or desk.trails[m.recipe].relevant for m in bump.marker.members):
        return
    runs = await desk.home.checks.named(bump.pull.head_sha, CHECK_NAME)
    ours = next((run for run in runs if run.app == desk.author.removesuffix("[bot]")), None)
    if ours is None or ours.status != "completed" or ours.conclusion != "success" or bump.tip != bump.pull.head_sha:
        return
    try:
        await desk.home.pulls.merge(bump.pull.number, head_sha=bump.tip)
    except (Refused, Missing):
        return
    desk.bumps.open.pop(QUIET, None)

"""Keeping the pin bumps of one repository: look, plan, and bring pull requests to what they should be.

Doing it twice changes nothing. A failure ends the run where it is; the next one finds what was done and goes on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from recipediff.app.bumps.branch import Taken, bring, edited, is_ours
from recipediff.app.bumps.outdated import OpenUpstream, Seen, look
from recipediff.app.bumps.pull import Desk, dress, ending, merge_quiet, say_left_alone
from recipediff.app.bumps.state import Base, Bump, Bumps, read_base, read_bumps, read_closed
from recipediff.app.bumps.upstream import Sight
from recipediff.core.bumps.branches import QUIET, branch_of, group_branch
from recipediff.core.bumps.marker import Marker, Member
from recipediff.core.bumps.plan import Action, BumpState, plan
from recipediff.core.bumps.trail import Outdated
from recipediff.parse.tested.edit import CannotEdit
from recipediff.ports.errors import Moved, Refused
from recipediff.ports.forge import Forge, Home
from recipediff.reports.bumps import pull as words

TAKEN = "the branch has commits that are not the bot's"


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What is known about this run. `now` is in Unix seconds."""

    author: str
    """The account that the bot writes under, such as `recipediff[bot]`."""
    now: float
    asked: frozenset[str] = frozenset()
    """Recipes for which somebody asked for a bump now."""
    rebase: frozenset[str] = frozenset()
    """Branches that somebody asked to be brought up to date."""
    recreate: frozenset[str] = frozenset()
    """Branches that somebody asked to be built anew, whoever committed to them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What a run came to."""

    base: Base
    seen: Seen
    actions: tuple[Action, ...]
    bumps: Bumps
    done: Mapping[str, str] = field(default_factory=dict)
    """What was done, by branch."""

    @property
    def until(self) -> float:
        """When the clock alone makes another look worth while; 0 where only an event does."""
        return min((action.until for action in self.actions if action.until), default=0.0)


async def keep_bumps(home: Home, forge: Forge, about: About) -> Kept:
    """Look at every upstream and bring the bumps up to date. Raises `Unavailable` for what may pass, `Missing` for a
    repository that is gone."""
    base = await read_base(home)
    seen = await look(base.recipes, base.config, opener(home, forge))
    if base.config.bumps.open == "never":
        return Kept(base=base, seen=seen, actions=(), bumps=Bumps())
    bumps = await read_bumps(home, base, about.author)
    trails = {trail.recipe: trail for trail in seen.trails}
    await read_closed(home, bumps, _branches(base, trails, bumps), about.author)
    await _tell_foreign(home, base, bumps, about)
    actions = plan(_state(base, seen, trails, bumps, about))
    actions = tuple(_anew(action, bumps.open.get(action.branch), about) for action in actions)
    desk = Desk(home=home, base=base, trails=trails, bumps=bumps, author=about.author, now=about.now)
    done: dict[str, str] = {}
    for action in actions:
        outcome = await _carry_out(desk, action)
        if outcome:
            done[action.branch] = outcome
    await say_left_alone(desk)
    await merge_quiet(desk)
    return Kept(
        base=base, seen=seen, actions=tuple(_as_done(action, done) for action in actions), bumps=bumps, done=done
    )


def _as_done(action: Action, done: Mapping[str, str]) -> Action:
    """What could not be opened is held back, with the reason."""
    outcome = done.get(action.branch, "")
    if action.what != "open" or outcome == "opened":
        return action
    hint = "; delete the branch to have it made anew" if outcome == TAKEN else ""
    code = "taken" if outcome == TAKEN else "refused"
    return replace(action, what="hold", reason=f"{action.branch}: {outcome}{hint}", code=code)


def opener(home: Home, forge: Forge) -> OpenUpstream:
    """Upstreams of one run, each opened once."""
    opened: dict[str, Sight] = {}

    def open_upstream(repo: str) -> Sight:
        if repo not in opened:
            found = forge.upstream(repo, home)
            opened[repo] = Sight(found.repository, found.history)
        return opened[repo]

    return open_upstream


def _branches(base: Base, trails: Mapping[str, Outdated], bumps: Bumps) -> list[str]:
    """The branches whose closed pull requests say what not to offer: of what trails and has no open bump."""
    names = {branch_of(name) for name in trails}
    names |= {group_branch(group) for name in trails if (group := base.config.bumps.group(name))}
    if any(not trail.relevant for trail in trails.values()):
        names.add(QUIET)
    return sorted(name for name in names if name not in bumps.open)


async def _tell_foreign(home: Home, base: Base, bumps: Bumps, about: About) -> None:
    """Mark the open bumps whose branch somebody else has committed to."""
    for branch, bump in bumps.open.items():
        head = bump.pull.head_sha
        ours = await is_ours(home, base, branch, head, bump.marker.tip, about.author)
        allowed = branch in about.recreate
        bumps.open[branch] = replace(bump, foreign=not ours and not allowed, tip=head if ours or allowed else bump.tip)


def _state(base: Base, seen: Seen, trails: Mapping[str, Outdated], bumps: Bumps, about: About) -> BumpState:
    blobs = {recipe.id: base.file_blob(recipe) for recipe in base.recipes}
    proposals = [trail.proposal(blobs[name]) for name, trail in trails.items()]
    proposals = [replace(p, blocked=p.blocked or _uneditable(base, p.member)) for p in proposals]
    # A file that cannot be read hides its recipes: nothing of theirs may look as if it were gone.
    hidden = _hidden(base, bumps)
    return BumpState(
        proposals=proposals,
        existing=bumps.existing(),
        policy=base.config.bumps,
        now=about.now,
        unknown=frozenset(seen.unknown) | frozenset(seen.lost) | hidden,
        known=frozenset(blobs),
        unfollowed=frozenset(seen.unfollowed),
        asked=about.asked,
    )


def _hidden(base: Base, bumps: Bumps) -> frozenset[str]:
    there = {recipe.id for recipe in base.recipes}
    members = {m.recipe for bump in bumps.open.values() for m in bump.marker.members}
    return frozenset(members - there) if base.broken else frozenset()


def _uneditable(base: Base, member: Member) -> str:
    try:
        edited(base, [member])
    except CannotEdit as error:
        return f"the pin cannot be rewritten: {error}"
    return ""


def _anew(action: Action, there: Bump | None, about: About) -> Action:
    """A bump is updated though nothing moved where somebody asked for that, or where the last update was cut off."""
    if action.what != "keep" or action.code != "up-to-date" or there is None:
        return action
    if action.branch in about.rebase | about.recreate:
        return replace(action, what="update", reason="somebody asked for it")
    return (
        replace(action, what="update", reason="the last update was cut off")
        if there.tip != there.marker.tip
        else action
    )


async def _carry_out(desk: Desk, action: Action) -> str:
    """Do one thing, and say what came of it. Losing a race is an outcome: the next run looks again."""
    if action.what in ("keep", "hold"):
        there = desk.bumps.open.get(action.branch)
        if action.what == "keep" and action.code == "up-to-date" and there is not None:
            await dress(desk, there)
        return ""
    try:
        if action.what == "close":
            outcome = await ending(desk.home, desk.author, desk.bumps.open[action.branch], action.reason, "bot")
            desk.bumps.open.pop(action.branch)
            return outcome
        if action.what == "update":
            return await _update(desk, action, desk.bumps.open[action.branch])
        return await _open(desk, action)
    except Moved:
        return "somebody else moved the branch"
    except Taken:
        return TAKEN
    except Refused as error:
        # One bump that GitHub will not have, such as a branch that a rule forbids, does not keep the others.
        return f"GitHub refuses: {error}"


async def _open(desk: Desk, action: Action) -> str:
    """Open a bump: from a branch that is there already, where it is ours, else from a new one."""
    home, base = desk.home, desk.base
    tip = await home.history.tip(action.branch)
    if tip is not None:
        closed = [bump for bump in desk.bumps.closed if bump.pull.head_ref == action.branch]
        latest = max(closed, key=lambda bump: bump.pull.number, default=None)
        # What was merged is in the base, whoever committed it: the branch may be built upon.
        merged = latest is not None and latest.pull.merged and latest.pull.head_sha == tip
        recorded = latest.marker.tip if latest is not None else ""
        if not merged and not await is_ours(home, base, action.branch, tip, recorded, desk.author):
            raise Taken(action.branch)
    trails = words.ordered(desk.trails, action.members)
    message = words.message(trails, quiet=action.branch == QUIET, group=_group(action))
    made = await bring(home, base, action.branch, edited(base, action.members), message, tip=tip)
    marker = Marker(tip=made, members=action.members, asked=action.asked)
    if await _decided_meanwhile(desk, action):
        return "somebody was faster"
    try:
        pull = await home.pulls.create(
            head=action.branch, base=base.branch, title=_title(trails, action), body=desk.body(trails, marker, action)
        )
    except Refused as error:
        # Another run was faster, or the branch is gone again: the next look tells which.
        return f"not opened: {error.reason}"
    bump = Bump(pull, marker, tip=made)
    desk.bumps.open[action.branch] = bump
    await dress(desk, bump)
    return "opened"


async def _decided_meanwhile(desk: Desk, action: Action) -> bool:
    """Whether the branch has a pull request that was not there when the plan was made."""
    known = {bump.pull.number for bump in desk.bumps.closed}
    return any(pull.number not in known for pull in await desk.home.pulls.listed(state="all", head=action.branch))


async def _update(desk: Desk, action: Action, there: Bump) -> str:
    trails = words.ordered(desk.trails, action.members)
    message = words.message(trails, quiet=action.branch == QUIET, group=_group(action))
    files = edited(desk.base, action.members)
    made = await bring(desk.home, desk.base, action.branch, files, message, tip=there.tip)
    marker = replace(
        there.marker, tip=made, members=action.members, asked=action.asked or there.marker.asked, noticed=False
    )
    body = desk.body(trails, marker, action)
    pull = await desk.home.pulls.update(there.pull.number, title=_title(trails, action), body=body)
    desk.bumps.open[action.branch] = Bump(replace(pull, head_sha=made), marker, tip=made)
    return "updated"


def _group(action: Action) -> str:
    prefix = group_branch("")
    return action.branch.removeprefix(prefix) if action.branch.startswith(prefix) else ""


def _title(trails: list[Outdated], action: Action) -> str:
    return words.title(trails, quiet=action.branch == QUIET, group=_group(action))

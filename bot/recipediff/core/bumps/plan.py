"""The plan of pin bumps: what there is and what is wanted go in, what to do comes out. Pure and deterministic.

It is level-triggered: planning again after the plan was carried out gives nothing to do. What could not be found out is
`unknown`, and nothing is opened, changed or closed because of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from recipediff.core.bumps.branches import QUIET, branch_of, group_branch
from recipediff.core.bumps.calendar import DAY, next_day, next_period
from recipediff.core.bumps.config import BumpConfig
from recipediff.core.bumps.marker import MAX_MEMBERS, Marker, Member


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A recipe that trails upstream, and the pin that it would get. `since` is when upstream's file last changed (Unix
    seconds). `blocked` says why no edit can be offered at all."""

    recipe: str
    file: str
    pin: str
    member: Member
    relevant: bool
    since: float = 0.0
    blocked: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Existing:
    """A pull request of a bump branch. `foreign` is true where the branch has a commit that the bot did not make."""

    number: int
    branch: str
    marker: Marker
    created: float = 0.0
    open: bool = True
    merged: bool = False
    foreign: bool = False


What = Literal["open", "update", "close", "keep", "hold"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One thing to do (`open`, `update`, `close`), or why nothing is (`keep`, `hold`).

    `until` is when a held bump may be looked at again by the clock alone; 0 where only an event changes anything.
    """

    what: What
    branch: str
    members: tuple[Member, ...] = ()
    number: int = 0
    reason: str = ""
    code: str = ""
    """For programs: `cooldown`, `max-open`, `max-per-day`, `schedule`, `declined`, `ignored`, `foreign`, …"""
    until: float = 0.0
    asked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BumpState:
    """Everything that a plan is made from. `unknown` are recipes whose upstream could not be looked at."""

    proposals: Sequence[Proposal]
    existing: Sequence[Existing]
    policy: BumpConfig
    now: float
    unknown: frozenset[str] = frozenset()
    known: frozenset[str] = frozenset()
    """Every recipe that was looked at, whether it trails or not."""
    unfollowed: frozenset[str] = frozenset()
    """Of these, recipes that name no configured upstream."""
    asked: frozenset[str] = frozenset()
    """Recipes for which somebody asked for a bump now."""


def plan(state: BumpState) -> tuple[Action, ...]:
    """What to do, in order: closing first, then keeping open bumps up to date, then new ones as far as the limits go."""
    return tuple(_Plan(state).run())


@dataclass(slots=True)
class _Wanted:
    """One bump that should be there."""

    branch: str
    proposals: list[Proposal] = field(default_factory=list)
    quiet: bool = False
    asked: bool = False

    @property
    def members(self) -> tuple[Member, ...]:
        return tuple(sorted((p.member for p in self.proposals), key=lambda member: member.recipe))

    @property
    def since(self) -> float:
        """When the newest of its changes was made."""
        return max(p.since for p in self.proposals)


class _Plan:
    def __init__(self, state: BumpState) -> None:
        self.state, self.policy = state, state.policy
        self.open = {e.branch: e for e in state.existing if e.open}
        self.closed: dict[str, list[Existing]] = {}
        for one in state.existing:
            if not one.open:
                self.closed.setdefault(one.branch, []).append(one)
        self.held: list[Action] = []
        self.wanted = self._wanted()

    def run(self) -> Iterable[Action]:
        keep = list(map(self._open_one, self.open.values()))
        yield from (action for action in keep if action.what == "close")
        yield from (action for action in keep if action.what != "close")
        yield from self._new({action.branch for action in keep if action.what == "close"})
        yield from self.held

    # what is wanted

    def _wanted(self) -> dict[str, _Wanted]:
        found: dict[str, _Wanted] = {}
        for proposal in sorted(self.state.proposals, key=lambda p: p.recipe):
            home = self._home(proposal)
            if home is None:
                continue
            branch, quiet, asked = home
            one = found.setdefault(branch, _Wanted(branch, quiet=quiet))
            if len(one.proposals) == MAX_MEMBERS:
                self._hold(branch, proposal, f"its pull request has {MAX_MEMBERS} recipes already", "full")
                continue
            one.proposals.append(proposal)
            one.asked = one.asked or asked
        return found

    def _home(self, proposal: Proposal) -> tuple[str, bool, bool] | None:
        """The branch that a proposal belongs on, whether that is the quiet one, and whether somebody asked for it."""
        recipe, own = proposal.recipe, branch_of(proposal.recipe)
        if proposal.blocked:
            self._hold(own, proposal, proposal.blocked, "blocked")
            return None
        there = self.open.get(own)
        asked = recipe in self.state.asked or (there is not None and there.marker.asked)
        if asked:
            return own, False, True
        if self.policy.ignores(recipe):
            self._hold(own, proposal, "the configuration ignores this recipe", "ignored")
            return None
        if self._ignored(own):
            self._hold(own, proposal, "somebody asked to leave this recipe alone", "ignored")
            return None
        if proposal.relevant:
            group = self.policy.group(recipe)
            return (group_branch(group) if group else own), False, False
        if self.policy.quiet == "skip":
            self._hold(QUIET, proposal, "nothing that a pinned launch uses has changed", "quiet")
            return None
        return QUIET, True, False

    def _ignored(self, branch: str) -> bool:
        return any(one.marker.ended == "recipe" for one in self._latest(branch))

    def _latest(self, branch: str) -> list[Existing]:
        """The newest closed pull request of a branch, as a list of at most one."""
        return sorted(self.closed.get(branch, []), key=lambda one: one.number)[-1:]

    def _hold(self, branch: str, proposal: Proposal, reason: str, code: str, until: float = 0.0) -> None:
        self.held.append(
            Action(
                what="hold", branch=branch, members=(proposal.member,), number=0, reason=reason, code=code, until=until
            )
        )

    # bumps that are open

    def _open_one(self, there: Existing) -> Action:
        branch, marker = there.branch, there.marker
        wanted = self.wanted.get(branch)
        if there.foreign:
            return self._said(there, "keep", "somebody else has committed to its branch; it is left alone", "foreign")
        if any(member.recipe in self.state.unknown for member in marker.members):
            return self._said(there, "keep", "upstream could not be looked at", "unknown")
        if wanted is not None and any(p.recipe in self.state.unknown for p in wanted.proposals):
            return self._said(there, "keep", "upstream could not be looked at", "unknown")
        if wanted is None:
            return self._unwanted(there)
        if _same(wanted.members, marker.members):
            return Action(
                what="keep",
                branch=branch,
                members=marker.members,
                number=there.number,
                reason="",
                code="up-to-date",
                asked=wanted.asked,
            )
        return Action(
            what="update",
            branch=branch,
            members=wanted.members,
            number=there.number,
            reason="upstream has moved on",
            code="moved",
            asked=wanted.asked,
        )

    def _unwanted(self, there: Existing) -> Action:
        """An open bump that nothing asks for any more: closed, but where that would be rash."""
        blocked = {p.recipe: p.blocked for p in self.state.proposals if p.blocked}
        stuck = [blocked[member.recipe] for member in there.marker.members if member.recipe in blocked]
        if stuck:
            return self._said(there, "keep", stuck[0], "blocked")
        if there.marker.ended:
            return self._said(there, "keep", "somebody reopened it", "reopened")
        return self._said(there, "close", self._why_gone(there.marker), "gone")

    def _said(self, there: Existing, what: What, reason: str, code: str) -> Action:
        return Action(
            what=what, branch=there.branch, members=there.marker.members, number=there.number, reason=reason, code=code
        )

    def _why_gone(self, marker: Marker) -> str:
        """One line on why an open bump is not wanted any more."""
        names = {member.recipe for member in marker.members}
        proposals = {p.recipe: p for p in self.state.proposals}
        left = [name for name in names if name in self.state.known]
        if not left:
            return "the recipe is not there any more"
        if all(name in self.state.unfollowed for name in left):
            return "the recipe follows no configured upstream any more"
        if any(self.policy.ignores(name) for name in left):
            return "the configuration ignores this recipe"
        if any(p.recipe in names and p.relevant for p in proposals.values()):
            return "it is part of another bump now"
        if any(name in proposals for name in left):
            return "upstream went back: nothing that a pinned launch uses differs from the pin any more"
        return "the pin is where upstream is"

    # bumps that are new

    def _new(self, closing: set[str]) -> Iterable[Action]:
        fresh = [one for branch, one in self.wanted.items() if branch not in self.open]
        fresh.sort(key=lambda one: (not one.asked, one.quiet, min(p.since for p in one.proposals), one.branch))
        room = self.policy.max_open - len([branch for branch in self.open if branch not in closing])
        today = self.policy.max_per_day - len([e for e in self.state.existing if e.created > self.state.now - DAY])
        for one in fresh:
            held = None if one.asked else self._held(one, room, today)
            if held is not None:
                yield held
                continue
            room, today = room - 1, today - 1
            yield Action(what="open", branch=one.branch, members=one.members, asked=one.asked)

    def _held(self, one: _Wanted, room: int, today: int) -> Action | None:
        """Why a new bump has to wait, or None."""
        now, policy = self.state.now, self.policy
        for reason, code, until in self._reasons(one):
            return Action(
                what="hold", branch=one.branch, members=one.members, number=0, reason=reason, code=code, until=until
            )
        if room <= 0:
            return Action(
                what="hold",
                branch=one.branch,
                members=one.members,
                number=0,
                reason=f"{policy.max_open} bumps are open",
                code="max-open",
            )
        if today <= 0:
            oldest = min((e.created for e in self.state.existing if e.created > now - DAY), default=now)
            reason = f"{policy.max_per_day} bumps were opened within a day"
            return Action(
                what="hold",
                branch=one.branch,
                members=one.members,
                number=0,
                reason=reason,
                code="max-per-day",
                until=oldest + DAY,
            )
        return None

    def _reasons(self, one: _Wanted) -> Iterable[tuple[str, str, float]]:
        now, policy = self.state.now, self.policy
        if policy.open != "automatic":
            yield "a bump is opened only where somebody asks for it", "asked-only", 0.0
        if any(p.recipe in self.state.unknown for p in one.proposals):
            yield "upstream could not be looked at", "unknown", 0.0
        if self._declined(one):
            yield "somebody closed the bump to this version", "declined", 0.0
        rest = one.since + policy.cooldown * DAY
        if rest > now:
            yield f"upstream changed it less than {_days(policy.cooldown)} ago", "cooldown", rest
        opening = next_day(now, policy)
        if opening > now:
            yield f"bumps are opened on {', '.join(policy.days) or 'no day'}", "schedule", opening
        due = self._quiet_due() if one.quiet else 0.0
        if due > now:
            yield f"quiet moves are gathered once a {policy.quiet_every}", "quiet-schedule", due

    def _declined(self, one: _Wanted) -> bool:
        """Whether a person closed a bump to these very versions: each of them, so that one more move asks anew."""
        refused = {
            (member.recipe, member.blob)
            for there in self.closed.get(one.branch, [])
            if not there.merged and there.marker.ended != "bot"
            for member in there.marker.members
        }
        return all((member.recipe, member.blob) in refused for member in one.members)

    def _quiet_due(self) -> float:
        made = [e.created for e in self.closed.get(QUIET, [])]
        return next_period(max(made), self.policy.quiet_every) if made else 0.0


def _same(one: Sequence[Member], other: Sequence[Member]) -> bool:
    """Whether two sets of members are the same edit: the commit aside where upstream's content is the same."""

    def keys(members: Sequence[Member]) -> Mapping[str, tuple[str, str, str]]:
        return {m.recipe: (m.blob, m.path, m.file_blob) for m in members}

    return keys(one) == keys(other)


def _days(days: float) -> str:
    return "1 day" if days == 1 else f"{days:g} days"

"""The plan: few bumps, none twice, none because of what is not known. Property-based over whole states."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recipediff.core.bumps import marker as bump_marker
from recipediff.core.bumps.branches import QUIET, branch_of, group_branch
from recipediff.core.bumps.calendar import DAY, next_day, next_period
from recipediff.core.bumps.config import DAYS, BumpConfig, BumpGroup
from recipediff.core.bumps.marker import Marker, Member
from recipediff.core.bumps.plan import Action, BumpState, Existing, Proposal, plan

NOW = 1_800_000_000.0
IDS = ["a", "b", "c", "d", "quiet", "group-g", "recipe-quiet"]
POLICY = BumpConfig(cooldown=0)


def member(recipe: str, blob: str = "1") -> Member:
    return Member(recipe=recipe, commit=blob[0] * 40, path=f"recipes/{recipe}.yaml", blob=blob, file_blob="f")


def proposal(recipe: str, blob: str = "1", *, relevant: bool = True, since: float = 0.0, blocked: str = "") -> Proposal:
    return Proposal(
        recipe=recipe,
        file=f"{recipe}.yaml",
        pin="0" * 40,
        member=member(recipe, blob),
        relevant=relevant,
        since=since,
        blocked=blocked,
    )


def existing(number: int, recipe: str, blob: str = "1", **more: object) -> Existing:
    made = Existing(
        number=number,
        branch=branch_of(recipe),
        marker=Marker(tip="9" * 40, members=(member(recipe, blob),)),
        created=NOW - 10 * DAY,
    )
    return replace(made, **more)  # type: ignore[arg-type]


def run(
    *proposals: Proposal, there: tuple[Existing, ...] = (), policy: BumpConfig = POLICY, **more: object
) -> list[Action]:
    known = frozenset(IDS)
    return list(plan(BumpState(proposals=proposals, existing=there, policy=policy, now=NOW, known=known, **more)))  # type: ignore[arg-type]


def done(actions: list[Action]) -> list[tuple[str, str, str]]:
    return [(a.what, a.branch.rpartition("/")[2], a.code) for a in actions]


def test_a_move_opens_and_the_same_again_keeps() -> None:
    assert done(run(proposal("a"))) == [("open", "a", "")]
    assert done(run(proposal("a"), there=(existing(1, "a"),))) == [("keep", "a", "up-to-date")]
    assert done(run(proposal("a", "2"), there=(existing(1, "a"),))) == [("update", "a", "moved")]
    assert done(run(there=(existing(1, "a"),))) == [("close", "a", "gone")]


@pytest.mark.parametrize("ended", ["", "move"])
def test_one_that_a_person_closed_stays_closed_for_that_text(ended: str) -> None:
    marker = Marker(tip="9" * 40, members=(member("a"),), ended=ended)  # type: ignore[arg-type]
    there = (existing(1, "a", open=False, marker=marker),)
    assert done(run(proposal("a"), there=there)) == [("hold", "a", "declined")]
    assert done(run(proposal("a", "2"), there=there)) == [("open", "a", "")]
    assert done(run(proposal("a"), there=there, asked=frozenset({"a"}))) == [("open", "a", "")]


def test_one_that_the_bot_closed_or_that_was_merged_may_come_again() -> None:
    bots = existing(1, "a", open=False, marker=Marker(tip="9" * 40, members=(member("a"),), ended="bot"))
    assert done(run(proposal("a"), there=(bots,))) == [("open", "a", "")]
    assert done(run(proposal("a"), there=(existing(1, "a", open=False, merged=True),))) == [("open", "a", "")]


def test_limits_cooldown_and_days_hold_with_their_reason() -> None:
    two = (existing(1, "c"), existing(2, "d"))
    still = (proposal("c"), proposal("d"))
    assert ("hold", "a", "max-open") in done(run(proposal("a"), *still, there=two, policy=replace(POLICY, max_open=2)))
    fresh = (existing(1, "c", created=NOW - 60),)
    found = run(proposal("a"), proposal("c"), there=fresh, policy=replace(POLICY, max_per_day=1))
    assert ("hold", "a", "max-per-day") in done(found)
    assert next(a for a in found if a.code == "max-per-day").until == NOW - 60 + DAY
    (held,) = run(proposal("a", since=NOW - DAY / 2), policy=replace(POLICY, cooldown=1))
    assert (held.code, held.until) == ("cooldown", NOW + DAY / 2)
    (held,) = run(proposal("a"), policy=replace(POLICY, days=()))
    assert held.code == "schedule"


def test_quiet_moves_are_gathered_or_skipped() -> None:
    quiet = (proposal("a", relevant=False), proposal("b", relevant=False), proposal("c"))
    assert done(run(*quiet)) == [("open", "c", ""), ("open", "quiet", "")]
    skipped = done(run(*quiet, policy=replace(POLICY, quiet="skip")))
    assert skipped == [("open", "c", ""), ("hold", "quiet", "quiet"), ("hold", "quiet", "quiet")]


def test_groups_move_together() -> None:
    policy = replace(POLICY, groups=(BumpGroup("g", ("a", "b")),))
    found = run(proposal("a"), proposal("b"), proposal("c"), policy=policy)
    assert [[m.recipe for m in action.members] for action in found] == [["c"], ["a", "b"]]


def test_a_humans_commit_an_unknown_upstream_and_a_reopened_one_are_left_alone() -> None:
    assert done(run(proposal("a", "2"), there=(existing(1, "a", foreign=True),))) == [("keep", "a", "foreign")]
    assert done(run(there=(existing(1, "a"),), unknown=frozenset({"a"}))) == [("keep", "a", "unknown")]
    marker = Marker(tip="9" * 40, members=(member("a"),), ended="bot")
    assert done(run(there=(existing(1, "a", marker=marker),))) == [("keep", "a", "reopened")]
    assert done(run(proposal("a", blocked="deleted"), there=(existing(1, "a"),)))[0] == ("keep", "a", "blocked")


STATES = st.builds(
    lambda names, relevant, blobs, since, there, asked, unknown, policy: BumpState(
        proposals=[
            proposal(n, blobs[i % len(blobs)], relevant=relevant[i % len(relevant)], since=NOW - since)
            for i, n in enumerate(names)
            if n not in unknown
        ],
        existing=there,
        policy=policy,
        now=NOW,
        unknown=frozenset(unknown),
        known=frozenset(IDS),
        unfollowed=frozenset(),
        asked=frozenset(asked),
    ),
    st.lists(st.sampled_from(IDS), unique=True),
    st.lists(st.booleans(), min_size=1, max_size=7),
    st.lists(st.sampled_from(["1", "2"]), min_size=1, max_size=7),
    st.sampled_from([0.0, DAY / 2, 5 * DAY]),
    st.lists(
        st.builds(
            lambda n, blob, opened, merged, foreign, ended, age: (n, blob, opened, merged, foreign, ended, age),
            st.sampled_from(IDS), st.sampled_from(["1", "2"]), st.booleans(), st.booleans(), st.booleans(),
            st.sampled_from(["", "bot", "move", "recipe"]), st.sampled_from([0.5, 3.0, 40.0]),
        ),
        max_size=6,
        unique_by=lambda row: row[0],
    ).map(
        lambda rows: [
            existing(
                i + 1, n, blob, open=opened, merged=merged and not opened, foreign=foreign and opened, created=NOW - age * DAY,
                marker=Marker(tip="9" * 40, members=(member(n, blob),), ended=ended),
            )
            for i, (n, blob, opened, merged, foreign, ended, age) in enumerate(rows)
        ]
    ),
    st.sets(st.sampled_from(IDS), max_size=2),
    st.sets(st.sampled_from(IDS), max_size=2),
    st.builds(
        BumpConfig,
        cooldown=st.sampled_from([0.0, 1.0]),
        max_open=st.integers(0, 4),
        max_per_day=st.integers(0, 3),
        quiet=st.sampled_from(["gather", "skip"]),
        groups=st.sampled_from([(), (BumpGroup("g", ("a", "b")),)]),
        ignore=st.sampled_from([(), ("c",)]),
    ),
)  # fmt: skip


@given(STATES)
@settings(max_examples=500, deadline=None)
def test_every_plan_keeps_its_promises(state: BumpState) -> None:
    actions = plan(state)
    assert actions == plan(replace(state, proposals=list(reversed(state.proposals))))
    opens = [a for a in actions if a.what == "open"]
    open_before = {e.branch for e in state.existing if e.open}
    assert len({a.branch for a in opens}) == len(opens)
    assert not open_before & {a.branch for a in opens}
    asked = [a for a in opens if a.asked]
    closing = [a for a in actions if a.what == "close"]
    if len(opens) > len(asked):
        assert len(open_before) - len(closing) + len(opens) - len(asked) <= state.policy.max_open
        assert len(opens) - len(asked) <= state.policy.max_per_day
    touched = [a for a in actions if a.what in ("open", "update", "close")]
    foreign = {e.branch for e in state.existing if e.open and e.foreign}
    for action in touched:
        assert action.branch not in foreign
        assert not {m.recipe for m in action.members} & state.unknown
    spoken = {m.recipe for a in actions for m in a.members}
    assert {p.recipe for p in state.proposals} <= spoken, "a recipe that trails is neither moved nor held with a reason"
    relevant = {p.recipe for p in state.proposals if p.relevant}
    for action in opens:
        if action.branch == QUIET:
            assert not {m.recipe for m in action.members} & relevant
    assert all(a.reason for a in actions if a.what in ("hold", "close"))


@given(STATES)
@settings(max_examples=300, deadline=None)
def test_planning_again_after_carrying_it_out_gives_nothing_to_do(state: BumpState) -> None:
    there = {e.number: e for e in state.existing}
    for action in plan(state):
        if action.what == "open":
            number = max(there, default=0) + 1
            there[number] = Existing(
                number=number,
                branch=action.branch,
                marker=Marker(tip="9" * 40, members=action.members, asked=action.asked),
                created=NOW,
            )
        elif action.what == "update":
            marker = replace(there[action.number].marker, members=action.members, ended="", asked=action.asked)
            there[action.number] = replace(there[action.number], marker=marker)
        elif action.what == "close":
            marker = replace(there[action.number].marker, ended="bot")
            there[action.number] = replace(there[action.number], marker=marker, open=False)
    again = plan(replace(state, existing=list(there.values())))
    # Closing makes room; what took its place was opened in the same plan, so nothing changes or closes any more.
    assert [a for a in again if a.what in ("update", "close")] == []
    assert not {a.branch for a in again if a.what == "open"} & {e.branch for e in there.values() if e.open}


@given(st.lists(st.text(max_size=30), unique=True, max_size=8))
def test_no_two_recipes_share_a_branch(names: list[str]) -> None:
    branches = [branch_of(name) for name in names]
    assert len(set(branches)) == len(names)
    assert QUIET not in branches
    assert not {group_branch(name) for name in names} & set(branches)
    for branch in branches:
        last = branch.rpartition("/")[2]
        assert last
        assert not last.startswith((".", "-"))
        assert not last.endswith((".", ".lock"))
        assert ".." not in branch
        assert all(c.isalnum() or c in "._-" for c in last)
        assert last.isascii()


TEXTS = st.text(st.characters(codec="utf-8"), max_size=40)


@given(
    st.lists(
        st.builds(Member, recipe=TEXTS, commit=st.just("a" * 40), path=TEXTS, blob=TEXTS, file_blob=TEXTS),
        min_size=1,
        max_size=5,
    ),
    st.booleans(),
)
def test_a_marker_survives_its_way_through_a_body(members: list[Member], asked: bool) -> None:
    marker = Marker(tip="b" * 40, members=tuple(members), asked=asked, ended="move")
    line = bump_marker.write(marker)
    assert "-->" not in line[:-3]
    assert "\n" not in line
    assert bump_marker.read(f"text\r\n\r\n{line}\r\nmore") == marker
    assert bump_marker.read(f"{line}\n{line}") is None


@pytest.mark.parametrize(
    "body",
    ["", "<!-- recipediff:bump {} -->", "<!-- recipediff:bump {not json} -->", '<!-- recipediff:bump {"v":1} -->'],
)
def test_a_broken_marker_is_none(body: str) -> None:
    assert bump_marker.read(body) is None


def test_the_calendar() -> None:
    monday = next_period(NOW, "week")
    assert monday > NOW
    assert next_day(monday, replace(POLICY, days=("mon",))) == monday
    assert next_day(monday + DAY, replace(POLICY, days=("mon",))) == monday + 7 * DAY
    assert next_day(NOW, POLICY) == NOW
    assert next_period(NOW, "day") - NOW <= DAY
    assert next_period(next_period(NOW, "month") - 1, "month") == next_period(NOW, "month")
    assert len(DAYS) == 7

"""The life of a bump, end to end over real sockets against a local GitHub."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.app.bumps.world import BRANCH, RECIPE, Lab, lab
from tests.app.review.world import RECIPE_PATH, UPSTREAM, UPSTREAM_PATH, recipe_text

SEQS = ("max_num_seqs: 8", "max_num_seqs: 16  # measured at 16 on two nodes")
QUIET = ("description: A tiny model on one node", "description: A tiny model")


@pytest.fixture
async def here() -> AsyncIterator[Lab]:
    async with lab() as made:
        yield made


async def test_a_launch_change_is_one_pull_request_that_says_what_it_means(here: Lab) -> None:
    moved = here.upstream(SEQS, subject="Raise max_num_seqs (#77), thanks @octocat")
    await here.run()
    (bump,) = here.bumps()
    assert bump.title == f"Move {RECIPE} to {moved[:7]}: max_num_seqs 8 → 16"
    before, after = recipe_text(here.world.pin), here.file(BRANCH)
    assert after == before.replace(here.world.pin, moved)
    body = bump.body or ""
    assert "measured at 16 on two nodes" in body
    assert "➕ appears | `max_num_seqs` | — | `16` → `8` | **not declared**" in body
    assert "1 declaration still true" in body
    assert "@octocat" not in body
    assert "#77" not in body
    assert [label.name for label in bump.labels] == ["recipediff"]
    outcome = await here.world.review(bump.number)
    assert [row.finding.setting for row in outcome.report.rows] == ["max_num_seqs"]


async def test_doing_it_again_changes_nothing(here: Lab) -> None:
    here.upstream(SEQS)
    await here.run()
    (bump,) = here.bumps()
    before = (here.tip(), bump.body, bump.title)
    here.world.count()
    kept = await here.run()
    assert [action.what for action in kept.actions] == ["keep"]
    assert (here.tip(), bump.body, bump.title) == before
    assert not [e for e in list(here.world.sandbox.requests)[-here.world.count() :] if e.method != "GET"]


async def test_nothing_is_opened_where_upstream_is_still(here: Lab) -> None:
    kept = await here.run()
    assert (kept.actions, kept.seen.current) == ((), (RECIPE,))
    assert here.bumps("all") == []


async def test_a_second_move_updates_the_same_pull_request(here: Lab) -> None:
    here.upstream(SEQS)
    await here.run()
    first = here.tip()
    moved = here.upstream(("--enable-prefix-caching", "--no-enable-prefix-caching"))
    await here.run()
    (bump,) = here.bumps()
    assert bump.title.endswith("2 settings")
    assert moved in here.file(BRANCH)
    git = here.world.repo.git
    assert git.is_ancestor(first or "", here.tip() or "")
    await here.run()
    assert len(here.bumps("all")) == 1


@pytest.mark.parametrize("amended", [False, True], ids=["on top", "amended"])
async def test_a_humans_commit_is_left_alone_and_said_once(here: Lab, amended: bool) -> None:
    here.upstream(SEQS)
    await here.run()
    (bump,) = here.bumps()
    parent = here.world.repo.git.commit(here.tip() or "").parents[0] if amended else None
    sandbox = here.world.sandbox
    text = here.file(BRANCH) + "notes: tuned by hand\n"
    theirs = sandbox.commit(here.world.repo, BRANCH, {RECIPE_PATH: text}, "By hand", author="octocat", parent=parent)
    here.upstream(("max_num_seqs: 16", "max_num_seqs: 32"))
    for _ in range(3):
        await here.run()
    assert here.tip() == theirs
    assert (bump.body or "").count("Somebody else has committed") == 1
    assert [b.number for b in here.bumps()] == [bump.number]
    assert sandbox.comments(bump) == []


async def test_it_is_closed_with_one_line_when_upstream_goes_back(here: Lab) -> None:
    here.upstream(SEQS)
    await here.run()
    (bump,) = here.bumps()
    here.upstream((SEQS[1], SEQS[0]))
    await here.run()
    assert here.bumps() == []
    (said,) = here.world.sandbox.comments(bump)
    assert "Closed: " in said.body
    here.upstream(SEQS)
    await here.run()
    assert len(here.bumps()) == 1
    assert here.world.repo.git.commit(here.tip() or "").parents[1] == bump.pull.head_sha if bump.pull else False


async def test_it_is_closed_when_the_pin_is_moved_by_hand(here: Lab) -> None:
    moved = here.upstream(SEQS)
    await here.run()
    (bump,) = here.bumps()
    here.world.sandbox.commit(here.world.repo, "main", {RECIPE_PATH: recipe_text(moved)}, "By hand")
    await here.run()
    assert (bump.state, here.bumps()) == ("closed", [])
    assert "the pin is where upstream is" in here.world.sandbox.comments(bump)[0].body


async def test_one_that_a_person_closed_does_not_come_back_for_the_same_text(here: Lab) -> None:
    here.upstream(SEQS)
    await here.run()
    (bump,) = here.bumps()
    here.world.sandbox.close(bump)
    kept = await here.run()
    assert [(action.what, action.code) for action in kept.actions] == [("hold", "declined")]
    assert here.bumps() == []
    here.upstream(("port: 8000", "port: 9000"))
    await here.run()
    assert len(here.bumps()) == 1


async def test_a_move_without_a_launch_change_is_gathered(here: Lab) -> None:
    here.upstream(QUIET)
    await here.run()
    (bump,) = here.bumps()
    assert bump.pull is not None
    assert bump.pull.head_ref == "recipediff/bump/quiet"
    assert "change no launch" in bump.title


async def test_a_quiet_move_is_skipped_where_the_configuration_says_so(here: Lab) -> None:
    here.config("bumps: {quiet: skip}\n")
    here.upstream(QUIET)
    kept = await here.run()
    assert [action.code for action in kept.actions] == ["quiet"]
    assert here.bumps() == []


async def test_a_rename_moves_path_and_commit(here: Lab) -> None:
    path = "recipes/Tiny.yaml"
    here.world.sandbox.commit(here.world.upstream, "main", {UPSTREAM_PATH: None}, "Rename")
    moved = here.upstream(SEQS, path=path)
    await here.run()
    (bump,) = here.bumps()
    assert here.file(BRANCH) == recipe_text(here.world.pin).replace(here.world.pin, moved).replace(
        "path: recipes/tiny.yaml", f"path: {path}"
    )
    assert "in its letter case only" in (bump.body or "")


async def test_a_deleted_file_is_said_and_not_bumped(here: Lab) -> None:
    here.world.sandbox.commit(here.world.upstream, "main", {UPSTREAM_PATH: None}, "Drop tiny")
    kept = await here.run()
    assert [action.code for action in kept.actions] == ["blocked"]
    assert "deleted" in kept.actions[0].reason
    assert here.bumps("all") == []


async def test_a_pin_that_the_branch_does_not_have_is_a_finding(here: Lab) -> None:
    side = here.world.sandbox.commit(here.world.upstream, "side", {UPSTREAM_PATH: here.text + "\n"}, "Elsewhere")
    here.world.sandbox.commit(here.world.repo, "main", {RECIPE_PATH: recipe_text(side)}, "Pin a side branch")
    here.upstream(SEQS)
    kept = await here.run()
    assert [finding.rule for finding in kept.seen.findings] == ["unreachable-pin"]
    assert here.bumps("all") == []


async def test_an_upstream_that_cannot_be_read_changes_nothing(here: Lab) -> None:
    here.upstream(SEQS)
    await here.run()
    (bump,) = here.bumps()
    here.upstream((SEQS[1], SEQS[0]))
    owner, name = UPSTREAM.split("/")
    here.world.upstream.deleted = True
    kept = await here.run()
    assert [(action.what, action.code) for action in kept.actions] == [("keep", "unknown")]
    assert (bump.state, owner, name) == ("open", *UPSTREAM.split("/"))


async def test_a_merged_bump_makes_room_for_the_next(here: Lab) -> None:
    here.upstream(SEQS)
    await here.run()
    (bump,) = here.bumps()
    here.world.sandbox.merge(bump, method="squash")
    assert (await here.run()).actions == ()
    here.upstream(("port: 8000", "port: 9000"))
    await here.run()
    assert len(here.bumps()) == 1
    assert len(here.bumps("all")) == 2


async def test_a_branch_that_was_merged_with_peoples_commits_is_built_upon(here: Lab) -> None:
    here.upstream(SEQS)
    await here.run()
    (bump,) = here.bumps()
    theirs = here.world.sandbox.commit(here.world.repo, BRANCH, {"notes.md": "x\n"}, "Take notes")
    here.world.sandbox.merge(bump, method="squash")
    moved = here.upstream(("port: 8000", "port: 9000"))
    await here.run()
    assert len(here.bumps()) == 1
    assert moved in here.file(BRANCH)
    assert here.world.repo.git.is_ancestor(theirs, here.tip() or "")


async def test_one_that_was_closed_with_peoples_commits_waits_for_them(here: Lab) -> None:
    here.upstream(SEQS)
    await here.run()
    (bump,) = here.bumps()
    theirs = here.world.sandbox.commit(here.world.repo, BRANCH, {"notes.md": "x\n"}, "Take notes")
    here.world.sandbox.close(bump)
    here.upstream(("port: 8000", "port: 9000"))
    kept = await here.run()
    assert [(a.what, a.code) for a in kept.actions] == [("hold", "taken")]
    assert here.tip() == theirs


async def test_a_bump_that_github_refuses_is_held_with_the_reason_and_keeps_no_other(here: Lab) -> None:
    other = "recipes/zebra-1spark.yaml"
    here.world.sandbox.commit(here.world.repo, "main", {other: recipe_text(here.world.pin)}, "Another")
    here.world.sandbox.commit(here.world.repo, "recipediff/bump/zebra-1spark/x", {"a": "b"}, "In the way")
    here.upstream(SEQS)
    kept = await here.run()
    found = {a.branch.rpartition("/")[2]: (a.what, a.code) for a in kept.actions}
    assert found == {RECIPE: ("open", ""), "zebra-1spark": ("hold", "refused")}
    assert len(here.bumps()) == 1

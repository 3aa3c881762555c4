"""The surface file in a repository that the bot keeps: what a pull request wins or loses, and the one tracking issue."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from recipediff.app.bumps.move import About
from recipediff.app.bumps.tend import tend
from recipediff.app.bumps.watch import Watch
from recipediff.app.sweep.tracking import LABEL, key, track
from sandbox.model import Repo
from tests.app.review.world import World, world
from tests.app.sweep.upstream import BLOBS, ENGINE, PLAIN, REPO

CONFIG = f"surface:\n  file: engine.yaml\n  upstream: {REPO}\n"
LESS = ENGINE.replace(", tool_call_parser]", "]").replace("[hermes]", "[other]")


@pytest.fixture
async def lab() -> AsyncIterator[World]:
    async with world() as made:
        made.sandbox.create_repo(REPO, dict(BLOBS))
        made.sandbox.commit(made.repo, "main", {".github/recipediff.yml": CONFIG, "engine.yaml": ENGINE}, "Configure")
        yield made


def upstream(lab: World) -> Repo:
    found = lab.sandbox.world.repo(REPO)
    assert found is not None
    return found


async def test_a_pull_request_that_loses_recipes_fails_and_says_which_and_where(lab: World) -> None:
    pull = lab.open({"engine.yaml": LESS})
    outcome = await lab.review(pull.number)
    (row,) = outcome.report.rows
    assert (row.finding.rule, row.finding.severity, outcome.report.verdict.state) == ("surface-loss", "warning", "fail")
    assert "1 recipe starts no longer on tiny 1: org/thinking" in row.finding.message
    assert row.finding.detail == ("1 at --tool-call-parser", "--tool-call-parser hermes resolves no longer: 1 use")
    assert row.finding.place.line == 3
    (said,) = lab.sandbox.comments(pull)
    assert "org/thinking" in said.body


async def test_a_pull_request_that_wins_recipes_passes_and_is_told_so(lab: World) -> None:
    lab.sandbox.commit(lab.repo, "main", {"engine.yaml": LESS}, "Less")
    pull = lab.open({"engine.yaml": ENGINE})
    outcome = await lab.review(pull.number)
    (row,) = outcome.report.rows
    assert (row.finding.rule, outcome.report.verdict.state) == ("surface-gain", "pass")
    assert row.finding.detail == ("--tool-call-parser hermes resolves now: 1 use",)
    (said,) = lab.sandbox.comments(pull)
    assert "newly" in said.body
    assert "2 of 3 recipes" in said.body


async def test_a_change_that_moves_nothing_and_one_elsewhere_say_nothing(lab: World) -> None:
    pull = lab.open({"engine.yaml": ENGINE.replace('"1"', '"2"')})
    assert (await lab.review(pull.number)).report.rows == ()
    assert lab.sandbox.comments(pull) == []
    other = lab.open({"README.md": "# other\n"}, branch="other")
    lab.count()
    await lab.review(other.number)
    assert not [e for e in list(lab.sandbox.requests)[-lab.count() :] if f"/{REPO}/" in e.path]


async def test_a_malformed_surface_fails_at_its_line(lab: World) -> None:
    pull = lab.open({"engine.yaml": ENGINE.replace("inert:", "inrt:")})
    outcome = await lab.review(pull.number)
    assert [(row.finding.rule, row.finding.place.line) for row in outcome.report.rows] == [("malformed-surface", 5)]
    assert outcome.report.verdict.state == "fail"


async def test_a_new_and_a_deleted_surface_file_are_nothing_to_compare(lab: World) -> None:
    pull = lab.open({"engine.yaml": None})
    assert (await lab.review(pull.number)).report.verdict.state == "pass"


async def test_upstream_moves_twice_and_there_is_one_issue(lab: World) -> None:
    first = await track(lab.home, lab.forge, lab.author)
    assert (first.done, key(lab.repo.full_name)) == ("opened", "sweep:lab/models")
    assert (await track(lab.home, lab.forge, lab.author)).done == "unchanged"
    for name in ("new", "newer"):
        lab.sandbox.commit(upstream(lab), "main", {f"models/org/{name}.yaml": PLAIN}, name)
        moved = await track(lab.home, lab.forge, lab.author)
        assert (moved.done, moved.issue) == ("updated", first.issue)
    (issue,) = await lab.home.issues.listed(state="all", label=LABEL)
    assert issue.title == f"Recipes of {REPO} on tiny"
    assert "4 of 5 recipes start on tiny 1" in issue.body
    assert "1 recipe is new, of which 1 starts" in issue.body
    assert (await track(lab.home, lab.forge, lab.author)).done == "unchanged"


async def test_the_servers_poll_notices_the_move(lab: World) -> None:
    about = About(author=lab.author, now=0.0)
    kept = await tend(lab.home, lab.forge, about)
    tracked = await track(lab.home, lab.forge, lab.author)
    watch = Watch()
    watch.saw(lab.home.name, kept, tracked.tips)
    assert not await watch.due(lab.home, lab.forge, 0.0)
    lab.sandbox.commit(upstream(lab), "main", {"models/org/new.yaml": PLAIN}, "new")
    assert await watch.due(lab.home, lab.forge, 0.0)


async def test_what_was_said_of_the_last_move_stays_while_the_surface_changes(lab: World) -> None:
    await track(lab.home, lab.forge, lab.author)
    lab.sandbox.commit(upstream(lab), "main", {"models/org/new.yaml": PLAIN}, "new")
    await track(lab.home, lab.forge, lab.author)
    lab.sandbox.commit(lab.repo, "main", {"engine.yaml": LESS}, "Less")
    assert (await track(lab.home, lab.forge, lab.author)).done == "updated"
    (issue,) = await lab.home.issues.listed(state="all", label=LABEL)
    assert "2 of 4 recipes start" in issue.body
    assert issue.body.count("1 recipe is new") == 1


async def test_a_closed_issue_is_left_alone_and_a_copy_by_somebody_else_is_not_ours(lab: World) -> None:
    made = await track(lab.home, lab.forge, lab.author)
    assert made.issue is not None
    await lab.home.issues.update(made.issue, state="closed")
    lab.sandbox.commit(upstream(lab), "main", {"models/org/new.yaml": PLAIN}, "new")
    assert (await track(lab.home, lab.forge, lab.author)).done == "closed"
    assert len(await lab.home.issues.listed(state="all")) == 1
    assert (await track(lab.home, lab.forge, "somebody-else")).done == "opened"


async def test_without_a_surface_there_is_nothing_to_track(lab: World) -> None:
    lab.sandbox.commit(lab.repo, "main", {"engine.yaml": "engine: [\n"}, "Broken")
    found = await track(lab.home, lab.forge, lab.author)
    assert (found.done, "engine.yaml:" in found.reason) == ("nothing", True)
    lab.sandbox.commit(lab.repo, "main", {".github/recipediff.yml": None}, "Unconfigured")
    assert (await track(lab.home, lab.forge, lab.author)).reason == "no surface file is configured"

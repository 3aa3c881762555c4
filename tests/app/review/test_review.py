"""The review, end to end over real sockets against a local GitHub."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from recipediff.app.review.review import CHECK_NAME
from sandbox.model import CheckRunRecord, CommentRecord, IssueRecord
from tests.app.review.world import RECIPE_PATH, UPSTREAM_PATH, UPSTREAM_TEXT, World, recipe_text, world


@pytest.fixture
async def lab() -> AsyncIterator[World]:
    async with world() as made:
        yield made


def checks(lab: World, sha: str) -> list[CheckRunRecord]:
    return [run for run in lab.sandbox.check_runs(lab.repo, sha) if run.name == CHECK_NAME]


def comments(lab: World, pull: IssueRecord) -> list[CommentRecord]:
    return lab.sandbox.comments(pull)


async def test_an_undeclared_and_a_misdeclared_setting_fail_and_are_said_once(lab: World) -> None:
    pull = lab.open({RECIPE_PATH: recipe_text(lab.pin, seqs="32", declared_port="8002")})
    outcome = await lab.review(pull.number)
    assert outcome.posted
    head = (await lab.pull(pull.number)).head_sha
    (run,) = checks(lab, head)
    assert (run.status, run.conclusion) == ("completed", "failure")
    assert {row.finding.rule for row in outcome.report.rows} == {"undeclared", "misdeclared"}
    (said,) = comments(lab, pull)
    assert "max_num_seqs" in said.body
    assert '+      why: ""' in said.body
    await lab.review(pull.number)
    assert [c.body for c in comments(lab, pull)] == [said.body]
    assert len(checks(lab, head)) == 1


async def test_a_fix_turns_it_green_and_resolves_the_comment(lab: World) -> None:
    pull = lab.open({RECIPE_PATH: recipe_text(lab.pin, seqs="32")})
    await lab.review(pull.number)
    lab.sandbox.commit(lab.repo, "topic", {RECIPE_PATH: recipe_text(lab.pin) + "notes: calmer\n"}, "Fix")
    await lab.review(pull.number)
    (run,) = checks(lab, (await lab.pull(pull.number)).head_sha)
    assert run.conclusion == "success"
    (said,) = comments(lab, pull)
    assert "resolved" in said.body


async def test_no_recipe_changed_is_a_success_without_a_comment(lab: World) -> None:
    pull = lab.open({"README.md": "# other\n"})
    lab.count()
    outcome = await lab.review(pull.number, fresh=True)
    assert outcome.report.headline() == "nothing to compare"
    assert comments(lab, pull) == []
    (run,) = checks(lab, (await lab.pull(pull.number)).head_sha)
    assert run.conclusion == "success"


async def test_what_stands_on_the_base_is_open_and_does_not_block(lab: World) -> None:
    lab.sandbox.commit(lab.repo, "main", {RECIPE_PATH: recipe_text(lab.pin, skip="1")}, "Before the bot")
    pull = lab.open({RECIPE_PATH: recipe_text(lab.pin, skip="1") + "notes: x\n"})
    outcome = await lab.review(pull.number)
    assert outcome.report.verdict.state == "pass"
    assert [(row.status, row.finding.setting) for row in outcome.report.rows] == [("open", "VLLM_SKIP")]
    pull = lab.open({RECIPE_PATH: recipe_text(lab.pin, skip="1", seqs="32")}, branch="worse")
    outcome = await lab.review(pull.number)
    assert outcome.report.verdict.state == "fail"
    assert {(row.status, row.finding.setting) for row in outcome.report.rows} == {
        ("new", "max_num_seqs"),
        ("open", "VLLM_SKIP"),
    }
    pull = lab.open({RECIPE_PATH: recipe_text(lab.pin) + "notes: y\n"}, branch="better")
    outcome = await lab.review(pull.number)
    assert [(row.status, row.finding.setting) for row in outcome.report.rows] == [("fixed", "VLLM_SKIP")]


async def test_a_base_that_moved_on_is_not_this_pull_requests_doing(lab: World) -> None:
    pull = lab.open({"README.md": "# other\n"})
    lab.sandbox.commit(lab.repo, "main", {RECIPE_PATH: recipe_text(lab.pin, skip="1")}, "Meanwhile on main")
    outcome = await lab.review(pull.number)
    assert outcome.report.rows == ()
    assert outcome.report.verdict.state == "pass"


async def test_a_renamed_recipe_brings_no_new_findings(lab: World) -> None:
    lab.sandbox.commit(lab.repo, "main", {RECIPE_PATH: recipe_text(lab.pin, skip="1")}, "Before the bot")
    pull = lab.open({RECIPE_PATH: None, "recipes/tiny-gb10.yaml": recipe_text(lab.pin, skip="1")})
    outcome = await lab.review(pull.number)
    assert [(row.status, row.finding.setting) for row in outcome.report.rows] == [("open", "VLLM_SKIP")]


async def test_a_deleted_recipe_is_nothing_to_report(lab: World) -> None:
    pull = lab.open({RECIPE_PATH: None})
    outcome = await lab.review(pull.number)
    assert outcome.report.verdict.state == "pass"


async def test_a_bump_is_compared_with_the_new_pin(lab: World) -> None:
    moved = UPSTREAM_TEXT.replace("max_num_seqs: 8", "max_num_seqs: 16")
    new = lab.sandbox.commit(lab.upstream, "main", {UPSTREAM_PATH: moved}, "Raise it")
    pull = lab.open({RECIPE_PATH: recipe_text(new)})
    outcome = await lab.review(pull.number)
    (row,) = outcome.report.rows
    assert (row.finding.rule, row.finding.upstream, row.finding.ours) == ("undeclared", "16", "8")


async def test_a_pin_that_does_not_exist_is_not_checked(lab: World) -> None:
    pull = lab.open({RECIPE_PATH: recipe_text("f" * 40)})
    outcome = await lab.review(pull.number)
    assert [row.finding.rule for row in outcome.report.rows] == ["not-checked"]
    assert outcome.report.verdict.state == "fail"


async def test_a_repository_that_is_not_configured_is_never_read(lab: World) -> None:
    secret = lab.sandbox.create_repo("lab/secret", {UPSTREAM_PATH: UPSTREAM_TEXT})
    pull = lab.open({RECIPE_PATH: recipe_text(secret.git.ref("refs/heads/main") or "", repo="lab/secret")})
    lab.count()
    outcome = await lab.review(pull.number)
    assert "not a configured upstream" in outcome.report.rows[0].finding.message
    assert not [e for e in lab.sandbox.requests if "/lab/secret/" in e.path]


async def test_rules_come_from_the_base_alone(lab: World) -> None:
    config = "fail-on: any\ncomment: never\nupstreams: []\nrecipes: [none/*.yaml]\n"
    pull = lab.open({RECIPE_PATH: recipe_text(lab.pin, seqs="32"), ".github/recipediff.yml": config})
    outcome = await lab.review(pull.number)
    assert [row.finding.rule for row in outcome.report.rows] == ["undeclared"]
    assert outcome.comment is not None


async def test_an_edited_configuration_is_validated_at_its_line(lab: World) -> None:
    pull = lab.open({".github/recipediff.yml": "recipes: [recipes/*.yaml]\nfail-on: sometimes\n"})
    outcome = await lab.review(pull.number)
    (row,) = outcome.report.rows
    assert (row.finding.rule, row.finding.place.line) == ("config", 2)
    assert outcome.report.verdict.state == "fail"


async def test_nothing_is_posted_where_the_head_has_moved(lab: World) -> None:
    pull = lab.open({RECIPE_PATH: recipe_text(lab.pin, seqs="32")})

    async def superseded() -> bool:
        return True

    outcome = await lab.review(pull.number, superseded=superseded)
    assert not outcome.posted
    assert comments(lab, pull) == []


async def test_two_pull_requests_with_one_head_get_the_worse_verdict(lab: World) -> None:
    bad = recipe_text(lab.pin, skip="1")
    pull = lab.open({RECIPE_PATH: bad + "notes: x\n"})
    lab.sandbox.commit(lab.repo, "release", {RECIPE_PATH: bad}, "A base on which it is open already")
    other = lab.sandbox.open_pull(lab.repo, "topic", "The same commit elsewhere", base="release")
    await lab.review(pull.number)
    await lab.review(other.number)
    runs = checks(lab, (await lab.pull(pull.number)).head_sha)
    assert runs[-1].conclusion == "failure"

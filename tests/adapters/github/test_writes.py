"""Pull requests, checks, comments, issues and permissions: what is sent, and what is made of the answer."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
import respx

from recipediff.adapters.github.checks import GitHubChecks, check_run
from recipediff.adapters.github.http.client import GitHubClient
from recipediff.adapters.github.pulls import GitHubPulls, pull_request
from recipediff.adapters.github.talk import GitHubAccess, GitHubComments, GitHubIssues, comment_of, issue_of
from recipediff.ports import forge
from recipediff.ports.errors import Refused, Unavailable
from tests.adapters.github import answers
from tests.adapters.github.conftest import API, Clock, Connect


def sent(route: respx.Route, index: int = -1) -> Any:
    return json.loads(route.calls[index].request.content)


async def test_a_pull_request_is_read(client: GitHubClient, github: respx.MockRouter) -> None:
    github.get("/repos/org/repo/pulls/7").respond(200, json=answers.pull(comments=2, merged=False))
    pulls: forge.PullRequests = GitHubPulls(client, "org/repo")
    pull = await pulls.get(7)
    assert (pull.number, pull.author, pull.head_sha, pull.base_ref) == (7, "ada", answers.HEAD, "main")
    assert (pull.body, pull.labels, pull.comments, pull.from_fork) == ("", ("recipes",), 2, True)


def test_forks_that_are_gone_and_branches_of_the_same_repository() -> None:
    head = {"sha": answers.HEAD, "ref": "topic"}
    gone = pull_request(answers.pull(head={**head, "repo": None}, user=None))
    assert (gone.head_repo, gone.from_fork, gone.author, gone.comments) == (None, True, "ghost", None)
    own = pull_request(answers.pull(head={**head, "repo": {"full_name": "Org/Repo"}}, merged_at="2026", state="closed"))
    assert (own.from_fork, own.merged, own.state) == (False, True, "closed")


@pytest.mark.parametrize("read", [pull_request, check_run, comment_of, issue_of])
@pytest.mark.parametrize("data", [{}, [], None, "text", {"number": "x", "id": "x"}])
def test_an_answer_of_another_shape_is_a_bad_answer(read: Any, data: Any) -> None:
    with pytest.raises(Unavailable) as caught:
        read(data)
    assert caught.value.reason == "bad-answer"


async def test_pull_requests_are_listed_opened_and_changed(client: GitHubClient, github: respx.MockRouter) -> None:
    pulls = GitHubPulls(client, "org/repo")
    listing = github.get("/repos/org/repo/pulls").respond(200, json=[answers.pull(1), answers.pull(2)])
    assert [pull.number for pull in await pulls.listed(state="all", head="bump/x", base="main")] == [1, 2]
    assert dict(listing.calls.last.request.url.params) == {
        "state": "all", "head": "org:bump/x", "base": "main", "per_page": "100",
    }  # fmt: skip
    opening = github.post("/repos/org/repo/pulls").respond(201, json=answers.pull(3))
    assert (await pulls.create(head="bump/x", base="main", title="t", body="b")).number == 3
    assert sent(opening)["head"] == "bump/x"
    changing = github.patch("/repos/org/repo/pulls/3").respond(200, json=answers.pull(3))
    await pulls.update(3, title="new", state="closed")
    assert sent(changing) == {"title": "new", "state": "closed"}
    opening.respond(
        422, json={"message": "Validation Failed", "errors": [{"message": "A pull request already exists"}]}
    )
    with pytest.raises(Refused, match="already exists"):
        await pulls.create(head="bump/x", base="main", title="t", body="b")


def marks(count: int) -> tuple[forge.Annotation, ...]:
    return tuple(
        forge.Annotation(path="r.yaml", line=number, end_line=number, level="failure", message=f"m{number}")
        for number in range(1, count + 1)
    )


@pytest.fixture
def check_runs(github: respx.MockRouter) -> tuple[respx.Route, respx.Route]:
    return (
        github.post("/repos/org/repo/check-runs").respond(201, json=answers.run()),
        github.patch("/repos/org/repo/check-runs/5").respond(
            200, json=answers.run(status="completed", conclusion="failure")
        ),
    )


@pytest.mark.parametrize("count", [0, 1, 50, 51, 100, 101, 230])
async def test_annotations_go_in_batches_and_the_conclusion_last(
    client: GitHubClient, check_runs: tuple[respx.Route, respx.Route], count: int
) -> None:
    checks: forge.Checks = GitHubChecks(client, "org/repo")
    start, patch = check_runs
    output = forge.Output(title="2 findings", summary="summary", text="text", annotations=marks(count))
    run = await checks.start("recipediff", answers.HEAD, external_id="job", url="https://bot.example/1")
    assert sent(start) == {
        "name": "recipediff", "head_sha": answers.HEAD, "status": "in_progress", "external_id": "job",
        "details_url": "https://bot.example/1",
    }  # fmt: skip
    await checks.conclude(run.id, "failure", output)
    bodies = [sent(patch, index) for index in range(patch.call_count)]
    batches = [body["output"].get("annotations", []) for body in bodies]
    assert len(bodies) == max(1, -(-count // 50))
    assert all(len(batch) <= 50 for batch in batches)
    assert [one["message"] for batch in batches for one in batch] == [f"m{number}" for number in range(1, count + 1)]
    assert [body.get("conclusion") for body in bodies] == [None] * (len(bodies) - 1) + ["failure"]
    assert [body["status"] for body in bodies] == ["in_progress"] * (len(bodies) - 1) + ["completed"]


@pytest.mark.parametrize(("count", "patches"), [(0, 0), (50, 0), (51, 1), (150, 2)])
async def test_a_verdict_that_is_ready_is_published_in_as_few_requests_as_can_be(
    client: GitHubClient, check_runs: tuple[respx.Route, respx.Route], count: int, patches: int
) -> None:
    start, patch = check_runs
    output = forge.Output(title="t", summary="s", annotations=marks(count))
    await GitHubChecks(client, "org/repo").publish("recipediff", answers.HEAD, "failure", output)
    assert (start.call_count, patch.call_count) == (1, patches)
    assert ("conclusion" in sent(start)) == (patches == 0)
    bodies = [sent(start)] + [sent(patch, index) for index in range(patches)]
    assert sum(len(body["output"].get("annotations", [])) for body in bodies) == count
    assert bodies[-1]["conclusion"] == "failure"


async def test_work_that_was_interrupted_does_not_annotate_twice(
    client: GitHubClient, check_runs: tuple[respx.Route, respx.Route]
) -> None:
    output = forge.Output(title="t", summary="s", annotations=marks(60))
    await GitHubChecks(client, "org/repo").conclude(5, "failure", output, shown=50)
    assert [one["message"] for one in sent(check_runs[1])["output"]["annotations"]] == [f"m{n}" for n in range(51, 61)]


async def test_a_conclusion_that_fails_half_way_leaves_the_run_open(
    client: GitHubClient, github: respx.MockRouter
) -> None:
    patch = github.patch("/repos/org/repo/check-runs/5").mock(
        side_effect=[httpx.Response(200, json=answers.run()), httpx.Response(502)]
    )
    with pytest.raises(Unavailable):
        await GitHubChecks(client, "org/repo").conclude(
            5, "success", forge.Output(title="t", summary="s", annotations=marks(70))
        )
    assert "conclusion" not in sent(patch, 0)


async def test_annotations_and_buttons_in_githubs_words(
    client: GitHubClient, check_runs: tuple[respx.Route, respx.Route]
) -> None:
    three = (
        forge.Annotation(
            path="a.yaml",
            line=3,
            end_line=3,
            level="warning",
            message="m",
            title="title",
            column=5,
            end_column=9,
            detail="detail",
        ),
        forge.Annotation(path="a.yaml", line=3, end_line=4, level="notice", message="m", column=5, end_column=9),
        forge.Annotation(path="a.yaml", line=0, end_line=0, level="failure", message="m", column=2),
    )
    output = forge.Output(
        title="t", summary="s", text="", annotations=three, actions=(forge.Button("Recheck", "Look again", "recheck"),)
    )
    await GitHubChecks(client, "org/repo").conclude(5, "neutral", output)
    body = sent(check_runs[1])
    assert body["actions"] == [{"label": "Recheck", "description": "Look again", "identifier": "recheck"}]
    assert "text" not in body["output"]
    assert body["output"]["annotations"] == [
        {
            "path": "a.yaml", "start_line": 3, "end_line": 3, "annotation_level": "warning", "message": "m",
            "start_column": 5, "end_column": 9, "title": "title", "raw_details": "detail",
        },
        {"path": "a.yaml", "start_line": 3, "end_line": 4, "annotation_level": "notice", "message": "m"},
        {
            "path": "a.yaml", "start_line": 1, "end_line": 1, "annotation_level": "failure", "message": "m",
            "start_column": 2, "end_column": 2,
        },
    ]  # fmt: skip


async def test_check_runs_are_found_by_name(client: GitHubClient, github: respx.MockRouter) -> None:
    found = {"total_count": 1, "check_runs": [answers.run(conclusion="success", status="completed")]}
    listing = github.get(f"/repos/org/repo/commits/{answers.HEAD}/check-runs").respond(200, json=found)
    runs = await GitHubChecks(client, "org/repo").named(answers.HEAD, "recipediff")
    assert [(run.id, run.app, run.conclusion) for run in runs] == [(5, "recipediff", "success")]
    assert listing.calls.last.request.url.params["check_name"] == "recipediff"


async def test_the_comment_is_found_by_exact_marker_and_author(client: GitHubClient, github: respx.MockRouter) -> None:
    marker, bot = "<!-- recipediff -->", "recipediff[bot]"
    decoys = [
        answers.comment(1, "mallory", f"{marker}\nfake"),
        answers.comment(2, "recipediff", f"{marker}\nfake"),
        answers.comment(3, bot, f"quoted:\n> {marker}"),
        answers.comment(4, bot, "<!-- recipediff 2 -->"),
        {**answers.comment(5, bot), "user": None},
    ]
    more = {"link": f'<{API}/repos/org/repo/issues/7/comments?per_page=100&page=2>; rel="next"'}
    pages = [
        httpx.Response(200, json=decoys, headers=more),
        httpx.Response(200, json=[answers.comment(6), answers.comment(7)], headers=more),
    ]
    listing = github.get("/repos/org/repo/issues/7/comments").mock(side_effect=pages)
    comments: forge.Comments = GitHubComments(client, "org/repo")
    found = await comments.find(7, marker, bot)
    assert found is not None
    assert found.id == 6
    assert listing.call_count == 2
    listing.mock(side_effect=[httpx.Response(200, json=decoys)])
    assert await comments.find(7, marker, bot) is None


async def test_comments_are_written_edited_and_answered(client: GitHubClient, github: respx.MockRouter) -> None:
    comments = GitHubComments(client, "org/repo")
    create = github.post("/repos/org/repo/issues/7/comments").respond(201, json=answers.comment(9))
    edit = github.patch("/repos/org/repo/issues/comments/9").respond(200, json=answers.comment(9))
    react = github.post("/repos/org/repo/issues/comments/9/reactions").respond(200, json={"id": 1, "content": "+1"})
    assert (await comments.create(7, "one")).id == 9
    await comments.edit(9, "two")
    await comments.react(9, "+1")
    assert (sent(create), sent(edit), sent(react)) == ({"body": "one"}, {"body": "two"}, {"content": "+1"})


async def test_issues_leave_pull_requests_out(client: GitHubClient, github: respx.MockRouter) -> None:
    issues: forge.Issues = GitHubIssues(client, "org/repo")
    both = [answers.issue(1), answers.issue(2, pull_request={"url": "x"})]
    listing = github.get("/repos/org/repo/issues").respond(200, json=both)
    found = await issues.listed(label="sweep", state="all")
    assert [(issue.number, issue.author, issue.labels) for issue in found] == [(1, "ghost", ("sweep", "old"))]
    assert listing.calls.last.request.url.params["labels"] == "sweep"
    create = github.post("/repos/org/repo/issues").respond(201, json=answers.issue(4))
    update = github.patch("/repos/org/repo/issues/4").respond(200, json=answers.issue(4, state="closed"))
    label = github.post("/repos/org/repo/issues/4/labels").respond(200, json=[])
    assert (await issues.create(title="t", body="b", labels=["sweep"])).number == 4
    assert (await issues.update(4, state="closed")).state == "closed"
    await issues.label(4, ["a", "b"])
    assert sent(create) == {"title": "t", "body": "b", "labels": ["sweep"]}
    assert (sent(update), sent(label)) == ({"state": "closed"}, {"labels": ["a", "b"]})


@pytest.mark.parametrize(
    ("answer", "permission"),
    [
        (httpx.Response(200, json={"permission": "admin", "role_name": "admin"}), "admin"),
        (httpx.Response(200, json={"permission": "write", "role_name": "maintain"}), "write"),
        (httpx.Response(200, json={"permission": "read", "role_name": "triage"}), "read"),
        (httpx.Response(200, json={"permission": "none"}), "none"),
        (httpx.Response(200, json={"permission": "emperor"}), "none"),
        (httpx.Response(404, json={"message": "ghost is not a user"}), "none"),
    ],
)
async def test_permissions(
    client: GitHubClient, github: respx.MockRouter, answer: httpx.Response, permission: str
) -> None:
    github.get("/repos/org/repo/collaborators/ada/permission").mock(return_value=answer)
    access: forge.Access = GitHubAccess(client, "org/repo")
    assert await access.permission("ada") == permission


async def test_a_permission_that_cannot_be_asked_for_is_not_none(
    client: GitHubClient, github: respx.MockRouter
) -> None:
    github.get("/repos/org/repo/collaborators/ada/permission").respond(502)
    with pytest.raises(Unavailable):
        await GitHubAccess(client, "org/repo").permission("ada")


async def test_batches_keep_the_pace(
    connect: Connect, check_runs: tuple[respx.Route, respx.Route], clock: Clock
) -> None:
    output = forge.Output(title="t", summary="s", annotations=marks(230))
    await GitHubChecks(connect(interval=1.0), "org/repo").conclude(5, "failure", output)
    assert clock.slept == [1, 1, 1, 1]

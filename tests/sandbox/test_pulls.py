"""Pull requests, their comments and checks, and the webhooks that tell of them."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from sandbox import Sandbox
from sandbox.model import App, InstallationRecord, IssueRecord, Repo
from tests.sandbox.client import Client
from tests.sandbox.receiver import Receiver, receiving

BASE = "/repos/octo-org/recipes"


@dataclass(kw_only=True)
class Place:
    """A repository with one open pull request, and the bot on it."""

    sandbox: Sandbox
    receiver: Receiver
    repo: Repo
    app: App
    installation: InstallationRecord
    bot: Client
    issue: IssueRecord

    @property
    def head(self) -> str:
        assert self.issue.pull
        return self.issue.pull.head_sha


@pytest.fixture
async def place(sandbox: Sandbox, client: Client) -> AsyncIterator[Place]:
    async with receiving() as receiver:
        app = sandbox.register_app(receiver.url, "hush")
        repo = sandbox.create_repo("octo-org/recipes", {"recipes/a.yaml": "a: 1\n"})
        installation = sandbox.install(app, "octo-org")
        sandbox.commit(repo, "topic", {"recipes/a.yaml": "a: 2\n"}, "Change a")
        issue = sandbox.open_pull(repo, "topic", "Change a", "Because.")
        await sandbox.settled()
        yield Place(
            sandbox=sandbox,
            receiver=receiver,
            repo=repo,
            app=app,
            installation=installation,
            bot=await client.installed(installation),
            issue=issue,
        )


async def test_opening_tells_the_app_with_a_signature(place: Place) -> None:
    assert place.receiver.names == ["installation.created", "push", "check_suite.requested", "pull_request.opened"]
    got = place.receiver.got[-1]
    assert got.headers["X-Hub-Signature-256"] == "sha256=" + hmac.new(b"hush", got.raw, hashlib.sha256).hexdigest()
    pull = got.payload["pull_request"]
    assert (pull["number"], pull["head"]["sha"], pull["base"]["ref"], pull["changed_files"]) == (
        1,
        place.head,
        "main",
        1,
    )
    assert got.payload["installation"]["id"] == place.installation.id
    assert len({item.delivery for item in place.receiver.got}) == 4


async def test_a_push_synchronizes_and_a_force_push_says_so(place: Place) -> None:
    before = place.head
    after = place.sandbox.commit(
        place.repo, "topic", {"recipes/a.yaml": "a: 3\n"}, "Again", parent=place.repo.git.ref("refs/heads/main")
    )
    await place.sandbox.settled()
    told = place.receiver.last("pull_request.synchronize")
    assert (told["before"], told["after"], place.head) == (before, after, after)
    assert place.receiver.last("push")["forced"] is True
    assert place.receiver.last("push")["commits"][0]["modified"] == ["recipes/a.yaml"]


async def test_closing_reopening_editing_and_deleting_the_branch(place: Place) -> None:
    sandbox, issue = place.sandbox, place.issue
    sandbox.close(issue)
    sandbox.reopen(issue)
    sandbox.commit(place.repo, "release", {"x": "y"}, "Release")
    sandbox.edit(issue, title="New", base="release")
    sandbox.push(place.repo, "topic", None)
    await sandbox.settled()
    assert [name for name in place.receiver.names if name.startswith("pull_request.")] == [
        f"pull_request.{action}" for action in ("opened", "closed", "reopened", "edited", "closed")
    ]
    assert place.receiver.last("pull_request.edited")["changes"] == {
        "title": {"from": "Change a"},
        "base": {"ref": {"from": "main"}, "sha": {"from": place.repo.git.ref("refs/heads/main")}},
    }
    refused = await place.bot.patch(f"{BASE}/pulls/1", {"state": "open"})
    assert refused.status_code == 422


async def test_a_fork_gives_its_pull_request_and_may_vanish(place: Place) -> None:
    fork = place.sandbox.fork(place.repo, "octocat")
    place.sandbox.commit(fork, "idea", {"recipes/b.yaml": "b: 1\n"}, "Add b")
    issue = place.sandbox.open_pull(place.repo, "idea", "Add b", head=fork)
    found = (await place.bot.get(f"{BASE}/pulls/{issue.number}")).json()
    assert (found["head"]["label"], found["head"]["repo"]["fork"], found["mergeable"]) == ("octocat:idea", True, True)
    assert (
        await place.bot.get(f"{BASE}/git/trees/{found['head']['sha']}?recursive=1")
    ).status_code == 200  # seen through the base
    place.sandbox.delete_repo(fork)
    assert (await place.bot.get(f"{BASE}/pulls/{issue.number}")).json()["head"]["repo"] is None
    assert (await place.bot.get("/repos/octocat/recipes")).status_code == 404
    assert [item["number"] for item in (await place.bot.get(f"{BASE}/pulls?head=octocat:idea")).json()] == [
        issue.number
    ]


async def test_the_bot_opens_finds_and_merges_a_pull_request(place: Place) -> None:
    place.sandbox.commit(place.repo, "bump", {"recipes/a.yaml": "a: 9\n"}, "Bump", author="recipediff[bot]")
    body = {"title": "Bump", "head": "bump", "base": "main", "body": "Why."}
    made = (await place.bot.post(f"{BASE}/pulls", body)).json()
    assert (made["user"]["login"], made["mergeable"]) == ("recipediff[bot]", None)
    again = await place.bot.post(f"{BASE}/pulls", body)
    assert (again.status_code, again.json()["errors"][0]["message"]) == (
        422,
        "A pull request already exists for octo-org:bump.",
    )
    assert [item["number"] for item in (await place.bot.get(f"{BASE}/pulls?head=octo-org:bump&state=all")).json()] == [
        made["number"]
    ]
    assert [item["filename"] for item in (await place.bot.get(f"{BASE}/pulls/{made['number']}/files")).json()] == [
        "recipes/a.yaml"
    ]
    place.sandbox.permit(place.repo, "hubot", "write")
    await place.bot.post(f"{BASE}/issues/{made['number']}/labels", {"labels": ["pin-bump"]})
    await place.bot.post(f"{BASE}/issues/{made['number']}/assignees", {"assignees": ["hubot", "nobody-here"]})
    await place.bot.post(f"{BASE}/pulls/{made['number']}/requested_reviewers", {"reviewers": ["hubot"]})
    found = (await place.bot.get(f"{BASE}/pulls/{made['number']}")).json()
    assert ([item["name"] for item in found["labels"]], [item["login"] for item in found["assignees"]]) == (
        ["pin-bump"],
        ["hubot"],
    )
    assert (await place.bot.put(f"{BASE}/pulls/{made['number']}/merge", {"sha": "0" * 40})).status_code == 409
    merged = (await place.bot.put(f"{BASE}/pulls/{made['number']}/merge", {})).json()
    assert place.repo.git.ref("refs/heads/main") == merged["sha"]
    assert (await place.bot.get(f"{BASE}/pulls/1")).json()["mergeable"] is False  # both changed the line
    assert (await place.bot.put(f"{BASE}/pulls/1/merge", {})).status_code == 405


async def test_one_comment_is_made_edited_found_and_removed(place: Place) -> None:
    made = (await place.bot.post(f"{BASE}/issues/1/comments", {"body": "first"})).json()
    assert (made["user"]["type"], made["performed_via_github_app"]["slug"]) == ("Bot", "recipediff")
    edited = (await place.bot.patch(f"{BASE}/issues/comments/{made['id']}", {"body": "second"})).json()
    assert edited["body"] == "second"
    place.sandbox.comment(place.issue, "@recipediff recheck", "hubot")
    await place.sandbox.settled()
    assert place.receiver.last("issue_comment.created")["comment"]["user"]["login"] == "hubot"
    assert [item["body"] for item in (await place.bot.get(f"{BASE}/issues/1/comments")).json()] == [
        "second",
        "@recipediff recheck",
    ]
    theirs = place.sandbox.comments(place.issue)[1]
    assert (
        await place.bot.post(f"{BASE}/issues/comments/{theirs.id}/reactions", {"content": "eyes"})
    ).status_code == 201
    assert (
        await place.bot.post(f"{BASE}/issues/comments/{theirs.id}/reactions", {"content": "eyes"})
    ).status_code == 200
    assert (await place.bot.delete(f"{BASE}/issues/comments/{made['id']}")).status_code == 204
    assert (await place.bot.get(f"{BASE}/issues/comments/{made['id']}")).status_code == 404
    assert (await place.bot.post(f"{BASE}/issues/1/comments", {"body": "x" * 65_537})).status_code == 422


async def test_a_check_run_grows_by_fifty_annotations_and_concludes(place: Place) -> None:
    note = {"path": "recipes/a.yaml", "start_line": 1, "end_line": 1, "annotation_level": "failure", "message": "No"}
    made = (
        await place.bot.post(
            f"{BASE}/check-runs", {"name": "recipediff", "head_sha": place.head, "status": "in_progress"}
        )
    ).json()
    assert (made["status"], made["conclusion"], made["pull_requests"][0]["number"]) == ("in_progress", None, 1)
    url, output = f"{BASE}/check-runs/{made['id']}", {"title": "t", "summary": "s"}
    assert (await place.bot.patch(url, {"output": output | {"annotations": [note] * 51}})).status_code == 422
    for size in (50, 10):
        assert (await place.bot.patch(url, {"output": output | {"annotations": [note] * size}})).status_code == 200
    assert (await place.bot.patch(url, {"status": "completed"})).status_code == 422
    done = (await place.bot.patch(url, {"conclusion": "failure"})).json()
    assert (done["status"], done["conclusion"], done["output"]["annotations_count"], done["output"]["title"]) == (
        "completed",
        "failure",
        60,
        "t",
    )
    first = await place.bot.get(f"{url}/annotations?per_page=50")
    assert (len(first.json()), first.links["next"]["url"].endswith("page=2")) == (50, True)
    listed = (await place.bot.get(f"{BASE}/commits/{place.head}/check-runs?check_name=recipediff")).json()
    assert (listed["total_count"], listed["check_runs"][0]["id"]) == (1, made["id"])
    place.sandbox.rerequest(place.sandbox.check_runs(place.repo)[0])
    await place.sandbox.settled()
    assert place.receiver.last("check_run.rerequested")["check_run"]["check_suite"]["conclusion"] == "failure"
    suites = (await place.bot.get(f"{BASE}/commits/topic/check-suites")).json()
    assert (suites["total_count"], suites["check_suites"][0]["head_branch"]) == (1, "topic")


async def test_required_checks_hold_a_merge_and_a_queue_asks_for_them(place: Place) -> None:
    place.sandbox.protect(place.repo, "main", [("recipediff", place.app.id)])
    required = (await place.bot.get(f"{BASE}/branches/main/protection/required_status_checks")).json()
    assert required["checks"] == [{"context": "recipediff", "app_id": place.app.id}]
    assert (await place.bot.get(f"{BASE}/branches/topic/protection/required_status_checks")).status_code == 404
    assert (await place.bot.put(f"{BASE}/pulls/1/merge", {})).status_code == 405
    place.sandbox.add_rule(place.repo, "main", "required_status_checks", {
        "required_status_checks": [{"context": "recipediff", "integration_id": place.app.id}], "strict_required_status_checks_policy": False,
    })  # fmt: skip
    assert [rule["type"] for rule in (await place.bot.get(f"{BASE}/rules/branches/main")).json()] == [
        "required_status_checks"
    ]
    failed = place.sandbox.enqueue(place.issue)
    await place.sandbox.settled()
    told = place.receiver.last("merge_group.checks_requested")["merge_group"]
    assert (told["head_sha"], told["base_ref"]) == (failed.head_sha, "refs/heads/main")
    assert told["head_ref"].startswith("refs/heads/gh-readonly-queue/main/pr-1-")
    assert place.sandbox.finish(failed) is False
    assert place.issue.state == "open"
    group = place.sandbox.enqueue(place.issue)
    for sha in (group.head_sha, place.head):
        done = {
            "name": "recipediff",
            "head_sha": sha,
            "status": "completed",
            "conclusion": "success",
            "output": {"title": "t", "summary": "s"},
        }
        assert (await place.bot.post(f"{BASE}/check-runs", done)).status_code == 201
    assert place.sandbox.finish(group) is True
    await place.sandbox.settled()
    assert place.receiver.last("merge_group.destroyed")["reason"] == "merged"
    assert (await place.bot.get(f"{BASE}/pulls/1")).json()["merged"] is True
    assert place.repo.git.ref("refs/heads/main") == group.head_sha


async def test_an_issue_is_kept_up_to_date(place: Place) -> None:
    made = (
        await place.bot.post(f"{BASE}/issues", {"title": "Overview", "body": "- [ ] a", "labels": ["recipediff"]})
    ).json()
    assert (made["number"], made["labels"][0]["name"]) == (2, "recipediff")
    await place.bot.patch(f"{BASE}/issues/2", {"body": "- [x] a"})
    await place.sandbox.settled()
    assert place.receiver.last("issues.edited")["changes"] == {"body": {"from": "- [ ] a"}}
    assert [
        item["number"]
        for item in (await place.bot.get(f"{BASE}/issues?labels=recipediff&creator=recipediff[bot]")).json()
    ] == [2]
    assert ["pull_request" in item for item in (await place.bot.get(f"{BASE}/issues")).json()] == [False, True]
    assert (await place.bot.patch(f"{BASE}/issues/2", {"state": "closed"})).json()["state_reason"] == "completed"

"""Webhook payloads have every field that GitHub's published examples of the same event have."""

from __future__ import annotations

import json
from typing import Any

import httpx

from sandbox import Sandbox
from tests.sandbox.client import Client
from tests.sandbox.receiver import receiving
from tests.shared import SHARED, needs_shared

EXAMPLES = SHARED / "corpus" / "webhooks" / "payload-examples" / "api.github.com"
COMPARED = {
    "pull_request.opened": "pull_request/opened.with-organization.payload.json",
    "pull_request.synchronize": "pull_request/synchronize.payload.json",
    "pull_request.closed": "pull_request/closed.payload.json",
    "pull_request.labeled": "pull_request/labeled.payload.json",
    "check_run.rerequested": "check_run/rerequested.with-organization.payload.json",
    "check_run.requested_action": "check_run/requested_action.payload.json",
    "check_run.created": "check_run/created.payload.json",
    "check_suite.requested": "check_suite/requested.with-organization.payload.json",
    "check_suite.rerequested": "check_suite/rerequested.payload.json",
    "issue_comment.created": "issue_comment/created.with-installation.payload.json",
    "issue_comment.edited": "issue_comment/edited.payload.json",
    "issues.edited": "issues/edited.payload.json",
    "merge_group.checks_requested": "merge_group/checks_requested.payload.json",
    "push": "push/payload.json",
    "installation.created": "installation/created.payload.json",
}
NOT_OURS = ("permissions", "check_suite.deployment", "milestone", "issue.draft", "username")
"""Fields that stand for what this GitHub does not have: other Apps' permissions, deployments, milestones, draft issues, commits by e-mail."""


def fields(value: Any, at: str = "") -> set[str]:
    """Every path to a field; a list counts with its first element."""
    if isinstance(value, list):
        return fields(value[0], f"{at}[]") if value else set()
    if not isinstance(value, dict):
        return set()
    found = set()
    for key, inner in value.items():
        path = f"{at}.{key}" if at else key
        found |= {path} | fields(inner, path)
    return found


def missing(example: Any, ours: Any) -> set[str]:
    """Fields of the example that ours lacks, where ours has the object that should hold them."""
    have = fields(ours)
    holders = {path.rpartition(".")[0] for path in have} | {""}
    return {
        path
        for path in fields(example) - have
        if path.rpartition(".")[0] in holders and not any(part in path for part in NOT_OURS)
    }


@needs_shared
async def test_no_field_of_githubs_examples_is_missing(sandbox: Sandbox) -> None:
    async with receiving() as receiver, httpx.AsyncClient(base_url=sandbox.api_url, verify=False) as session:
        app = sandbox.register_app(receiver.url, "hush")
        repo = sandbox.create_repo("octo-org/recipes", {"a": "1"})
        place = sandbox.install(app, "octo-org")
        sandbox.commit(repo, "topic", {"a": "2"}, "One")
        issue = sandbox.open_pull(repo, "topic", "One")
        tip = sandbox.commit(repo, "topic", {"a": "3"}, "Two")
        bot = await Client(session).installed(place)
        base = "/repos/octo-org/recipes"
        output = {"title": "t", "summary": "s"}
        await bot.post(
            f"{base}/check-runs", {"name": "recipediff", "head_sha": tip, "conclusion": "success", "output": output}
        )
        await bot.post(f"{base}/issues/1/labels", {"labels": ["x"]})
        comment = (await bot.post(f"{base}/issues/1/comments", {"body": "Hello"})).json()
        await bot.patch(f"{base}/issues/comments/{comment['id']}", {"body": "Hello again"})
        await bot.post(f"{base}/issues", {"title": "Overview"})
        await bot.patch(f"{base}/issues/2", {"body": "Text"})
        run = sandbox.check_runs(repo)[0]
        sandbox.rerequest(run)
        sandbox.rerequest_suite(run)
        sandbox.press(run, "fix")
        sandbox.enqueue(issue)
        sandbox.close(issue)
        await sandbox.settled()
        found = {
            name: missing(json.loads((EXAMPLES / path).read_text()), receiver.last(name))
            for name, path in COMPARED.items()
        }
    assert {name: lacking for name, lacking in found.items() if lacking} == {}

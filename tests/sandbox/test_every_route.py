"""Each operation is asked once in a full world, and its answer is what GitHub describes."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sandbox import Sandbox
from sandbox.model import Repo
from sandbox.routes import ROUTES
from tests.sandbox.client import Client

R = "/repos/octo-org/recipes"
Asked = tuple[str, str, Any]


@dataclass(kw_only=True)
class Facts:
    """What the requests speak of."""

    repo: Repo
    app: int
    place: int
    delivery: int
    main: str
    tip: str
    tree: str
    comment: int
    run: Any


def by_app(facts: Facts) -> dict[str, Asked]:
    return {
        "apps/get-authenticated": ("GET", "/app", None),
        "apps/get-webhook-config-for-app": ("GET", "/app/hook/config", None),
        "apps/update-webhook-config-for-app": (
            "PATCH",
            "/app/hook/config",
            {"url": "http://127.0.0.1:1/", "secret": "new", "insecure_ssl": "0"},
        ),
        "apps/list-webhook-deliveries": ("GET", "/app/hook/deliveries?per_page=5&status=failure", None),
        "apps/get-webhook-delivery": ("GET", f"/app/hook/deliveries/{facts.delivery}", None),
        "apps/redeliver-webhook-delivery": ("POST", f"/app/hook/deliveries/{facts.delivery}/attempts", None),
        "apps/list-installations": ("GET", "/app/installations?per_page=1", None),
        "apps/get-installation": ("GET", f"/app/installations/{facts.place}", None),
        "apps/create-installation-access-token": (
            "POST",
            f"/app/installations/{facts.place}/access_tokens",
            {"repository_ids": [facts.repo.id]},
        ),
        "apps/get-repo-installation": ("GET", f"{R}/installation", None),
        }  # fmt: skip


def on_git(facts: Facts) -> dict[str, Asked]:
    return {
        "repos/get": ("GET", R, None),
        "git/get-tree": ("GET", f"{R}/git/trees/{facts.tip}?recursive=1", None),
        "git/create-tree": ("POST", f"{R}/git/trees", {"base_tree": facts.tree, "tree": [{"path": "x", "mode": "100644", "type": "blob", "content": "y"}]}),
        "git/get-blob": ("GET", f"{R}/git/blobs/{facts.repo.git.write('blob', b'a: 1')}", None),
        "git/create-blob": ("POST", f"{R}/git/blobs", {"content": "x", "encoding": "utf-8"}),
        "git/get-commit": ("GET", f"{R}/git/commits/{facts.tip}", None),
        "git/create-commit": ("POST", f"{R}/git/commits", {"message": "m", "tree": facts.tree, "parents": [facts.tip], "author": {"name": "A", "email": "a@b", "date": "2026-01-01T00:00:00Z"}}),
        "git/get-ref": ("GET", f"{R}/git/ref/heads/topic", None),
        "git/list-matching-refs": ("GET", f"{R}/git/matching-refs/heads/", None),
        "git/create-ref": ("POST", f"{R}/git/refs", {"ref": "refs/heads/bump/a", "sha": facts.main}),
        "git/update-ref": ("PATCH", f"{R}/git/refs/heads/bump/a", {"sha": facts.tip, "force": False}),
        "git/delete-ref": ("DELETE", f"{R}/git/refs/heads/bump/a", None),
        "repos/list-commits": ("GET", f"{R}/commits?sha=topic&path=recipes/a.yaml&per_page=1", None),
        "repos/list-pull-requests-associated-with-commit": ("GET", f"{R}/commits/{facts.tip}/pulls", None),
        "repos/get-commit": ("GET", f"{R}/commits/topic", None),
        "repos/compare-commits-with-basehead": ("GET", f"{R}/compare/main...topic", None),
        "repos/get-status-checks-protection": ("GET", f"{R}/branches/main/protection/required_status_checks", None),
        "repos/get-branch-protection": ("GET", f"{R}/branches/main/protection", None),
        "repos/get-branch": ("GET", f"{R}/branches/main", None),
        "repos/get-branch-rules": ("GET", f"{R}/rules/branches/main", None),
        "repos/get-content": ("GET", f"{R}/contents/recipes/a.yaml?ref=topic", None),
        "repos/create-or-update-file-contents": ("PUT", f"{R}/contents/new.txt", {"message": "m", "content": base64.b64encode(b"x").decode(), "branch": "other"}),
        "repos/get-collaborator-permission-level": ("GET", f"{R}/collaborators/ann/permission", None),
    }  # fmt: skip


def on_checks(facts: Facts) -> dict[str, Asked]:
    return {
        "apps/list-repos-accessible-to-installation": ("GET", "/installation/repositories?per_page=1", None),
        "users/get-by-username": ("GET", "/users/ann", None),
        "rate-limit/get": ("GET", "/rate_limit", None),
        "checks/list-for-ref": ("GET", f"{R}/commits/{facts.tip}/check-runs?app_id={facts.app}&filter=latest", None),
        "checks/list-suites-for-ref": ("GET", f"{R}/commits/{facts.tip}/check-suites", None),
        "checks/create": ("POST", f"{R}/check-runs", {"name": "recipediff", "head_sha": facts.tip, "status": "in_progress", "started_at": "2026-01-01T00:00:00Z"}),
        "checks/get": ("GET", f"{R}/check-runs/{facts.run['id']}", None),
        "checks/update": ("PATCH", f"{R}/check-runs/{facts.run['id']}", {"status": "in_progress"}),
        "checks/list-annotations": ("GET", f"{R}/check-runs/{facts.run['id']}/annotations", None),
        "checks/get-suite": ("GET", f"{R}/check-suites/{facts.run['check_suite']['id']}", None),
    }  # fmt: skip


def on_pulls(facts: Facts) -> dict[str, Asked]:
    return {
        "pulls/list": ("GET", f"{R}/pulls?state=all&head=octo-org:topic&base=main&sort=updated&direction=desc", None),
        "pulls/create": ("POST", f"{R}/pulls", {"title": "Other", "head": "other", "base": "main", "body": "Why", "draft": True, "maintainer_can_modify": True}),
        "pulls/get": ("GET", f"{R}/pulls/1", None),
        "pulls/list-files": ("GET", f"{R}/pulls/1/files?per_page=100", None),
        "pulls/list-commits": ("GET", f"{R}/pulls/1/commits", None),
        "pulls/update": ("PATCH", f"{R}/pulls/1", {"title": "Changed", "body": "Other"}),
        "pulls/request-reviewers": ("POST", f"{R}/pulls/1/requested_reviewers", {"reviewers": ["ann"]}),
        "issues/list-labels-for-repo": ("GET", f"{R}/labels", None),
        "issues/create-label": ("POST", f"{R}/labels", {"name": "pin bump", "color": "ff0000", "description": "d"}),
        "issues/get-label": ("GET", f"{R}/labels/pin%20bump", None),
        "issues/list-for-repo": ("GET", f"{R}/issues?state=all&labels=x&creator=ann&since=2020-01-01T00:00:00Z", None),
        "issues/create": ("POST", f"{R}/issues", {"title": "Overview", "body": "b", "labels": ["x"], "assignees": ["ann"]}),
        "issues/get-comment": ("GET", f"{R}/issues/comments/{facts.comment}", None),
        "issues/update-comment": ("PATCH", f"{R}/issues/comments/{facts.comment}", {"body": "Hello again"}),
        "reactions/create-for-issue-comment": ("POST", f"{R}/issues/comments/{facts.comment}/reactions", {"content": "+1"}),
        "reactions/list-for-issue-comment": ("GET", f"{R}/issues/comments/{facts.comment}/reactions", None),
        "issues/delete-comment": ("DELETE", f"{R}/issues/comments/{facts.comment}", None),
        "issues/get": ("GET", f"{R}/issues/1", None),
        "issues/update": ("PATCH", f"{R}/issues/1", {"body": "b", "labels": ["y"], "assignees": ["ann"]}),
        "issues/create-comment": ("POST", f"{R}/issues/1/comments", {"body": "Hi"}),
        "issues/list-comments": ("GET", f"{R}/issues/1/comments?per_page=100&page=1", None),
        "issues/list-labels-on-issue": ("GET", f"{R}/issues/1/labels", None),
        "issues/add-labels": ("POST", f"{R}/issues/1/labels", {"labels": ["z"]}),
        "issues/set-labels": ("PUT", f"{R}/issues/1/labels", {"labels": ["z", "w"]}),
        "issues/remove-label": ("DELETE", f"{R}/issues/1/labels/z", None),
        "issues/add-assignees": ("POST", f"{R}/issues/1/assignees", {"assignees": ["ann"]}),
        "pulls/merge": ("PUT", f"{R}/pulls/1/merge", {"merge_method": "squash", "sha": facts.tip}),
        }  # fmt: skip


BY_ANYONE: dict[str, Asked] = {"apps/create-from-manifest": ("POST", "/app-manifests/code/conversions", None)}
BY_PERSON: dict[str, Asked] = {"users/get-authenticated": ("GET", "/user", None)}


async def full_world(sandbox: Sandbox, client: Client) -> tuple[Facts, Client]:
    """A world in which every request finds what it asks for, and the bot's client in it."""
    app = sandbox.register_app("http://127.0.0.1:1/")
    repo = sandbox.create_repo("octo-org/recipes", {"recipes/a.yaml": "a: 1\n"}, licence="Apache-2.0")
    place = sandbox.install(app, "octo-org")
    sandbox.permit(repo, "ann", "write")
    sandbox.protect(repo, "main", [("recipediff", app.id)])
    for kind in ("deletion", "non_fast_forward"):
        sandbox.add_rule(repo, "~ALL", kind)
    main = repo.git.ref("refs/heads/main") or ""
    tip = sandbox.commit(repo, "topic", {"recipes/a.yaml": "a: 2\n", "b": b"\x00"}, "Change")
    sandbox.commit(repo, "other", {"c": "d"}, "Other")
    comment = sandbox.comment(sandbox.open_pull(repo, "topic", "Change", "Why", "ann"), "Hello", "ann")
    sandbox.add_manifest("code", {"name": "Other bot"}, "octo-org")
    await sandbox.settled()
    bot = await client.installed(place)
    mark = {"path": "recipes/a.yaml", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "m"}
    done = {
        "name": "recipediff",
        "head_sha": tip,
        "conclusion": "success",
        "output": {"title": "t", "summary": "s", "annotations": [mark]},
    }
    run = (await bot.post(f"{R}/check-runs", done)).json()
    return Facts(
        repo=repo,
        app=app.id,
        place=place.id,
        delivery=sandbox.hooks.log[0].id,
        main=main,
        tip=tip,
        tree=repo.git.commit(tip).tree,
        comment=comment.id,
        run=run,
    ), bot


async def test_every_operation_answers_as_described(sandbox: Sandbox, client: Client) -> None:
    facts, bot = await full_world(sandbox, client)
    signed, person = client.signed(sandbox.world.apps[facts.app]), client.by(sandbox.user_token("ann").text)
    sandbox.requests.clear()
    asked = [
        (signed, by_app(facts)),
        (client, BY_ANYONE),
        (person, BY_PERSON),
        (bot, on_git(facts)),
        (bot, on_checks(facts)),
        (bot, on_pulls(facts)),
    ]
    for who, table in asked:
        for operation, (method, path, body) in table.items():
            if operation == "pulls/merge":
                await bot.post(
                    f"{R}/check-runs", {"name": "recipediff", "head_sha": facts.tip, "conclusion": "success"}
                )
            answer = await _send(who, method)(path, body)
            assert (operation, answer.status_code // 100) == (operation, 2), answer.text
            assert sandbox.requests[-1].operation == operation
    assert {route.operation for route in ROUTES} == {item.operation for item in sandbox.requests}


def _send(who: Client, method: str) -> Callable[[str, Any], Any]:
    return lambda path, body: who._send(method, path, body)

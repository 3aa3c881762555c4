"""The events that GitHub sends, with the payloads it gives them. Each function sends one event about one thing."""

from __future__ import annotations

from typing import Any

from sandbox.model import (
    Account,
    CheckRunRecord,
    CheckSuite,
    CommentRecord,
    DeliveryRecord,
    InstallationRecord,
    IssueRecord,
    JsonObject,
    Repo,
)
from sandbox.objects import CommitObject
from sandbox.shapes.base import account, installation, repo_json, when
from sandbox.shapes.check import run_json, suite_json
from sandbox.shapes.git import instant
from sandbox.shapes.pull import comment_json, issue_json, pull_json
from sandbox.world import World

ZERO = "0" * 40
MOST_COMMITS = 2048
"""Commits that a push event lists at most."""


def _about(world: World, repo: Repo, sender: Account) -> JsonObject:
    found = {"repository": repo_json(world, repo), "sender": account(world, sender)}
    if repo.owner.kind == "Organization":
        url, owner = f"{world.api}/orgs/{repo.owner.login}", found["repository"]["owner"]
        found["organization"] = {
            "login": repo.owner.login, "id": repo.owner.id, "node_id": owner["node_id"], "url": url, "repos_url": f"{url}/repos",
            "events_url": f"{url}/events", "hooks_url": f"{url}/hooks", "issues_url": f"{url}/issues", "members_url": f"{url}/members{{/member}}",
            "public_members_url": f"{url}/public_members{{/member}}", "avatar_url": owner["avatar_url"], "description": None,
        }  # fmt: skip
    return found


def pull_request(world: World, issue: IssueRecord, action: str, sender: Account, **more: Any) -> list[DeliveryRecord]:
    fresh = action in ("opened", "reopened", "synchronize", "edited")
    body = (
        {"number": issue.number, "pull_request": pull_json(world, issue, fresh=fresh)}
        | more
        | _about(world, issue.repo, sender)
    )
    return world.hooks.emit("pull_request", action, body, issue.repo)


def issues(world: World, issue: IssueRecord, action: str, sender: Account, **more: Any) -> list[DeliveryRecord]:
    return world.hooks.emit(
        "issues", action, {"issue": issue_json(world, issue)} | more | _about(world, issue.repo, sender), issue.repo
    )


def issue_comment(
    world: World, comment: CommentRecord, action: str, sender: Account, **more: Any
) -> list[DeliveryRecord]:
    body = {"issue": issue_json(world, comment.issue), "comment": comment_json(world, comment)} | more
    return world.hooks.emit(
        "issue_comment", action, body | _about(world, comment.issue.repo, sender), comment.issue.repo
    )


def check_run(world: World, run: CheckRunRecord, action: str, sender: Account, **more: Any) -> list[DeliveryRecord]:
    body = {"check_run": run_json(world, run, event=True)} | more | _about(world, run.suite.repo, sender)
    return world.hooks.emit("check_run", action, body, run.suite.repo, only=run.suite.app)


def check_suite(world: World, suite: CheckSuite, action: str, sender: Account) -> list[DeliveryRecord]:
    body = {"check_suite": suite_json(world, suite)} | _about(world, suite.repo, sender)
    return world.hooks.emit("check_suite", action, body, suite.repo, only=suite.app)


def merge_group(
    world: World,
    repo: Repo,
    action: str,
    sender: Account,
    head_ref: str,
    head: str,
    base_ref: str,
    base: str,
    **more: Any,
) -> list[DeliveryRecord]:
    commit = repo.git.commit(head)
    group = {
        "head_sha": head,
        "head_ref": head_ref,
        "base_sha": base,
        "base_ref": base_ref,
        "head_commit": _head_commit(commit),
    }
    return world.hooks.emit("merge_group", action, {"merge_group": group} | more | _about(world, repo, sender), repo)


def push(
    world: World, repo: Repo, ref: str, before: str | None, after: str | None, sender: Account
) -> list[DeliveryRecord]:
    git, html = repo.git, f"{world.root}/{repo.full_name}"
    known = before if before and git.kind(before) == "commit" else None
    base = (
        repo.git.ref(f"refs/heads/{repo.default_branch}")
        if known is None and ref != f"refs/heads/{repo.default_branch}"
        else known
    )
    listed = git.history(after, base)[:MOST_COMMITS] if after and git.kind(after) == "commit" else []
    about = _about(world, repo, sender)
    email = f"{repo.owner.login}@users.noreply.github.com"
    about["repository"] |= {
        "url": html,
        "created_at": int(repo.created.timestamp()),
        "pushed_at": int(repo.pushed.timestamp()),
        "owner": {"name": repo.owner.login, "email": email} | about["repository"]["owner"],
        "stargazers": 0,
        "master_branch": repo.default_branch,
    }
    body = {
        "ref": ref,
        "before": before or ZERO,
        "after": after or ZERO,
        "created": before is None,
        "deleted": after is None,
        "forced": bool(known and after and not git.is_ancestor(known, after)),
        "base_ref": None,
        "compare": f"{html}/compare/{(before or ZERO)[:12]}...{(after or ZERO)[:12]}",
        "commits": [_pushed_commit(world, repo, git.commit(sha)) for sha in reversed(listed)],
        "head_commit": _pushed_commit(world, repo, git.commit(after))
        if after and git.kind(after) == "commit"
        else None,
        "pusher": {"name": sender.login, "email": f"{sender.login}@users.noreply.github.com"},
    }
    return world.hooks.emit("push", None, body | about, repo)


def installation_event(world: World, item: InstallationRecord, action: str, sender: Account) -> list[DeliveryRecord]:
    chosen = [repo for repo in world.repos.values() if not repo.deleted and item in world.installation_for(repo)]
    names = [
        {
            "id": repo.id,
            "node_id": world.node_id("repo", repo.id),
            "name": repo.name,
            "full_name": repo.full_name,
            "private": repo.private,
        }
        for repo in chosen
    ]
    body = {
        "installation": installation(world, item),
        "repositories": names,
        "requester": None,
        "sender": account(world, sender),
    }
    return world.hooks.emit("installation", action, body, installation=item)


def ping(world: World, item: InstallationRecord) -> list[DeliveryRecord]:
    app = item.app
    config = {"content_type": app.content_type, "url": app.webhook_url, "insecure_ssl": app.insecure_ssl}
    hook = {
        "type": "App",
        "id": app.id,
        "name": "web",
        "active": True,
        "app_id": app.id,
        "events": app.events,
        "config": config,
        "updated_at": when(app.created),
    }
    hook |= {"created_at": when(app.created), "deliveries_url": f"{world.api}/app/hook/deliveries"}
    return world.hooks.emit("ping", None, {"zen": "Design for failure.", "hook_id": app.id, "hook": hook}, only=app)


def _head_commit(commit: CommitObject) -> JsonObject:
    return {
        "id": commit.sha,
        "tree_id": commit.tree,
        "message": commit.message,
        "timestamp": instant(commit.committer.at),
        "author": {"name": commit.author.name, "email": commit.author.email},
        "committer": {"name": commit.committer.name, "email": commit.committer.email},
    }


def _pushed_commit(world: World, repo: Repo, commit: CommitObject) -> JsonObject:
    old = repo.git.commit(commit.parents[0]).tree if commit.parents else None
    names: dict[str, list[str]] = {"added": [], "removed": [], "modified": []}
    for path, before, after in repo.git.changes(old, commit.tree):
        names["added" if before is None else "removed" if after is None else "modified"].append(path)
    return (
        _head_commit(commit) | {"distinct": True, "url": f"{world.root}/{repo.full_name}/commit/{commit.sha}"} | names
    )

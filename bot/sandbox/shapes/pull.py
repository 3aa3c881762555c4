"""How issues, pull requests, labels and comments look in GitHub's JSON."""

from __future__ import annotations

from urllib.parse import quote

from sandbox.model import Account, CommentRecord, IssueRecord, JsonObject, Label, PullRecord, Reaction, Repo
from sandbox.shapes.base import account, app, repo_json, repo_url, when
from sandbox.shapes.git import files
from sandbox.store import Conflict
from sandbox.world import World

REACTIONS = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")
_LEVELS = {"admin": "MEMBER", "maintain": "MEMBER", "write": "COLLABORATOR", "triage": "COLLABORATOR"}


def label_json(world: World, repo: Repo, label: Label) -> JsonObject:
    return {
        "id": label.id,
        "node_id": world.node_id("label", label.id),
        "url": f"{repo_url(world, repo)}/labels/{quote(label.name)}",
        "name": label.name,
        "description": label.description,
        "color": label.color,
        "default": False,
    }


def association(repo: Repo, who: Account) -> str:
    """How an author stands to a repository."""
    if who is repo.owner:
        return "OWNER"
    return _LEVELS.get(repo.permissions.get(who.login, ""), "NONE")


def reactions_json(url: str, reactions: list[Reaction]) -> JsonObject:
    counts = {name: sum(item.content == name for item in reactions) for name in REACTIONS}
    return {"url": f"{url}/reactions", "total_count": len(reactions)} | counts


def reaction_json(world: World, item: Reaction) -> JsonObject:
    stamp = when(item.created)
    return {
        "id": item.id,
        "node_id": world.node_id("reaction", item.id),
        "user": account(world, item.account),
        "content": item.content,
        "created_at": stamp,
    }


def comment_json(world: World, comment: CommentRecord) -> JsonObject:
    repo, issue = comment.issue.repo, comment.issue
    url = f"{repo_url(world, repo)}/issues/comments/{comment.id}"
    kind = "pull" if issue.pull else "issues"
    return {
        "id": comment.id,
        "node_id": world.node_id("comment", comment.id),
        "url": url,
        "html_url": f"{world.root}/{repo.full_name}/{kind}/{issue.number}#issuecomment-{comment.id}",
        "issue_url": f"{repo_url(world, repo)}/issues/{issue.number}",
        "user": account(world, comment.author),
        "body": comment.body,
        "created_at": when(comment.created),
        "updated_at": when(comment.updated),
        "author_association": association(repo, comment.author),
        "performed_via_github_app": app(world, comment.app) if comment.app else None,
        "reactions": reactions_json(url, comment.reactions),
    }


def _shared(world: World, issue: IssueRecord) -> JsonObject:
    """What issues and pull requests have in common."""
    return {
        "number": issue.number,
        "state": issue.state,
        "locked": issue.locked,
        "active_lock_reason": None,
        "title": issue.title,
        "user": account(world, issue.author),
        "body": issue.body,
        "labels": [label_json(world, issue.repo, label) for label in issue.labels],
        "milestone": None,
        "assignee": account(world, issue.assignees[0]) if issue.assignees else None,
        "assignees": [account(world, who) for who in issue.assignees],
        "author_association": association(issue.repo, issue.author),
        "created_at": when(issue.created),
        "updated_at": when(issue.updated),
        "closed_at": when(issue.closed),
    }


def issue_json(world: World, issue: IssueRecord) -> JsonObject:
    """An issue, or a pull request as the issues API has it."""
    repo = issue.repo
    url, kind = f"{repo_url(world, repo)}/issues/{issue.number}", "pull" if issue.pull else "issues"
    found = _shared(world, issue) | {
        "id": issue.id,
        "node_id": world.node_id("pull" if issue.pull else "issue", issue.id),
        "url": url,
        "repository_url": repo_url(world, repo),
        "labels_url": f"{url}/labels{{/name}}",
        "comments_url": f"{url}/comments",
        "events_url": f"{url}/events",
        "html_url": f"{world.root}/{repo.full_name}/{kind}/{issue.number}",
        "comments": sum(comment.issue is issue for comment in repo.comments.values()),
        "reactions": reactions_json(url, []),
        "timeline_url": f"{url}/timeline",
        "performed_via_github_app": None,
        "state_reason": issue.state_reason,
        "closed_by": None,
    }
    if issue.pull:
        html = found["html_url"]
        pull = {
            "url": f"{repo_url(world, repo)}/pulls/{issue.number}",
            "html_url": html,
            "diff_url": f"{html}.diff",
            "patch_url": f"{html}.patch",
        }
        found |= {"draft": issue.pull.draft, "pull_request": pull | {"merged_at": when(issue.pull.merged)}}
    return found


def pull_simple(world: World, issue: IssueRecord) -> JsonObject:
    """A pull request as lists have it."""
    pull, repo = _pull(issue), issue.repo
    url, html = f"{repo_url(world, repo)}/pulls/{issue.number}", f"{world.root}/{repo.full_name}/pull/{issue.number}"
    links = {
        "self": url,
        "html": html,
        "issue": f"{repo_url(world, repo)}/issues/{issue.number}",
        "comments": f"{repo_url(world, repo)}/issues/{issue.number}/comments",
        "review_comments": f"{url}/comments",
        "review_comment": f"{repo_url(world, repo)}/pulls/comments{{/number}}",
        "commits": f"{url}/commits",
        "statuses": f"{repo_url(world, repo)}/statuses/{pull.head_sha}",
    }
    return _shared(world, issue) | {
        "id": issue.id,
        "node_id": world.node_id("pull", issue.id),
        "url": url,
        "html_url": html,
        "diff_url": f"{html}.diff",
        "patch_url": f"{html}.patch",
        "issue_url": links["issue"],
        "commits_url": links["commits"],
        "review_comments_url": links["review_comments"],
        "review_comment_url": links["review_comment"],
        "comments_url": links["comments"],
        "statuses_url": links["statuses"],
        "merged_at": when(pull.merged),
        "merge_commit_sha": pull.merge_sha,
        "requested_reviewers": [account(world, who) for who in pull.reviewers],
        "requested_teams": [],
        "head": _side(world, pull.head, pull.head_ref, pull.head_sha),
        "base": _side(world, repo, pull.base_ref, pull.base_sha),
        "_links": {name: {"href": href} for name, href in links.items()},
        "auto_merge": None,
        "draft": pull.draft,
    }


def pull_json(world: World, issue: IssueRecord, *, fresh: bool = False) -> JsonObject:
    """A pull request in full. `fresh`: GitHub has not yet worked out whether it can be merged."""
    pull, git = _pull(issue), issue.repo.git
    base = git.merge_base(pull.base_sha, pull.head_sha)
    changed = files(world, issue.repo, base, pull.head_sha)
    mergeable = None if fresh or issue.state == "closed" else _mergeable(issue, pull)
    return pull_simple(world, issue) | {
        "merged": pull.merged is not None,
        "mergeable": mergeable,
        "rebaseable": mergeable,
        "mergeable_state": "unknown" if mergeable is None else "clean" if mergeable else "dirty",
        "merged_by": account(world, pull.merged_by) if pull.merged_by else None,
        "comments": sum(comment.issue is issue for comment in issue.repo.comments.values()),
        "review_comments": 0,
        "maintainer_can_modify": pull.maintainer_can_modify and pull.head is not issue.repo,
        "commits": len(git.history(pull.head_sha, pull.base_sha)),
        "additions": sum(item["additions"] for item in changed),
        "deletions": sum(item["deletions"] for item in changed),
        "changed_files": len(changed),
    }


def _mergeable(issue: IssueRecord, pull: PullRecord) -> bool:
    tip = issue.repo.git.ref(f"refs/heads/{pull.base_ref}") or pull.base_sha
    try:
        issue.repo.git.merge(tip, pull.head_sha)
    except Conflict:
        return False
    return True


def _pull(issue: IssueRecord) -> PullRecord:
    if issue.pull is None:
        raise ValueError(f"#{issue.number} is no pull request")
    return issue.pull


def _side(world: World, repo: Repo, ref: str, sha: str) -> JsonObject:
    return {
        "label": f"{repo.owner.login}:{ref}",
        "ref": ref,
        "sha": sha,
        "user": account(world, repo.owner),
        "repo": None if repo.deleted else repo_json(world, repo),
    }

"""How check suites, check runs and their annotations look in GitHub's JSON."""

from __future__ import annotations

from sandbox.model import CheckRunRecord, CheckSuite, JsonObject, Repo
from sandbox.shapes.base import app, minimal_repo, repo_url, when
from sandbox.shapes.git import instant
from sandbox.world import World

_WORST = ("action_required", "timed_out", "cancelled", "failure", "neutral", "success", "skipped", "stale")


def pulls_of(world: World, repo: Repo, sha: str) -> list[JsonObject]:
    """The open pull requests with that head. Those from forks are left out, as GitHub leaves them out."""
    return [
        {
            "url": f"{repo_url(world, repo)}/pulls/{issue.number}",
            "id": issue.id,
            "number": issue.number,
            "head": {"ref": issue.pull.head_ref, "sha": sha, "repo": _short(world, repo)},
            "base": {"ref": issue.pull.base_ref, "sha": issue.pull.base_sha, "repo": _short(world, repo)},
        }
        for issue in repo.issues.values()
        if issue.pull and issue.state == "open" and issue.pull.head_sha == sha and issue.pull.head is repo
    ]


def suite_runs(suite: CheckSuite) -> list[CheckRunRecord]:
    return [run for run in suite.repo.check_runs.values() if run.suite is suite]


def suite_state(suite: CheckSuite) -> tuple[str, str | None]:
    """Status and conclusion, from the newest run of each name."""
    runs = list({run.name: run for run in suite_runs(suite)}.values())
    if not runs:
        return "queued", None
    if any(run.status != "completed" for run in runs):
        return "in_progress", None
    return "completed", min((run.conclusion or "neutral" for run in runs), key=_WORST.index)


def suite_json(world: World, suite: CheckSuite, *, inside_run: bool = False) -> JsonObject:
    repo = suite.repo
    url, (status, conclusion) = f"{repo_url(world, repo)}/check-suites/{suite.id}", suite_state(suite)
    found: JsonObject = {
        "id": suite.id,
        "node_id": world.node_id("check_suite", suite.id),
        "head_branch": suite.head_branch,
        "head_sha": suite.head_sha,
        "status": status,
        "conclusion": conclusion,
        "url": url,
        "before": suite.before,
        "after": suite.head_sha,
        "pull_requests": pulls_of(world, repo, suite.head_sha),
        "app": app(world, suite.app),
        "created_at": when(suite.created),
        "updated_at": when(suite.updated),
    }
    if inside_run:
        return found
    commit = repo.git.commit(suite.head_sha)
    return found | {
        "repository": minimal_repo(world, repo),
        "latest_check_runs_count": len({run.name for run in suite_runs(suite)}),
        "check_runs_url": f"{url}/check-runs",
        "rerequestable": True,
        "runs_rerequestable": True,
        "head_commit": {
            "id": commit.sha,
            "tree_id": commit.tree,
            "message": commit.message,
            "timestamp": instant(commit.committer.at),
            "author": {"name": commit.author.name, "email": commit.author.email},
            "committer": {"name": commit.committer.name, "email": commit.committer.email},
        },
    }


def run_json(world: World, run: CheckRunRecord, *, event: bool = False) -> JsonObject:
    """A check run; in an event its suite is written out."""
    repo = run.suite.repo
    url, html = f"{repo_url(world, repo)}/check-runs/{run.id}", f"{world.root}/{repo.full_name}/runs/{run.id}"
    return {
        "id": run.id,
        "name": run.name,
        "node_id": world.node_id("check_run", run.id),
        "head_sha": run.suite.head_sha,
        "external_id": run.external_id,
        "url": url,
        "html_url": html,
        "details_url": run.details_url or html,
        "status": run.status,
        "conclusion": run.conclusion,
        "started_at": when(run.started),
        "completed_at": when(run.completed),
        "output": {
            "title": run.title,
            "summary": run.summary,
            "text": run.text,
            "annotations_count": len(run.annotations),
            "annotations_url": f"{url}/annotations",
        },
        "check_suite": suite_json(world, run.suite, inside_run=True) if event else {"id": run.suite.id},
        "app": app(world, run.suite.app),
        "pull_requests": pulls_of(world, repo, run.suite.head_sha),
    }


def annotation_json(world: World, run: CheckRunRecord, item: JsonObject) -> JsonObject:
    optional = {key: item.get(key) for key in ("start_column", "end_column", "title", "raw_details")}
    href = f"{world.root}/{run.suite.repo.full_name}/blob/{run.suite.head_sha}/{item['path']}"
    return (
        {key: item[key] for key in ("path", "start_line", "end_line", "annotation_level", "message")}
        | optional
        | {"blob_href": href}
    )


def _short(world: World, repo: Repo) -> JsonObject:
    return {"id": repo.id, "url": repo_url(world, repo), "name": repo.name}

"""Pull requests: listed, opened, changed, merged."""

from __future__ import annotations

from sandbox import actions, events
from sandbox.model import CheckRunRecord, IssueRecord, PullRecord, Repo
from sandbox.routing import Answer, Call, ErrorAnswer, invalid
from sandbox.shapes.git import commit_json, files
from sandbox.shapes.pull import pull_json, pull_simple
from sandbox.store import Conflict

PASSING = frozenset({"success", "neutral", "skipped"})
MOST_FILES = 3000
"""Files of a pull request that GitHub lists at most."""


async def list_pulls(call: Call) -> Answer:
    repo, query = call.repo, call.query
    found = call.world.pulls(repo)
    state, head, base = query.get("state", "open"), query.get("head"), query.get("base")
    if state not in ("open", "closed", "all"):
        raise invalid("PullRequest", "state")
    if state != "all":
        found = [issue for issue in found if issue.state == state]
    if head and ":" in head:  # GitHub ignores a head without its owner
        found = [
            issue for issue in found if issue.pull and f"{issue.pull.head.owner.login}:{issue.pull.head_ref}" == head
        ]
    if base:
        found = [issue for issue in found if issue.pull and issue.pull.base_ref == base]
    return call.page(_sorted(found, query), lambda issue: pull_simple(call.world, issue))


def _sorted(found: list[IssueRecord], query: dict[str, str]) -> list[IssueRecord]:
    """As asked; newest first where nothing is asked."""
    key = query.get("sort", "created")
    down = query.get("direction", "desc" if key == "created" else "asc") == "desc"
    return sorted(
        found, key=lambda issue: (issue.updated if key == "updated" else issue.created, issue.number), reverse=down
    )


async def get_pull(call: Call) -> Answer:
    issue, _ = call.pull
    return Answer(200, pull_json(call.world, issue))


async def create_pull(call: Call) -> Answer:
    repo, world = call.repo, call.world
    title, head, base = (call.field(name, resource="PullRequest") for name in ("title", "head", "base"))
    owner, colon, ref = head.partition(":")
    where: Repo | None = repo
    if colon and owner.casefold() != repo.owner.login.casefold():
        network = (item for item in world.repos.values() if not item.deleted and item.root is repo.root)
        where = next((item for item in network if item.owner.login.casefold() == owner.casefold()), None)
    ref = ref if colon else head
    tip = where.git.ref(f"refs/heads/{ref}") if where else None
    if where is None or tip is None:
        raise invalid("PullRequest", "head")
    target = repo.git.ref(f"refs/heads/{base}")
    if target is None:
        raise invalid("PullRequest", "base")
    for issue, pull in world.open_pulls_from(where, ref):
        if issue.repo is repo and pull.base_ref == base:
            raise invalid(
                "PullRequest", code="custom", message=f"A pull request already exists for {where.owner.login}:{ref}."
            )
    if repo.git.is_ancestor(tip, target):
        raise invalid("PullRequest", code="custom", message=f"No commits between {base} and {ref}")
    made = actions.open_pull(
        world, repo, title, call.body.get("body"), call.actor, where, ref, base, draft=bool(call.body.get("draft"))
    )
    return Answer(201, pull_json(world, made, fresh=True))


async def update_pull(call: Call) -> Answer:
    issue, _ = call.pull
    base = call.body.get("base")
    if base and issue.repo.git.ref(f"refs/heads/{base}") is None:
        raise invalid("PullRequest", "base")
    actions.edit(call.world, issue, call.actor, call.body.get("title"), call.body.get("body"), base)
    change_state(call, issue)
    return Answer(200, pull_json(call.world, issue))


def change_state(call: Call, issue: IssueRecord) -> None:
    """Close or reopen as the body asks. Raises `ErrorAnswer`."""
    wanted = call.body.get("state")
    try:
        if wanted == "closed":
            actions.close(call.world, issue, call.actor, call.body.get("state_reason"))
        elif wanted == "open":
            actions.reopen(call.world, issue, call.actor)
    except ValueError as problem:
        raise invalid("PullRequest", code="custom", message=str(problem)) from None


async def list_files(call: Call) -> Answer:
    issue, pull = call.pull
    base = issue.repo.git.merge_base(pull.base_sha, pull.head_sha)
    changed = files(call.world, issue.repo, base, pull.head_sha)[:MOST_FILES]
    return call.page(changed, dict)


async def list_commits(call: Call) -> Answer:
    issue, pull = call.pull
    git = issue.repo.git
    found = list(reversed(git.history(pull.head_sha, pull.base_sha)))[:250]
    return call.page(found, lambda sha: commit_json(call.world, issue.repo, git.commit(sha)))


async def list_for_commit(call: Call) -> Answer:
    """GET commits/{commit_sha}/pulls: those that contain the commit."""
    repo, sha = call.repo, call.params["commit_sha"]
    if repo.git.kind(sha) != "commit":
        raise ErrorAnswer(422, f"No commit found for SHA: {sha}")
    found = [issue for issue in call.world.pulls(repo) if issue.pull and _contains(repo, issue.pull, sha)]
    return call.page(found, lambda issue: pull_simple(call.world, issue))


def _contains(repo: Repo, pull: PullRecord, sha: str) -> bool:
    return repo.git.is_ancestor(sha, pull.head_sha) and not repo.git.is_ancestor(sha, pull.base_sha)


async def merge(call: Call) -> Answer:
    issue, pull = call.pull
    if issue.state == "closed" or pull.draft:
        raise ErrorAnswer(405, "Pull Request is not mergeable")
    expected = call.body.get("sha")
    if expected and expected != pull.head_sha:
        raise ErrorAnswer(409, "Head branch was modified. Review and try the merge again.")
    waiting = missing_checks(issue.repo, pull.base_ref, pull.head_sha)
    if waiting:
        raise ErrorAnswer(405, f'Required status check "{waiting[0]}" is expected.')
    method = call.body.get("merge_method", "merge")
    try:
        sha = actions.merge(
            call.world,
            issue,
            pull,
            call.actor,
            method,
            call.body.get("commit_title"),
            call.body.get("commit_message", ""),
        )
    except Conflict:
        raise ErrorAnswer(405, "Pull Request is not mergeable") from None
    return Answer(200, {"sha": sha, "merged": True, "message": "Pull Request successfully merged"})


def missing_checks(repo: Repo, branch: str, sha: str) -> list[str]:
    """The required checks of a branch that the commit has not passed, by name."""
    wanted: list[tuple[str, int | None]] = list(repo.protections[branch].checks) if branch in repo.protections else []
    for rule in repo.rules:
        if rule.kind == "required_status_checks" and rule.branch in (branch, "~ALL") and rule.parameters:
            wanted += [
                (item["context"], item.get("integration_id")) for item in rule.parameters["required_status_checks"]
            ]
    newest: dict[tuple[str, int], CheckRunRecord] = {}
    for run in repo.check_runs.values():
        if run.suite.head_sha == sha:
            newest[run.name, run.suite.app.id] = run
    passed = {key for key, run in newest.items() if run.status == "completed" and run.conclusion in PASSING}
    return [name for name, app in wanted if not any(name == key[0] and app in (None, -1, key[1]) for key in passed)]


async def request_reviewers(call: Call) -> Answer:
    issue, pull = call.pull
    for login in call.body.get("reviewers", []):
        who = call.world.accounts.get(str(login).casefold())
        if who is None or (who is not issue.repo.owner and who.login not in issue.repo.permissions):
            raise ErrorAnswer(
                422,
                f"Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the {issue.repo.full_name} repository.",
            )
        if who not in pull.reviewers:
            pull.reviewers.append(who)
            events.pull_request(call.world, issue, "review_requested", call.actor)
    return Answer(201, pull_simple(call.world, issue))

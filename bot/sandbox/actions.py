"""What people and Apps do at GitHub, with everything that follows from it: refs move, pull requests follow, events are sent.

The REST handlers and the world-building calls of `Sandbox` both come here, so that a bot's own push has the effects of anybody's.
"""

from __future__ import annotations

from typing import Any

from sandbox import events
from sandbox.model import Account, App, CheckSuite, CommentRecord, IssueRecord, PullRecord, Repo
from sandbox.objects import Person
from sandbox.world import World

QUEUE = "refs/heads/gh-readonly-queue/"


def move_ref(world: World, repo: Repo, ref: str, sha: str | None, sender: Account) -> None:
    """Create, move or delete (`sha` None) a ref. Raises ValueError for a name that git refuses."""
    before = repo.git.ref(ref)
    if before == sha:
        return
    repo.git.set_ref(ref, sha)
    repo.pushed = world.clock()
    events.push(world, repo, ref, before, sha, sender)
    if not ref.startswith("refs/heads/"):
        return
    branch = ref.removeprefix("refs/heads/")
    if sha and not ref.startswith(QUEUE):
        request_suites(world, repo, sha, branch, before, sender)
    for issue, pull in world.open_pulls_from(repo, branch):
        if sha is None:
            close(world, issue, sender)
        else:
            _synchronize(world, issue, pull, sha, sender)
    for issue in world.pulls(repo):
        if issue.pull and issue.state == "open" and issue.pull.base_ref == branch:
            if sha is None:
                close(world, issue, sender)
            elif repo.git.is_ancestor(issue.pull.head_sha, sha):
                _merged(world, issue, issue.pull, issue.pull.head_sha, sender)


def _synchronize(world: World, issue: IssueRecord, pull: PullRecord, sha: str, sender: Account) -> None:
    before, pull.head_sha, issue.updated = pull.head_sha, sha, world.clock()
    pull.base_sha = issue.repo.git.ref(f"refs/heads/{pull.base_ref}") or pull.base_sha
    issue.repo.git.set_ref(f"refs/pull/{issue.number}/head", sha)
    if pull.head is not issue.repo:
        request_suites(world, issue.repo, sha, None, before, sender)
    events.pull_request(world, issue, "synchronize", sender, before=before, after=sha)


def request_suites(world: World, repo: Repo, sha: str, branch: str | None, before: str | None, sender: Account) -> None:
    """Ask every App that may write checks for its checks on a commit."""
    for place in world.installation_for(repo):
        if place.app.permissions.get("checks") == "write":
            known = find_suite(repo, place.app, sha)
            if known is None:
                events.check_suite(world, suite(world, repo, place.app, sha, branch, before), "requested", sender)


def find_suite(repo: Repo, app: App, sha: str) -> CheckSuite | None:
    return next((item for item in repo.check_suites.values() if item.app is app and item.head_sha == sha), None)


def suite(
    world: World, repo: Repo, app: App, sha: str, branch: str | None = None, before: str | None = None
) -> CheckSuite:
    """The check suite of an App on a commit, made where there is none."""
    found = find_suite(repo, app, sha)
    if found is None:
        if branch is None:
            heads = repo.git.refs("refs/heads/")
            branch = next((ref.removeprefix("refs/heads/") for ref, tip in heads.items() if tip == sha), None)
        found = CheckSuite(
            id=world.new_id("check_suite"),
            repo=repo,
            app=app,
            head_sha=sha,
            head_branch=branch,
            before=before,
            created=world.clock(),
            updated=world.clock(),
        )
        repo.check_suites[found.id] = found
    return found


def add_issue(
    world: World, repo: Repo, title: str, body: str | None, author: Account, pull: PullRecord | None = None
) -> IssueRecord:
    """A new issue or pull request under the next number. The caller sends the event."""
    number = max(repo.issues, default=0) + 1
    made = IssueRecord(
        id=world.new_id("issue"),
        number=number,
        repo=repo,
        title=title,
        body=body,
        author=author,
        created=world.clock(),
        updated=world.clock(),
        pull=pull,
    )
    repo.issues[number] = made
    return made


def open_pull(
    world: World,
    repo: Repo,
    title: str,
    body: str | None,
    author: Account,
    head: Repo,
    head_ref: str,
    base_ref: str,
    *,
    draft: bool = False,
) -> IssueRecord:
    """Open a pull request between two branches that exist."""
    head_sha, base_sha = head.git.ref(f"refs/heads/{head_ref}"), repo.git.ref(f"refs/heads/{base_ref}")
    if head_sha is None or base_sha is None:
        raise ValueError(f"no branch {head_ref if head_sha is None else base_ref}")
    issue = add_issue(
        world,
        repo,
        title,
        body,
        author,
        PullRecord(head=head, head_ref=head_ref, head_sha=head_sha, base_ref=base_ref, base_sha=base_sha, draft=draft),
    )
    repo.git.set_ref(f"refs/pull/{issue.number}/head", head_sha)
    if head is not repo:
        request_suites(world, repo, head_sha, None, None, author)
    events.pull_request(world, issue, "opened", author)
    return issue


def close(world: World, issue: IssueRecord, sender: Account, reason: str | None = None) -> None:
    if issue.state == "closed":
        return
    issue.state, issue.closed, issue.updated = "closed", world.clock(), world.clock()
    if issue.pull:
        events.pull_request(world, issue, "closed", sender)
    else:
        issue.state_reason = reason or "completed"
        events.issues(world, issue, "closed", sender)


def reopen(world: World, issue: IssueRecord, sender: Account) -> None:
    """Open again. Raises ValueError where the branch of a pull request is gone."""
    if issue.state == "open":
        return
    if issue.pull:
        tip = None if issue.pull.head.deleted else issue.pull.head.git.ref(f"refs/heads/{issue.pull.head_ref}")
        if tip is None or issue.pull.merged:
            raise ValueError("state cannot be changed. The repository or branch of this pull request was deleted.")
        issue.pull.head_sha = tip
        issue.pull.base_sha = issue.repo.git.ref(f"refs/heads/{issue.pull.base_ref}") or issue.pull.base_sha
        issue.repo.git.set_ref(f"refs/pull/{issue.number}/head", tip)
    issue.state, issue.closed, issue.updated = "open", None, world.clock()
    issue.state_reason = None if issue.pull else "reopened"
    (events.pull_request if issue.pull else events.issues)(world, issue, "reopened", sender)


def edit(
    world: World,
    issue: IssueRecord,
    sender: Account,
    title: str | None = None,
    body: str | None = None,
    base: str | None = None,
) -> None:
    """Change title, body or (of a pull request) base branch; one event says what was changed."""
    changes: dict[str, Any] = {}
    if title is not None and title != issue.title:
        changes["title"], issue.title = {"from": issue.title}, title
    if body is not None and body != issue.body:
        changes["body"], issue.body = {"from": issue.body}, body
    if issue.pull and base and base != issue.pull.base_ref:
        tip = issue.repo.git.ref(f"refs/heads/{base}")
        if tip is None:
            raise ValueError(f"no branch {base}")
        changes["base"] = {"ref": {"from": issue.pull.base_ref}, "sha": {"from": issue.pull.base_sha}}
        issue.pull.base_ref, issue.pull.base_sha = base, tip
    if changes:
        issue.updated = world.clock()
        (events.pull_request if issue.pull else events.issues)(world, issue, "edited", sender, changes=changes)


def comment(world: World, issue: IssueRecord, author: Account, body: str, app: App | None = None) -> CommentRecord:
    made = CommentRecord(
        id=world.new_id("comment"),
        issue=issue,
        author=author,
        body=body,
        created=world.clock(),
        updated=world.clock(),
        app=app,
    )
    issue.repo.comments[made.id] = made
    issue.updated = world.clock()
    events.issue_comment(world, made, "created", author)
    return made


def merge(
    world: World,
    issue: IssueRecord,
    pull: PullRecord,
    sender: Account,
    method: str = "merge",
    title: str | None = None,
    message: str = "",
) -> str:
    """Merge a pull request into its base; returns the new tip. Raises `Conflict`."""
    git = issue.repo.git
    tip = git.ref(f"refs/heads/{pull.base_ref}") or pull.base_sha
    tree = git.merge(tip, pull.head_sha)
    parents = [tip, pull.head_sha] if method == "merge" else [tip]
    default = (
        f"Merge pull request #{issue.number} from {pull.head.owner.login}/{pull.head_ref}"
        if method == "merge"
        else f"{issue.title} (#{issue.number})"
    )
    github = Person("GitHub", "noreply@github.com", int(world.clock().timestamp()))
    sha = git.write_commit(
        tree, parents, f"{title or default}\n\n{message or issue.title}", world.person(sender.login), github
    )
    _merged(world, issue, pull, sha, sender)
    move_ref(world, issue.repo, f"refs/heads/{pull.base_ref}", sha, sender)
    return sha


def _merged(world: World, issue: IssueRecord, pull: PullRecord, sha: str, sender: Account) -> None:
    pull.merged, pull.merged_by, pull.merge_sha = world.clock(), sender, sha
    close(world, issue, sender)

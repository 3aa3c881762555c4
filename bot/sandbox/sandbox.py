"""A GitHub of one's own: start it, fill it with repositories and people, and let a bot work against it."""

from __future__ import annotations

from collections.abc import Mapping

from sandbox import actions, apps, events, merge_queue
from sandbox.model import (
    AccessToken,
    App,
    BranchRule,
    CheckRunRecord,
    CommentRecord,
    InstallationRecord,
    IssueRecord,
    JsonObject,
    Protection,
    Repo,
)
from sandbox.running import Running

FileEdits = Mapping[str, str | bytes | None]
"""path to content; None removes the file"""


class Sandbox(Running):
    """A GitHub on a free port of 127.0.0.1. Use `await Sandbox.start()`, and `await sandbox.stop()` at the end.

    The calls that change the world send the webhooks that GitHub would send; `await sandbox.settled()` waits until they are answered.
    """

    # Apps and people

    def register_app(
        self,
        webhook_url: str = "",
        secret: str = "sandbox-secret",  # noqa: S107 (nothing in a sandbox is secret)
        name: str = "recipediff",
        owner: str = "octo-org",
        permissions: dict[str, str] | None = None,
        events: list[str] | None = None,
    ) -> App:
        """Register an App; `app.private_key` is its key in PEM."""
        return apps.register(self.world, name, owner, webhook_url, secret, permissions, events)

    def install(self, app: App, owner: str, repos: list[Repo] | None = None) -> InstallationRecord:
        """Install an App on an account: on all its repositories, or on `repos`."""
        return apps.install(self.world, app, owner, repos)

    def uninstall(self, installation: InstallationRecord) -> None:
        """Remove an App from an account; its tokens are worth nothing from now on."""
        apps.uninstall(self.world, installation)

    def suspend(self, installation: InstallationRecord, *, suspended: bool = True) -> None:
        """Suspend an installation, or let it work again."""
        apps.suspend(self.world, installation, suspended=suspended)

    def user_token(self, login: str) -> AccessToken:
        """A personal access token of somebody."""
        return self.world.token("ghp", permissions={}, account=self.world.account(login))

    def workflow_token(self, repo: Repo, permissions: dict[str, str]) -> AccessToken:
        """The token of a workflow run: it belongs to the App github-actions and reaches one repository."""
        app = next((item for item in self.world.apps.values() if item.slug == "github-actions"), None)
        app = app or apps.register(self.world, "GitHub Actions", "github", "", "", {}, [])
        place = next((item for item in self.world.installation_for(repo, app)), None) or apps.install(
            self.world, app, repo.owner.login, None
        )
        return self.world.token(permissions=dict(permissions), installation=place, repositories={repo.id})

    def add_manifest(self, code: str, manifest: JsonObject, owner: str) -> None:
        """What a person's browser would have posted: the manifest that `code` stands for."""
        self.world.manifests[code] = manifest | {"owner": owner}

    def permit(self, repo: Repo, login: str, role: str) -> None:
        """Give somebody a role: admin, maintain, write, triage or read."""
        self.world.account(login)
        repo.permissions[login] = role

    # repositories

    def create_repo(
        self,
        full_name: str,
        files: FileEdits | None = None,
        *,
        private: bool = False,
        default_branch: str = "main",
        licence: str | None = None,
    ) -> Repo:
        """A repository with a first commit. The bot is on it where an installation covers its owner."""
        repo = self.world.add_repo(full_name, private=private, default_branch=default_branch)
        repo.license = licence
        self.commit(
            repo,
            default_branch,
            files if files is not None else {"README.md": f"# {repo.name}\n"},
            "Start",
            notify=False,
        )
        return repo

    def fork(self, repo: Repo, owner: str) -> Repo:
        return self.world.add_repo(
            f"{owner}/{repo.name}", parent=repo, default_branch=repo.default_branch, owner_kind="User"
        )

    def delete_repo(self, repo: Repo) -> None:
        """Delete a repository; pull requests from it stay, without a head repository."""
        repo.deleted = True

    def rename_repo(self, repo: Repo, name: str) -> None:
        """Rename a repository; its old address answers that it moved."""
        self.world.moved[repo.full_name.casefold()] = repo
        repo.name = name

    def commit(
        self, repo: Repo, branch: str, files: FileEdits, message: str, author: str = "octocat", *,
        parent: str | None = None, modes: Mapping[str, str] | None = None, notify: bool = True,
    ) -> str:  # fmt: skip
        """Commit `files` on top of `branch` (or of `parent`, which makes it a force-push where it is not a child) and push.

        A branch that does not exist starts at the default branch. Returns the commit's name.
        """
        git = repo.git
        tip = parent or git.ref(f"refs/heads/{branch}") or git.ref(f"refs/heads/{repo.default_branch}")
        edits = {
            path: None if data is None else ((modes or {}).get(path, "100644"), self._blob(repo, path, data, modes))
            for path, data in files.items()
        }
        tree = git.write_tree(git.commit(tip).tree if tip else None, edits)
        sha = git.write_commit(tree, [tip] if tip else [], message, self.world.person(author))
        if notify:
            self.push(repo, branch, sha, author)
        else:
            git.set_ref(f"refs/heads/{branch}", sha)
        return sha

    def _blob(self, repo: Repo, path: str, data: str | bytes, modes: Mapping[str, str] | None) -> str:
        if (modes or {}).get(path) == "160000":  # a submodule names a commit of elsewhere
            return str(data)
        return repo.git.write("blob", data.encode() if isinstance(data, str) else data)

    def push(self, repo: Repo, branch: str, sha: str | None, author: str = "octocat") -> None:
        """Point a branch at a commit (None deletes it), forwards or by force, with everything that follows."""
        actions.move_ref(self.world, repo, f"refs/heads/{branch}", sha, self.world.account(author))

    # pull requests and issues

    def open_pull(
        self, repo: Repo, branch: str, title: str, body: str | None = None, author: str = "octocat", *,
        base: str | None = None, head: Repo | None = None, draft: bool = False,
    ) -> IssueRecord:  # fmt: skip
        """Open a pull request from `branch` of `head` (a fork; default: the repository itself)."""
        return actions.open_pull(
            self.world,
            repo,
            title,
            body,
            self.world.account(author),
            head or repo,
            branch,
            base or repo.default_branch,
            draft=draft,
        )

    def edit(
        self,
        issue: IssueRecord,
        author: str = "octocat",
        *,
        title: str | None = None,
        body: str | None = None,
        base: str | None = None,
    ) -> None:
        actions.edit(self.world, issue, self.world.account(author), title, body, base)

    def close(self, issue: IssueRecord, author: str = "octocat") -> None:
        actions.close(self.world, issue, self.world.account(author))

    def reopen(self, issue: IssueRecord, author: str = "octocat") -> None:
        actions.reopen(self.world, issue, self.world.account(author))

    def ready(self, issue: IssueRecord, author: str = "octocat") -> None:
        """Mark a draft as ready for review."""
        if issue.pull:
            issue.pull.draft = False
            events.pull_request(self.world, issue, "ready_for_review", self.world.account(author))

    def merge(self, issue: IssueRecord, author: str = "octocat", method: str = "merge") -> str:
        """Merge a pull request, whatever the rules say; returns the new tip. Raises `Conflict`."""
        if issue.pull is None:
            raise ValueError(f"#{issue.number} is no pull request")
        return actions.merge(self.world, issue, issue.pull, self.world.account(author), method)

    def comment(self, issue: IssueRecord, body: str, author: str = "octocat") -> CommentRecord:
        return actions.comment(self.world, issue, self.world.account(author), body)

    # checks, rules and the merge queue

    def rerequest(self, run: CheckRunRecord, author: str = "octocat") -> None:
        """Press "Re-run" on a check run."""
        events.check_run(self.world, run, "rerequested", self.world.account(author))

    def rerequest_suite(self, run: CheckRunRecord, author: str = "octocat") -> None:
        """Press "Re-run all checks"."""
        events.check_suite(self.world, run.suite, "rerequested", self.world.account(author))

    def press(self, run: CheckRunRecord, identifier: str, author: str = "octocat") -> None:
        """Press one of the buttons that a check run offers."""
        events.check_run(
            self.world, run, "requested_action", self.world.account(author), requested_action={"identifier": identifier}
        )

    def protect(self, repo: Repo, branch: str, checks: list[tuple[str, int | None]], *, strict: bool = False) -> None:
        """Classic branch protection: required checks, as (name, App id or None)."""
        repo.protections[branch] = Protection(checks, strict)

    def add_rule(self, repo: Repo, branch: str, kind: str, parameters: JsonObject | None = None) -> None:
        """A rule of a ruleset (`required_status_checks`, `merge_queue`, …) for a branch, or for "~ALL"."""
        repo.rules.append(BranchRule(kind, branch, parameters))

    def enqueue(self, *pulls: IssueRecord, author: str = "octocat") -> merge_queue.MergeGroup:
        """Put pull requests into the merge queue as one group. Raises `Conflict`."""
        return merge_queue.enqueue(self.world, pulls, self.world.account(author))

    def finish(self, group: merge_queue.MergeGroup, author: str = "octocat") -> bool:
        """Merge a group if it passed its required checks, else drop it; returns whether it was merged."""
        return merge_queue.finish(self.world, group, self.world.account(author))

    # looking

    def check_runs(self, repo: Repo, sha: str | None = None) -> list[CheckRunRecord]:
        """Every check run of a repository, or of one commit, oldest first."""
        return [run for run in repo.check_runs.values() if sha in (None, run.suite.head_sha)]

    def comments(self, issue: IssueRecord) -> list[CommentRecord]:
        return [item for item in issue.repo.comments.values() if item.issue is issue]

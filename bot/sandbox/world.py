"""The state of one sandboxed GitHub: who and what exists, under which ids, at what time."""

from __future__ import annotations

import base64
import itertools
import os
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sandbox.hooks import Hooks
from sandbox.model import (
    AccessToken,
    Account,
    App,
    CheckRunRecord,
    InstallationRecord,
    IssueRecord,
    JsonObject,
    Label,
    PullRecord,
    Repo,
)
from sandbox.objects import Person
from sandbox.store import GitRepository

Clock = Callable[[], datetime]

NODE_PREFIXES = {
    "account": "U", "app": "A", "repo": "R", "issue": "I", "pull": "PR", "comment": "IC", "label": "LA", "check_run": "CR",
    "check_suite": "CS", "reaction": "REA", "commit": "C", "ref": "REF", "blob": "B", "installation": "MDIzOkludGVncmF0aW9uSW5zdGFsbGF0aW9u",
}  # fmt: skip


def now() -> datetime:
    """The real time, to the second, as GitHub keeps it."""
    return datetime.now(UTC).replace(microsecond=0)


class World:
    """Everything that this GitHub knows. `folder` holds the git repositories; `clock` returns the time."""

    def __init__(self, folder: Path, clock: Clock = now) -> None:
        self.folder = folder
        self.clock = clock
        self.root = ""
        self._ids: defaultdict[str, Iterator[int]] = defaultdict(lambda: itertools.count(1001))
        self.accounts: dict[str, Account] = {}
        self.apps: dict[int, App] = {}
        self.installations: dict[int, InstallationRecord] = {}
        self.repos: dict[int, Repo] = {}
        self.tokens: dict[str, AccessToken] = {}
        self.manifests: dict[str, JsonObject] = {}
        self.hooks = Hooks(self)
        self.tree_limit = 100_000
        """entries after which a recursive tree is cut and called truncated"""
        self.blob_limit = 100 * 1024 * 1024
        self.rate_limit = 5000
        """requests an hour that a token may send"""
        self.anonymous = AccessToken(text="", expires=clock(), permissions={})
        self.anonymous_limit = 60
        self.moved: dict[str, Repo] = {}
        """repositories by the names that they had before, in lower case"""
        self.signed: set[str] = set()
        """commits that GitHub signed, because an App made them in its own name"""
        self.before: list[Callable[[Any], None]] = []

    @property
    def api(self) -> str:
        """Where the REST API answers."""
        return f"{self.root}/api/v3"

    def new_id(self, kind: str) -> int:
        return next(self._ids[kind])

    def node_id(self, kind: str, key: int | str) -> str:
        """An opaque id that is the same for the same thing."""
        return f"{NODE_PREFIXES[kind]}_{base64.urlsafe_b64encode(str(key).encode()).decode().rstrip('=')}"

    def account(self, login: str, kind: str = "User") -> Account:
        """The account of that login (any letter case), made where there is none."""
        return self.accounts.setdefault(login.casefold(), Account(self.new_id("account"), login, kind))

    def repo(self, full_name: str) -> Repo | None:
        """A repository that exists, by owner/name in any letter case."""
        wanted = full_name.casefold()
        return next(
            (repo for repo in self.repos.values() if not repo.deleted and repo.full_name.casefold() == wanted), None
        )

    def add_repo(
        self,
        full_name: str,
        *,
        private: bool = False,
        parent: Repo | None = None,
        default_branch: str = "main",
        owner_kind: str = "Organization",
    ) -> Repo:
        """Make an empty repository, or a fork of `parent` with its branches."""
        login, _, name = full_name.partition("/")
        if self.repo(full_name):
            raise ValueError(f"{full_name} exists")
        number = self.new_id("repo")
        path = self.folder / f"{number}-{name}.git"
        git = GitRepository(path, default_branch, parent.root.git.objects if parent else None)
        made = Repo(
            id=number,
            owner=self.account(login, owner_kind),
            name=name,
            git=git,
            created=self.clock(),
            pushed=self.clock(),
            default_branch=default_branch,
            private=private,
            parent=parent,
        )
        if parent:
            made.license = parent.license
            for ref, sha in parent.git.refs("refs/heads/").items():
                git.set_ref(ref, sha)
        self.repos[number] = made
        return made

    def installation_for(self, repo: Repo, app: App | None = None) -> list[InstallationRecord]:
        """The installations that cover a repository, of one App or of all."""
        return [
            item
            for item in self.installations.values()
            if item.account is repo.owner
            and (app is None or item.app is app)
            and (item.repositories is None or repo.id in item.repositories)
        ]

    def pulls(self, repo: Repo) -> list[IssueRecord]:
        """The pull requests of a repository, oldest first."""
        return [issue for issue in repo.issues.values() if issue.pull]

    def open_pulls_from(self, head: Repo, ref: str) -> list[tuple[IssueRecord, PullRecord]]:
        """Open pull requests, in any repository, whose head is that branch."""
        return [
            (issue, issue.pull)
            for repo in self.repos.values()
            if not repo.deleted
            for issue in repo.issues.values()
            if issue.pull and issue.state == "open" and issue.pull.head is head and issue.pull.head_ref == ref
        ]

    def label(self, repo: Repo, name: str) -> Label:
        return repo.labels.setdefault(name.casefold(), Label(self.new_id("label"), name))

    def check_run(self, repo: Repo, number: int) -> CheckRunRecord | None:
        return repo.check_runs.get(number)

    def token(self, prefix: str = "ghs", **fields: object) -> AccessToken:
        """A new token, good for an hour. It is guessable on purpose: nothing in a sandbox is secret."""
        text = f"{prefix}_sandbox{self.new_id('token'):032d}"
        made = AccessToken(text=text, expires=self.clock() + timedelta(hours=1), **fields)  # type: ignore[arg-type]
        self.tokens[text] = made
        return made

    def person(self, login: str) -> Person:
        """The author line of somebody's commit, now."""
        account = self.account(login)
        return Person(
            account.login, f"{account.id}+{account.login}@users.noreply.github.com", int(self.clock().timestamp())
        )


def temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """A folder in memory, where the machine has one with room to spare: repositories are many small files."""
    memory = Path("/dev/shm")  # noqa: S108 (the folder inside is made by tempfile)
    roomy = memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 512 * 1024 * 1024
    return tempfile.TemporaryDirectory(prefix="recipediff-sandbox-", dir=memory if roomy else None)

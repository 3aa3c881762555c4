"""What a world of GitHub holds: people, apps, repositories, pull requests, checks. Plain records, no behaviour.

Times are aware datetimes in UTC. Identifiers are unique within a kind.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sandbox.store import GitRepository

JsonObject = dict[str, Any]


@dataclass(slots=True)
class Account:
    """A person, an organisation or the bot account of an App. `kind` is User, Organization or Bot."""

    id: int
    login: str
    kind: str = "User"


@dataclass(slots=True, kw_only=True)
class App:
    """A registered GitHub App."""

    id: int
    slug: str
    name: str
    owner: Account
    bot: Account
    client_id: str
    public_key: str
    private_key: str
    permissions: dict[str, str]
    events: list[str]
    created: datetime
    webhook_url: str = ""
    secret: str = ""
    client_secret: str = ""
    setup_url: str = ""
    content_type: str = "json"
    insecure_ssl: str = "0"


@dataclass(slots=True, kw_only=True)
class InstallationRecord:
    """An App on an account; `repositories` is None for all of them, else the ids of the chosen ones."""

    id: int
    app: App
    account: Account
    created: datetime
    repositories: set[int] | None = None
    suspended: datetime | None = None


@dataclass(slots=True, kw_only=True)
class AccessToken:
    """What a request may do: an installation token, or a person's. `repositories` is None for all of the installation's."""

    text: str
    expires: datetime
    permissions: dict[str, str]
    installation: InstallationRecord | None = None
    account: Account | None = None
    repositories: set[int] | None = None
    used: int = 0
    window: datetime = field(default=datetime(1970, 1, 1, tzinfo=UTC))
    """when the count of requests starts again"""


@dataclass(slots=True)
class Label:
    id: int
    name: str
    color: str = "ededed"
    description: str = ""


@dataclass(slots=True)
class BranchRule:
    """One rule of a ruleset, as `GET rules/branches` lists it."""

    kind: str
    branch: str
    parameters: JsonObject | None = None
    ruleset: int = 1


@dataclass(slots=True)
class Protection:
    """Classic protection of one branch: required checks as (context, app id or None)."""

    checks: list[tuple[str, int | None]]
    strict: bool = False


@dataclass(slots=True, kw_only=True)
class Repo:
    """A repository: its git data, and everything that hangs on it by number or id."""

    id: int
    owner: Account
    name: str
    git: GitRepository
    created: datetime
    pushed: datetime
    default_branch: str = "main"
    private: bool = False
    archived: bool = False
    deleted: bool = False
    description: str | None = None
    license: str | None = None
    parent: Repo | None = None
    permissions: dict[str, str] = field(default_factory=dict)
    """login to admin, maintain, write, triage or read"""
    issues: dict[int, IssueRecord] = field(default_factory=dict)
    """issues and pull requests, which share their numbers"""
    comments: dict[int, CommentRecord] = field(default_factory=dict)
    labels: dict[str, Label] = field(default_factory=dict)
    check_suites: dict[int, CheckSuite] = field(default_factory=dict)
    check_runs: dict[int, CheckRunRecord] = field(default_factory=dict)
    rules: list[BranchRule] = field(default_factory=list)
    protections: dict[str, Protection] = field(default_factory=dict)

    @property
    def full_name(self) -> str:
        return f"{self.owner.login}/{self.name}"

    @property
    def root(self) -> Repo:
        return self.parent.root if self.parent else self


@dataclass(slots=True, kw_only=True)
class PullRecord:
    """What a pull request has beyond an issue. `head` is the repository that the branch is in, also after its deletion."""

    head: Repo
    head_ref: str
    head_sha: str
    base_ref: str
    base_sha: str
    draft: bool = False
    merged: datetime | None = None
    merged_by: Account | None = None
    merge_sha: str | None = None
    reviewers: list[Account] = field(default_factory=list)
    teams: list[str] = field(default_factory=list)
    maintainer_can_modify: bool = True


@dataclass(slots=True, kw_only=True)
class IssueRecord:
    id: int
    number: int
    repo: Repo
    title: str
    body: str | None
    author: Account
    created: datetime
    updated: datetime
    state: str = "open"
    state_reason: str | None = None
    closed: datetime | None = None
    locked: bool = False
    labels: list[Label] = field(default_factory=list)
    assignees: list[Account] = field(default_factory=list)
    pull: PullRecord | None = None


@dataclass(slots=True, kw_only=True)
class CommentRecord:
    """A comment on an issue or pull request; `app` is the App that wrote it, if one did."""

    id: int
    issue: IssueRecord
    author: Account
    body: str
    created: datetime
    updated: datetime
    app: App | None = None
    reactions: list[Reaction] = field(default_factory=list)


@dataclass(slots=True)
class Reaction:
    id: int
    account: Account
    content: str
    created: datetime


@dataclass(slots=True, kw_only=True)
class CheckSuite:
    id: int
    repo: Repo
    app: App
    head_sha: str
    head_branch: str | None
    before: str | None
    created: datetime
    updated: datetime


@dataclass(slots=True, kw_only=True)
class CheckRunRecord:
    id: int
    suite: CheckSuite
    name: str
    status: str = "queued"
    conclusion: str | None = None
    external_id: str = ""
    details_url: str | None = None
    started: datetime | None = None
    completed: datetime | None = None
    title: str | None = None
    summary: str | None = None
    text: str | None = None
    annotations: list[JsonObject] = field(default_factory=list)
    actions: list[JsonObject] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class DeliveryRecord:
    """One attempt to deliver one event to an App. A redelivery is a new attempt with the same `guid`."""

    id: int
    guid: str
    event: str
    action: str | None
    app: App
    payload: JsonObject
    at: datetime
    installation: int | None = None
    repository: int | None = None
    redelivery: bool = False
    duration: float = 0.0
    status: str = "pending"
    status_code: int = 0
    request_headers: dict[str, str] = field(default_factory=dict)
    response_headers: dict[str, str] = field(default_factory=dict)
    response_body: str = ""

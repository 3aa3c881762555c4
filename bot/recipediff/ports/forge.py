"""What the use cases do at GitHub, as narrow protocols with plain data. Every call may raise `Missing` or `Unavailable`;
writes may raise `Refused` too (see `recipediff.ports.repository`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from recipediff.core.output import Annotation, Button, Output
from recipediff.ports.repository import Repository

__all__ = [
    "Access",
    "Annotation",
    "Branches",
    "Button",
    "CheckRun",
    "Checks",
    "Comment",
    "Comments",
    "Commit",
    "Forge",
    "History",
    "Home",
    "Issue",
    "Issues",
    "Output",
    "PullRequest",
    "PullRequests",
    "UpstreamRepository",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequest:
    """A pull request as far as the use cases look at it. `comments` is None where the source (a listing) does not say."""

    number: int
    title: str
    body: str
    author: str
    state: Literal["open", "closed"]
    draft: bool
    merged: bool
    head_sha: str
    head_ref: str
    head_repo: str | None
    """`owner/name`; None where the fork was deleted."""
    base_sha: str
    base_ref: str
    base_repo: str
    labels: tuple[str, ...] = ()
    comments: int | None = None
    updated_at: str = ""
    created_at: str = ""

    @property
    def from_fork(self) -> bool:
        """Whether the head is (or was) in another repository."""
        return self.head_repo is None or self.head_repo.lower() != self.base_repo.lower()


class PullRequests(Protocol):
    """The pull requests of one repository."""

    async def get(self, number: int) -> PullRequest:
        """As it is now."""

    async def listed(
        self, *, state: Literal["open", "closed", "all"] = "open", head: str = "", base: str = "", most: int = 0
    ) -> Sequence[PullRequest]:
        """Newest first. `head` is a branch of this repository; `most` ends the list early, 0 is all of them."""

    async def create(self, *, head: str, base: str, title: str, body: str) -> PullRequest:
        """Opens one from the branch `head`. Raises `Refused` where one is open for it already."""

    async def update(
        self,
        number: int,
        *,
        title: str | None = None,
        body: str | None = None,
        state: Literal["open", "closed"] | None = None,
    ) -> PullRequest:
        """Changes what is given."""

    async def ask_for_review(self, number: int, reviewers: Sequence[str]) -> None:
        """Of accounts, and of teams as `owner/team`. Raises `Refused` where one may not review here."""

    async def merge(self, number: int, *, head_sha: str) -> None:
        """Merges it as it is at `head_sha`. Raises `Refused` where it is not, or where the rules do not let it in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRun:
    """A check run. `conclusion` is empty until it is `completed`."""

    id: int
    name: str
    head_sha: str
    status: str
    conclusion: str
    external_id: str
    app: str
    """The slug of the App that made it."""
    title: str
    summary: str
    annotations: int
    url: str = ""
    pulls: tuple[int, ...] = ()
    """Open pull requests of this repository whose head the commit is, as far as GitHub says (never those of forks)."""


class Checks(Protocol):
    """The check runs of one repository."""

    async def named(self, head_sha: str, name: str) -> Sequence[CheckRun]:
        """Those called `name` on a commit, the latest of each App first."""

    async def start(
        self, name: str, head_sha: str, *, output: Output | None = None, external_id: str = "", url: str = ""
    ) -> CheckRun:
        """A check run in progress."""

    async def conclude(self, run: int, conclusion: str, output: Output, *, shown: int = 0, url: str = "") -> CheckRun:
        """Annotations after the first `shown` in batches of 50, and with the last batch the conclusion."""

    async def publish(
        self, name: str, head_sha: str, conclusion: str, output: Output, *, external_id: str = "", url: str = ""
    ) -> CheckRun:
        """Start and conclusion in as few requests as the annotations allow: one for up to 50."""


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on an issue or pull request. `app` is the slug of the App that wrote it, else empty."""

    id: int
    author: str
    body: str
    app: str = ""


class Comments(Protocol):
    """The comments on the issues and pull requests of one repository."""

    async def find(self, number: int, marker: str, author: str) -> Comment | None:
        """The first comment that begins with `marker` and was written by the account `author`, exactly."""

    async def create(self, number: int, body: str) -> Comment:
        """Adds one."""

    async def edit(self, comment: int, body: str) -> Comment:
        """Replaces its text."""

    async def react(self, comment: int, reaction: Literal["+1", "-1", "eyes", "confused", "rocket"]) -> None:
        """Adds a reaction; a second of the same kind changes nothing."""


class Access(Protocol):
    """Who may do what in one repository."""

    async def permission(self, user: str) -> Literal["admin", "write", "read", "none"]:
        """Of an account; `none` for one that does not exist."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """One commit. `date` is the committer's, ISO 8601; `author` the account or else the name."""

    sha: str
    subject: str
    author: str
    date: str
    parents: tuple[str, ...] = ()


class History(Protocol):
    """The commits of one repository."""

    async def default_branch(self) -> str:
        """Its name."""

    async def tip(self, branch: str) -> str | None:
        """The full id of the commit that a branch is at; None where there is no such branch."""

    async def contains(self, branch: str, commit: str) -> bool:
        """Whether `commit` is reachable from the branch: a fork's commit is served under the parent's name too."""

    async def merge_base(self, one: str, other: str) -> str:
        """The commit at which two histories part. Raises `Missing` where they share none."""

    async def commits(self, branch: str, path: str = "", *, most: int = 100) -> Sequence[Commit]:
        """Newest first, those that touched `path`, at most so many."""


class Branches(Protocol):
    """Writing commits and branches. Nothing is ever forced."""

    async def commit(self, files: Mapping[str, str], *, parents: Sequence[str], message: str) -> str:
        """A commit on the tree of the first parent with the texts of `files` put in place; modes are kept. Its full id."""

    async def create(self, branch: str, commit: str) -> None:
        """Raises `Moved` where the branch exists."""

    async def advance(self, branch: str, *, expected: str, to: str) -> None:
        """Moves the branch to a descendant of `expected`. Raises `Moved` where it is not at `expected` any more."""

    async def delete(self, branch: str, *, expected: str) -> None:
        """Raises `Moved` where it is not at `expected` any more; one that is gone is fine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """An issue (never a pull request)."""

    number: int
    title: str
    body: str
    author: str
    state: Literal["open", "closed"]
    labels: tuple[str, ...] = ()


class Issues(Protocol):
    """The issues and labels of one repository."""

    async def listed(self, *, state: Literal["open", "closed", "all"] = "open", label: str = "") -> Sequence[Issue]:
        """Newest first."""

    async def create(self, *, title: str, body: str, labels: Sequence[str] = ()) -> Issue:
        """Opens one."""

    async def update(
        self,
        number: int,
        *,
        title: str | None = None,
        body: str | None = None,
        state: Literal["open", "closed"] | None = None,
    ) -> Issue:
        """Changes what is given."""

    async def label(self, number: int, labels: Sequence[str]) -> None:
        """Adds labels to an issue or pull request; GitHub makes those that do not exist."""

    async def assign(self, number: int, assignees: Sequence[str]) -> None:
        """Adds assignees to an issue or pull request; GitHub leaves out who cannot be assigned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """The repository that is kept honest, with everything that the use cases do in it."""

    name: str
    installation: int
    repository: Repository
    pulls: PullRequests
    checks: Checks
    comments: Comments
    access: Access
    history: History
    branches: Branches
    issues: Issues


@dataclass(frozen=True, slots=True)
class UpstreamRepository:
    """A repository that is only read."""

    repository: Repository
    history: History


class Forge(Protocol):
    """Where the repositories are."""

    def home(self, name: str, installation: int) -> Home:
        """`owner/name`, through the App's installation. Raises `Missing` for a name that cannot be one."""

    def upstream(self, name: str, home: Home) -> UpstreamRepository:
        """A configured upstream of `home`, read at `home`'s expense."""

"""What a handler gets and gives: one call, one answer, or a problem that is worded as GitHub words it."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from sandbox.model import AccessToken, Account, App, CommentRecord, IssueRecord, JsonObject, PullRecord, Repo
from sandbox.shapes.base import DOCS
from sandbox.world import World

PER_PAGE, MOST_PER_PAGE = 30, 100


class ErrorAnswer(Exception):
    """An answer that says what is wrong."""

    def __init__(
        self, status: int, message: str, errors: list[Any] | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.headers = dict(headers or {})
        self.body: JsonObject = {"message": message, "documentation_url": DOCS, "status": str(status)}
        if errors is not None:
            self.body["errors"] = errors


def not_found() -> ErrorAnswer:
    return ErrorAnswer(404, "Not Found")


def invalid(resource: str, name: str | None = None, code: str = "invalid", message: str | None = None) -> ErrorAnswer:
    """A 422 that names what is wrong with one field."""
    error = (
        {"resource": resource, "code": code}
        | ({"field": name} if name else {})
        | ({"message": message} if message else {})
    )
    return ErrorAnswer(422, "Validation Failed", [error])


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, body (JSON, or text with its `media` type) and extra headers."""

    status: int
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    media: str = "application/json"


@dataclass(slots=True, kw_only=True)
class Call:
    """One request, with who asks and what is asked for."""

    world: World
    method: str
    path: str
    params: dict[str, str]
    query: dict[str, str]
    headers: Mapping[str, str]
    body: JsonObject
    token: AccessToken | None = None
    app: App | None = None
    """the App, for requests signed with its key"""

    @property
    def actor(self) -> Account:
        """On whose behalf this is done. Raises `ErrorAnswer` for anonymous calls."""
        if self.token is None:
            raise ErrorAnswer(401, "Requires authentication")
        if self.token.installation:
            return self.token.installation.app.bot
        if self.token.account is None:
            raise ErrorAnswer(401, "Bad credentials")
        return self.token.account

    @property
    def by_app(self) -> App | None:
        return self.token.installation.app if self.token and self.token.installation else None

    @property
    def signed_by(self) -> App:
        """The App that signed this request. Raises `ErrorAnswer`."""
        if self.app is None:
            raise ErrorAnswer(401, "A JSON web token could not be decoded")
        return self.app

    @property
    def repo(self) -> Repo:
        """The repository of the path. Raises `ErrorAnswer`."""
        name = f"{self.params['owner']}/{self.params['repo']}"
        found = self.world.repo(name)
        if found is None:
            moved = self.world.moved.get(name.casefold())
            if moved is None or moved.deleted:
                raise not_found()
            place = f"{self.world.api}{self.path.replace(name, moved.full_name, 1)}"
            raise ErrorAnswer(301 if self.method == "GET" else 307, "Moved Permanently", headers={"Location": place})
        return found

    def number(self, name: str) -> int:
        """A numeric part of the path. Raises `ErrorAnswer`."""
        text = self.params[name]
        if not text.isascii() or not text.isdigit():
            raise not_found()
        return int(text)

    @property
    def issue(self) -> IssueRecord:
        """The issue or pull request of the path. Raises `ErrorAnswer`."""
        found = self.repo.issues.get(self.number("issue_number" if "issue_number" in self.params else "pull_number"))
        if found is None:
            raise not_found()
        return found

    @property
    def pull(self) -> tuple[IssueRecord, PullRecord]:
        """The pull request of the path. Raises `ErrorAnswer`."""
        issue = self.issue
        if issue.pull is None:
            raise not_found()
        return issue, issue.pull

    @property
    def comment(self) -> CommentRecord:
        found = self.repo.comments.get(self.number("comment_id"))
        if found is None:
            raise not_found()
        return found

    def field(self, name: str, kind: type = str, *, resource: str = "") -> Any:
        """A required field of the body, of that type. Raises `ErrorAnswer`."""
        value = self.body.get(name)
        if value is None:
            raise invalid(resource or "Request", name, "missing_field")
        if not isinstance(value, kind):
            raise invalid(resource or "Request", name)
        return value

    def page(
        self, items: list[Any], shape: Callable[[Any], JsonObject], wrap: str | None = None, **more: Any
    ) -> Answer:
        """One page of `items`, with the Link header; `wrap` names the list inside an object with `total_count`."""
        size = min(max(_whole(self.query.get("per_page"), PER_PAGE), 1), MOST_PER_PAGE)
        page = max(_whole(self.query.get("page"), 1), 1)
        last = max(-(-len(items) // size), 1)
        shown = [shape(item) for item in items[(page - 1) * size : page * size]]
        links = {
            "prev": page - 1 if page > 1 else 0,
            "next": page + 1 if page < last else 0,
            "last": last if page < last else 0,
            "first": 1 if page > 1 else 0,
        }
        link = ", ".join(
            f'<{self.address(page=str(number))}>; rel="{name}"' for name, number in links.items() if number
        )
        return Answer(
            200, {"total_count": len(items), wrap: shown} | more if wrap else shown, {"Link": link} if link else {}
        )

    def address(self, **changes: str) -> str:
        """This request's address with other query parameters."""
        return f"{self.world.api}{self.path}?{urlencode(self.query | changes)}"


RouteHandler = Callable[[Call], Awaitable[Answer]]


@dataclass(frozen=True, slots=True, kw_only=True)
class GitHubOperation:
    """One operation: its place in GitHub's description, who may call it, and what answers.

    `needs` is "permission:level" for an installation token; "app" for a request signed with the App's key; "" for anyone.
    """

    method: str
    path: str
    operation: str
    needs: str
    handler: RouteHandler


def decode_content(call: Call) -> bytes:
    """The bytes of a blob that somebody sends. Raises `ErrorAnswer`."""
    text = call.field("content")
    if call.body.get("encoding", "utf-8") != "base64":
        return str(text).encode("utf-8", "surrogateescape")
    try:
        return base64.b64decode(text)
    except (binascii.Error, ValueError):
        raise ErrorAnswer(422, "content is not valid Base64") from None


def _whole(text: str | None, default: int) -> int:
    return int(text) if text and text.isascii() and text.isdigit() else default

"""Comments, issues, labels and permissions of one repository."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import aclosing
from typing import Any, Literal

from recipediff.adapters.github.http.client import GitHubClient
from recipediff.adapters.github.http.route import PathValue, repository
from recipediff.adapters.github.http.shape import legible
from recipediff.adapters.github.pulls import login
from recipediff.ports.errors import Missing
from recipediff.ports.forge import Comment, Issue

_ISSUES = "/repos/{owner}/{repo}/issues"
_ISSUE = "/repos/{owner}/{repo}/issues/{issue_number}"
_COMMENT = "/repos/{owner}/{repo}/issues/comments/{comment_id}"


class GitHubComments:
    """Comments on issues and pull requests through `client`."""

    def __init__(self, client: GitHubClient, name: str) -> None:
        self._client = client
        self._fields = repository(name)

    async def find(self, number: int, marker: str, author: str) -> Comment | None:
        """The first comment that begins with `marker` and was written by the account `author`, exactly."""
        pages = self._client.pages(f"GET {_ISSUE}/comments", {**self._fields, "issue_number": number})
        async with aclosing(pages) as items:
            async for item in items:
                found = comment_of(item)
                if found.author == author and found.body.startswith(marker):
                    return found
        return None

    async def create(self, number: int, body: str) -> Comment:
        """Adds one."""
        fields = {**self._fields, "issue_number": number}
        return comment_of(await self._client.call(f"POST {_ISSUE}/comments", fields, data={"body": body}))

    async def edit(self, comment: int, body: str) -> Comment:
        """Replaces its text."""
        fields = {**self._fields, "comment_id": comment}
        return comment_of(await self._client.call(f"PATCH {_COMMENT}", fields, data={"body": body}))

    async def react(self, comment: int, reaction: Literal["+1", "-1", "eyes", "confused", "rocket"]) -> None:
        """Adds a reaction; a second of the same kind changes nothing."""
        fields = {**self._fields, "comment_id": comment}
        await self._client.call(f"POST {_COMMENT}/reactions", fields, data={"content": reaction})


class GitHubIssues:
    """Issues and labels through `client`."""

    def __init__(self, client: GitHubClient, name: str) -> None:
        self._client = client
        self._fields = repository(name)

    async def listed(self, *, state: Literal["open", "closed", "all"] = "open", label: str = "") -> Sequence[Issue]:
        """Newest first. GitHub lists pull requests as issues too; they are left out."""
        query: dict[str, PathValue] = {"state": state}
        if label:
            query["labels"] = label
        items = self._client.pages(f"GET {_ISSUES}", self._fields, query=query)
        return [issue_of(item) async for item in items if "pull_request" not in item]

    async def create(self, *, title: str, body: str, labels: Sequence[str] = ()) -> Issue:
        """Opens one."""
        data = {"title": title, "body": body, "labels": list(labels)}
        return issue_of(await self._client.call(f"POST {_ISSUES}", self._fields, data=data))

    async def update(
        self,
        number: int,
        *,
        title: str | None = None,
        body: str | None = None,
        state: Literal["open", "closed"] | None = None,
    ) -> Issue:
        """Changes what is given."""
        given = {"title": title, "body": body, "state": state}
        data = {key: value for key, value in given.items() if value is not None}
        return issue_of(await self._client.call(f"PATCH {_ISSUE}", {**self._fields, "issue_number": number}, data=data))

    async def label(self, number: int, labels: Sequence[str]) -> None:
        """Adds labels to an issue or pull request; GitHub makes those that do not exist."""
        fields = {**self._fields, "issue_number": number}
        await self._client.call(f"POST {_ISSUE}/labels", fields, data={"labels": list(labels)})

    async def assign(self, number: int, assignees: Sequence[str]) -> None:
        """Adds assignees to an issue or pull request; GitHub leaves out who cannot be assigned."""
        fields = {**self._fields, "issue_number": number}
        await self._client.call(f"POST {_ISSUE}/assignees", fields, data={"assignees": list(assignees)})


class GitHubAccess:
    """Who may do what, through `client`."""

    def __init__(self, client: GitHubClient, name: str) -> None:
        self._client = client
        self._fields = repository(name)

    async def permission(self, user: str) -> Literal["admin", "write", "read", "none"]:
        """Of an account; `none` for one that does not exist. Roles between are told as the next lower one."""
        operation = "GET /repos/{owner}/{repo}/collaborators/{username}/permission"
        try:
            answer = await self._client.call(operation, {**self._fields, "username": user})
        except Missing:
            return "none"
        with legible("a permission"):
            found = answer["permission"]
            return found if found in {"admin", "write", "read"} else "none"


def comment_of(data: Mapping[str, Any]) -> Comment:
    """A comment as GitHub writes it. Raises `Unavailable` (`bad-answer`)."""
    with legible("a comment"):
        app = (data.get("performed_via_github_app") or {}).get("slug") or ""
        return Comment(int(data["id"]), login(data.get("user")), str(data.get("body") or ""), str(app))


def issue_of(data: Mapping[str, Any]) -> Issue:
    """An issue as GitHub writes it. Raises `Unavailable` (`bad-answer`)."""
    with legible("an issue"):
        labels = [label if isinstance(label, str) else label.get("name") for label in data.get("labels") or ()]
        return Issue(
            number=int(data["number"]),
            title=str(data["title"]),
            body=str(data.get("body") or ""),
            author=login(data.get("user")),
            state="closed" if data["state"] == "closed" else "open",
            labels=tuple(str(label) for label in labels if label),
        )

"""The pull requests of one repository."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import aclosing
from typing import Any, Literal

from recipediff.adapters.github.http.client import GitHubClient
from recipediff.adapters.github.http.route import PathValue, repository
from recipediff.adapters.github.http.shape import legible
from recipediff.ports.forge import PullRequest

_PULLS = "/repos/{owner}/{repo}/pulls"
_PULL = "/repos/{owner}/{repo}/pulls/{pull_number}"


class GitHubPulls:
    """Reads and writes pull requests through `client`."""

    def __init__(self, client: GitHubClient, name: str) -> None:
        self._client = client
        self._fields = repository(name)

    async def get(self, number: int) -> PullRequest:
        """As it is now."""
        return pull_request(await self._client.call(f"GET {_PULL}", {**self._fields, "pull_number": number}))

    async def listed(
        self, *, state: Literal["open", "closed", "all"] = "open", head: str = "", base: str = "", most: int = 0
    ) -> Sequence[PullRequest]:
        """Newest first. `head` is a branch of this repository; `most` ends the list early, 0 is all of them."""
        query: dict[str, PathValue] = {"state": state}
        if head:
            query["head"] = f"{self._fields['owner']}:{head}"
        if base:
            query["base"] = base
        found: list[PullRequest] = []
        async with aclosing(self._client.pages(f"GET {_PULLS}", self._fields, query=query)) as items:
            async for item in items:
                found.append(pull_request(item))
                if len(found) == most:
                    break
        return found

    async def create(self, *, head: str, base: str, title: str, body: str) -> PullRequest:
        """Opens one from the branch `head`. Raises `Refused` where one is open for it already."""
        data = {"head": head, "base": base, "title": title, "body": body, "maintainer_can_modify": True}
        return pull_request(await self._client.call(f"POST {_PULLS}", self._fields, data=data))

    async def update(
        self,
        number: int,
        *,
        title: str | None = None,
        body: str | None = None,
        state: Literal["open", "closed"] | None = None,
    ) -> PullRequest:
        """Changes what is given."""
        given = {"title": title, "body": body, "state": state}
        data = {key: value for key, value in given.items() if value is not None}
        return pull_request(
            await self._client.call(f"PATCH {_PULL}", {**self._fields, "pull_number": number}, data=data)
        )

    async def ask_for_review(self, number: int, reviewers: Sequence[str]) -> None:
        """Of accounts, and of teams as `owner/team`. Raises `Refused` where one may not review here."""
        data = {
            "reviewers": [name for name in reviewers if "/" not in name],
            "team_reviewers": [name.partition("/")[2] for name in reviewers if "/" in name],
        }
        fields = {**self._fields, "pull_number": number}
        await self._client.call(f"POST {_PULL}/requested_reviewers", fields, data=data)

    async def merge(self, number: int, *, head_sha: str) -> None:
        """Merges it as it is at `head_sha`. Raises `Refused` where it is not, or where the rules do not let it in."""
        fields = {**self._fields, "pull_number": number}
        await self._client.call(f"PUT {_PULL}/merge", fields, data={"sha": head_sha})


def pull_request(data: Mapping[str, Any]) -> PullRequest:
    """A pull request as GitHub writes it, in answers and in webhooks alike. Raises `Unavailable` (`bad-answer`)."""
    with legible("a pull request"):
        head, base = data["head"], data["base"]
        comments = data.get("comments")
        return PullRequest(
            number=int(data["number"]),
            title=str(data["title"]),
            body=str(data.get("body") or ""),
            author=login(data.get("user")),
            state="closed" if data["state"] == "closed" else "open",
            draft=bool(data.get("draft")),
            merged=bool(data.get("merged") or data.get("merged_at")),
            head_sha=str(head["sha"]),
            head_ref=str(head["ref"]),
            head_repo=str(head["repo"]["full_name"]) if head.get("repo") else None,
            base_sha=str(base["sha"]),
            base_ref=str(base["ref"]),
            base_repo=str(base["repo"]["full_name"]),
            labels=tuple(str(label["name"]) for label in data.get("labels") or ()),
            comments=comments if isinstance(comments, int) else None,
            updated_at=str(data.get("updated_at") or ""),
            created_at=str(data.get("created_at") or ""),
        )


def login(user: Mapping[str, Any] | None) -> str:
    """An account's name; `ghost` for one that was deleted."""
    return str(user["login"]) if user else "ghost"

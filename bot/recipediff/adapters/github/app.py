"""What only the App itself can ask: who it is, where it is installed, which deliveries failed; and how it is made."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from recipediff.adapters.github.http.client import GitHubClient
from recipediff.adapters.github.http.route import repository
from recipediff.adapters.github.http.shape import legible
from recipediff.ports.errors import Refused


@dataclass(frozen=True, slots=True, kw_only=True)
class AppFacts:
    """The App as GitHub has it. The account that it writes as is `{slug}[bot]`."""

    id: int
    slug: str
    name: str
    permissions: Mapping[str, str]
    events: tuple[str, ...]
    installations: int
    url: str


@dataclass(frozen=True, slots=True)
class HookFacts:
    """Where GitHub sends deliveries. `signed`: a secret is set (GitHub shows stars for it)."""

    url: str
    content_type: str
    insecure_ssl: bool
    signed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryAttempt:
    """One attempt to deliver a webhook. Several have one `guid` where it was delivered again."""

    id: int
    guid: str
    delivered_at: float
    """Seconds since the epoch."""
    status: int
    """HTTP status that it was answered with; 0 where no answer came."""
    event: str
    action: str
    installation: int | None
    redelivery: bool

    @property
    def failed(self) -> bool:
        """Whether it was not taken."""
        return not 200 <= self.status < 300


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallationFacts:
    """One installation. `suspended` ones answer every call with 403."""

    id: int
    account: str
    permissions: Mapping[str, str]
    events: tuple[str, ...]
    suspended: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NewApp:
    """An App just made from the manifest, with its secrets. They are shown nowhere; store them and forget this."""

    id: int
    slug: str
    url: str
    client_id: str
    client_secret: str = field(repr=False)
    webhook_secret: str = field(repr=False)
    private_key: str = field(repr=False)


class GitHubApp:
    """Calls of the App itself. `client` speaks with the App's identity."""

    def __init__(self, client: GitHubClient) -> None:
        self._client = client

    async def facts(self) -> AppFacts:
        """Who the App is, and what it may do by its registration."""
        answer = await self._client.call("GET /app")
        with legible("the App"):
            return AppFacts(
                id=int(answer["id"]),
                slug=str(answer["slug"]),
                name=str(answer["name"]),
                permissions=dict(answer["permissions"]),
                events=tuple(answer["events"]),
                installations=int(answer.get("installations_count") or 0),
                url=str(answer["html_url"]),
            )

    async def hook(self) -> HookFacts:
        """Where deliveries go."""
        answer = await self._client.call("GET /app/hook/config")
        with legible("the App's webhook"):
            return HookFacts(
                url=str(answer.get("url") or ""),
                content_type=str(answer.get("content_type") or ""),
                insecure_ssl=str(answer.get("insecure_ssl") or "0") != "0",
                signed=bool(answer.get("secret")),
            )

    async def deliveries(self, *, since: float, most: int = 20) -> AsyncIterator[DeliveryAttempt]:
        """Newest first, back to `since` (seconds since the epoch), at most so many pages of a hundred."""
        async with aclosing(self._client.pages("GET /app/hook/deliveries", most=most)) as items:
            async for item in items:
                found = _delivery(item)
                if found.delivered_at < since:
                    return
                yield found

    async def redeliver(self, delivery: int) -> bool:
        """Asks GitHub to deliver again. False where GitHub does not have it any more."""
        try:
            await self._client.call("POST /app/hook/deliveries/{delivery_id}/attempts", {"delivery_id": delivery})
        except Refused:
            return False
        return True

    async def installations(self) -> Sequence[InstallationFacts]:
        """Every installation."""
        return [_installation(item) async for item in self._client.pages("GET /app/installations")]

    async def installation_of(self, name: str) -> InstallationFacts:
        """The one that covers a repository. Raises `Missing` where none does."""
        return _installation(await self._client.call("GET /repos/{owner}/{repo}/installation", repository(name)))


async def repositories(client: GitHubClient) -> Sequence[str]:
    """`owner/name` of every repository that the installation token of `client` covers; archived ones left out."""
    pages = client.pages("GET /installation/repositories", key="repositories")
    found = []
    async for item in pages:
        with legible("a repository"):
            if not item.get("archived"):
                found.append(str(item["full_name"]))
    return found


async def convert_manifest(client: GitHubClient, code: str) -> NewApp:
    """The App that a person has just made from the manifest. `client` is anonymous; `code` is good once, for an hour."""
    answer = await client.call("POST /app-manifests/{code}/conversions", {"code": code})
    with legible("the new App"):
        return NewApp(
            id=int(answer["id"]),
            slug=str(answer["slug"]),
            url=str(answer["html_url"]),
            client_id=str(answer["client_id"]),
            client_secret=str(answer["client_secret"]),
            webhook_secret=str(answer.get("webhook_secret") or ""),
            private_key=str(answer["pem"]),
        )


def _delivery(data: Mapping[str, Any]) -> DeliveryAttempt:
    with legible("a delivery"):
        installation = data.get("installation_id")
        return DeliveryAttempt(
            id=int(data["id"]),
            guid=str(data["guid"]),
            delivered_at=datetime.fromisoformat(str(data["delivered_at"]).replace("Z", "+00:00")).timestamp(),
            status=int(data.get("status_code") or 0),
            event=str(data["event"]),
            action=str(data.get("action") or ""),
            installation=int(installation) if installation else None,
            redelivery=bool(data.get("redelivery")),
        )


def _installation(data: Mapping[str, Any]) -> InstallationFacts:
    with legible("an installation"):
        account = data.get("account") or {}
        return InstallationFacts(
            id=int(data["id"]),
            account=str(account.get("login") or account.get("slug") or ""),
            permissions=dict(data.get("permissions") or {}),
            events=tuple(data.get("events") or ()),
            suspended=bool(data.get("suspended_at")),
        )

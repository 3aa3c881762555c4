"""The adapters put together: one set of connections, one pace an installation, one memory for the process."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import httpx
from cachetools import LRUCache

from recipediff.adapters.github.auth import AppIdentity, InstallationToken, InstallationTokens, Permissions
from recipediff.adapters.github.checks import GitHubChecks
from recipediff.adapters.github.history import GitHubBranches, GitHubHistory
from recipediff.adapters.github.http.client import GITHUB, GitHubClient, StaticToken, TokenSource
from recipediff.adapters.github.http.etags import EtagCache
from recipediff.adapters.github.http.pacing import Pacing, Sleep
from recipediff.adapters.github.http.record import Recorder
from recipediff.adapters.github.memory import ObjectMemory
from recipediff.adapters.github.pulls import GitHubPulls
from recipediff.adapters.github.repository import GitHubRepository
from recipediff.adapters.github.talk import GitHubAccess, GitHubComments, GitHubIssues
from recipediff.ports.forge import Home, UpstreamRepository

REVIEW: Permissions = {"checks": "write", "contents": "read", "metadata": "read", "pull_requests": "write"}
"""What the review of a pull request needs."""
BUMP: Permissions = {**REVIEW, "contents": "write", "issues": "write"}
"""What pin bumps and sweeps need."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How the process speaks to GitHub. `retries` are for reads of a process that has no queue to try again later."""

    base_url: str = GITHUB
    upstream_base_url: str = ""
    """Where upstreams are, if elsewhere: an Enterprise Server follows upstreams on github.com."""
    upstream_token: str = field(default="", repr=False)
    """For upstreams that are elsewhere; anonymous without one."""
    requester: str = "recipediff"
    retries: int = 0
    record: Recorder | None = None
    interval: float = 1.0
    """Seconds between the writes of one installation."""
    burst: int = 1
    """So many writes may follow each other at once after a pause; more than 1 is still `interval` apart on average."""
    now: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic
    sleep: Sleep = asyncio.sleep


@dataclass(frozen=True, slots=True)
class _Line:
    """What the clients of one installation share. A tag's answer is used only where GitHub confirms it to the token."""

    pacing: Pacing
    etags: EtagCache


class GitHubForge:
    """Repositories at GitHub through the App's installations, or with one token for all. Satisfies `recipediff.ports.forge.Forge`."""

    def __init__(
        self,
        connection: httpx.AsyncClient,
        credentials: AppIdentity | StaticToken,
        settings: Settings | None = None,
        *,
        memory: ObjectMemory | None = None,
        permissions: Permissions = REVIEW,
    ) -> None:
        self._connection = connection
        self._credentials = credentials
        self._settings = settings or Settings()
        self._memory = memory or ObjectMemory()
        self._permissions = permissions
        self._lines: LRUCache[tuple[str, int], _Line] = LRUCache(500)
        self.app = self._client(credentials, self._settings.base_url, self._line("app", 0))
        """Speaks as the App itself (or with the one token)."""
        # Tokens are asked for at their own pace: they change nothing, and a review must not wait for another's.
        tokens = self._client(credentials, self._settings.base_url, self._line("tokens", 0, interval=0.0))
        self._tokens = InstallationTokens(tokens, now=self._settings.now)

    def client(self, name: str, installation: int, permissions: Mapping[str, str] | None = None) -> GitHubClient:
        """Speaks in one repository, with no more than `permissions`. With a fixed token that token is used."""
        credentials: TokenSource = self._credentials
        if isinstance(credentials, AppIdentity):
            credentials = InstallationToken(self._tokens, installation, name, permissions or self._permissions)
        return self._client(credentials, self._settings.base_url, self._line("home", installation))

    def home(self, name: str, installation: int, permissions: Mapping[str, str] | None = None) -> Home:
        """`owner/name`, through the App's installation. Raises `Missing` for a name that cannot be one."""
        client = self.client(name, installation, permissions)
        repository = GitHubRepository(client, name, memory=self._memory)
        history = GitHubHistory(client, name)
        return Home(
            name=name,
            installation=installation,
            repository=repository,
            pulls=GitHubPulls(client, name),
            checks=GitHubChecks(client, name),
            comments=GitHubComments(client, name),
            access=GitHubAccess(client, name),
            history=history,
            branches=GitHubBranches(client, history, repository),
            issues=GitHubIssues(client, name),
        )

    def upstream(self, name: str, home: Home) -> UpstreamRepository:
        """A configured upstream of `home`, read at `home`'s expense: with its token, or elsewhere with a token of its own."""
        elsewhere = self._settings.upstream_base_url
        if elsewhere and elsewhere.rstrip("/") != self._settings.base_url.rstrip("/"):
            client = self._client(StaticToken(self._settings.upstream_token), elsewhere, self._line("upstream", 0))
        else:
            client = self.client(home.name, home.installation)
        # Remembered for this home only: another home's token might not be allowed to read it.
        repository = GitHubRepository(client, name, memory=self._memory, known_as=f"{home.name} > {name}")
        return UpstreamRepository(repository, GitHubHistory(client, name))

    def _line(self, kind: str, installation: int, interval: float | None = None) -> _Line:
        line = self._lines.get((kind, installation))
        if line is None:
            asked = self._settings
            pacing = Pacing(
                interval=asked.interval if interval is None else interval,
                burst=asked.burst,
                monotonic=asked.monotonic,
                sleep=asked.sleep,
            )
            line = self._lines[kind, installation] = _Line(pacing, EtagCache())
        return line

    def _client(self, credentials: TokenSource, base_url: str, line: _Line) -> GitHubClient:
        return GitHubClient(
            self._connection,
            credentials,
            base_url=base_url,
            requester=self._settings.requester,
            pacing=line.pacing,
            etags=line.etags,
            record=self._settings.record,
            retries=self._settings.retries,
            now=self._settings.now,
            sleep=self._settings.sleep,
        )

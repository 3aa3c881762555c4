"""The App's identity: its signed token, and installation tokens narrowed to one repository and the permissions needed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

import jwt
from cachetools import LRUCache

from recipediff.adapters.github.http.client import GitHubClient
from recipediff.adapters.github.http.shape import legible
from recipediff.ports.errors import Missing, Refused, Unavailable

BACKDATED = 60
"""Seconds by which a token is signed in the past, for clocks that differ."""
LIFETIME = 9 * 60
"""Seconds that a signed token is good for; GitHub takes ten minutes at most."""
MARGIN = 5 * 60.0
"""Seconds before its expiry at which an installation token is renewed, so that no job outlives its token."""
_TOKENS = "POST /app/installations/{installation_id}/access_tokens"

Permissions = Mapping[str, str]


class AppIdentity:
    """The App's own credentials: a token signed with its private key. Satisfies `Credentials`."""

    def __init__(self, app_id: str, private_key: str, *, now: Callable[[], float] = time.time) -> None:
        """Raises `ValueError`, without the key in it, where the key is not an RSA key in PEM."""
        self._app_id = app_id
        # Environment files often carry the line breaks as two characters.
        self._key = private_key.strip().replace("\\n", "\n") + "\n"
        self._now = now
        self._signed = ""
        self._good_until = 0.0
        try:
            self._sign()
        except (ValueError, TypeError, jwt.PyJWTError):
            message = "the App's private key is not an RSA key in PEM (-----BEGIN RSA PRIVATE KEY----- …)"
            raise ValueError(message) from None

    async def authorization(self) -> str:
        """`Bearer …`, renewed two minutes before it expires."""
        if self._now() >= self._good_until - 120:
            self._sign()
        return f"Bearer {self._signed}"

    def rejected(self) -> bool:
        """False: a new signature would be no better."""
        return False

    def _sign(self) -> None:
        issued = int(self._now()) - BACKDATED
        claims = {"iat": issued, "exp": issued + LIFETIME, "iss": self._app_id}
        self._signed = jwt.encode(claims, self._key, algorithm="RS256")
        self._good_until = float(issued + LIFETIME)

    def __repr__(self) -> str:
        return f"AppIdentity({self._app_id!r}, ***)"


@dataclass(frozen=True, slots=True)
class _Key:
    installation: int
    repository: str
    permissions: tuple[tuple[str, str], ...]


@dataclass(slots=True, kw_only=True)
class _Slot:
    token: str = field(default="", repr=False)
    expires: float = 0.0
    failures: int = 0
    failure: Unavailable | Missing | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class InstallationTokens:
    """Installation tokens, kept until shortly before they expire. Asked for once even when many want one at a time."""

    def __init__(self, app: GitHubClient, *, now: Callable[[], float] = time.time, most: int = 1000) -> None:
        """`app` speaks as the App."""
        self._app = app
        self._now = now
        self._slots: LRUCache[_Key, _Slot] = LRUCache(most)

    async def token(self, installation: int, repository: str, permissions: Permissions) -> str:
        """A token for one repository (`owner/name`) with no more than `permissions`. Raises `Unavailable` or `Missing`."""
        slot = self._slots.setdefault(_key(installation, repository, permissions), _Slot())
        failures = slot.failures
        async with slot.lock:
            if slot.failure is not None and slot.failures != failures:
                raise slot.failure  # whoever waited for an answer has it: asking once more at once would hammer
            if not slot.token or self._now() >= slot.expires - MARGIN:
                try:
                    slot.token, slot.expires = await self._fetch(installation, repository, permissions)
                except (Unavailable, Missing) as error:
                    slot.failures, slot.failure = slot.failures + 1, error
                    raise
                slot.failure = None
            return slot.token

    def forget(self, installation: int, repository: str, permissions: Permissions, token: str = "") -> None:
        """GitHub did not take `token`: the next call asks for a new one. A newer token is kept."""
        slot = self._slots.get(_key(installation, repository, permissions))
        if slot is not None and (not token or slot.token == token):
            slot.token = ""

    async def _fetch(self, installation: int, repository: str, permissions: Permissions) -> tuple[str, float]:
        data = {"repositories": [repository.partition("/")[2]], "permissions": dict(permissions)}
        try:
            answer = await self._app.call(_TOKENS, {"installation_id": installation}, data=data)
        except Refused as error:
            asked = ", ".join(f"{name}: {level}" for name, level in permissions.items())
            message = f"the installation does not cover {repository} with {asked}: {error}"
            raise Unavailable("forbidden", message) from error
        with legible("an installation token"):
            expires = datetime.fromisoformat(str(answer["expires_at"]).replace("Z", "+00:00")).timestamp()
            return str(answer["token"]), expires


class InstallationToken:
    """Credentials of the App in one repository. Satisfies `Credentials`."""

    def __init__(
        self, tokens: InstallationTokens, installation: int, repository: str, permissions: Permissions
    ) -> None:
        self._tokens = tokens
        self._scope = (installation, repository, permissions)
        self._last = ""

    async def authorization(self) -> str:
        """`Bearer …`, from the cache where it is good for a while yet."""
        self._last = await self._tokens.token(*self._scope)
        return f"Bearer {self._last}"

    def rejected(self) -> bool:
        """True: a token may have been revoked, a new one is asked for."""
        self._tokens.forget(*self._scope, token=self._last)
        return True

    def __repr__(self) -> str:
        return f"Installation({self._scope[0]}, {self._scope[1]!r}, ***)"


def _key(installation: int, repository: str, permissions: Permissions) -> _Key:
    return _Key(installation, repository.lower(), tuple(sorted(permissions.items())))

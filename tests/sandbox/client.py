"""A plain client over a real socket, as a bot or a person would use it."""

from __future__ import annotations

import time
from typing import Any

import httpx
import jwt

from sandbox.model import App, InstallationRecord


class Client:
    """Sends requests with a token, an App's key, or nothing."""

    def __init__(self, session: httpx.AsyncClient, authorization: str | None = None) -> None:
        self._session = session
        self._authorization = authorization

    def by(self, token: str) -> Client:
        return Client(self._session, f"token {token}")

    def signed(self, app: App, *, key: str | None = None, **claims: Any) -> Client:
        """As the App itself, with a JSON web token."""
        now = int(time.time())
        text = jwt.encode(
            {"iat": now - 60, "exp": now + 540, "iss": str(app.id)} | claims, key or app.private_key, algorithm="RS256"
        )
        return Client(self._session, f"Bearer {text}")

    async def installed(self, place: InstallationRecord, **narrow: Any) -> Client:
        """As an installation, with a fresh token."""
        answer = await self.signed(place.app).post(f"/app/installations/{place.id}/access_tokens", narrow)
        assert answer.status_code == 201, answer.text
        return self.by(answer.json()["token"])

    async def get(self, path: str, *, timeout: float = 10, **headers: str) -> httpx.Response:
        return await self._send("GET", path, None, headers, timeout)

    async def post(self, path: str, body: Any = None) -> httpx.Response:
        return await self._send("POST", path, body)

    async def patch(self, path: str, body: Any = None) -> httpx.Response:
        return await self._send("PATCH", path, body)

    async def put(self, path: str, body: Any = None) -> httpx.Response:
        return await self._send("PUT", path, body)

    async def delete(self, path: str) -> httpx.Response:
        return await self._send("DELETE", path, None)

    async def _send(
        self, method: str, path: str, body: Any, headers: dict[str, str] | None = None, timeout: float = 10
    ) -> httpx.Response:
        sent = {name.replace("_", "-"): value for name, value in (headers or {}).items()}
        if self._authorization:
            sent["Authorization"] = self._authorization
        return await self._session.request(method, path, json=body, headers=sent, timeout=timeout)

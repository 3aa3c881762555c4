"""The first run: a person with the token that was printed makes the App at GitHub, and this stores its credentials."""

from __future__ import annotations

import asyncio
import hmac
import re
import secrets
from collections.abc import Awaitable, Callable
from typing import Protocol
from urllib.parse import urlsplit

import structlog
from aiohttp import web

from recipediff.adapters.local.credentials import AppCredentials
from recipediff.ports.errors import Missing, Refused, Unavailable
from recipediff.server.setup import pages
from recipediff.server.setup.manifest import manifest

_log = structlog.get_logger(__name__)
_ACCOUNT = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})")
_NAME = re.compile(r"[\w .-]{1,34}")
_CODE = re.compile(r"[A-Za-z0-9_-]{1,200}")
MOST_BYTES = 64 * 1024


class Made(Protocol):
    """An App just made, with its secrets."""

    @property
    def id(self) -> int:
        """Of the App."""

    @property
    def slug(self) -> str:
        """Its name in addresses."""

    @property
    def url(self) -> str:
        """Its page."""

    @property
    def webhook_secret(self) -> str:
        """GitHub makes one up."""

    @property
    def private_key(self) -> str:
        """PEM."""


Convert = Callable[[str], Awaitable[Made]]
"""The code that GitHub sent, for the App that it stands for."""


class Setup:
    """The pages, good for one App. `web_url` is GitHub's address for people."""

    def __init__(
        self, convert: Convert, keep: Callable[[AppCredentials], None], *, web_url: str = "https://github.com"
    ) -> None:
        self.token = secrets.token_urlsafe(32)
        """Printed once at the start; whoever has it makes the App."""
        self._state = secrets.token_urlsafe(32)
        self._asked = False
        self._convert = convert
        self._keep = keep
        self._web_url = web_url.rstrip("/")
        self._converting = asyncio.Lock()
        self.finished = asyncio.Event()

    def application(self) -> web.Application:
        """A server that only does this."""
        app = web.Application(client_max_size=MOST_BYTES)
        app.router.add_get("/setup", self.ask)
        app.router.add_post("/setup", self.confirm)
        app.router.add_get("/setup/done", self.done)
        app.router.add_get("/healthz", _alive)
        app.router.add_get("/readyz", _not_ready)
        app.router.add_post("/webhook", _not_ready)
        return app

    async def ask(self, request: web.Request) -> web.Response:
        """The form."""
        if not self._admitted(request.query.get("token", "")):
            return _html(pages.failed("This page needs the address that the server printed when it started."), 403)
        return _html(pages.ask(self.token, _origin(request)))

    async def confirm(self, request: web.Request) -> web.Response:
        """The button that leads to GitHub, with the manifest."""
        form = await request.post()
        token, url, name, org = (str(form.get(key) or "").strip() for key in ("token", "url", "name", "org"))
        if not self._admitted(token):
            return _html(pages.failed("This page needs the address that the server printed when it started."), 403)
        problem = _problem(url, name, org)
        if problem:
            return _html(pages.ask(token, url, problem), 400)
        owner = f"organizations/{org}/settings" if org else "settings"
        action = f"{self._web_url}/{owner}/apps/new?state={self._state}"
        self._asked = True
        return _html(pages.confirm(action, manifest(url, redirect=f"{url.rstrip('/')}/setup/done", name=name)))

    async def done(self, request: web.Request) -> web.Response:
        """GitHub sends the person back with a code."""
        code, state = request.query.get("code", ""), request.query.get("state", "")
        if not self._asked or not _same(state, self._state):
            return _html(
                pages.failed("This is not an answer to a question of this server. Begin at the printed address."), 403
            )
        if not _CODE.fullmatch(code):
            return _html(pages.failed("GitHub's answer carries no code. Begin at the printed address."), 400)
        async with self._converting:
            if self.finished.is_set():
                return _html(pages.failed("The App was made already."), 409)
            try:
                made = await self._convert(code)
            except (Missing, Refused, Unavailable) as error:
                _log.error("setup", error=str(error))
                return _html(pages.failed("GitHub did not give the App out: the code is good once, for an hour. "
                                          "Begin at the printed address."), 502)  # fmt: skip
            self._keep(AppCredentials(made.id, made.slug, made.private_key, (made.webhook_secret,)))
            self.finished.set()
        return _html(pages.done(made.url))

    def _admitted(self, token: str) -> bool:
        return not self.finished.is_set() and _same(token, self.token)


def _same(given: str, right: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), right.encode())


def _origin(request: web.Request) -> str:
    """A guess for the form's field; the person decides."""
    proto = request.headers.get("X-Forwarded-Proto", request.scheme)
    host = request.headers.get("X-Forwarded-Host", request.host)
    return f"{proto if proto in ('http', 'https') else 'https'}://{host[:253]}"


def _problem(url: str, name: str, org: str) -> str:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and not (parts.query or parts.fragment)
    except ValueError:
        usable = False
    if not usable:
        return "The address must be like https://bot.example.org."
    if not _NAME.fullmatch(name):
        return "The name has 1 to 34 letters, digits, spaces, dots or dashes."
    if org and not _ACCOUNT.fullmatch(org):
        return "The organization is not the name of one."
    return ""


def _html(text: str, status: int = 200) -> web.Response:
    return web.Response(text=text, status=status, content_type="text/html", headers=pages.HEADERS)


async def _alive(request: web.Request) -> web.Response:
    del request
    return web.json_response({"status": "alive"})


async def _not_ready(request: web.Request) -> web.Response:
    del request
    return web.json_response({"status": "not ready", "wrong": ["the App is not set up"]}, status=503)

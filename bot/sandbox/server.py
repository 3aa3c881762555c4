"""The HTTP side: every request is identified, counted, checked, answered, recorded, and made to fail where a test wants that."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, timedelta
from email.utils import format_datetime
from typing import Any

from aiohttp import web

from sandbox.auth import allow, identify
from sandbox.faults import Faults
from sandbox.model import AccessToken, JsonObject
from sandbox.pages import add_pages
from sandbox.routes import ROUTES, SLASHED
from sandbox.routing import Answer, Call, ErrorAnswer, GitHubOperation
from sandbox.world import World

PREFIX = "/api/v3"
MOST_BODY = 64 * 1024 * 1024


@dataclass(slots=True, kw_only=True)
class ServedRequest:
    """One request as it was answered. `status` is 0 where no answer got through; `at` and `took` are seconds of a steady clock."""

    operation: str
    method: str
    path: str
    query: dict[str, str]
    status: int
    at: float
    took: float
    fault: str | None = None
    request: JsonObject | None = None
    answer: Any = None
    media: str = "application/json"


def application(world: World, faults: Faults, record: Callable[[ServedRequest], None]) -> web.Application:
    """The aiohttp application that answers for a world."""
    app = web.Application(client_max_size=MOST_BODY)
    for route in ROUTES:
        path = re.sub(r"\{(\w+)\}", lambda part: f"{{{part[1]}:.+}}" if part[1] in SLASHED else part[0], route.path)
        app.router.add_route(route.method, PREFIX + path, _Endpoint(world, faults, record, route).handle)
    app.router.add_route("*", PREFIX + "/{rest:.*}", _unknown)
    add_pages(app, world)

    async def dated(_: web.Request, response: web.StreamResponse) -> None:
        response.headers["Date"] = format_datetime(world.clock().astimezone(UTC), usegmt=True)

    app.on_response_prepare.append(dated)
    return app


async def _unknown(request: web.Request) -> web.StreamResponse:
    return web.json_response(ErrorAnswer(404, "Not Found").body, status=404)


class _Endpoint:
    """One route, bound to a world."""

    def __init__(
        self, world: World, faults: Faults, record: Callable[[ServedRequest], None], route: GitHubOperation
    ) -> None:
        self._world, self._faults, self._record, self._route = world, faults, record, route

    async def handle(self, request: web.Request) -> web.StreamResponse:
        started, raw = time.monotonic(), await request.read()
        path = request.path.removeprefix(PREFIX)
        seen = ServedRequest(
            operation=self._route.operation,
            method=request.method,
            path=path,
            query=dict(request.query),
            status=0,
            at=started,
            took=0.0,
        )
        with contextlib.suppress(ErrorAnswer):
            seen.request = _json(raw) if raw else None
        try:
            for watcher in self._world.before:
                watcher(seen)
            if self._faults.latency:
                await asyncio.sleep(self._faults.latency)
            response = await self._respond(request, raw, seen)
            seen.status = response.status if request.transport and not request.transport.is_closing() else 0
            return response
        finally:
            seen.took = time.monotonic() - started
            self._record(seen)

    async def _respond(self, request: web.Request, raw: bytes, seen: ServedRequest) -> web.StreamResponse:
        fault = self._faults.next(self._route.operation, seen.path)
        if fault is None:
            return await self._answer(request, raw, seen)
        seen.fault = fault.kind.value
        needs_answer = fault.after or fault.kind.value in ("truncated JSON", "reset midway")
        answer = await self._answer(request, raw, seen) if needs_answer else None
        return await self._faults.fail(request, fault, answer)

    async def _answer(self, request: web.Request, raw: bytes, seen: ServedRequest) -> web.Response:
        limits: dict[str, str] = {}
        try:
            token, app = identify(self._world, request.headers.get("Authorization"), self._route.needs)
            limits = (
                {}
                if self._route.needs == "app" or self._route.operation == "rate-limit/get"
                else _count(self._world, token)
            )
            body = _json(raw)
            call = Call(
                world=self._world, method=request.method, path=request.path.removeprefix(PREFIX), params=dict(request.match_info),
                query=dict(request.query), headers=request.headers, body=body, token=token, app=app,
            )  # fmt: skip
            allow(call, self._route)
            found = await self._route.handler(call)
        except ErrorAnswer as problem:
            found = Answer(problem.status, problem.body, problem.headers)
        response = _response(request, found, limits)
        seen.answer, seen.media = (None if response.status == 304 else found.body), found.media
        return response


def _json(raw: bytes) -> JsonObject:
    if not raw.strip():
        return {}
    try:
        body = json.loads(raw)
    except ValueError:
        raise ErrorAnswer(400, "Problems parsing JSON") from None
    if not isinstance(body, dict):
        raise ErrorAnswer(400, "Body should be a JSON object")
    return body


def _count(world: World, token: AccessToken | None) -> dict[str, str]:
    """Count a request against the hour's limit; returns the headers that say so. Raises `ErrorAnswer` where it is spent."""
    limit = world.rate_limit if token else world.anonymous_limit
    token = token or world.anonymous
    now = world.clock()
    if token.window <= now:
        token.used, token.window = 0, now + timedelta(hours=1)
    spent = token.used >= limit
    token.used += 0 if spent else 1
    headers = {
        "X-RateLimit-Limit": str(limit),
        "X-RateLimit-Remaining": str(limit - token.used),
        "X-RateLimit-Used": str(token.used),
        "X-RateLimit-Reset": str(int(token.window.timestamp())),
        "X-RateLimit-Resource": "core",
    }
    if spent:
        who = (
            f"installation ID {token.installation.id}"
            if token.installation
            else token.account.login
            if token.account
            else "127.0.0.1"
        )
        raise ErrorAnswer(403, f"API rate limit exceeded for {who}.", headers=headers)
    return headers


def _response(request: web.Request, found: Answer, limits: dict[str, str]) -> web.Response:
    headers = (
        {"X-GitHub-Media-Type": "github.v3; format=json", "X-GitHub-Api-Version-Selected": "2022-11-28"}
        | limits
        | found.headers
    )
    if found.status == 204:
        return web.Response(status=204, headers=headers)
    text = json.dumps(found.body, ensure_ascii=False) if found.media == "application/json" else str(found.body)
    body = text.encode("utf-8", "surrogateescape")
    if request.method == "GET" and found.status == 200:
        etag = f'W/"{hashlib.sha256(body).hexdigest()}"'
        headers |= {"ETag": etag, "Cache-Control": "private, max-age=60, s-maxage=60", "Vary": "Accept, Authorization"}
        asked = {item.strip().removeprefix("W/") for item in request.headers.get("If-None-Match", "").split(",")}
        if etag.removeprefix("W/") in asked:
            return web.Response(status=304, headers=headers)
    return web.Response(status=found.status, body=body, headers=headers, content_type=found.media, charset="utf-8")

"""What can go wrong between a client and GitHub, made to go wrong at a chosen request."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from aiohttp import web

from sandbox.shapes.base import DOCS


class FaultKind(StrEnum):
    """One way to fail."""

    SERVER_ERROR = "500"
    BAD_GATEWAY = "502"
    TIMEOUT = "timeout"
    RESET = "reset"
    RESET_MIDWAY = "reset midway"
    TRUNCATED = "truncated JSON"
    NOT_FOUND = "404"
    FORBIDDEN_RETRY_AFTER = "403 with Retry-After"
    FORBIDDEN = "403 without Retry-After"
    LIMITED = "403 with the limit spent"
    TOO_MANY_RETRY_AFTER = "429 with Retry-After"
    TOO_MANY = "429 without Retry-After"


SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
PRIMARY = "API rate limit exceeded for installation ID 1001."
_ANSWERS: dict[FaultKind, tuple[int, str | None]] = {
    FaultKind.SERVER_ERROR: (500, "Server Error"),
    FaultKind.BAD_GATEWAY: (502, None),
    FaultKind.NOT_FOUND: (404, "Not Found"),
    FaultKind.FORBIDDEN_RETRY_AFTER: (403, SECONDARY),
    FaultKind.FORBIDDEN: (403, SECONDARY),
    FaultKind.LIMITED: (403, PRIMARY),
    FaultKind.TOO_MANY_RETRY_AFTER: (429, SECONDARY),
    FaultKind.TOO_MANY: (429, SECONDARY),
}


@dataclass(slots=True, kw_only=True)
class Fault:
    """One fault: which requests it meets, and how they fail.

    `operation` is a pattern over operation ids (`git/get-tree`, `checks/.*`); of the requests that match, `skip` pass first and
    the next `times` fail (None: all of them). `path` is a pattern that the request's path must hold too. With `after`, GitHub
    does the work and then fails to say so.
    """

    kind: FaultKind
    operation: str = ".*"
    skip: int = 0
    times: int | None = 1
    after: bool = False
    retry_after: int = 1
    path: str = ""
    met: int = field(default=0, init=False)

    def meets(self, operation: str, path: str) -> bool:
        if not re.fullmatch(self.operation, operation) or not re.search(self.path, path):
            return False
        self.met += 1
        return self.met > self.skip and (self.times is None or self.met <= self.skip + self.times)


class Faults:
    """The faults that are set, and the latency of every request in seconds."""

    def __init__(self) -> None:
        self.latency = 0.0
        self.hang = 60.0
        """Seconds that a timeout lasts, unless the client goes first."""
        self._set: list[Fault] = []
        self.clock: Callable[[], float] = lambda: 0.0

    def add(
        self,
        kind: FaultKind | str,
        operation: str = ".*",
        *,
        skip: int = 0,
        times: int | None = 1,
        after: bool = False,
        retry_after: int = 1,
        path: str = "",
    ) -> Fault:
        """Set a fault; returns it, so that a test can see how many requests it met."""
        made = Fault(
            kind=FaultKind(kind),
            operation=operation,
            skip=skip,
            times=times,
            after=after,
            retry_after=retry_after,
            path=path,
        )
        self._set.append(made)
        return made

    def clear(self) -> None:
        self._set.clear()

    def next(self, operation: str, path: str) -> Fault | None:
        """The fault for this request, if it is to fail. Every fault that is set counts it."""
        met = [fault for fault in self._set if fault.meets(operation, path)]
        return met[0] if met else None

    async def fail(self, request: web.Request, fault: Fault, answer: web.Response | None) -> web.StreamResponse:
        """Fail as the fault says; `answer` is what a healthy GitHub would have said, where it got that far."""
        kind = fault.kind
        if kind is FaultKind.TIMEOUT:
            await self._wait(request)
        if kind in (FaultKind.TIMEOUT, FaultKind.RESET):
            return _reset(request)
        if kind in (FaultKind.RESET_MIDWAY, FaultKind.TRUNCATED):
            return await self._cut(request, answer, whole=kind is FaultKind.TRUNCATED)
        status, message = _ANSWERS[kind]
        headers = {"X-Sandbox-Fault": kind.value}
        if kind in (FaultKind.FORBIDDEN_RETRY_AFTER, FaultKind.TOO_MANY_RETRY_AFTER):
            headers["Retry-After"] = str(fault.retry_after)
        if kind is FaultKind.LIMITED:
            headers |= {
                "X-RateLimit-Limit": "5000",
                "X-RateLimit-Remaining": "0",
                "X-RateLimit-Reset": str(int(self.clock()) + fault.retry_after),
            }
        if message is None:
            return web.Response(
                status=status,
                headers=headers,
                text="<html><body><h1>502 Bad Gateway</h1></body></html>",
                content_type="text/html",
            )
        body = json.dumps({"message": message, "documentation_url": DOCS, "status": str(status)})
        return web.Response(status=status, headers=headers, text=body, content_type="application/json")

    async def _wait(self, request: web.Request) -> None:
        """Say nothing until the client has gone, or long enough."""
        end = time.monotonic() + self.hang
        while time.monotonic() < end and request.transport is not None and not request.transport.is_closing():
            await asyncio.sleep(0.02)

    async def _cut(self, request: web.Request, answer: web.Response | None, *, whole: bool) -> web.StreamResponse:
        """Half of the answer: as if it were all (`whole`), or with the connection lost in the middle."""
        body = (
            bytes(answer.body)
            if answer is not None and isinstance(answer.body, bytes | bytearray)
            else b'{"message": "half'
        )
        status, half = (answer.status if answer is not None else 200), body[: max(len(body) // 2, 1)]
        if whole:
            return web.Response(
                status=status,
                body=half,
                content_type="application/json",
                headers={"X-Sandbox-Fault": FaultKind.TRUNCATED.value},
            )
        stream = web.StreamResponse(
            status=status, headers={"Content-Type": "application/json", "Content-Length": str(len(body) + 1)}
        )
        await stream.prepare(request)
        await stream.write(half)
        return _reset(request, stream)


def _reset(request: web.Request, stream: web.StreamResponse | None = None) -> web.StreamResponse:
    if request.transport is not None:
        request.transport.abort()
    return stream or web.Response(status=500)

"""Something that webhooks can be sent to: it keeps them and answers as told."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web


@dataclass
class Received:
    event: str
    delivery: str
    headers: dict[str, str]
    raw: bytes

    @property
    def payload(self) -> Any:
        return json.loads(self.raw)

    @property
    def name(self) -> str:
        action = self.payload.get("action")
        return f"{self.event}.{action}" if action else self.event


@dataclass
class Receiver:
    url: str = ""
    status: int = 202
    got: list[Received] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        return [item.name for item in self.got]

    def last(self, name: str) -> Any:
        return next(item.payload for item in reversed(self.got) if item.name == name)

    async def take(self, request: web.Request) -> web.Response:
        self.got.append(
            Received(
                request.headers["X-GitHub-Event"],
                request.headers["X-GitHub-Delivery"],
                dict(request.headers),
                await request.read(),
            )
        )
        return web.Response(status=self.status, text="taken")


@asynccontextmanager
async def receiving() -> AsyncIterator[Receiver]:
    receiver = Receiver()
    app = web.Application(client_max_size=32 * 1024 * 1024)
    app.router.add_post("/", receiver.take)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    receiver.url = f"http://127.0.0.1:{runner.addresses[0][1]}/"
    yield receiver
    await runner.cleanup()

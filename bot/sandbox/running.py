"""A sandbox as a process sees it: it serves, records what passes, and stops."""

from __future__ import annotations

import asyncio
import tempfile
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Self

from aiohttp import web

from sandbox.faults import Faults
from sandbox.hooks import Hooks
from sandbox.model import IssueRecord
from sandbox.server import ServedRequest, application
from sandbox.world import Clock, World, now, temporary_folder


class Running:
    """A GitHub that is being served."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.faults = Faults()
        self.faults.clock = lambda: world.clock().timestamp()
        self.requests: deque[ServedRequest] = deque(maxlen=100_000)
        """What was asked and answered, oldest first."""
        self.observers: list[Callable[[ServedRequest], None]] = []
        self._runner: web.AppRunner | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    @classmethod
    async def start(
        cls, folder: Path | None = None, *, clock: Clock = now, port: int = 0, host: str = "127.0.0.1"
    ) -> Self:
        """Start serving. `folder` keeps the git repositories (default: a temporary one); `clock` tells the time."""
        made = None if folder else temporary_folder()
        sandbox = cls(World(Path(folder or (made.name if made else ".")), clock))
        sandbox._folder = made
        site_app = application(sandbox.world, sandbox.faults, sandbox._seen)
        sandbox._runner = web.AppRunner(site_app, access_log=None, shutdown_timeout=0.1)
        await sandbox._runner.setup()
        site = web.TCPSite(sandbox._runner, host, port)
        await site.start()
        address = sandbox._runner.addresses[0]
        sandbox.world.root = f"http://{address[0]}:{address[1]}"
        return sandbox

    async def stop(self) -> None:
        await self.world.hooks.close()
        if self._runner is not None:
            await self._runner.cleanup()
        if self._folder is not None:
            self._folder.cleanup()

    async def settled(self) -> None:
        """Wait until every webhook under way has been answered."""
        await self.world.hooks.settled()

    def _seen(self, exchange: ServedRequest) -> None:
        for observer in self.observers:
            observer(exchange)
        exchange.request = exchange.answer = None  # a long session would keep every blob
        self.requests.append(exchange)

    @property
    def url(self) -> str:
        """Where people look."""
        return self.world.root

    @property
    def api_url(self) -> str:
        """Where the REST API answers, as of a GitHub Enterprise Server."""
        return self.world.api

    @property
    def hooks(self) -> Hooks:
        return self.world.hooks

    @property
    def before(self) -> list[Callable[[ServedRequest], None]]:
        """Called with each request before it is answered: the place for what happens at the same moment (a push, a kill)."""
        return self.world.before

    def page(self, issue: IssueRecord) -> str:
        """The address of the page of an issue or pull request."""
        return f"{self.url}/{issue.repo.full_name}/{'pull' if issue.pull else 'issues'}/{issue.number}"

    async def until(self, holds: Callable[[], object], seconds: float = 10.0) -> None:
        """Wait until something holds. Raises TimeoutError."""
        async with asyncio.timeout(seconds):
            while not holds():
                await asyncio.sleep(0.01)

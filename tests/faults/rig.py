"""The worker with its handler and its inbox against a local GitHub that fails, in hours that take milliseconds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from recipediff.adapters.github.auth import AppIdentity
from recipediff.adapters.github.connect import GitHubForge, Settings
from recipediff.app.events import Me, plan
from recipediff.inbox.contract import JobEntry, Work
from recipediff.inbox.sqlite.engine import SqliteInbox
from recipediff.inbox.worker import RunEnded, Worker
from recipediff.server.intake import work_of
from recipediff.server.jobs.handler import JobHandler
from recipediff.server.who import Who
from recipediff.wiring import server as compose
from recipediff.wiring.settings import Hosting
from sandbox import Sandbox, ServedRequest
from sandbox.model import CheckRunRecord, CommentRecord, InstallationRecord, IssueRecord, Repo
from tests.app.review.world import RECIPE_PATH, UPSTREAM, UPSTREAM_PATH, UPSTREAM_TEXT, recipe_text
from tests.contract.contract import Contract
from tests.faults.clock import LeapingClock

MARKER = "<!-- recipediff:review -->"
SILENT_FOR = 0.25
"""Seconds (real ones) after which the bot takes GitHub for silent. A minute in life."""


class LeapingInbox(SqliteInbox):
    """An inbox whose clock leaps to the next job when nobody has anything to do."""

    def __init__(self, path: Path, clock: LeapingClock) -> None:
        super().__init__(path, lease=7200.0, clock=clock.now)
        self._leaping = clock
        self.idle = asyncio.Event()

    async def wait(self, seconds: float) -> None:
        waiting = await self.entries("waiting")
        if waiting and (rest := min(each.due for each in waiting) - self._leaping.now()) > 0:
            self._leaping.leap(rest)
            return
        if not waiting:
            self.idle.set()
        await super().wait(seconds)


@dataclass(slots=True, kw_only=True)
class Asked:
    """A request as the bot sent it, by the leaping clock."""

    method: str
    path: str
    """With the query."""
    began: float
    ended: float = float("inf")
    failed: str = ""
    """What went wrong, in the words of the sandbox's faults where there is one."""

    @property
    def token(self) -> bool:
        """Whether it asks for an installation token, which goes at a pace of its own."""
        return self.path.endswith("/access_tokens")

    @property
    def write(self) -> bool:
        """Whether it changes something that people see."""
        return self.method != "GET" and not self.token


class Stamping(httpx.AsyncHTTPTransport):
    """The connections, with the time at which each request left and its answer was there."""

    def __init__(self, clock: LeapingClock, asked: list[Asked]) -> None:
        super().__init__(verify=False)
        self._clock = clock
        self._asked = asked

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        made = Asked(
            method=request.method,
            path=request.url.raw_path.decode().removeprefix("/api/v3"),
            began=self._clock.monotonic(),
        )
        self._asked.append(made)
        made.failed = "no answer"
        try:
            response = await super().handle_async_request(request)
            await response.aread()
            made.failed = response.headers.get("X-Sandbox-Fault", "")
            return response
        finally:
            made.ended = self._clock.monotonic()


@dataclass(slots=True, kw_only=True)
class Rig:
    """A GitHub for many cases, each with a bot of its own that knows nothing yet."""

    sandbox: Sandbox
    clock: LeapingClock
    upstream: Repo
    repo: Repo
    installation: InstallationRecord
    pin: str
    folder: Path
    asked: list[Asked] = field(default_factory=list)
    """Of the bot that works now."""
    seen: list[ServedRequest] = field(default_factory=list)
    """The same as the sandbox saw it, in the order of arrival."""
    cases: int = 0
    bots: int = 0

    def pull(self, text: str) -> IssueRecord:
        """A pull request of its own for each case."""
        self.cases += 1
        self.sandbox.commit(
            self.repo, f"topic-{self.cases}", {RECIPE_PATH: f"{text}notes: case {self.cases}\n"}, "Change"
        )
        return self.sandbox.open_pull(self.repo, f"topic-{self.cases}", "Change")

    def bad(self) -> str:
        """A difference that nobody declared."""
        return recipe_text(self.pin, seqs="16")

    def good(self) -> str:
        """Nothing to say against."""
        return recipe_text(self.pin)

    def runs(self, issue: IssueRecord) -> list[CheckRunRecord]:
        """The check runs of the head."""
        assert issue.pull is not None
        return self.sandbox.check_runs(self.repo, issue.pull.head_sha)

    def said(self, issue: IssueRecord) -> list[CommentRecord]:
        """The review comments."""
        return [each for each in self.sandbox.comments(issue) if (each.body or "").startswith(MARKER)]

    @asynccontextmanager
    async def bot(self) -> AsyncIterator[Bot]:
        """A bot that was just started, with an empty inbox."""
        self.bots += 1
        self.asked.clear()
        self.seen.clear()
        self.sandbox.hooks.waiting.clear()
        app = self.installation.app
        config = Hosting(data=self.folder, api_url=self.sandbox.api_url, app_id=app.id, slug=app.slug)
        clock, inbox = self.clock, LeapingInbox(self.folder / f"inbox-{self.bots}.db", self.clock)
        settings = Settings(
            base_url=config.api_url, burst=compose.BURST, now=clock.now, monotonic=clock.monotonic, sleep=clock.sleep
        )
        await inbox.open()
        async with httpx.AsyncClient(timeout=SILENT_FOR, transport=Stamping(clock, self.asked)) as connection:
            forge = GitHubForge(connection, AppIdentity(str(app.id), app.private_key, now=clock.now), settings)
            handler = compose.put_together(config, (connection, forge), inbox, Who(app.id, app.slug))
            for part in (handler._reviews, handler._upkeep):
                part._now = clock.now
            handler._reviews._memory._started = 0.0  # what comes is fresh, as for a bot that runs for long
            yield Bot(self, inbox, handler)
        await inbox.close()


@dataclass(slots=True)
class Bot:
    """Handler and inbox; `work` runs a worker over them."""

    rig: Rig
    inbox: LeapingInbox
    handler: JobHandler
    ends: list[RunEnded] = field(default_factory=list)

    async def deliver(self) -> None:
        """Put in what the held deliveries ask for."""
        held, self.rig.sandbox.hooks.waiting = self.rig.sandbox.hooks.waiting, []
        me, now = Me(self.rig.installation.app.id), self.rig.clock.now()
        for delivery in held:
            for asked in plan(delivery.event, delivery.payload, me).asked:
                if asked.key.startswith("review:"):
                    await self.inbox.ask([work_of(asked, now)])

    async def look(self) -> None:
        """The hourly look, once what happened is old enough to be looked at."""
        self.rig.clock.leap(300)
        await self.inbox.ask([Work(key="sweep:all")])
        await self.work()

    async def work(self) -> list[JobEntry]:
        """Until nothing waits, however long that is; what is dead is returned."""
        worker = Worker(
            self.inbox, self.handler, concurrency=1, buried=self.handler.buried, ended=self.ends.append, jitter=_first
        )
        self.inbox.idle.clear()
        working = asyncio.create_task(worker.run())
        try:
            async with asyncio.timeout(60):
                await self.inbox.idle.wait()
        finally:
            worker.stop()
            await working
        return await self.inbox.entries("dead")


def _first() -> float:
    """The shortest of the delays that the policy allows: the one that might be too short."""
    return 0.0


@asynccontextmanager
async def rig(folder: Path) -> AsyncIterator[Rig]:
    """The GitHub. Requests are held against its own description, and written down with the leaping clock's time."""
    clock, contract = LeapingClock(), Contract()
    sandbox = await Sandbox.start(clock=clock.date)
    try:
        sandbox.observers.append(contract)
        upstream = sandbox.create_repo(UPSTREAM, {UPSTREAM_PATH: UPSTREAM_TEXT})
        pin = upstream.git.ref("refs/heads/main") or ""
        config = {".github/recipediff.yml": "fail-on: new\n"}
        repo = sandbox.create_repo("org/recipes", {RECIPE_PATH: recipe_text(pin), **config})
        installation = sandbox.install(sandbox.register_app("http://127.0.0.1:9/", "secret"), "org", [repo])
        sandbox.hooks.held = True
        made = Rig(
            sandbox=sandbox,
            clock=clock,
            upstream=upstream,
            repo=repo,
            installation=installation,
            pin=pin,
            folder=folder,
        )
        sandbox.before.append(made.seen.append)
        yield made
    finally:
        await sandbox.stop()
    contract.check()

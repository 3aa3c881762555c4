"""The whole bot against a local GitHub, over real sockets: deliveries come in at one port, the API answers at another."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import httpx

from recipediff.adapters.local.credentials import AppCredentials
from recipediff.inbox.contract import Inbox
from recipediff.server.jobs.handler import JobHandler
from recipediff.server.who import Who
from recipediff.wiring import server as compose
from recipediff.wiring.settings import Hosting
from sandbox import Sandbox
from sandbox.model import CheckRunRecord, CommentRecord, InstallationRecord, IssueRecord, Repo
from tests.app.review.world import RECIPE_PATH, UPSTREAM, UPSTREAM_PATH, UPSTREAM_TEXT, recipe_text
from tests.contract.contract import Contract

SECRET = "a-secret-of-the-test"
MARKER = "<!-- recipediff:review -->"


@dataclass(slots=True, kw_only=True)
class Stage:
    """What the tests see and touch."""

    sandbox: Sandbox
    upstream: Repo
    repo: Repo
    installation: InstallationRecord
    pin: str
    config: Hosting
    credentials: AppCredentials
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def open(self, text: str, branch: str = "topic") -> IssueRecord:
        """A pull request that changes the recipe."""
        self.sandbox.commit(self.repo, branch, {RECIPE_PATH: text}, "Change")
        return self.sandbox.open_pull(self.repo, branch, "Change")

    def good(self) -> str:
        """A recipe that differs in what it declares, and from the one on the base."""
        return recipe_text(self.pin) + "notes: looked at again\n"

    def bad(self) -> str:
        """A recipe with a difference that nobody declared."""
        return recipe_text(self.pin, seqs="16")

    def runs(self, issue: IssueRecord) -> list[CheckRunRecord]:
        """The check runs on the head of a pull request."""
        assert issue.pull is not None
        return self.sandbox.check_runs(self.repo, issue.pull.head_sha)

    def said(self, issue: IssueRecord) -> list[CommentRecord]:
        """The review comments."""
        return [each for each in self.sandbox.comments(issue) if (each.body or "").startswith(MARKER)]

    async def concluded(self, issue: IssueRecord, *, seconds: float = 20.0) -> CheckRunRecord:
        """The one concluded check run on the head."""

        async def found() -> bool:
            return any(run.status == "completed" for run in self.runs(issue))

        await until(found, seconds)
        await self.quiet()
        (run,) = self.runs(issue)
        return run

    async def quiet(self, *, seconds: float = 20.0) -> None:
        """Until nothing is due and nothing runs."""
        await self.sandbox.settled()

        async def idle() -> bool:
            async with self.inbox() as box:
                depth = await box.depth()
                return depth.waiting == depth.running == 0

        await until(idle, seconds)

    @asynccontextmanager
    async def inbox(self) -> AsyncIterator[Inbox]:
        """The server's inbox, as an operator's command opens it."""
        box = compose.open_inbox(self.config)
        await box.open()
        try:
            yield box
        finally:
            await box.close()

    @asynccontextmanager
    async def handler(self) -> AsyncIterator[JobHandler]:
        """What the worker runs, without a worker: a test decides which job is when."""
        who = Who(self.credentials.app_id, self.credentials.slug)
        async with (
            self.inbox() as box,
            compose.connected(self.config, compose.identity(self.credentials)) as links,
        ):
            yield compose.put_together(self.config, links, box, who)

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """The server runs."""
        async with compose.serving(self.config, self.credentials) as port:
            self.port = port
            self.installation.app.webhook_url = f"{self.url}/webhook"
            yield


async def until(done: Callable[[], Awaitable[bool]], seconds: float) -> None:
    """Wait for it, looking often; fails after `seconds`."""
    end = time.monotonic() + seconds
    while not await done():
        assert time.monotonic() < end, f"not within {seconds:g} s"
        await asyncio.sleep(0.02)


@asynccontextmanager
async def stage(folder: Path, *, serve: bool = True, database_url: str = "") -> AsyncIterator[Stage]:
    """A local GitHub with an upstream and a repository of recipes, and (with `serve`) the bot beside it."""
    contract = Contract()
    sandbox = await Sandbox.start()
    sandbox.observers.append(contract)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(sandbox.stop)
        upstream = sandbox.create_repo(UPSTREAM, {UPSTREAM_PATH: UPSTREAM_TEXT})
        pin = upstream.git.ref("refs/heads/main")
        assert pin is not None
        repo = sandbox.create_repo("org/recipes", {RECIPE_PATH: recipe_text(pin), "README.md": "hello\n"})
        app = sandbox.register_app("", SECRET)
        installation = sandbox.install(app, "org", [repo])
        config = Hosting(
            data=folder, api_url=sandbox.api_url, port=0, write_interval=0.0, database_url=database_url, app_id=app.id
        )
        credentials = AppCredentials(app.id, app.slug, app.private_key, (SECRET,))
        made = Stage(
            sandbox=sandbox,
            upstream=upstream,
            repo=repo,
            installation=installation,
            pin=pin,
            config=config,
            credentials=credentials,
        )
        if serve:
            await stack.enter_async_context(made.serving())
        yield made
    contract.check()


def with_secrets(stage: Stage, *secrets: str) -> None:
    """Accept these from the next start on."""
    stage.credentials = replace(stage.credentials, webhook_secrets=secrets)


@asynccontextmanager
async def client(stage: Stage) -> AsyncIterator[httpx.AsyncClient]:
    """Somebody who speaks to the server."""
    async with httpx.AsyncClient(base_url=stage.url, timeout=20, verify=False) as session:
        yield session

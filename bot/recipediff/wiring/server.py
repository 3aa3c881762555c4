"""The server and its commands put together from named settings. `__main__` hands the environment over; nothing here reads it."""

from __future__ import annotations

import asyncio
import gc
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from recipediff.ports.errors import Misconfigured
from recipediff.wiring.settings import Hosting, hosting

if TYPE_CHECKING:
    import httpx

    from recipediff.adapters.github.auth import AppIdentity
    from recipediff.adapters.github.connect import GitHubForge
    from recipediff.adapters.local.credentials import AppCredentials
    from recipediff.app.diagnostics import Diagnostic
    from recipediff.app.review.workflow import Reviewed
    from recipediff.app.sweep.sweep import Gaps
    from recipediff.inbox.contract import Inbox
    from recipediff.ports.forge import Forge, Home, UpstreamRepository
    from recipediff.server.jobs.handler import JobHandler
    from recipediff.server.metrics import Metrics
    from recipediff.server.serve import Listening
    from recipediff.server.who import Who

    Links = tuple[httpx.AsyncClient, GitHubForge]

BURST = 3
"""Writes of one review that may follow each other at once: check run, conclusion, comment."""


class ServerServices:
    """What the hosting commands need. Satisfies `recipediff.cli.context.Services`."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ

    @asynccontextmanager
    async def inbox(self) -> AsyncIterator[Inbox]:
        """The inbox, open."""
        made = open_inbox(hosting(self._environ))
        await made.open()
        try:
            yield made
        finally:
            await made.close()

    async def serve(self, host: str | None, port: int | None) -> None:
        """Serve until told to stop. Without credentials the first run's page is served until there are some."""
        from recipediff.server import logs
        from recipediff.server.serve import told_to_stop

        config = hosting(self._environ, host=host, port=port)
        logs.configure(secrets=config.secret_texts(), level=config.log_level)
        stopped = asyncio.create_task(told_to_stop())
        try:
            credentials = config.credentials() or await set_up(config, stopped)
            if credentials is not None:
                logs.configure(secrets=config.secret_texts(credentials), level=config.log_level)
                async with serving(config, credentials):
                    settle()
                    await stopped
        finally:
            stopped.cancel()

    async def doctor(self, name: str) -> list[Diagnostic]:
        """What is wrong with the App, and with one repository where `name` is given."""
        from recipediff.server.doctor import examine

        config = hosting(self._environ)
        credentials = config.credentials()
        if credentials is None:
            raise Misconfigured("the App is not set up: run `recipediff serve` and open the address that it prints")
        async with connected(config, identity(credentials), retries=2) as (connection, forge):
            return await examine(connection, forge, credentials.webhook_secrets, name)

    async def review(self, event: Path, kind: str) -> Reviewed:
        """The review of a workflow's event with the workflow's token."""
        from recipediff.adapters.github.http.client import StaticToken
        from recipediff.adapters.local import IsolatedProcess
        from recipediff.app.records.tables import Guard
        from recipediff.app.review.workflow import review_event

        token = self._environ.get("GITHUB_TOKEN") or self._environ.get("GH_TOKEN") or ""
        if not token:
            raise Misconfigured("GITHUB_TOKEN is not set; in a workflow: env: GITHUB_TOKEN: ${{ github.token }}")
        config = hosting(self._environ)
        kind = kind or self._environ.get("GITHUB_EVENT_NAME", "")
        async with connected(config, StaticToken(token), retries=3) as (_, forge):
            guard = Guard(isolation=IsolatedProcess())
            return await review_event(forge, event, kind, web=config.web_url, guard=guard)


def open_inbox(config: Hosting) -> Inbox:
    """The engine that the settings choose; not opened yet."""
    if config.database_url:
        from recipediff.inbox.postgres.engine import PostgresInbox

        return PostgresInbox(config.database_url)
    from recipediff.inbox.sqlite.engine import SqliteInbox

    config.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    return SqliteInbox(config.data / "inbox.db")


def identity(credentials: AppCredentials) -> AppIdentity:
    """The App's own credentials. Raises `Misconfigured`."""
    from recipediff.adapters.github.auth import AppIdentity

    try:
        return AppIdentity(str(credentials.app_id), credentials.private_key)
    except ValueError as error:
        raise Misconfigured(str(error)) from None


@asynccontextmanager
async def connected(
    config: Hosting, credentials: object, *, retries: int = 0, metrics: Metrics | None = None
) -> AsyncIterator[Links]:
    """Connections to GitHub, and the adapters over them."""
    from recipediff.adapters.github.connect import GitHubForge, Settings
    from recipediff.adapters.github.http.client import connection
    from recipediff.adapters.github.http.record import Exchange

    def record(exchange: Exchange) -> None:
        if metrics is not None:
            metrics.asked(exchange.operation, exchange.status, exchange.milliseconds)

    settings = Settings(
        base_url=config.api_url,
        upstream_base_url=config.upstream_api_url,
        upstream_token=config.upstream_token,
        retries=retries,
        record=record if metrics is not None else None,
        interval=config.write_interval,
        burst=BURST,
    )
    async with connection() as client:
        yield client, GitHubForge(client, credentials, settings)  # type: ignore[arg-type]


@asynccontextmanager
async def serving(config: Hosting, credentials: AppCredentials) -> AsyncIterator[int]:
    """The whole server; yields its port once jobs are done too.

    The door opens first: what the reviews need takes longer to load than a delivery should wait.
    """
    from recipediff.server.health import Health, Parts
    from recipediff.server.intake import DeliveryHandler
    from recipediff.server.metrics import Metrics
    from recipediff.server.serve import application, listening, working
    from recipediff.server.who import Who

    metrics, parts, inbox = Metrics(), Parts({"worker": lambda: False}), open_inbox(config)
    who = Who(credentials.app_id, config.slug or credentials.slug)
    door = DeliveryHandler(inbox, credentials.webhook_secrets, who.me, metrics, most_bytes=config.most_bytes)
    async with AsyncExitStack() as stack:
        await inbox.open()
        stack.push_async_callback(inbox.close)
        app = application(door, Health(inbox, metrics, parts), config.most_bytes)
        port = await stack.enter_async_context(listening(app, _listening(config)))
        await asyncio.to_thread(_load)
        links = await stack.enter_async_context(connected(config, identity(credentials), metrics=metrics))
        handler = put_together(config, links, inbox, who)
        await stack.enter_async_context(
            working(inbox, handler, metrics, parts, concurrency=config.concurrency, grace=config.grace)
        )
        yield port


def _load() -> None:
    """Everything that a review needs."""
    for name in (
        "recipediff.adapters.github.connect",
        "recipediff.adapters.github.covered",
        "recipediff.server.jobs.handler",
    ):
        import_module(name)


def settle() -> None:
    """What is loaded by now stays: the collector need not look through it again and again. For a process that only serves."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


def put_together(config: Hosting, links: Links, inbox: Inbox, who: Who) -> JobHandler:
    """What does the jobs, over an open inbox."""
    from recipediff.adapters.github.app import GitHubApp
    from recipediff.adapters.github.covered import covered
    from recipediff.adapters.local import IsolatedProcess
    from recipediff.app.records.tables import Guard
    from recipediff.server.jobs.bumps import Bumping
    from recipediff.server.jobs.handler import JobHandler
    from recipediff.server.jobs.memory import Memory
    from recipediff.server.jobs.reviews import Reviews
    from recipediff.server.jobs.tables import TableJobs
    from recipediff.server.jobs.upkeep import Upkeep

    connection, github = links
    app, forge = GitHubApp(github.app), as_forge(github)

    async def slug() -> str:
        return (await app.facts()).slug

    who.ask = slug
    memory = Memory(alone=not config.database_url, started=time.time())
    guard = Guard(isolation=IsolatedProcess())
    reviews = Reviews(forge, inbox, who, memory, web=config.web_url, guard=guard)
    upkeep = Upkeep(forge, inbox, who, app, covered(connection, github.app, base_url=config.api_url))
    bumping = Bumping(_Bumping(github), inbox, who, upkeep.covered, gaps=_gaps(github))
    return JobHandler(reviews, upkeep, bumping, TableJobs(forge, inbox, who, guard), who)


def _gaps(github: GitHubForge) -> Callable[[Home, str], Gaps]:
    """Who works on an engine's gaps, looked up at the expense of the repository that asks."""
    from recipediff.adapters.github.gaps import GitHubGaps

    def gaps(home: Home, engine: str) -> Gaps:
        return GitHubGaps(github.client(home.name, home.installation), engine)

    return gaps


class _Bumping:
    """The adapters with the permissions that bumps need; reviews go on with fewer. Satisfies `Forge`."""

    def __init__(self, github: GitHubForge) -> None:
        self._github = github

    def home(self, name: str, installation: int) -> Home:
        """`owner/name`, to be written to."""
        from recipediff.adapters.github.connect import BUMP

        return self._github.home(name, installation, BUMP)

    def upstream(self, name: str, home: Home) -> UpstreamRepository:
        """A repository that is only read."""
        return self._github.upstream(name, home)


def as_forge(github: GitHubForge) -> Forge:
    """The adapters as the use cases see them; the type checker proves the fit here."""
    return github


def _listening(config: Hosting) -> Listening:
    from recipediff.server.serve import Listening

    return Listening(config.host, config.port, config.most_bytes)


async def set_up(config: Hosting, stopped: asyncio.Task[None]) -> AppCredentials | None:
    """Serve the first run's pages until there are credentials; None where it was told to stop instead."""
    from recipediff.adapters.github.app import NewApp, convert_manifest
    from recipediff.adapters.github.http.client import GitHubClient, connection
    from recipediff.adapters.local.credentials import store
    from recipediff.server.serve import listening
    from recipediff.server.setup.flow import Setup

    async with connection() as client:

        async def convert(code: str) -> NewApp:
            return await convert_manifest(GitHubClient(client, base_url=config.api_url), code)

        def keep(made: AppCredentials) -> None:
            store(config.data, made)

        page = Setup(convert, keep, web_url=config.web_url)
        async with listening(page.application(), _listening(config)) as port:
            host = "localhost" if config.host in ("0.0.0.0", "::", "127.0.0.1") else config.host  # noqa: S104
            address = f"http://{host}:{port}/setup?token={page.token}"
            sys.stderr.write(
                f"\nThe App is not set up yet. Open, or append the path to this server's address:\n\n  {address}\n\n"
            )
            sys.stderr.flush()
            finished = asyncio.create_task(page.finished.wait())
            await asyncio.wait({finished, stopped}, return_when=asyncio.FIRST_COMPLETED)
            finished.cancel()
    return None if stopped.done() else config.credentials()

"""A local GitHub whose people push and whose deliveries go astray, and servers that are killed at their work."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import random
import re
import signal
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from recipediff.adapters.local.credentials import AppCredentials
from recipediff.inbox.contract import Depth
from recipediff.wiring.settings import Hosting
from sandbox import Sandbox, ServedRequest
from sandbox.model import App, DeliveryRecord, IssueRecord, Repo
from tests.app.review.world import RECIPE_PATH, UPSTREAM, UPSTREAM_PATH, UPSTREAM_TEXT, recipe_text
from tests.faults import server_child

PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["tests.faults.server_child"])
MARKER = "<!-- recipediff:review -->"
SECRET = "the-secret-of-the-webhook"
MOST_PULLS = 6
PATIENCE = 90.0
WORK = (
    "checks/create",
    "checks/update",
    "issues/.*comment",
    "repos/get-content",
    "git/get-blob",
    "checks/list-for-ref",
)
"""Where a kill hurts most."""


@dataclass(slots=True)
class Server:
    """One process."""

    process: BaseProcess
    report: Connection
    port: int = 0

    @property
    def pid(self) -> int:
        assert self.process.pid is not None
        return self.process.pid

    def kill(self) -> None:
        """SIGKILL."""
        os.kill(self.pid, signal.SIGKILL)

    def bury(self) -> None:
        """Wait until it is gone."""
        self.process.join()
        self.report.close()

    async def up(self, seconds: float = PATIENCE) -> bool:
        """Whether it serves, within so many seconds."""
        end = time.monotonic() + seconds
        while not self.port and time.monotonic() < end:
            if self.report.poll():
                self.port = self.report.recv()
            await asyncio.sleep(0.005)
        return bool(self.port)


@dataclass(slots=True, kw_only=True)
class Chaos:
    """The world, the servers, and the tale of what was done to them."""

    sandbox: Sandbox
    repo: Repo
    app: App
    pin: str
    told: server_child.Told
    chance: random.Random
    replicas: int = 1
    servers: list[Server] = field(default_factory=list)
    pulls: list[IssueRecord] = field(default_factory=list)
    right: dict[str, str] = field(default_factory=dict)
    """The conclusion that each head must get."""
    heads: dict[int, str] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    killed_at: Counter[str] = field(default_factory=Counter)
    starts: list[float] = field(default_factory=list)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def start(self) -> Server:
        """One more server."""
        mine, theirs = PROCESSES.Pipe(duplex=False)
        process = PROCESSES.Process(target=server_child.main, args=(self.told, theirs), daemon=True)
        began = time.monotonic()
        process.start()
        theirs.close()
        server = Server(process, mine)
        self.servers.append(server)
        if self.chance.random() < 0.85:
            assert await server.up()
            self.starts.append(time.monotonic() - began)
        return server

    # what people do

    def act(self) -> None:
        """Somebody does something."""
        what = self.chance.random()
        if len(self.pulls) < 2 or (what < 0.15 and len(self.pulls) < MOST_PULLS):
            branch = f"topic-{len(self.pulls)}"
            head = self._commit(branch)
            issue = self.sandbox.open_pull(self.repo, branch, "Change")
            self.pulls.append(issue)
            self.heads[issue.number] = head
            return
        issue = self.chance.choice(self.pulls)
        place = self.pulls.index(issue)
        assert issue.pull is not None
        if issue.state == "closed":
            self.sandbox.reopen(issue)
        elif what < 0.75:
            parent = self.repo.git.ref("refs/heads/main") if self.chance.random() < 0.3 else None
            self.heads[issue.number] = self._commit(f"topic-{place}", parent)
        elif what < 0.85:
            self.sandbox.close(issue)
        elif runs := self.sandbox.check_runs(self.repo, issue.pull.head_sha):
            self.sandbox.rerequest(runs[-1])

    def _commit(self, branch: str, parent: str | None = None) -> str:
        bad = self.chance.random() < 0.6
        self.counts["heads"] += 1
        text = recipe_text(self.pin, seqs="16" if bad else "8") + f"notes: head {self.counts['heads']}\n"
        head = self.sandbox.commit(self.repo, branch, {RECIPE_PATH: text}, "Change", parent=parent)
        self.right[head] = "failure" if bad else "success"
        return head

    # what becomes of deliveries

    def deliver(self) -> None:
        """Of the deliveries that wait: sent in any order, twice, later, or never."""
        waiting, self.sandbox.hooks.waiting = self.sandbox.hooks.waiting, []
        self.chance.shuffle(waiting)
        for delivery in waiting:
            fate = self.chance.random()
            if fate < 0.1:
                self.counts["dropped"] += 1
                continue
            if fate < 0.3:
                self.sandbox.hooks.waiting.append(delivery)
                self.counts["held back"] += 1
                continue
            twice = fate > 0.85
            self.counts["sent twice" if twice else "sent"] += 1
            for _ in range(2 if twice else 1):
                task = asyncio.get_running_loop().create_task(self._send(delivery))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

    async def _send(self, delivery: DeliveryRecord) -> None:
        await asyncio.sleep(self.chance.random() * 0.05)
        self.app.webhook_url = f"http://127.0.0.1:{self.chance.choice(self.servers).port or 9}/webhook"
        sent = await self.sandbox.hooks.send(replace(delivery))
        self.counts["not taken"] += not 200 <= (sent.status_code or 0) < 300

    # what becomes of servers

    async def round(self) -> None:
        """Something happens, and a server dies of it."""
        self.act()
        self.deliver()
        victim = self.chance.choice(self.servers)
        if self.chance.random() < 0.7:
            await self._at_a_request(victim)
        else:
            await asyncio.sleep(self.chance.uniform(0.0, 0.4))
            self.killed_at["any moment"] += 1
            victim.kill()
        victim.bury()
        self.servers.remove(victim)
        self.counts["kills"] += 1
        await self.start()

    async def _at_a_request(self, victim: Server) -> None:
        """Kill when a chosen one of the next requests arrives, or when it was done and the answer is not out yet."""
        dead = asyncio.Event()
        wanted = self.chance.choice(WORK) if self.chance.random() < 0.6 else ""
        left = 1 if wanted else self.chance.randint(1, 14)
        at = self.sandbox.before if self.chance.random() < 0.5 else self.sandbox.observers

        def kill(seen: ServedRequest) -> None:
            nonlocal left
            left -= re.match(wanted, seen.operation) is not None
            if left == 0:
                self.killed_at[seen.operation] += 1
                victim.kill()
                dead.set()

        at.append(kill)
        try:
            async with asyncio.timeout(1.5):
                await dead.wait()
        except TimeoutError:
            self.killed_at["idle"] += 1
            victim.kill()
        finally:
            at.remove(kill)

    async def calm(self) -> None:
        """No more kills: what still waits is delivered or dropped, and a fresh server finds the rest."""
        while self._tasks:
            await asyncio.wait(set(self._tasks))
        for server in self.servers:
            server.kill()
            server.bury()
        self.servers.clear()
        self.sandbox.hooks.waiting.clear()
        await asyncio.sleep(SETTLE)
        for issue in self.pulls:
            if issue.state == "closed":
                self.sandbox.reopen(issue)
        self.sandbox.hooks.waiting.clear()  # nobody is told of that either
        await asyncio.sleep(SETTLE)
        server = await self.start()
        assert await server.up()
        self.app.webhook_url = f"http://127.0.0.1:{server.port}/webhook"
        self.sandbox.hooks.held = False

    def wrong(self) -> list[str]:
        """Everything that is not as it must be in the end."""
        found = []
        for issue in self.pulls:
            head = self.heads[issue.number]
            runs = [(run.status, run.conclusion) for run in self.sandbox.check_runs(self.repo, head)]
            if runs != [("completed", self.right[head])]:
                found.append(f"#{issue.number} at {head[:12]}: {runs} instead of one {self.right[head]}")
            said = [c.body or "" for c in self.sandbox.comments(issue) if (c.body or "").startswith(MARKER)]
            if len(said) > 1:
                found.append(f"#{issue.number}: {len(said)} comments")
            if self.right[head] == "failure" and not any(head[:12] in body for body in said):
                found.append(f"#{issue.number}: no comment on {head[:12]}")
            if self.right[head] == "success" and any("resolved" not in body for body in said):
                found.append(f"#{issue.number}: the comment is not resolved")
        for head in self.right:
            count = len(self.sandbox.check_runs(self.repo, head))
            if count > 1:
                found.append(f"{head[:12]}: {count} check runs")
        return found

    async def quiet(self) -> None:
        """Until nothing waits and nothing runs."""
        box = server_child.inbox(self.told.hosting)
        await box.open()
        try:
            end, still = time.monotonic() + PATIENCE, 0
            while still < 5:
                depth = await box.depth()
                still = still + 1 if _empty(depth) and not self.wrong() else 0
                if time.monotonic() > end:
                    return
                await asyncio.sleep(0.1)
            dead = await box.entries("dead")
            assert dead == [], f"given up: {dead}"
        finally:
            await box.close()


SETTLE = server_child.SETTLED + 0.5


def _empty(depth: Depth) -> bool:
    return depth.waiting == depth.running == depth.delayed == 0


@asynccontextmanager
async def chaos(folder: Path, seed: int, *, replicas: int = 1, database_url: str = "") -> AsyncIterator[Chaos]:
    """The world with its first servers."""
    sandbox = await Sandbox.start()
    upstream = sandbox.create_repo(UPSTREAM, {UPSTREAM_PATH: UPSTREAM_TEXT})
    pin = upstream.git.ref("refs/heads/main") or ""
    repo = sandbox.create_repo("org/recipes", {RECIPE_PATH: recipe_text(pin)})
    app = sandbox.register_app("http://127.0.0.1:9/", SECRET)
    sandbox.install(app, "org", [repo])
    sandbox.hooks.held = True
    hosting = Hosting(
        data=folder, api_url=sandbox.api_url, port=0, write_interval=0.0, database_url=database_url, app_id=app.id
    )
    told = server_child.Told(
        hosting, AppCredentials(app.id, app.slug, app.private_key, (SECRET,)), folder / "server.log"
    )
    made = Chaos(sandbox=sandbox, repo=repo, app=app, pin=pin, told=told, chance=random.Random(seed), replicas=replicas)
    try:
        for _ in range(replicas):
            await made.start()
        yield made
    finally:
        for server in made.servers:
            server.process.kill()
            server.bury()
        await sandbox.stop()

"""Commits, branches and pull requests as dictionaries, and a scheduler that says which of the waiting calls goes on."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from random import Random
from typing import Any

from recipediff.core.git import blob_id
from recipediff.ports.errors import Missing
from recipediff.ports.forge import Comment, Issue, PullRequest

Tree = Mapping[str, bytes]
BOT = "recipediff[bot]"


class Scheduler:
    """Lets one of the waiting calls go on at a time, by a seeded choice."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self._waiting: list[asyncio.Future[None]] = []
        self.on = False
        self.steps = 0

    async def point(self) -> None:
        """Where a call may be overtaken."""
        if not self.on:
            return
        here = asyncio.get_running_loop().create_future()
        self._waiting.append(here)
        await here

    async def run(self, actors: Sequence[Coroutine[Any, Any, None]]) -> None:
        """All of them side by side, in an order that the seed decides."""
        self.on = True
        tasks = [asyncio.ensure_future(actor) for actor in actors]
        while not all(task.done() for task in tasks):
            for _ in range(5):
                await asyncio.sleep(0)
            if self._waiting:
                self.steps += 1
                self._waiting.pop(self.random.randrange(len(self._waiting))).set_result(None)
        self.on = False
        for task in tasks:
            task.result()


@dataclass(kw_only=True)
class Repo:
    """One repository: commits, branches."""

    name: str
    world: BareWorld
    commits: dict[str, tuple[Tree, tuple[str, ...], str, str, float]] = field(default_factory=dict)
    refs: dict[str, str] = field(default_factory=dict)
    content: dict[str, bytes] = field(default_factory=dict)

    def write(self, tree: Tree, parents: Sequence[str], message: str, author: str) -> str:
        """A commit; its id."""
        self.world.clock += 1
        text = repr((sorted(tree.items()), tuple(parents), message, author, self.world.clock))
        sha = hashlib.sha1(text.encode()).hexdigest()
        self.commits[sha] = (dict(tree), tuple(parents), message, author, self.world.clock)
        self.content.update((blob_id(data), data) for data in tree.values())
        return sha

    def push(
        self, branch: str, files: Mapping[str, bytes | None], message: str, author: str, *, amend: bool = False
    ) -> str:
        """A commit on a branch, by a person."""
        tip = self.refs.get(branch)
        tree = dict(self.commits[tip][0]) if tip else {}
        for path, data in files.items():
            tree.pop(path, None)
            if data is not None:
                tree[path] = data
        parents = self.commits[tip][1] if tip and amend else [tip] if tip else []
        sha = self.write(tree, parents, message, author)
        self.refs[branch] = sha
        return sha

    def ancestors(self, sha: str) -> set[str]:
        """The commit and everything below it."""
        found: set[str] = set()
        waiting = [sha]
        while waiting:
            one = waiting.pop()
            if one not in found:
                found.add(one)
                waiting.extend(self.commits[one][1])
        return found

    def known(self, name: str) -> str:
        """A branch's tip, or the commit itself."""
        sha = self.refs.get(name, name)
        if sha not in self.commits:
            raise Missing(f"{self.name}: {name} is not there")
        return sha


class BareWorld:
    """All of it. `fault` is asked before and after every call and may raise `Unavailable`."""

    def __init__(self, seed: int = 0) -> None:
        self.scheduler = Scheduler(seed)
        self.clock = 1_800_000_000.0
        self.repos: dict[str, Repo] = {}
        self.pulls: dict[int, PullRequest] = {}
        self.issues: dict[int, Issue] = {}
        self.comments: dict[int, list[Comment]] = {}
        self.numbers = 0
        self.calls: list[str] = []
        self.fault: Callable[[str, bool], None] = lambda _name, _after: None
        self.broken: list[str] = []
        """Promises that were not kept."""

    def repo(self, name: str, files: Mapping[str, bytes]) -> Repo:
        """A repository with one commit on main."""
        made = self.repos[name] = Repo(name=name, world=self)
        made.refs["main"] = made.write(files, (), "Begin", "octocat")
        return made

    async def call(self, name: str, work: Callable[[], Any], *, write: bool = False) -> Any:
        """One exchange with GitHub: it may be overtaken before, and its answer lost after."""
        await self.scheduler.point()
        self.calls.append(name)
        self.fault(name, False)
        answer = work()
        if write:
            await self.scheduler.point()
        self.fault(name, True)
        return answer

    def moved(self, repo: Repo, branch: str) -> None:
        """What GitHub does to pull requests when a branch moves or goes."""
        tip = repo.refs.get(branch)
        for number, pull in self.pulls.items():
            if pull.head_ref == branch and pull.state == "open":
                self.pulls[number] = replace(pull, head_sha=tip) if tip else replace(pull, state="closed")


def stamp(at: float) -> str:
    """A time as GitHub writes it."""
    return datetime.fromtimestamp(at, UTC).isoformat().replace("+00:00", "Z")

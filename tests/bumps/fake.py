"""GitHub as dictionaries, for races: every call stops at a point, and a scheduler says who goes on.

It keeps GitHub's own promises and no others: a branch moves forwards only, a second pull request of an open branch is
refused, and a write may be done though its answer is lost.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from random import Random
from typing import Any

from bot.app.forge import CheckRun, Comment, Commit, Home, Issue, Output, PullRequest, Upstream
from bot.app.protocols import Entry, Missing, Moved, Refused, Unavailable
from bot.core.objects import blob_id

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


@dataclass
class Repo:
    """One repository: commits, branches."""

    name: str
    world: FakeWorld
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


class FakeWorld:
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
        made = self.repos[name] = Repo(name, self)
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

    def home(self, name: str, installation: int = 1) -> Home:
        """As the use cases see it."""
        repo = self.repos[name]
        history = FakeHistory(self, repo)
        return Home(
            name, installation, FakeTrees(self, repo), FakePulls(self, repo), FakeChecks(), FakeComments(self),
            FakeAccess(), history, FakeBranches(self, repo), FakeIssues(self),
        )  # fmt: skip

    def upstream(self, name: str, home: Home) -> Upstream:
        """A repository that is only read."""
        del home
        repo = self.repos[name]
        return Upstream(FakeTrees(self, repo), FakeHistory(self, repo))

    def moved(self, repo: Repo, branch: str) -> None:
        """What GitHub does to pull requests when a branch moves or goes."""
        tip = repo.refs.get(branch)
        for number, pull in self.pulls.items():
            if pull.head_ref == branch and pull.state == "open":
                self.pulls[number] = replace(pull, head_sha=tip) if tip else replace(pull, state="closed")


class FakeTrees:
    """Trees and blobs."""

    pinned = True

    def __init__(self, world: FakeWorld, repo: Repo) -> None:
        self.name, self._world, self._repo = repo.name, world, repo

    async def tree(self, commit: str) -> Mapping[str, Entry]:
        """By path."""
        tree = await self._world.call("tree", lambda: self._repo.commits[self._repo.known(commit)][0])
        return {path: Entry(path, blob_id(data)) for path, data in sorted(tree.items())}

    async def blobs(self, entries: Iterable[Entry]) -> Mapping[str, bytes]:
        """By path."""
        wanted = list(entries)
        found: dict[str, bytes] = await self._world.call(
            "blobs", lambda: {e.path: self._repo.content[e.sha] for e in wanted}
        )
        return found


class FakeHistory:
    """Commits."""

    def __init__(self, world: FakeWorld, repo: Repo) -> None:
        self._world, self._repo = world, repo

    async def default_branch(self) -> str:
        """Always main."""
        name: str = await self._world.call("default branch", lambda: "main")
        return name

    async def tip(self, branch: str) -> str | None:
        """Where a branch is."""
        tip: str | None = await self._world.call("tip", lambda: self._repo.refs.get(branch))
        return tip

    async def contains(self, branch: str, commit: str) -> bool:
        """Reachable."""
        known = self._repo.known
        answer: bool = await self._world.call("contains", lambda: known(commit) in self._repo.ancestors(known(branch)))
        return answer

    async def merge_base(self, one: str, other: str) -> str:
        """The newest commit that both have."""

        def work() -> str:
            both = self._repo.ancestors(self._repo.known(one)) & self._repo.ancestors(self._repo.known(other))
            if not both:
                raise Missing("no commit in common")
            return max(both, key=lambda sha: self._repo.commits[sha][4])

        found: str = await self._world.call("merge base", work)
        return found

    async def commits(self, branch: str, path: str = "", *, most: int = 100) -> Sequence[Commit]:
        """Newest first."""

        def work() -> list[Commit]:
            line = sorted(self._repo.ancestors(self._repo.known(branch)), key=lambda s: -self._repo.commits[s][4])
            return [self._commit(sha) for sha in line if not path or self._touches(sha, path)][:most]

        found: list[Commit] = await self._world.call("commits", work)
        return found

    def _commit(self, sha: str) -> Commit:
        _, _, message, author, at = self._repo.commits[sha]
        return Commit(sha, message.partition("\n")[0], author, stamp(at))

    def _touches(self, sha: str, path: str) -> bool:
        tree, parents, *_ = self._repo.commits[sha]
        return all(self._repo.commits[parent][0].get(path) != tree.get(path) for parent in parents)


def stamp(at: float) -> str:
    """A time as GitHub writes it."""
    return datetime.fromtimestamp(at, UTC).isoformat().replace("+00:00", "Z")


class FakeBranches:
    """Writing. `advance` looks and then moves, as over the network; in between anything may happen."""

    def __init__(self, world: FakeWorld, repo: Repo) -> None:
        self._world, self._repo = world, repo

    async def commit(self, files: Mapping[str, str], *, parents: Sequence[str], message: str) -> str:
        """A commit that no branch has yet."""

        def work() -> str:
            tree = dict(self._repo.commits[self._repo.known(parents[0])][0])
            tree.update({path: text.encode() for path, text in files.items()})
            return self._repo.write(tree, parents, message, BOT)

        sha: str = await self._world.call("commit", work, write=True)
        return sha

    async def create(self, branch: str, commit: str) -> None:
        """A new branch."""

        def work() -> None:
            if branch in self._repo.refs:
                raise Moved("it exists")
            self._repo.refs[branch] = commit

        await self._world.call("create branch", work, write=True)

    async def advance(self, branch: str, *, expected: str, to: str) -> None:
        """Forwards only."""
        tip = await self._world.call("tip", lambda: self._repo.refs.get(branch))
        if tip != expected:
            raise Moved("it is elsewhere")

        def work() -> None:
            now = self._repo.refs.get(branch)
            if now is None or now not in self._repo.ancestors(to):
                raise Moved("not a fast-forward")
            if self._repo.commits[now][3] != BOT:
                self._world.broken.append(f"{branch} was moved from a person's commit")
            self._repo.refs[branch] = to
            self._world.moved(self._repo, branch)

        await self._world.call("advance", work, write=True)

    async def delete(self, branch: str, *, expected: str) -> None:
        """GitHub deletes wherever it is by then."""
        del expected
        self._repo.refs.pop(branch, None)
        self._world.broken.append(f"{branch} was deleted")


class FakePulls:
    """Pull requests."""

    def __init__(self, world: FakeWorld, repo: Repo) -> None:
        self._world, self._repo = world, repo

    async def get(self, number: int) -> PullRequest:
        """As it is."""
        found: PullRequest = await self._world.call("get pull", lambda: self._world.pulls[number])
        return found

    async def listed(
        self, *, state: str = "open", head: str = "", base: str = "", most: int = 0
    ) -> Sequence[PullRequest]:
        """Newest first."""

        def work() -> list[PullRequest]:
            found = [p for p in reversed(self._world.pulls.values()) if state in ("all", p.state)]
            found = [p for p in found if (not head or p.head_ref == head) and (not base or p.base_ref == base)]
            return found[: most or None]

        listed: list[PullRequest] = await self._world.call("list pulls", work)
        return listed

    async def create(self, *, head: str, base: str, title: str, body: str) -> PullRequest:
        """One for each open branch."""

        def work() -> PullRequest:
            if any(p.state == "open" and p.head_ref == head for p in self._world.pulls.values()):
                raise Refused("invalid", "one exists already")
            if head not in self._repo.refs:
                raise Refused("invalid", "no such branch")
            self._world.numbers += 1
            self._world.clock += 1
            made = PullRequest(
                self._world.numbers, title, body, BOT, "open", False, False, self._repo.refs[head], head, self._repo.name,
                self._repo.refs[base], base, self._repo.name, created_at=stamp(self._world.clock),
            )  # fmt: skip
            self._world.pulls[made.number] = made
            return made

        made: PullRequest = await self._world.call("create pull", work, write=True)
        return made

    async def update(
        self, number: int, *, title: str | None = None, body: str | None = None, state: Any = None
    ) -> PullRequest:
        """What is given."""

        def work() -> PullRequest:
            pull = self._world.pulls[number]
            given: dict[str, Any] = {"title": title, "body": body, "state": state}
            self._world.pulls[number] = replace(pull, **{k: v for k, v in given.items() if v is not None})
            return self._world.pulls[number]

        changed: PullRequest = await self._world.call("update pull", work, write=True)
        return changed

    async def ask_for_review(self, number: int, reviewers: Sequence[str]) -> None:
        """Nobody looks."""

    async def merge(self, number: int, *, head_sha: str) -> None:
        """Never asked for here."""
        raise Refused("conflict", f"#{number} at {head_sha}")


class FakeComments:
    """Comments."""

    def __init__(self, world: FakeWorld) -> None:
        self._world = world

    async def find(self, number: int, marker: str, author: str) -> Comment | None:
        """By marker and author."""
        every = self._world.comments.setdefault(number, [])
        found: Comment | None = await self._world.call(
            "find comment", lambda: next((c for c in every if c.author == author and c.body.startswith(marker)), None)
        )
        return found

    async def create(self, number: int, body: str) -> Comment:
        """Adds one."""
        self._world.numbers += 1
        made = Comment(self._world.numbers, BOT, body, "recipediff")
        await self._world.call("comment", lambda: self._world.comments.setdefault(number, []).append(made), write=True)
        return made

    async def edit(self, comment: int, body: str) -> Comment:
        """Not used by bumps."""
        raise Missing(f"{comment}: {body}")

    async def react(self, comment: int, reaction: str) -> None:
        """Nobody looks."""


class FakeIssues:
    """Issues."""

    def __init__(self, world: FakeWorld) -> None:
        self._world = world

    async def listed(self, *, state: str = "open", label: str = "") -> Sequence[Issue]:
        """Newest first."""
        every = self._world.issues
        found: list[Issue] = await self._world.call(
            "list issues",
            lambda: [
                i for i in reversed(every.values()) if state in ("all", i.state) and (not label or label in i.labels)
            ],
        )
        return found

    async def create(self, *, title: str, body: str, labels: Sequence[str] = ()) -> Issue:
        """Opens one."""

        def work() -> Issue:
            self._world.numbers += 1
            made = Issue(self._world.numbers, title, body, BOT, "open", tuple(labels))
            self._world.issues[made.number] = made
            return made

        made: Issue = await self._world.call("create issue", work, write=True)
        return made

    async def update(
        self, number: int, *, title: str | None = None, body: str | None = None, state: Any = None
    ) -> Issue:
        """What is given."""

        def work() -> Issue:
            given: dict[str, Any] = {"title": title, "body": body, "state": state}
            changed = {k: v for k, v in given.items() if v is not None}
            self._world.issues[number] = replace(self._world.issues[number], **changed)
            return self._world.issues[number]

        changed: Issue = await self._world.call("update issue", work, write=True)
        return changed

    async def label(self, number: int, labels: Sequence[str]) -> None:
        """Nobody looks."""
        await self._world.call("label", lambda: (number, labels), write=True)

    async def assign(self, number: int, assignees: Sequence[str]) -> None:
        """Nobody looks."""


class FakeChecks:
    """No check has run."""

    async def named(self, head_sha: str, name: str) -> Sequence[CheckRun]:
        """None."""
        del head_sha, name
        return ()

    async def start(
        self, name: str, head_sha: str, *, output: Output | None = None, external_id: str = "", url: str = ""
    ) -> CheckRun:
        """Never asked for."""
        raise Unavailable("own-fault", f"{name} {head_sha} {output} {external_id} {url}")

    async def conclude(self, run: int, conclusion: str, output: Output, *, shown: int = 0, url: str = "") -> CheckRun:
        """Never asked for."""
        raise Unavailable("own-fault", f"{run} {conclusion} {output} {shown} {url}")

    async def publish(
        self, name: str, head_sha: str, conclusion: str, output: Output, *, external_id: str = "", url: str = ""
    ) -> CheckRun:
        """Never asked for."""
        raise Unavailable("own-fault", f"{name} {head_sha} {conclusion} {output} {external_id} {url}")


class FakeAccess:
    """Everybody may write."""

    async def permission(self, user: str) -> Any:
        """`write`."""
        del user
        return "write"

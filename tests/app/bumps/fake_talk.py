"""Pull requests, comments, issues, checks and permissions over the dictionaries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from recipediff.ports.errors import Missing, Refused, Unavailable
from recipediff.ports.forge import CheckRun, Comment, Issue, Output, PullRequest
from tests.app.bumps.fake_world import BOT, BareWorld, Repo, stamp


class FakePulls:
    """Pull requests."""

    def __init__(self, world: BareWorld, repo: Repo) -> None:
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
                number=self._world.numbers, title=title, body=body, author=BOT, state="open", draft=False, merged=False, head_sha=self._repo.refs[head], head_ref=head, head_repo=self._repo.name,
                base_sha=self._repo.refs[base], base_ref=base, base_repo=self._repo.name, created_at=stamp(self._world.clock),
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

    def __init__(self, world: BareWorld) -> None:
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

    def __init__(self, world: BareWorld) -> None:
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
            made = Issue(
                number=self._world.numbers, title=title, body=body, author=BOT, state="open", labels=tuple(labels)
            )
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

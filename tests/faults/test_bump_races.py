"""The life of a bump under races: random schedules of two replicas, upstream, people and faults.

`RECIPEDIFF_SCHEDULES=1000` runs as many schedules; a handful run by default. A failing schedule is told by its seed.
"""

from __future__ import annotations

import os
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

import pytest

from recipediff.app.bumps.move import About, keep_bumps
from recipediff.core.bumps.branches import PREFIX, QUIET
from recipediff.core.bumps.calendar import DAY
from recipediff.parse.tested.read import read_recipes
from recipediff.ports.errors import Missing, Unavailable
from tests.app.bumps.fake import BOT, FakeWorld, Repo
from tests.app.review.world import RECIPE_PATH, UPSTREAM, UPSTREAM_PATH, UPSTREAM_TEXT, recipe_text

SCHEDULES = int(os.environ.get("RECIPEDIFF_SCHEDULES", "40"))
BRANCH = f"{PREFIX}tiny-1spark"
HOME = "lab/models"


class Race:
    """One schedule: what happens is chosen by the seed, and so is when."""

    def __init__(self, seed: int) -> None:
        self.world = FakeWorld(seed)
        self.random = self.world.scheduler.random
        self.text = UPSTREAM_TEXT
        self.upstream = self.world.repo(UPSTREAM, {UPSTREAM_PATH: self.text.encode()})
        pin = self.upstream.refs["main"]
        self.home = self.world.repo(HOME, {RECIPE_PATH: recipe_text(pin).encode()})
        self.theirs: list[str] = []
        self.closed_by_person = self.deleted = self.pushed = False
        self.faults = 0

    async def bot(self) -> None:
        """One run of a replica. A fault ends it; the inbox would run it again."""
        about = About(author=BOT, now=self.world.clock + 3 * DAY)
        try:
            await keep_bumps(self.world.home(HOME), self.world, about)
        except (Unavailable, Missing):
            return
        finally:
            self.look()

    def look(self) -> None:
        """What must hold at every moment."""
        branches = [pull.head_ref for pull in self.world.pulls.values() if pull.state == "open"]
        assert len(branches) == len(set(branches)), "two pull requests of one branch"

    async def upstream_moves(self) -> None:
        """Upstream edits a setting."""
        await self._pause()
        value = self.random.choice(["8", "16", "24"])
        self.text = UPSTREAM_TEXT.replace("max_num_seqs: 8", f"max_num_seqs: {value}")
        self.upstream.push("main", {UPSTREAM_PATH: self.text.encode()}, f"Set {value}", "upstream")

    async def person_pushes(self) -> None:
        """A person commits to the bump's branch, on top or amended."""
        await self._pause()
        if BRANCH in self.home.refs:
            sha = self._tamper(self.home, amend=self.random.random() < 0.4)
            self.theirs.append(sha)
            self.pushed = True
            self.world.moved(self.home, BRANCH)

    def _tamper(self, repo: Repo, *, amend: bool) -> str:
        tree = repo.commits[repo.refs[BRANCH]][0]
        text = tree[RECIPE_PATH] + b"notes: by hand\n" if self.random.random() < 0.7 else tree[RECIPE_PATH]
        return repo.push(BRANCH, {RECIPE_PATH: text}, "Move by hand", "octocat", amend=amend)

    async def person_closes(self) -> None:
        """A person closes the bump, and perhaps opens it again."""
        await self._pause()
        for number, pull in list(self.world.pulls.items()):
            if pull.state == "open" and pull.head_ref == BRANCH:
                self.world.pulls[number] = replace(pull, state="closed")
                await self._pause()
                again = any(p.state == "open" and p.head_ref == BRANCH for p in self.world.pulls.values())
                if self.random.random() < 0.5 and BRANCH in self.home.refs and not again:
                    head = self.home.refs[BRANCH]
                    self.world.pulls[number] = replace(self.world.pulls[number], state="open", head_sha=head)

    async def branch_is_deleted(self) -> None:
        """A person deletes the branch."""
        await self._pause()
        if self.home.refs.pop(BRANCH, None):
            self.theirs.clear()
            self.pushed = False
            self.world.moved(self.home, BRANCH)

    async def base_moves(self) -> None:
        """Somebody edits the recipe on the base branch."""
        await self._pause()
        tree = self.home.commits[self.home.refs["main"]][0]
        text = tree[RECIPE_PATH].decode() + f"# edited {self.random.randrange(1000)}\n"
        self.home.push("main", {RECIPE_PATH: text.encode()}, "Edit", "octocat")

    async def _pause(self) -> None:
        for _ in range(self.random.randrange(25)):
            await self.world.scheduler.point()

    def failing(self, share: float) -> None:
        """GitHub fails in this share of all calls, before or after it has done the work."""

        def fault(name: str, after: bool) -> None:
            if self.world.scheduler.on and self.random.random() < share:
                self.faults += 1
                raise Unavailable("server-error", f"{name} {'after' if after else 'before'}")

        self.world.fault = fault

    async def settle(self) -> None:
        """Runs without a race, until nothing changes any more."""
        for _ in range(6):
            before = repr((self.world.pulls, self.home.refs, self.world.comments))
            await self.bot()
            if repr((self.world.pulls, self.home.refs, self.world.comments)) == before:
                return
        pytest.fail("the runs never come to rest")

    def actors(self) -> list[Coroutine[Any, Any, None]]:
        """Who takes part this time."""
        people = [
            self.person_pushes, self.person_closes, self.branch_is_deleted, self.base_moves, self.upstream_moves,
        ]  # fmt: skip
        some = [actor for actor in people if self.random.random() < 0.35]
        replicas = [self.bot] * self.random.choice([1, 2, 2, 3])
        return [actor() for actor in (*replicas, self.upstream_moves, *some)]

    def judge(self) -> None:
        """What must hold in the end."""
        assert self.world.broken == []
        self.look()
        if self.theirs:
            tip = self.home.refs[BRANCH]
            assert self.theirs[-1] == tip, "a person's commit is not where the person left it"
        open_ones = [pull for pull in self.world.pulls.values() if pull.state == "open"]
        assert [pull.head_ref for pull in open_ones if pull.head_ref not in (BRANCH, QUIET)] == []
        for pull in open_ones:
            if not self.pushed and pull.head_ref == BRANCH and "reopened" not in self._why(pull.number):
                self._fresh(pull.head_sha)

    def _why(self, number: int) -> str:
        body = self.world.pulls[number].body
        return "reopened" if '"ended":"bot"' in body else ""

    def _fresh(self, head: str) -> None:
        """The open bump is the base with the pin at what upstream says now, and nothing else."""
        tree, base = self.home.commits[head][0], self.home.commits[self.home.refs["main"]][0]
        (new,), (old,) = (read_recipes(t[RECIPE_PATH], RECIPE_PATH).recipes for t in (tree, base))
        assert new.source is not None
        assert old.source is not None
        pinned = self.upstream.commits[new.source.commit][0][UPSTREAM_PATH].decode()
        assert pinned == self.text
        assert tree[RECIPE_PATH].decode().replace(new.source.commit, old.source.commit) == base[RECIPE_PATH].decode()


@pytest.mark.parametrize("block", range(0, SCHEDULES, 20))
async def test_one_pull_request_and_no_commit_lost_in_any_schedule(block: int) -> None:
    for seed in range(block, min(block + 20, SCHEDULES)):
        race = Race(seed)
        try:
            if seed % 3:
                await race.upstream_moves()
            if seed % 2:
                await race.bot()
            if seed % 5 == 0:
                race.failing(0.05)
            for _ in range(1 + seed % 3):
                await race.world.scheduler.run(race.actors())
            race.world.fault = lambda _name, _after: None
            await race.settle()
            race.judge()
        except BaseException as error:
            error.add_note(f"schedule {seed}, {race.world.scheduler.steps} steps, {race.faults} faults")
            raise

"""A small world for bumps: the review's, with an upstream that moves and a clock."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from recipediff.app.bumps.move import About, Kept, keep_bumps
from recipediff.core.bumps.branches import PREFIX
from recipediff.core.bumps.calendar import DAY
from sandbox.model import IssueRecord
from tests.app.review.world import RECIPE_PATH, UPSTREAM_PATH, UPSTREAM_TEXT, World, world

RECIPE = "tiny-1spark"
BRANCH = f"{PREFIX}{RECIPE}"
CONFIG = ".github/recipediff.yml"


@dataclass(slots=True)
class Lab:
    """The world, and how upstream reads now."""

    world: World
    text: str = UPSTREAM_TEXT
    days: float = 2.0
    """How many days after now a run happens, so that the cooldown is over."""
    kept: list[Kept] = field(default_factory=list)

    def upstream(self, *edits: tuple[str, str], subject: str = "Tune", path: str = UPSTREAM_PATH) -> str:
        """Upstream edits its recipe. The commit."""
        for old, new in edits:
            assert old in self.text, old
            self.text = self.text.replace(old, new)
        return self.world.sandbox.commit(self.world.upstream, "main", {path: self.text}, subject)

    def config(self, text: str) -> None:
        """The repository's configuration."""
        self.world.sandbox.commit(self.world.repo, "main", {CONFIG: text}, "Configure")

    async def run(self, **about: object) -> Kept:
        """One run of the use case."""
        now = self.world.sandbox.world.clock().timestamp() + self.days * DAY
        kept = await keep_bumps(self.world.home, self.world.forge, About(author=self.world.author, now=now, **about))  # type: ignore[arg-type]
        self.kept.append(kept)
        return kept

    def bumps(self, state: str = "open") -> list[IssueRecord]:
        """The pull requests of bumps."""
        found = self.world.sandbox.world.pulls(self.world.repo)
        return [i for i in found if i.pull and i.pull.head_ref.startswith(PREFIX) and state in (i.state, "all")]

    def file(self, ref: str, path: str = RECIPE_PATH) -> str:
        """A file of the repository at a branch."""
        git = self.world.repo.git
        tip = git.ref(f"refs/heads/{ref}")
        assert tip is not None, ref
        entry = git.find(git.commit(tip).tree, path)
        assert entry is not None, path
        return git.read(entry.sha).decode()

    def tip(self, branch: str = BRANCH) -> str | None:
        """Where a branch is."""
        return self.world.repo.git.ref(f"refs/heads/{branch}")


@asynccontextmanager
async def lab() -> AsyncIterator[Lab]:
    """The running world."""
    async with world() as made:
        yield Lab(made)

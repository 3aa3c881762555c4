"""GitHub as dictionaries, for races: every call stops at a point, and a scheduler says who goes on.

It keeps GitHub's own promises and no others: a branch moves forwards only, a second pull request of an open branch is
refused, and a write may be done though its answer is lost.
"""

from __future__ import annotations

from recipediff.ports.forge import Home, UpstreamRepository
from tests.app.bumps.fake_git import FakeBranches, FakeHistory, FakeTrees
from tests.app.bumps.fake_talk import FakeAccess, FakeChecks, FakeComments, FakeIssues, FakePulls
from tests.app.bumps.fake_world import BOT, BareWorld, Repo

__all__ = ["BOT", "FakeWorld", "Repo"]


class FakeWorld(BareWorld):
    """All of it. Satisfies `Forge`."""

    def home(self, name: str, installation: int = 1) -> Home:
        """As the use cases see it."""
        repo = self.repos[name]
        history = FakeHistory(self, repo)
        return Home(
            name=name, installation=installation, repository=FakeTrees(self, repo), pulls=FakePulls(self, repo), checks=FakeChecks(), comments=FakeComments(self),
            access=FakeAccess(), history=history, branches=FakeBranches(self, repo), issues=FakeIssues(self),
        )  # fmt: skip

    def upstream(self, name: str, home: Home) -> UpstreamRepository:
        """A repository that is only read."""
        del home
        repo = self.repos[name]
        return UpstreamRepository(FakeTrees(self, repo), FakeHistory(self, repo))

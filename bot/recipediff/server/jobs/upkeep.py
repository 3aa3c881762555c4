"""The jobs that look for what was missed: rechecks, reconciliation, sweeps over installations, failed deliveries."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

import structlog

from recipediff.app.events import RECHECKED, RECONCILE, Asked, crossed
from recipediff.app.review.job_data import asked_of, number
from recipediff.app.review.reconcile import ON_ITS_WAY, Deliveries, WantedReview, of_head, reconcile, redeliver
from recipediff.inbox.contract import Done, Inbox, Job
from recipediff.inbox.worker import JobOutcome
from recipediff.ports.forge import Forge
from recipediff.ports.jobs import Scalar
from recipediff.server.intake import work_of
from recipediff.server.who import Who

_log = structlog.get_logger(__name__)
REMEMBERED = 3 * 86400.0
"""Seconds for which GitHub keeps deliveries."""
MOST_BASES = 10
"""Branches of one repository whose open pull requests are held against each other in a round."""
SPACING = 0.2
"""Seconds between the repositories of one sweep."""


class Installed(Protocol):
    """One installation of the App."""

    @property
    def id(self) -> int:
        """Of the installation."""

    @property
    def suspended(self) -> bool:
        """Whether it answers nothing."""


class AppSide(Deliveries, Protocol):
    """What the App itself can ask."""

    async def installations(self) -> Sequence[Installed]:
        """Every installation."""


Repositories = Callable[[int], Awaitable[Sequence[str]]]
"""`owner/name` of every repository that an installation covers."""


class Upkeep:
    """Runs them. They only ask for reviews; a review alone writes, so that one pull request has one writer."""

    def __init__(
        self,
        forge: Forge,
        inbox: Inbox,
        who: Who,
        app: AppSide,
        repositories: Repositories,
        *,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._forge = forge
        self._inbox = inbox
        self._who = who
        self._app = app
        self._repositories = repositories
        self._now = now

    async def ask(self, asked: Sequence[Asked]) -> None:
        """Put work into the inbox."""
        now = self._now()
        if asked:
            await self._inbox.ask([work_of(each, now) for each in asked])

    async def recheck(self, job: Job) -> JobOutcome:
        """Somebody asked for the check of a head again."""
        home = self._forge.home(str(job.data["repo"]), number(job.data["installation"]))
        wanted = await of_head(home, str(job.data["head"]))
        await self.ask([asked_of(home, each, "recheck", RECHECKED) for each in wanted])
        _log.info("recheck", pulls=[each.pull.number for each in wanted])
        return Done()

    async def one(self, repo: str, installation: int, pull_number: int) -> None:
        """Ask for the review of one pull request."""
        home = self._forge.home(repo, installation)
        pull = await home.pulls.get(pull_number)
        await self.ask([asked_of(home, WantedReview(pull, pull.base_sha), "recheck", RECHECKED)])

    async def reconcile(self, job: Job) -> JobOutcome:
        """Look at the open pull requests of a repository."""
        home = self._forge.home(str(job.data["repo"]), number(job.data["installation"]))
        base_ref = str(job.data.get("base_ref") or "")
        found = await reconcile(home, await self._who.author(), now=self._now(), base_ref=base_ref)
        await self.ask([asked_of(home, each, "reconcile", RECONCILE) for each in found.wanted])
        data: dict[str, Scalar] = {"repo": home.name, "installation": home.installation}
        if not base_ref:
            await self.ask([crossed(data, base) for base in found.bases[:MOST_BASES]])
        if found.soon:
            await self.ask(
                [Asked(key=f"reconcile:{home.name}", data=data, order=0.0, priority=RECONCILE, delay=ON_ITS_WAY + 30)]
            )
        _log.info("reconciled", open=found.looked_at, reviews=len(found.wanted))
        return Done()

    async def installation(self, job: Job) -> JobOutcome:
        """Reconcile each repository of an installation, a little apart."""
        covered = number(job.data["installation"])
        names = await self._repositories(covered)
        await self.ask(
            [
                Asked(
                    key=f"reconcile:{name}",
                    data={"repo": name, "installation": covered},
                    order=0.0,
                    priority=RECONCILE,
                    delay=SPACING * place,
                )
                for place, name in enumerate(names)
            ]
        )
        return Done()

    async def covered(self) -> Sequence[tuple[int, str]]:
        """Every repository that the App is installed on: installation and `owner/name`."""
        found = [each.id for each in await self._app.installations() if not each.suspended]
        return [(each, name) for each in found for name in await self._repositories(each)]

    async def sweep(self, job: Job) -> JobOutcome:
        """Every installation."""
        del job
        found = [each for each in await self._app.installations() if not each.suspended]
        await self.ask(
            [
                Asked(key=f"installation:{each.id}", data={"installation": each.id}, order=0.0, priority=RECONCILE)
                for each in found
            ]
        )
        _log.info("sweep", installations=len(found))
        return Done()

    async def redeliver(self, job: Job) -> JobOutcome:
        """Have GitHub send again what it could not deliver."""
        del job
        asked = await redeliver(self._app, since=self._now() - REMEMBERED)
        _log.info("redelivery", asked=asked)
        return Done()

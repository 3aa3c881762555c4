"""Keyed tables of open pull requests: when one changes them, the others that it affects are looked at again."""

from __future__ import annotations

import time
from collections.abc import Callable

import structlog

from recipediff.app.events import RECONCILE
from recipediff.app.records.affected import affected
from recipediff.app.records.tables import Guard
from recipediff.app.review.job_data import asked_of, number
from recipediff.inbox.contract import Done, Inbox, Job
from recipediff.inbox.worker import JobOutcome
from recipediff.ports.forge import Forge
from recipediff.server.intake import work_of
from recipediff.server.who import Who

_log = structlog.get_logger(__name__)


class TableJobs:
    """Asks for reviews; a review alone writes. It ends: a review asks for this only where its own tables changed."""

    def __init__(
        self, forge: Forge, inbox: Inbox, who: Who, guard: Guard, *, now: Callable[[], float] = time.time
    ) -> None:
        self._forge = forge
        self._inbox = inbox
        self._who = who
        self._guard = guard
        self._now = now

    async def records(self, job: Job) -> JobOutcome:
        """Find the open pull requests onto one branch whose report names others that are no more, or lacks some."""
        home = self._forge.home(str(job.data["repo"]), number(job.data["installation"]))
        found = await affected(home, str(job.data["base_ref"]), await self._who.author(), self._guard)
        if found:
            now = self._now()
            await self._inbox.ask([work_of(asked_of(home, each, "records", RECONCILE), now) for each in found])
        _log.info("records", affected=[each.pull.number for each in found])
        return Done()

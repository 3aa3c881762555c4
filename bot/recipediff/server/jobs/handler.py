"""One table from the kind of a job to what does it, and what its failures come to."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

import structlog
from structlog.contextvars import bound_contextvars

from recipediff.app.commands import Said, obey
from recipediff.app.events import Asked
from recipediff.app.review.job_data import number
from recipediff.inbox.contract import Buried, Done, Job
from recipediff.inbox.policy import spent
from recipediff.inbox.worker import Dead, JobOutcome, Retry
from recipediff.ports.errors import Missing, Unavailable
from recipediff.server.jobs.bumps import Bumping
from recipediff.server.jobs.outcomes import Final, outcome_of
from recipediff.server.jobs.reviews import Reviews
from recipediff.server.jobs.tables import TableJobs
from recipediff.server.jobs.upkeep import Upkeep
from recipediff.server.who import Who

_log = structlog.get_logger(__name__)
CONCLUDED = frozenset({"review", "group"})
"""Kinds of jobs that owe a check run its conclusion."""
LATER = 60.0
"""Seconds before a conclusion that could not be written is tried again."""


class JobHandler:
    """Runs jobs for the worker. Never raises for what was foreseen."""

    def __init__(self, reviews: Reviews, upkeep: Upkeep, bumping: Bumping, tables: TableJobs, who: Who) -> None:
        self._reviews = reviews
        self._bumping = bumping
        self._upkeep = upkeep
        self._who = who
        self.kinds: Mapping[str, Callable[[Job], Awaitable[JobOutcome]]] = {
            "review": reviews.pull,
            "group": reviews.group,
            "recheck": upkeep.recheck,
            "conclude": self._conclude,
            "command": self._command,
            "reconcile": upkeep.reconcile,
            "records": tables.records,
            "installation": upkeep.installation,
            "sweep": upkeep.sweep,
            "redeliver": upkeep.redeliver,
            "watch": bumping.polls,
            "polls": bumping.polls,
            "poll": bumping.poll,
            "bump": bumping.bump,
            "ask": bumping.ask,
        }

    async def __call__(self, job: Job) -> JobOutcome:
        """Do one job."""
        with bound_contextvars(job=job.key, delivery=job.delivery, attempt=job.attempt):
            kind = job.key.partition(":")[0]
            run = self.kinds.get(kind)
            if run is None:
                return Dead("unknown-kind", f"nothing does jobs of the kind {kind[:40]!r}")
            try:
                return await run(job)
            except Exception as error:
                outcome = outcome_of(error)
                if outcome is None:
                    raise
                _log.warning("not done", reason=outcome.reason, error=str(error))
                return await self._ended(job, kind, outcome, gone=isinstance(error, Missing))

    async def _ended(self, job: Job, kind: str, outcome: Retry | Final, *, gone: bool) -> JobOutcome:
        """A failure that stays concludes the check at once; what is gone needs nobody's attention."""
        if isinstance(outcome, Retry) and not (gone and spent(outcome.reason, job.attempt)):
            return outcome
        if kind not in CONCLUDED:
            return Done() if gone else Dead(outcome.reason, outcome.message)
        try:
            await self._reviews.conclude(job, "missing" if gone else outcome.reason, outcome.message)
        except Exception as error:
            later = outcome_of(error)
            if isinstance(error, Missing):
                return Done()  # the pull request or its repository is gone, and the check with it
            if later is None:
                raise
            return Retry("own-fault", later.message) if isinstance(later, Final) else later
        return Done()

    async def buried(self, job: Job, settlement: Buried) -> None:
        """The attempts are spent: the check says so, for a required check that never ends blocks without a word."""
        with bound_contextvars(job=job.key, delivery=job.delivery):
            _log.error("given up", reason=settlement.reason, error=settlement.message, attempts=job.attempt)
            if job.key.partition(":")[0] not in CONCLUDED:
                return
            try:
                await self._reviews.conclude(job, settlement.reason, settlement.message)
            except Unavailable as error:
                # GitHub does not take the conclusion either, or has asked for silence: it is tried as a job of its own.
                data = {**job.data, "reason": settlement.reason, "why": settlement.message[:500]}
                await self._upkeep.ask([Asked(key=f"conclude:{job.key}", data=data, delay=error.retry_after or LATER)])

    async def _conclude(self, job: Job) -> JobOutcome:
        await self._reviews.conclude(job, str(job.data["reason"]), str(job.data["why"]))
        return Done()

    async def _command(self, job: Job) -> JobOutcome:
        data = job.data
        pull = number(data["number"])
        said = Said(pull, number(data["comment"]), str(data["user"]), str(data["text"]))
        obeyed = await self._bumping.command(data, said) or await obey(
            self._reviews.home(data), said, await self._who.author()
        )
        _log.info("command", done=obeyed.done)
        if obeyed.recheck:
            await self._upkeep.one(str(data["repo"]), number(data["installation"]), pull)
        return Done()

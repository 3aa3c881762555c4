"""Review jobs: from a job's flat data to the use case, and what its end means for the check run."""

from __future__ import annotations

import time
from collections.abc import Callable

import structlog

from recipediff.app.events import crossed
from recipediff.app.payload import moment
from recipediff.app.records.tables import Guard
from recipediff.app.review.job_data import number, subject_of
from recipediff.app.review.review import CHECK_NAME, Circumstances, Subject, give_up, review
from recipediff.app.task_groups import together
from recipediff.inbox.contract import Data, Done, Inbox, Job
from recipediff.inbox.worker import JobOutcome, Retry
from recipediff.ports.forge import Forge, Home
from recipediff.reports.check_run import GITHUB_WEB
from recipediff.server.intake import work_of
from recipediff.server.jobs.memory import Memory
from recipediff.server.who import Who

_log = structlog.get_logger(__name__)


class Reviews:
    """Runs the review of pull requests and merge groups."""

    def __init__(
        self,
        forge: Forge,
        inbox: Inbox,
        who: Who,
        memory: Memory,
        *,
        web: str = GITHUB_WEB,
        guard: Guard | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        """`web`: GitHub's address for people."""
        self._forge = forge
        self._inbox = inbox
        self._who = who
        self._memory = memory
        self._web = web
        self._guard = guard or Guard()
        self._now = now

    def home(self, data: Data) -> Home:
        """The repository that a job is about."""
        return self._forge.home(str(data["repo"]), number(data["installation"]))

    async def pull(self, job: Job) -> JobOutcome:
        """Review a pull request, by the event's own data where nothing newer can be there, else as GitHub has it now."""
        home, data = self.home(job.data), job.data
        believed = self._memory.believes(job, data, self._now())
        subject = subject_of(data, home.name) if believed else await self._current(home, data)
        if subject is None:
            return await self._closed(home, str(data["head"]))
        pull = subject.pull
        updated = max(float(data.get("updated") or 0.0), moment(pull.updated_at) if pull else 0.0)
        first = believed and data.get("action") == "opened" and data.get("comments") == 0
        return await self._run(job, home, subject, updated=updated, fresh=believed, first=first)

    async def group(self, job: Job) -> JobOutcome:
        """Review the head of a merge group."""
        data = job.data
        subject = Subject(str(data["head"]), str(data["base"]), str(data["base_ref"]))
        return await self._run(job, self.home(data), subject)

    async def _run(
        self, job: Job, home: Home, subject: Subject, *, updated: float = 0.0, fresh: bool = False, first: bool = False
    ) -> JobOutcome:
        author = await self._who.author()
        head = subject.head

        async def superseded() -> bool:
            entry = await self._inbox.show(job.key)
            if entry is None or not entry.asked or entry.data.get("head") == head or subject.pull is None:
                return False
            # Events of one second come in any order: the other head may be the older one.
            return (await home.pulls.get(subject.pull.number)).head_sha != head

        async with self._memory.turn(home.name, head):
            new = self._memory.begins(job, home.name, head, updated)
            about = Circumstances(
                author=author,
                web=self._web,
                fresh=fresh and new,
                first=first and new,
                superseded=superseded,
                guard=self._guard,
            )
            outcome = await review(home, subject, self._forge, about)
        verdict = outcome.report.verdict
        _log.info("reviewed", head=head, verdict=verdict.state, said=outcome.posted, check=outcome.check)
        if outcome.crossing:
            now = self._now()
            await self._inbox.ask([work_of(crossed(job.data, subject.base_ref), now)])
        if outcome.posted:
            return Done()
        await give_up(home, head, author, "superseded", "A newer commit came before this one was judged.")
        return Retry("conflict", "the head moved under the review")

    async def _current(self, home: Home, data: Data) -> Subject | None:
        """The pull request as it is now, judged by the rules at the tip of its base; None where it is closed."""
        branch = str(data["base_ref"])
        async with together() as group:
            asked = group.create_task(home.pulls.get(number(data["number"])))
            sought = group.create_task(home.history.tip(branch))
        pull, tip = asked.result(), sought.result()
        if pull.state != "open":
            return None
        if pull.base_ref != branch:
            tip = await home.history.tip(pull.base_ref)
        return Subject(pull.head_sha, tip or pull.base_sha, pull.base_ref, pull)

    async def _closed(self, home: Home, head: str) -> JobOutcome:
        """A run that was cut off may have left the check of a pull request in progress that was closed since."""
        author = await self._who.author()
        runs = await home.checks.named(head, CHECK_NAME)
        if any(run.app == author.removesuffix("[bot]") and run.status != "completed" for run in runs):
            await give_up(home, head, author, "closed", "The pull request was closed before it was judged.")
        return Done()

    async def conclude(self, job: Job, reason: str, message: str) -> None:
        """Conclude the check of a job that will not be tried again."""
        home, author = self.home(job.data), await self._who.author()
        head = str(job.data["head"])
        await give_up(home, head, author, reason, message)
        if "number" in job.data:
            pull = await home.pulls.get(number(job.data["number"]))
            if pull.head_sha != head:
                await give_up(home, pull.head_sha, author, reason, message)

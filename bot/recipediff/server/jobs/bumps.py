"""The jobs that keep pins: polling upstreams, keeping bumps and overview, and what people ask for."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence

import structlog

from recipediff.app.bumps.commands import obey_order, order_of
from recipediff.app.bumps.move import About, Kept
from recipediff.app.bumps.tend import tend
from recipediff.app.bumps.watch import Watch
from recipediff.app.commands import Obeyed, Said
from recipediff.app.events import RECONCILE, Asked
from recipediff.app.review.job_data import number
from recipediff.app.sweep.sweep import Gaps
from recipediff.app.sweep.tracking import track
from recipediff.inbox.contract import Data, Done, Inbox, Job
from recipediff.inbox.worker import JobOutcome
from recipediff.ports.errors import Missing, Refused, Unavailable
from recipediff.ports.forge import Forge, Home
from recipediff.server.intake import work_of
from recipediff.server.who import Who

_log = structlog.get_logger(__name__)
Covered = Callable[[], Awaitable[Sequence[tuple[int, str]]]]
"""Every repository that the App is installed on: installation and `owner/name`."""
SPACING = 0.5
"""Seconds between the repositories of one round of polling."""


class Bumping:
    """Runs them. `forge` speaks with the permissions that bumps need."""

    def __init__(
        self,
        forge: Forge,
        inbox: Inbox,
        who: Who,
        covered: Covered,
        *,
        gaps: Callable[[Home, str], Gaps] | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        """`gaps` opens the repository in which work on an engine is seen, at a home's expense."""
        self._forge = forge
        self._inbox = inbox
        self._who = who
        self._covered = covered
        self._gaps = gaps
        self._now = now
        self._watch = Watch()

    async def polls(self, job: Job) -> JobOutcome:
        """Ask for a poll of each repository's upstreams: by the clock, or because an upstream says that it moved."""
        places = await self._covered()
        await self._ask(
            [
                Asked(
                    key=f"poll:{name}",
                    data={"repo": name, "installation": where},
                    order=0.0,
                    priority=RECONCILE,
                    delay=SPACING * place,
                )
                for place, (where, name) in enumerate(places)
            ]
        )
        _log.info("polling", repositories=len(places), cause=job.key)
        return Done()

    async def poll(self, job: Job) -> JobOutcome:
        """Look at everything where an upstream moved or a date has come, and at nothing else."""
        home = self._home(job.data)
        try:
            due = await self._watch.due(home, self._forge, self._now())
        except Unavailable as error:
            return _without_permission(home, error)
        if due:
            data: Data = {"repo": home.name, "installation": home.installation}
            await self._ask([Asked(key=f"bump:{home.name}", data=data, order=0.0, priority=RECONCILE)])
        return Done()

    async def bump(self, job: Job) -> JobOutcome:
        """Bring bumps and overview up to date."""
        return await self._tend(job, frozenset())

    async def ask(self, job: Job) -> JobOutcome:
        """Somebody ticked the box of a recipe."""
        return await self._tend(job, frozenset({str(job.data["recipe"])}))

    async def command(self, data: Data, said: Said) -> Obeyed | None:
        """An order on a bump; None where the words are something else. The reaction is the receipt."""
        words = said.text.split(None, 1)
        order = order_of(words[1] if len(words) > 1 else "")
        if order is None:
            return None
        home = self._home(data)
        if await home.access.permission(said.user) not in ("admin", "write"):
            return Obeyed("not allowed")
        about = About(author=await self._who.author(), now=self._now())
        answer = await obey_order(home, self._forge, said.number, order, about)
        if answer.text:
            marker = f"<!-- recipediff:answer:{said.comment} -->"
            if await home.comments.find(said.number, marker, about.author) is None:
                await home.comments.create(said.number, f"{marker}\n{answer.text}")
        await home.comments.react(said.comment, "+1" if answer.understood else "confused")
        return Obeyed(order)

    async def _tend(self, job: Job, asked: frozenset[str]) -> JobOutcome:
        home = self._home(job.data)
        self._watch.forget(home.name)
        about = About(author=await self._who.author(), now=self._now(), asked=asked)
        try:
            kept = await tend(home, self._forge, about)
        except Refused as error:
            _log.warning("bumps are not kept", repo=home.name, reason=error.reason, error=str(error))
            return Done()
        except Unavailable as error:
            return _without_permission(home, error)
        self._watch.saw(home.name, kept, await self._track(home, kept, about.author))
        _tell(home, kept)
        return Done()

    async def _track(self, home: Home, kept: Kept, author: str) -> Mapping[tuple[str, str], str]:
        """Keep the issue that says which published recipes run on this repository's engine, where one is configured."""
        if kept.base.config.surface is None:
            return {}
        engine = kept.base.config.surface.engine_repo
        try:
            gaps = self._gaps(home, engine) if self._gaps is not None and engine else None
            tracked = await track(home, self._forge, author, gaps)
        except (Missing, Refused, Unavailable) as error:
            if isinstance(error, Unavailable) and error.reason != "forbidden":
                raise
            _log.warning("recipes are not tracked", repo=home.name, error=str(error))
            return {}
        _log.info("tracked", repo=home.name, done=tracked.done, issue=tracked.issue, reason=tracked.reason)
        return tracked.tips

    def _home(self, data: Data) -> Home:
        return self._forge.home(str(data["repo"]), number(data["installation"]))

    async def _ask(self, asked: Sequence[Asked]) -> None:
        if asked:
            now = self._now()
            await self._inbox.ask([work_of(each, now) for each in asked])


def _without_permission(home: Home, error: Unavailable) -> JobOutcome:
    """An installation that grants reviews alone has no bumps; that is not a failure. Anything else is raised again."""
    if error.reason != "forbidden":
        raise error
    _log.warning("bumps need contents: write and issues: write", repo=home.name, error=str(error))
    return Done()


def _tell(home: Home, kept: Kept) -> None:
    _log.info(
        "bumps",
        repo=home.name,
        behind=len(kept.seen.trails),
        current=len(kept.seen.current),
        unknown=len(kept.seen.unknown),
        done=dict(kept.done),
        held=sum(1 for action in kept.actions if action.what == "hold"),
    )

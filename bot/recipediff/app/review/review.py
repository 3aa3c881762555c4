"""The review of one pull request: read, judge, bring check run and comment to what they should be. Doing it twice changes nothing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from recipediff.app.records.tables import Guard
from recipediff.app.review.changes import ReviewReading, read_changes
from recipediff.checks.recipes.check import RecipesSnapshot, altered
from recipediff.checks.registry import CHECKS
from recipediff.core.verdict import Evaluation, Verdict
from recipediff.ports.errors import Missing, Unavailable
from recipediff.ports.forge import CheckRun, Forge, Home, PullRequest
from recipediff.ports.isolation import Isolation, at_once
from recipediff.reports import check_run, comment
from recipediff.reports.report import Report, nothing, ratchet

CHECK_NAME = "recipediff"
"""The one fixed name of the check run; the branch rule waits for it."""

ISOLATED = frozenset({"records"})
"""Checks that read patterns which a pull request may write: they run in a process of their own, under a time limit."""
STALE_AFTER = 5.0
"""Seconds of work after which GitHub is asked whether the head is still the same before anything is said about it."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What is reviewed: a pull request, or a merge group (`pull` is None) at `head` over `base`."""

    head: str
    base: str
    base_ref: str
    pull: PullRequest | None = None

    @classmethod
    def of(cls, pull: PullRequest) -> Subject:
        """The review of a pull request."""
        return cls(pull.head_sha, pull.base_sha, pull.base_ref, pull)


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What is known about this run of the work.

    `fresh`: nobody can have reviewed this head before, so no check run is looked for. `first`: nobody can have commented.
    `superseded` tells whether the work was asked for again meanwhile; it costs no request.
    """

    author: str
    """The account that the comments are written under, such as `recipediff[bot]`."""
    web: str = check_run.GITHUB_WEB
    """Where people look: the address of GitHub's pages, for links."""
    fresh: bool = False
    first: bool = False
    superseded: Callable[[], Awaitable[bool]] | None = None
    clock: Callable[[], float] = time.monotonic
    guard: Guard = field(default_factory=Guard)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewOutcome:
    """What a review came to. `posted` is False where the head had moved and nothing was said."""

    report: Report
    posted: bool
    check: int | None = None
    comment: int | None = None
    crossing: bool = False
    """It changes other keyed tables than when it was seen last: what is said of other pull requests may be wrong now."""


@dataclass(slots=True, kw_only=True)
class _Run:
    """One review on its way."""

    home: Home
    subject: Subject
    forge: Forge
    about: Circumstances
    started: float = 0.0


async def review(home: Home, subject: Subject, forge: Forge, about: Circumstances) -> ReviewOutcome:
    """Review `subject`. Raises `Unavailable` for what may pass; the check run is then in progress and says so."""
    run = _Run(home=home, subject=subject, forge=forge, about=about, started=about.clock())
    starting = asyncio.create_task(_start(run))
    try:
        reading = await read_changes(home, subject.head, subject.base, forge, pull=subject.pull, guard=about.guard)
        report = await judge(reading, about.guard.isolation)
    except BaseException:
        await asyncio.gather(starting, return_exceptions=True)
        raise
    check = await starting
    if report.verdict.state == "not evaluated":
        raise Unavailable(report.verdict.reason, report.headline())
    if await _moved(run):
        return ReviewOutcome(report=report, posted=False, check=check.id)
    concluded = await _conclude(run, check, await _with_others(run, check, report))
    said = None
    if subject.pull is not None and reading.config.comment != "never":
        said = await _say(run, subject.pull, report)
    return ReviewOutcome(
        report=report, posted=True, check=concluded, comment=said, crossing=_keep(run, reading, report)
    )


def _keep(run: _Run, reading: ReviewReading, report: Report) -> bool:
    """Remember what was said of keyed tables; True where others may have to be looked at again."""
    pull, own = run.subject.pull, reading.own
    if pull is None or own is None:
        return False
    findings = [row.finding for row in report.rows if row.status != "fixed"]
    return run.about.guard.memory.keep(run.home.name, pull.number, pull.head_sha, own, findings)


async def _with_others(run: _Run, check: CheckRun, report: Report) -> Report:
    """A check run belongs to a commit. Where the commit is the head of other pull requests too, onto other bases, the
    worst verdict stands: a green mark for one must not open the way for another."""
    mine = run.subject.pull
    for number in check.pulls:
        if mine is None or number == mine.number:
            continue
        other = await run.home.pulls.get(number)
        if other.state != "open" or other.head_sha != run.subject.head or other.base_ref == run.subject.base_ref:
            continue
        guard = run.about.guard
        reading = await read_changes(run.home, other.head_sha, other.base_sha, run.forge, pull=other, guard=guard)
        theirs = await judge(reading, guard.isolation)
        if theirs.verdict.state != "pass" and report.verdict.state == "pass":
            note = f"This commit is also the head of another pull request (number {number}), onto {other.base_ref}; there it fails."
            report = replace(theirs, notes=(*theirs.notes, note))
    return report


async def judge(reading: ReviewReading, isolation: Isolation = at_once) -> Report:
    """Every configured check on head and base; a check that crashes is not evaluated, and the others' findings stand."""
    if not reading.snapshots:
        return nothing()
    heads, bases = [], []
    for name, pair in reading.snapshots.items():
        head, base = await (isolation if name in ISOLATED else at_once)(_both_sides, (name, *pair))
        heads.append(head)
        bases.append(base)
    head_side, base_side = reading.snapshots.get("recipes", (None, None))
    edited: frozenset[str] = frozenset()
    if isinstance(head_side, RecipesSnapshot) and isinstance(base_side, RecipesSnapshot):
        edited = altered(head_side, base_side)
    report = ratchet(
        _joined(heads),
        _joined(bases),
        fail_on=reading.config.fail_on,
        texts=reading.texts,
        altered=edited,
    )
    return report.with_notes(reading.notes)


def _both_sides(given: tuple[str, object, object]) -> tuple[Evaluation, Evaluation]:
    name, head, base = given
    return _run_check(name, head), _run_check(name, base)


def _run_check(name: str, snapshot: object) -> Evaluation:
    try:
        return CHECKS[name](snapshot)
    except Exception as error:
        return Evaluation(
            findings=(), reason="own-fault", notes=(f"the check “{name}” failed: {type(error).__name__}",)
        )


def _joined(evaluations: list[Evaluation]) -> Evaluation:
    return Evaluation(
        findings=tuple(finding for e in evaluations for finding in e.findings),
        looked_at=tuple(name for e in evaluations for name in e.looked_at),
        notes=tuple(dict.fromkeys(note for e in evaluations for note in e.notes)),
        reason=next((e.reason for e in evaluations if e.reason), ""),
        uncompared=frozenset(name for e in evaluations for name in e.uncompared),
        noun=_noun({e.noun for e in evaluations if e.looked_at}),
    )


def _noun(nouns: set[str]) -> str:
    """What the evaluations looked at, in a word that is right for all of it."""
    return nouns.pop() if len(nouns) == 1 else "file" if nouns else "recipe"


async def _start(run: _Run) -> CheckRun:
    """The check run of this head: the one that is there, else a new one, in progress at once."""
    if not run.about.fresh:
        there = await _existing(run.home, run.subject.head, run.about.author)
        if there is not None:
            return there
    return await run.home.checks.start(CHECK_NAME, run.subject.head, output=check_run.in_progress())


async def _existing(home: Home, head: str, author: str) -> CheckRun | None:
    app = author.removesuffix("[bot]")
    found = await home.checks.named(head, CHECK_NAME)
    return next((check for check in found if check.app == app), None)


async def _moved(run: _Run) -> bool:
    """Whether the head is another by now. A newer event says so for nothing; after long work GitHub is asked."""
    pull = run.subject.pull
    if pull is None:
        return False
    if run.about.superseded is not None and await run.about.superseded():
        return True
    if run.about.clock() - run.started < STALE_AFTER:
        return False
    now = await run.home.pulls.get(pull.number)
    return now.head_sha != run.subject.head or now.state != "open"


async def _conclude(run: _Run, check: CheckRun, report: Report) -> int:
    """Bring the check run to its conclusion. One that says the same already is left alone. GitHub only ever adds
    annotations, so a concluded one that has some and says something else is replaced by a new one of the same name."""
    home, head = run.home, run.subject.head
    output = check_run.output(report, link=check_run.linker(home.name, head, run.about.web))
    ending = check_run.conclusion(report.verdict)
    if check.status != "completed":
        return (await home.checks.conclude(check.id, ending, output, shown=check.annotations)).id
    if (check.conclusion, check.title, check.summary.strip()) == (ending, output.title, output.summary.strip()):
        return check.id
    if not check.annotations:
        return (await home.checks.conclude(check.id, ending, output)).id
    return (await home.checks.publish(CHECK_NAME, head, ending, output)).id


async def _say(run: _Run, pull: PullRequest, report: Report) -> int | None:
    """The one comment: edited in place, made only where there is something to say, marked resolved where there is not."""
    comments = run.home.comments
    link = check_run.linker(run.home.name, run.subject.head, run.about.web)
    there = None if run.about.first else await comments.find(pull.number, comment.MARKER, run.about.author)
    body = comment.body(report, link=link, head=run.subject.head)
    if there is None:
        return (await comments.create(pull.number, body)).id if comment.has_something_to_say(report) else None
    if there.body.strip() != body.strip():
        await comments.edit(there.id, body)
    return there.id


async def give_up(home: Home, head: str, author: str, reason: str, message: str) -> None:
    """Conclude the check of `head` without a verdict, once retries are spent: never a green mark for work not done."""
    report = nothing(Verdict("not evaluated", reason)).with_notes((message,))
    output = check_run.output(report, link=check_run.linker(home.name, head))
    try:
        there = await _existing(home, head, author)
        if there is None:
            await home.checks.publish(CHECK_NAME, head, "failure", output)
        elif there.status != "completed":
            await home.checks.conclude(there.id, "failure", output)
    except Missing:
        return

"""The same review from a workflow, with the workflow's token instead of an App."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from recipediff.app.events import Me, plan
from recipediff.app.records.tables import Guard
from recipediff.app.review.job_data import subject_of
from recipediff.app.review.review import Circumstances, Subject, review
from recipediff.ports.errors import Unavailable
from recipediff.ports.forge import CheckRun, Comment, Forge, Home, Output
from recipediff.reports.check_run import GITHUB_WEB
from recipediff.reports.report import Report

AUTHOR = "github-actions[bot]"
"""The account that a workflow's token writes under."""
_MOST_BYTES = 25 * 1024 * 1024


class Unsuitable(Exception):
    """The event cannot be reviewed; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What came of it. `said` is False where the token may not write, as on a fork's pull request."""

    report: Report
    said: bool


async def review_event(
    forge: Forge, event: Path, kind: str, *, web: str = GITHUB_WEB, guard: Guard | None = None
) -> Reviewed:
    """Review what the event in the file `event` is about. Raises `Unsuitable`, and what `review` raises."""
    home, subject = _subject(forge, _payload(event), kind)
    about = Circumstances(author=AUTHOR, web=web, guard=guard or Guard())
    try:
        outcome = await review(home, subject, forge, about)
        return Reviewed(outcome.report, outcome.posted)
    except Unavailable as error:
        if error.reason != "forbidden":
            raise
    silent = replace(home, checks=_NoChecks(), comments=_NoComments())
    outcome = await review(silent, subject, forge, about)
    return Reviewed(outcome.report, said=False)


def _payload(event: Path) -> Mapping[str, Any]:
    try:
        with event.open("rb") as file:
            payload = json.loads(file.read(_MOST_BYTES))
    except OSError as error:
        raise Unsuitable(f"{event} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise Unsuitable(f'{event} is not JSON; pass --event "$GITHUB_EVENT_PATH"') from None
    if not isinstance(payload, dict):
        raise Unsuitable(f'{event} is not an event; pass --event "$GITHUB_EVENT_PATH"')
    return payload


def _subject(forge: Forge, payload: Mapping[str, Any], kind: str) -> tuple[Home, Subject]:
    """A workflow has no installation, and may run for actions that the App need not look at."""
    known = "merge_group" if kind == "merge_group" else "pull_request"
    if kind not in ("pull_request", "pull_request_target", "merge_group"):
        raise Unsuitable(
            f"the event {kind or 'without a name'!r} is not a pull request's; run on pull_request or merge_group"
        )
    given = {**payload, "installation": {"id": 0}}
    if known == "pull_request" and payload.get("action") != "closed":
        given["action"] = "synchronize"
    planned = plan(known, given, Me(0))
    work = next((asked for asked in planned.asked if asked.key.startswith(("review:", "group:"))), None)
    if work is None:
        raise Unsuitable(f"there is nothing to review: {planned.ignored or 'the pull request is closed'}")
    home = forge.home(str(work.data["repo"]), 0)
    if known == "merge_group":
        return home, Subject(str(work.data["head"]), str(work.data["base"]), str(work.data["base_ref"]))
    return home, subject_of(work.data, home.name)


class _NoChecks:
    """Where a check run may not be written, the workflow's own status is the check."""

    async def named(self, head_sha: str, name: str) -> Sequence[CheckRun]:
        del head_sha, name
        return ()

    async def start(
        self, name: str, head_sha: str, *, output: Output | None = None, external_id: str = "", url: str = ""
    ) -> CheckRun:
        del output, url
        return CheckRun(
            id=0,
            name=name,
            head_sha=head_sha,
            status="in_progress",
            conclusion="",
            external_id=external_id,
            app="",
            title="",
            summary="",
            annotations=0,
        )

    async def conclude(self, run: int, conclusion: str, output: Output, *, shown: int = 0, url: str = "") -> CheckRun:
        del run, shown, url
        return CheckRun(
            id=0,
            name="",
            head_sha="",
            status="completed",
            conclusion=conclusion,
            external_id="",
            app="",
            title=output.title,
            summary="",
            annotations=0,
        )

    async def publish(
        self, name: str, head_sha: str, conclusion: str, output: Output, *, external_id: str = "", url: str = ""
    ) -> CheckRun:
        del url
        return CheckRun(
            id=0,
            name=name,
            head_sha=head_sha,
            status="completed",
            conclusion=conclusion,
            external_id=external_id,
            app="",
            title=output.title,
            summary="",
            annotations=0,
        )


class _NoComments:
    """Nothing is found and nothing is said."""

    async def find(self, number: int, marker: str, author: str) -> Comment | None:
        del number, marker, author
        return None

    async def create(self, number: int, body: str) -> Comment:
        del number
        return Comment(0, AUTHOR, body)

    async def edit(self, comment: int, body: str) -> Comment:
        return Comment(comment, AUTHOR, body)

    async def react(self, comment: int, reaction: Literal["+1", "-1", "eyes", "confused", "rocket"]) -> None:
        del comment, reaction

"""The overview issue: every recipe with its pin, how far it trails, its findings, its bump, and what is held back and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from recipediff.core.bumps.boxes import MARKER, box
from recipediff.core.bumps.branches import QUIET
from recipediff.core.bumps.trail import Outdated
from recipediff.reports.escape import code, prose
from recipediff.reports.report import plural

TITLE = "recipediff: pins and their upstreams"
LIMIT = 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class OverviewLine:
    """One recipe. `state` is a sentence about its pin."""

    recipe: str
    repo: str
    pin: str
    state: str = ""
    findings: int = 0
    bump: int = 0
    """The number of its pull request; 0 for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A bump that is held back, and why."""

    branch: str
    recipes: tuple[str, ...]
    reason: str
    until: float = 0.0
    askable: bool = True
    """Whether asking would help."""


@dataclass(frozen=True, slots=True)
class Overview:
    """What the issue says."""

    lines: tuple[OverviewLine, ...]
    held: tuple[Held, ...] = ()
    unknown: Mapping[str, str] | None = None
    """Recipes whose upstream could not be looked at, with the reason."""
    open: Sequence[tuple[int, str, str]] = ()
    """Open bumps: number, title, and what is peculiar about them."""


def trailing(trail: Outdated) -> str:
    """How far a recipe trails, in a few words."""
    since = f" since {datetime.fromtimestamp(trail.since, UTC):%Y-%m-%d}" if trail.since else ""
    count = f"{len(trail.steps)}{'+' if trail.more else ''} {'commit' if len(trail.steps) == 1 else 'commits'}"
    if trail.how == "gone":
        return "deleted upstream"
    changes = trail.judged.meaning.changes
    what = plural(len(changes), "setting") if changes else "not comparable" if trail.relevant else "no launch change"
    return f"{count} behind{since}: {what}" if trail.steps else f"behind: {what}"


def render(overview: Overview) -> str:
    """The whole body within GitHub's limit: what waits for somebody first, what is in order last."""
    parts = [
        (
            f"{MARKER}\nEvery tested recipe and the upstream commit that it was compared with. "
            "This issue is edited in place. Tick a box to have a bump opened now.\n"
        )
    ]
    parts += [text for text in (_open(overview), _held(overview), _unknown(overview)) if text]
    room = LIMIT - sum(map(len, parts))
    return "\n".join([*parts, _table(overview.lines, room)])


def _open(overview: Overview) -> str:
    if not overview.open:
        return ""
    rows = [f"- [{number}](../pull/{number}) {prose(title)}{f' — {prose(note)}' if note else ''}" for number, title, note in overview.open]  # fmt: skip
    return "### Open bumps\n\n" + "\n".join(rows[:100]) + "\n"


def _held(overview: Overview) -> str:
    rows = []
    for held in overview.held:
        until = f", until {datetime.fromtimestamp(held.until, UTC):%Y-%m-%d %H:%M} UTC" if held.until else ""
        quiet = " (quiet)" if held.branch == QUIET else ""
        for recipe in held.recipes:
            lead = box(recipe) if held.askable else "-"
            rows.append(f"{lead} **{prose(recipe)}**{quiet}: {prose(held.reason)}{until}")
    if not rows:
        return ""
    left = f"\n\n{len(rows) - 100} more are held back." if len(rows) > 100 else ""
    return "### Held back\n\n" + "\n".join(rows[:100]) + left + "\n"


def _unknown(overview: Overview) -> str:
    unknown = overview.unknown or {}
    if not unknown:
        return ""
    by_reason: dict[str, list[str]] = {}
    for recipe, reason in unknown.items():
        by_reason.setdefault(reason, []).append(recipe)
    rows = [f"- {plural(len(names), 'recipe')} ({prose(', '.join(sorted(names)[:5]))}{', …' if len(names) > 5 else ''}): {prose(reason)}" for reason, names in list(by_reason.items())[:20]]  # fmt: skip
    return "### Not looked at\n\nThis is not “no update”: it could not be found out.\n\n" + "\n".join(rows) + "\n"


def _table(lines: Sequence[OverviewLine], room: int) -> str:
    """The rows that need attention first; those that do not fit are counted."""
    ordered = sorted(lines, key=lambda line: (not line.state and not line.findings, line.recipe))
    text = "### Recipes\n\n| recipe | upstream | pin | | findings | bump |\n|---|---|---|---|---|---|\n"
    shown = 0
    for line in ordered:
        row = _row(line)
        if len(text) + len(row) + 200 > room:
            break
        text += row
        shown += 1
    if shown < len(ordered):
        text += (
            f"\n{plural(len(ordered) - shown, 'more recipe')} did not fit here; `recipediff outdated` lists them all.\n"
        )
    return text


def _row(line: OverviewLine) -> str:
    state = prose(line.state) if line.state else "up to date"
    bump = f"[{line.bump}](../pull/{line.bump})" if line.bump else ""
    findings = str(line.findings) if line.findings else ""
    return f"| {prose(line.recipe)} | {code(line.repo)} | {code(line.pin[:12])} | {state} | {findings} | {bump} |\n"

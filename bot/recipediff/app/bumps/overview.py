"""Keeping the overview issue, and hearing the boxes that people tick in it.

A tick is an edit of the issue's text, which GitHub takes from whoever comes last. So the text is read again right before
it is written, and is not written over a tick; and the event of each tick asks for its bump by itself, whatever happened
to the text.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from recipediff.app.bumps.move import Kept
from recipediff.app.bumps.outdated import OpenUpstream
from recipediff.app.review.snapshot import gather
from recipediff.checks.recipes.check import check
from recipediff.core.bumps.boxes import MARKER, asked
from recipediff.ports.errors import Refused
from recipediff.ports.forge import Home, Issue
from recipediff.reports.bumps import overview as words

LABEL = "recipediff-overview"
_IN_VAIN = frozenset({"blocked", "unknown", "taken"})


async def find(home: Home, author: str) -> Issue | None:
    """The overview issue: the oldest of ours with its marker, open or closed."""
    ours = [issue for issue in await home.issues.listed(state="all", label=LABEL) if _is_ours(issue, author)]
    return min(ours, key=lambda issue: issue.number) if ours else None


def _is_ours(issue: Issue, author: str) -> bool:
    return issue.author == author and issue.body.startswith(MARKER)


async def ticked(home: Home, author: str) -> frozenset[str]:
    """The recipes whose box is ticked."""
    issue = await find(home, author)
    return asked(issue.body) if issue is not None and issue.state == "open" else frozenset()


async def keep_overview(
    home: Home, kept: Kept, author: str, open_upstream: OpenUpstream, served: frozenset[str]
) -> frozenset[str]:
    """Bring the issue up to date. Returns the recipes that somebody ticked meanwhile and that were not `served`.

    Nothing is written then, so that no tick is lost; asking for those bumps and keeping the overview again is next.
    """
    body = words.render(await _overview(kept, open_upstream))
    issue = await find(home, author)
    if issue is None:
        await _create(home, author, body)
        return frozenset()
    if issue.state == "closed":
        return frozenset()
    late = asked(issue.body) - served
    if not late and issue.body.strip() != body.strip():
        await home.issues.update(issue.number, body=body)
    return late


async def _create(home: Home, author: str, body: str) -> None:
    """Open the issue; where another run was faster, the later of the two is closed again."""
    try:
        made = await home.issues.create(title=words.TITLE, body=body, labels=(LABEL,))
    except Refused:
        return  # issues are switched off in this repository
    first = await find(home, author)
    if first is not None and first.number < made.number:
        await home.issues.update(made.number, state="closed")


async def _overview(kept: Kept, open_upstream: OpenUpstream) -> words.Overview:
    trails = {trail.recipe: trail for trail in kept.seen.trails}
    findings = await _findings(kept, open_upstream)
    bumps = {member.recipe: bump.pull.number for bump in kept.bumps.open.values() for member in bump.marker.members}
    lines = []
    for recipe in kept.base.recipes:
        source = recipe.source
        trail = trails.get(recipe.id)
        lost = kept.seen.lost.get(recipe.id) or kept.seen.unfollowed.get(recipe.id, "")
        state = words.trailing(trail) if trail else lost or ("not looked at" if recipe.id in kept.seen.unknown else "")
        lines.append(
            words.OverviewLine(
                recipe=recipe.id,
                repo=source.repo if source else "",
                pin=source.commit if source else "",
                state=state,
                findings=findings.get(recipe.id, 0),
                bump=bumps.get(recipe.id, 0),
            )
        )
    held = [
        words.Held(
            branch=a.branch,
            recipes=tuple(m.recipe for m in a.members),
            reason=a.reason,
            until=a.until,
            askable=a.code not in _IN_VAIN,
        )
        for a in kept.actions
        if a.what == "hold"
    ]
    return words.Overview(tuple(lines), tuple(held), kept.seen.unknown, _open(kept))


def _open(kept: Kept) -> Sequence[tuple[int, str, str]]:
    notes = {a.branch: a.reason for a in kept.actions if a.what == "keep" and a.reason}
    ours = [(bump.pull.number, bump.pull.title, notes.get(branch, "")) for branch, bump in kept.bumps.open.items()]
    others = [(p.number, p.title, "its text carries no mark of ours; it is left alone") for p in kept.bumps.others]
    return sorted([*ours, *(row for row, p in zip(others, kept.bumps.others, strict=True) if p.state == "open")])


async def _findings(kept: Kept, open_upstream: OpenUpstream) -> dict[str, int]:
    """How many findings count on each recipe of the base. Reading them costs nothing that the look did not read."""
    files = kept.base.files
    snapshot = await gather(files, kept.base.config, lambda repo: open_upstream(repo).repository)
    evaluation = await asyncio.to_thread(check, snapshot)
    counts: dict[str, int] = {}
    for finding in (*evaluation.findings, *kept.seen.findings):
        if finding.severity != "note":
            counts[finding.recipe] = counts.get(finding.recipe, 0) + 1
    return counts

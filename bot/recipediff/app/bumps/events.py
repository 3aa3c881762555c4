"""What a webhook's event asks of the pins: a push to the base, a bump that people touched, a box ticked in the overview. Pure.

The work's keys are `bump:owner/name` (look at everything and bring the bumps up to date) and `ask:owner/name#RECIPE` (the
same, and open the bump of this recipe now). Each tick is work of its own, so that none is lost with the issue's text.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from recipediff.app.payload import PayloadFields
from recipediff.core.bumps.boxes import MARKER, asked
from recipediff.core.bumps.branches import PREFIX
from recipediff.ports.jobs import Scalar

MAX_TICKS = 50
"""More boxes than these in one edit are heard when the issue itself is read."""


def touched_by_people(fields: PayloadFields, slug: str) -> bool:
    """Whether the sender of an event is somebody else than the bot."""
    return fields.text("sender.login", default="") != f"{slug}[bot]"


def pushed(fields: PayloadFields, slug: str) -> bool:
    """Whether a push may change what the bumps should be: to the default branch, or by people to a bump's branch."""
    branch = fields.text("ref", most=600).removeprefix("refs/heads/")
    if branch == fields.text("repository.default_branch", default=""):
        return True
    return branch.startswith(PREFIX) and touched_by_people(fields, slug)


def closed_or_reopened(fields: PayloadFields, slug: str) -> bool:
    """Whether people closed, merged or reopened a bump."""
    if fields.text("action") not in ("closed", "reopened"):
        return False
    return fields.text("pull_request.head.ref", most=600).startswith(PREFIX) and touched_by_people(fields, slug)


def ticks(fields: PayloadFields, slug: str) -> tuple[str, ...]:
    """The recipes whose boxes are ticked in an edit of the overview issue by people."""
    body = fields.get("issue.body")
    if fields.text("action") != "edited" or not isinstance(body, str) or not body.startswith(MARKER):
        return ()
    if fields.text("issue.user.login", default="") != f"{slug}[bot]" or not touched_by_people(fields, slug):
        return ()
    return tuple(sorted(asked(body[:70_000])))[:MAX_TICKS]


def bump_key(where: Mapping[str, Scalar]) -> str:
    """The job that looks at everything."""
    return f"bump:{where['repo']}"


def ask_key(where: Mapping[str, Scalar], recipe: str) -> str:
    """The job that opens one recipe's bump."""
    return f"ask:{where['repo']}#{quote(recipe, safe='')}"[:512]

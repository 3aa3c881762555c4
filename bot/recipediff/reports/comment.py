"""The one comment on a pull request."""

from __future__ import annotations

from recipediff.reports.escape import code, prose
from recipediff.reports.markdown import Linker, render
from recipediff.reports.report import Report

MARKER = "<!-- recipediff:review -->"
"""The first line; with the author it finds the comment again."""

WELCOME = frozenset({"surface-gain"})
"""Notes that are worth a comment by themselves."""


def has_something_to_say(report: Report) -> bool:
    """A comment is worth a person's attention only for something new that counts, or where there is no verdict.
    What stood on the base before is in the check run."""
    if report.verdict.state != "pass":
        return True
    return any(
        row.status in ("", "new") and (row.finding.severity != "note" or row.finding.rule in WELCOME)
        for row in report.rows
    )


def body(report: Report, *, link: Linker, head: str) -> str:
    """The whole text. Where nothing is left to say it is short, and says that what was said before is resolved."""
    at = code(head[:12])
    if not has_something_to_say(report):
        return f"{MARKER}\n✅ **recipediff**: what was reported here is resolved at {at}. {prose(report.headline()).capitalize()}.\n"
    text = render(report, link=link, more="The check run lists them.")
    help_ = "`@recipediff explain RULE` tells more about a rule, `@recipediff recheck` looks again."
    return f"{MARKER}\n{text}\n<sub>At {at}. {help_}</sub>\n"

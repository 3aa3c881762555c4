"""The one comment on a pull request."""

from __future__ import annotations

from bot.reports.escape import code
from bot.reports.markdown import Linker, render
from bot.reports.report import Report

MARKER = "<!-- recipediff:review -->"
"""The first line; with the author it finds the comment again."""


def has_something_to_say(report: Report) -> bool:
    """A comment is worth a person's attention only where something counts: new or open findings, or no verdict."""
    if report.verdict.state == "not evaluated":
        return True
    return any(row.status != "fixed" and row.finding.severity != "note" for row in report.rows)


def body(report: Report, *, link: Linker, head: str) -> str:
    """The whole text. Where nothing is left to say it is short, and says that what was said before is resolved."""
    if not has_something_to_say(report):
        return f"{MARKER}\n✅ **recipediff**: nothing to report at {code(head[:12])}; what was reported before is resolved.\n"
    text = render(report, link=link, more="The check run lists them.")
    return f"{MARKER}\n{text}\n<sub>At {code(head[:12])}. `@recipediff explain RULE` tells more about a rule, `@recipediff recheck` looks again.</sub>\n"

"""The report as a check run: title, a summary that a person reads in ten seconds, annotations on the lines."""

from __future__ import annotations

from typing import Literal
from urllib.parse import quote

from recipediff.core.output import Annotation, Button, Output
from recipediff.core.place import Place
from recipediff.core.verdict import Verdict
from recipediff.reports.markdown import Linker, render
from recipediff.reports.report import Report, ReportRow

Conclusion = Literal["success", "failure"]

GITHUB_WEB = "https://github.com"

RECHECK = Button("Check again", "Read upstream and compare once more", "recheck")

_LEVELS: dict[str, Literal["notice", "warning", "failure"]] = {
    "error": "failure",
    "warning": "warning",
    "note": "notice",
}
_MESSAGE = 4_000
_DETAIL = 60_000
MAX_ANNOTATIONS = 500
"""Beyond it the summary counts the rest; a person reads no more."""


def conclusion(verdict: Verdict) -> Conclusion:
    """`success` for a pass alone. GitHub lets `neutral` and `skipped` through a required check, so neither is ever used."""
    return "success" if verdict.state == "pass" else "failure"


def in_progress() -> Output:
    """What the check run says while the work goes on."""
    return Output(
        title="Comparing recipes with upstream", summary="Reading the changed recipes and their pinned sources."
    )


def output(report: Report, *, link: Linker) -> Output:
    """What the check run shows once it is concluded."""
    headline = report.headline()
    title = headline[:1].upper() + headline[1:]
    return Output(
        title=title[:250], summary=render(report, link=link), text="", annotations=annotated(report), actions=(RECHECK,)
    )


def annotated(report: Report) -> tuple[Annotation, ...]:
    """One for each finding on the head, worst first."""
    rows = [row for row in report.rows if row.status != "fixed"]
    return tuple(_annotation(row) for row in rows[:MAX_ANNOTATIONS])


def _annotation(row: ReportRow) -> Annotation:
    finding, place = row.finding, row.finding.place
    line = place.line or 1
    single = place.end_line in (0, line)
    fix = (finding.fix.summary,) if finding.fix else ()
    return Annotation(
        path=place.file,
        line=line,
        end_line=line if single else place.end_line,
        level=_LEVELS[finding.severity],
        message="\n".join((finding.message, *finding.detail, *fix))[:_MESSAGE],
        title=f"{finding.rule.replace('-', ' ')}{f' ({row.status})' if row.status else ''}",
        column=place.column if single else 0,
        end_column=max(place.end_column - 1, place.column) if single and place.end_column else 0,
        detail=_detail(finding.fix.snippet) if finding.fix else "",
    )


def _detail(snippet: str) -> str:
    """The lines to add, or nothing: GitHub takes 64 KB, and half a snippet would be a wrong one."""
    return snippet if len(snippet.encode("utf-8", "surrogatepass")) <= _DETAIL else ""


def linker(repo: str, commit: str, server: str = GITHUB_WEB) -> Linker:
    """Addresses of lines at `commit`."""

    def link(place: Place) -> str:
        anchor = f"#L{place.line}" if place.line else ""
        return f"{server}/{quote(repo)}/blob/{commit}/{quote(place.file)}{anchor}"

    return link

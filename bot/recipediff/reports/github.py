"""The report as GitHub workflow commands: one annotation a finding, on its line."""

from __future__ import annotations

from recipediff.reports.report import Report

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def render(report: Report) -> str:
    """One workflow command a finding, then the headline as plain text. Fixed findings are left out."""
    lines = []
    for row in report.rows:
        finding, place = row.finding, row.finding.place
        if row.status == "fixed":
            continue
        properties = {"file": place.file}
        if place.line:
            properties["line"] = str(place.line)
            properties["endLine"] = str(place.end_line or place.line)
        if place.column and place.end_line in (0, place.line):
            properties["col"] = str(place.column)
            if place.end_column > place.column:
                properties["endColumn"] = str(place.end_column - 1)
        properties["title"] = f"recipediff {finding.rule}"
        text = "\n".join([finding.message, *finding.detail, *([finding.fix.summary] if finding.fix else [])])
        shown = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
        lines.append(f"::{_COMMANDS[finding.severity]} {shown}::{_data(text)}")
    lines.append(_data(report.headline()))
    return "\n".join(lines) + "\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")

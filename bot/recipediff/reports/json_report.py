"""The report as JSON for programs. `version` changes when a field changes its meaning or goes; fields may be added."""

from __future__ import annotations

import json
from typing import Any

from recipediff.core.finding import Finding
from recipediff.core.place import Place
from recipediff.reports.report import Report, ReportRow

VERSION = 1


def render(report: Report) -> str:
    """The whole report as one JSON text that ends in a line break: one finding a line, so that a program may also grep."""
    parts = document(report)
    rows = ",\n".join(f"    {json.dumps(row, ensure_ascii=False)}" for row in parts["findings"])
    body = json.dumps({**parts, "findings": []}, ensure_ascii=False, indent=2)
    return body.replace('"findings": []', f'"findings": [\n{rows}\n  ]' if rows else '"findings": []', 1) + "\n"


def document(report: Report) -> dict[str, Any]:
    """The report as plain values."""
    return {
        "version": VERSION,
        "verdict": {"state": report.verdict.state, "reason": report.verdict.reason or None},
        "headline": report.headline(),
        "checked": list(report.looked_at),
        "findings": [_row(row) for row in report.rows],
        "notes": list(report.notes),
    }


def _row(row: ReportRow) -> dict[str, Any]:
    finding: Finding = row.finding
    fix = finding.fix
    return {
        "rule": finding.rule,
        "severity": finding.severity,
        "status": row.status or None,
        "recipe": finding.recipe or None,
        "message": finding.message,
        "kind": finding.kind,
        "setting": finding.setting or None,
        "upstream": finding.upstream,
        "ours": finding.ours,
        "detail": list(finding.detail),
        "place": _place(finding.place),
        "related": [{"message": r.message, "place": _place(r.place)} for r in finding.related],
        "fix": None
        if fix is None
        else {
            "summary": fix.summary,
            "place": _place(fix.place) if fix.place else None,
            "replacement": fix.replacement,
        },
    }


def _place(place: Place) -> dict[str, Any]:
    return {
        "file": place.file,
        "line": place.line or None,
        "column": place.column or None,
        "end_line": place.end_line or None,
        "end_column": place.end_column or None,
    }

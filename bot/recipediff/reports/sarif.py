"""The report as SARIF 2.1.0 (OASIS), for code scanning."""

from __future__ import annotations

import hashlib
import json
from typing import Any
from urllib.parse import quote

from recipediff.core.finding import Finding
from recipediff.core.place import Place
from recipediff.core.rules import RULES
from recipediff.reports.pages import page
from recipediff.reports.report import Report

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def render(report: Report) -> str:
    """The whole report as one SARIF log that ends in a line break. Fixed findings are left out."""
    findings = [row.finding for row in report.rows if row.status != "fixed"]
    ids = list(dict.fromkeys(finding.rule for finding in findings))
    evaluated = report.verdict.state != "not evaluated"
    invocation: dict[str, Any] = {"executionSuccessful": evaluated}
    if not evaluated:
        invocation["toolExecutionNotifications"] = [{"level": "error", "message": {"text": report.headline()}}]
    run = {
        "tool": {"driver": {"name": "recipediff", "rules": [_rule(rule) for rule in ids]}},
        "invocations": [invocation],
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, ids.index(finding.rule)) for finding in findings],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=2) + "\n"


def _rule(rule_id: str) -> dict[str, Any]:
    rule = RULES[rule_id]
    return {
        "id": rule.id,
        "name": "".join(part.capitalize() for part in rule.id.split("-")),
        "shortDescription": {"text": rule.name},
        "fullDescription": {"text": rule.summary},
        "help": {"text": f"recipediff rules {rule.id}", "markdown": page(rule.id)},
        "defaultConfiguration": {"level": rule.severity},
    }


def _result(finding: Finding, index: int) -> dict[str, Any]:
    text = "\n".join([finding.message, *finding.detail, *([finding.fix.summary] if finding.fix else [])])
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": finding.severity,
        "message": {"text": text},
        "locations": [_location(finding.place)],
        "partialFingerprints": {"recipediff/v1": hashlib.sha256("\0".join(finding.identity).encode()).hexdigest()},
    }
    if finding.related:
        result["relatedLocations"] = [
            {"id": number, "message": {"text": related.message}, **_location(related.place)}
            for number, related in enumerate(finding.related, 1)
        ]
    return result


def _location(place: Place) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": quote(place.file)}}
    if place.line:
        region = {"startLine": place.line}
        if place.column:
            region["startColumn"] = place.column
        if place.end_line >= place.line and place.end_column:
            region["endLine"], region["endColumn"] = place.end_line, place.end_column
        physical["region"] = region
    return {"physicalLocation": physical}

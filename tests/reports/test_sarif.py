"""SARIF 2.1.0, held against its own JSON Schema as npm packages carry it (`npm ci` puts it into node_modules/)."""

from __future__ import annotations

import functools
import json
from typing import Any

import pytest
from hypothesis import given, settings
from jsonschema import Draft7Validator

from recipediff.core.verdict import Evaluation, Verdict
from recipediff.reports import sarif
from recipediff.reports.report import build, nothing
from tests.reports.rich import pull_request, report
from tests.reports.test_agreement import evaluations
from tests.shared import ROOT

PLACE = ROOT / "node_modules" / "@microsoft" / "jest-sarif" / "lib" / "schemas" / "sarif-2.1.0-rtm.5.json"
needs_schema = pytest.mark.skipif(not PLACE.is_file(), reason=f"SARIF's schema is not installed (npm ci puts it at {PLACE.relative_to(ROOT)})")  # fmt: skip


@functools.cache
def validator() -> Draft7Validator:
    schema: dict[str, Any] = json.loads(PLACE.read_text("utf-8"))
    return Draft7Validator(schema, format_checker=Draft7Validator.FORMAT_CHECKER)


def wrong(text: str) -> list[str]:
    return [f"{list(error.absolute_path)}: {error.message}" for error in validator().iter_errors(json.loads(text))]


@needs_schema
def test_the_schema_finds_faults() -> None:
    assert wrong('{"version": "2.1.0"}')
    assert wrong(sarif.render(report()).replace('"level": "error"', '"level": "bad"'))


@needs_schema
@pytest.mark.parametrize(
    "found", [report(), pull_request(), nothing(), nothing(Verdict("not evaluated", "rate-limited"))]
)
def test_reports_are_valid(found: Any) -> None:
    assert wrong(sarif.render(found)) == []


@needs_schema
@settings(max_examples=60, deadline=None)
@given(evaluations())
def test_any_report_is_valid(evaluation: Evaluation) -> None:
    assert wrong(sarif.render(build(evaluation))) == []


def test_what_was_not_evaluated_is_no_success() -> None:
    run = json.loads(sarif.render(nothing(Verdict("not evaluated", "rate-limited"))))["runs"][0]
    assert run["invocations"][0]["executionSuccessful"] is False
    assert "rate-limited" in run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]


def test_fixed_findings_are_no_results() -> None:
    results = json.loads(sarif.render(pull_request()))["runs"][0]["results"]
    assert len(results) == sum(row.status != "fixed" for row in pull_request().rows)
    assert any(row.status == "fixed" for row in pull_request().rows)


def test_a_result_points_at_its_characters() -> None:
    results = json.loads(sarif.render(report()))["runs"][0]["results"]
    (image,) = [result for result in results if result["ruleId"] == "unpinned-image"]
    region = image["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 5, "startColumn": 8, "endLine": 5, "endColumn": 29}

"""All formats speak of the same findings: their counts, rules and places agree, for one report and for any."""

from __future__ import annotations

import json
import re
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from recipediff.core.finding import Finding, Severity
from recipediff.core.place import Place
from recipediff.core.rules import RULES
from recipediff.core.verdict import Evaluation
from recipediff.reports import check_run, github, json_report, markdown, sarif, terminal
from recipediff.reports.markdown import no_links
from recipediff.reports.report import Report, build
from tests.reports.rich import report

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


def agreed(found: Report) -> None:
    """Count what each format says."""
    rows = json.loads(json_report.render(found))["findings"]
    by_severity = Counter(row["severity"] for row in rows)
    results = json.loads(sarif.render(found))["runs"][0]["results"]
    assert Counter(result["level"] for result in results) == by_severity
    assert [result["ruleId"] for result in results] == [row["rule"] for row in rows]
    commands = re.findall(
        r"^::(error|warning|notice) .*title=recipediff ([a-z-]+)::", github.render(found), re.MULTILINE
    )
    names = {"error": "error", "warning": "warning", "notice": "note"}
    assert [(names[level], rule) for level, rule in commands] == [(row["severity"], row["rule"]) for row in rows]
    labels = re.findall(r"^(error|warning|note)\[([a-z-]+)\]", terminal.render(found), re.MULTILINE)
    assert labels == [(row["severity"], row["rule"]) for row in rows]
    table = [line for line in markdown.render(found).splitlines() if re.match(r"\| \*{0,2}[a-z]", line)]
    assert len([line for line in table if not line.startswith("| | setting")]) == len(rows)
    annotations = check_run.output(found, link=no_links).annotations
    assert len(annotations) == len(rows)
    for text in (terminal.render(found), github.render(found)):
        assert found.headline().casefold() in text.casefold()


def test_one_rich_report() -> None:
    agreed(report())
    rows = json.loads(json_report.render(report()))["findings"]
    assert {row["severity"] for row in rows} == {"error", "note"}
    assert len({row["rule"] for row in rows}) >= 6


@st.composite
def evaluations(draw: st.DrawFn) -> Evaluation:
    words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)
    finding = st.builds(
        Finding,
        rule=st.sampled_from(list(RULES)),
        severity=st.sampled_from(SEVERITIES),
        recipe=st.sampled_from(["a-1spark", "b-2spark"]),
        message=words,
        place=st.builds(
            Place,
            file=st.sampled_from(["recipes/a.yaml", "recipes/b.yaml"]),
            line=st.integers(0, 9),
            column=st.integers(0, 9),
        ),
        kind=st.sampled_from(["flag", "env", "mod", None]),
        setting=st.sampled_from(["", "max_model_len"]),
        upstream=st.none() | words,
        ours=st.none() | words,
        key=words,
    )
    return Evaluation(findings=tuple(draw(st.lists(finding, max_size=12))), looked_at=("a-1spark", "b-2spark"))


@settings(max_examples=150, deadline=None)
@given(evaluations())
def test_any_report(evaluation: Evaluation) -> None:
    agreed(build(evaluation))

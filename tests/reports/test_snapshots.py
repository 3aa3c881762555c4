"""The exact text of every format, for one rich report."""

from __future__ import annotations

import json

import pytest
from syrupy.assertion import SnapshotAssertion

from recipediff.reports import FORMATS, check_run, comment, terminal
from recipediff.reports.check_run import linker
from tests.reports.rich import pull_request, report

LINK = linker("org/recipes", "b" * 40)


@pytest.mark.parametrize("form", ["json", "markdown", "github"])
def test_format(form: str, snapshot: SnapshotAssertion) -> None:
    assert FORMATS[form](report()) == snapshot


def test_sarif(snapshot: SnapshotAssertion) -> None:
    """The rules' pages are left out here; they are documentation, and change as such."""
    log = json.loads(FORMATS["sarif"](report()))
    for rule in log["runs"][0]["tool"]["driver"]["rules"]:
        assert rule["help"].pop("markdown").startswith(f"# {rule['shortDescription']['text']}")
    assert json.dumps(log, ensure_ascii=False, indent=2) == snapshot


@pytest.mark.parametrize("colour", [False, True], ids=["plain", "colour"])
def test_terminal(colour: bool, snapshot: SnapshotAssertion) -> None:
    text = terminal.render(report(), colour=colour)
    assert text.replace("\033", "ESC") == snapshot
    assert ("\033" in text) == colour


def test_colour_changes_nothing_but_colour() -> None:
    import re

    coloured = terminal.render(report(), colour=True)
    assert re.sub(r"\033\[\d+m", "", coloured) == terminal.render(report(), colour=False)


def test_comment_of_a_pull_request(snapshot: SnapshotAssertion) -> None:
    assert comment.body(pull_request(), link=LINK, head="a1" * 20) == snapshot


def test_check_run_of_a_pull_request(snapshot: SnapshotAssertion) -> None:
    output = check_run.output(pull_request(), link=LINK)
    shown = [
        f"{a.path}:{a.line}:{a.column}-{a.end_column} {a.level} {a.title}: {a.message}" for a in output.annotations
    ]
    assert "\n".join([output.title, output.summary, *shown]) == snapshot

"""`python -m tools.oracle`: a machine without the material gets one clear line, never a pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shared import SHARED, needs_shared
from tools import oracle


def test_no_folder_is_said_and_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gone = tmp_path / "shared"
    assert oracle.main(["--shared", str(gone)]) == 1
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    assert f"there is no folder {gone}; name the one" in out


def test_a_folder_without_the_material_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert oracle.main(["--shared", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert "oracle.jsonl.gz" in out
    assert "history.jsonl" in out
    assert "grammar-oracle-" in out


@needs_shared
def test_all_parts_are_found() -> None:
    assert [what for what, _, _ in oracle.parts(SHARED)] == [
        "recipes",
        "recipes",
        "history",
        *["lines", "pairs"] * 3,
        "rules",
    ]
    assert oracle.missing(SHARED) == ""


@needs_shared
def test_a_part_prints_matched_and_total_without_blanks() -> None:
    outcome = oracle.measure(("history", SHARED, ""))
    assert outcome.fine
    assert "versions without an unexplained remainder 118/118 " in outcome.text
    assert "edits classified 88/88 (" in outcome.text

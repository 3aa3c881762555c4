"""`recipediff records`: the guard over a working tree."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import recipediff.cli.records
from recipediff.cli import main

CONFIG = "records:\n  tables:\n    - {file: docs/rows.md, key: ID, space: rows}\n"
IDENTITY = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@example.org", "GIT_CONFIG_GLOBAL": "/dev/null"}  # fmt: skip


def table(*keys: str) -> str:
    return "# Rows\n\n| ID | What |\n|---|---|\n" + "".join(f"| {key} | about |\n" for key in keys)


def git(*arguments: str, check: bool = True) -> None:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")} | IDENTITY
    subprocess.run(["git", *arguments], check=check, capture_output=True, env=environment)


def put(**files: str) -> None:
    for name, text in files.items():
        path = Path(name.replace("__", "/").replace("_md", ".md"))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def commit(text: str, message: str) -> None:
    put(docs__rows_md=text)
    git("add", "-A")
    git("commit", "-qm", message)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with a keyed table on main."""
    monkeypatch.chdir(tmp_path)
    git("init", "-q", "-b", "main")
    (tmp_path / ".github").mkdir()
    (tmp_path / ".github" / "recipediff.yml").write_text(CONFIG)
    commit(table("A", "B", "C", "D", "E", "F"), "Rows")
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["records", *arguments])


def found(*arguments: str) -> list[tuple[str, str]]:
    report: dict[str, Any] = json.loads(run(*arguments, "--format", "json").stdout)
    return [(row["rule"], f"{row['place']['file']}:{row['place']['line']}") for row in report["findings"]]


def test_a_clean_tree_is_0_and_a_key_defined_twice_is_1_at_its_line(here: Path) -> None:
    result = run()
    assert (result.exit_code, result.stdout) == (0, "1 file checked, nothing to report.\n")
    put(docs__rows_md=table("A", "B", "A"))
    result = run()
    assert result.exit_code == 1
    assert " --> docs/rows.md:7:3\n" in result.stdout
    assert "the key “A” is defined at line 5 and again here at line 7" in result.stdout


def test_it_finds_the_tables_from_within_a_folder(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(docs__rows_md=table("A", "A"))
    monkeypatch.chdir(here / "docs")
    assert found("rows.md") == [("record-duplicate-key", "docs/rows.md:6")]
    (here / "src").mkdir()
    assert found("../src") == []


def test_a_table_and_links_can_be_given_for_a_first_try(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    put(docs__rows_md=table("A", "[A](no.md)"))
    assert found("--table", "docs/*.md=ID") == [("record-duplicate-key", "docs/rows.md:6")]
    assert found("--links") == [("record-dangling-link", "docs/rows.md:6")]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "no keyed records are declared"),
        (("--table", "rows.md"), "--table takes FILE=COLUMN, not “rows.md”"),
        (("--table", "rows.md=ID", "--base", "main"), "--base needs a git checkout"),
        (("--table", "rows.md=ID", "no-such"), "there is no file or folder no-such"),
        (("--config", "none.yml"), "there is no configuration file none.yml"),
    ],
)
def test_what_cannot_be_done_is_2_with_one_line(
    arguments: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(*arguments)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_base_that_is_not_there_is_2(here: Path) -> None:
    result = run("--base", "nowhere")
    assert result.exit_code == 2
    assert "nowhere" in result.stderr or "rev-parse" in result.stderr


def test_a_key_that_the_base_has_gained_meanwhile(here: Path) -> None:
    git("switch", "-qc", "topic")
    commit(table("A", "NEW", "B", "C", "D", "E", "F"), "Here")
    git("switch", "-q", "main")
    commit(table("A", "B", "C", "D", "E", "F", "NEW"), "There")
    git("switch", "-q", "topic")
    assert found() == []
    assert found("--base", "main") == [("record-duplicate-key", "docs/rows.md:6")]


def test_rows_that_a_merge_loses_are_found_while_it_is_made_and_afterwards(here: Path) -> None:
    git("switch", "-qc", "topic")
    commit(table("A", "OURS", "B", "C", "D", "E", "F"), "Ours")
    git("switch", "-q", "main")
    commit(table("A", "THEIRS", "B", "C", "D", "E", "F"), "Theirs")
    git("switch", "-q", "topic")
    git("merge", "main", check=False)
    put(docs__rows_md=table("A", "OURS", "B", "D", "E", "F"))  # C and THEIRS got lost in the resolution
    lost = [("record-lost-row", "docs/rows.md:5"), ("record-lost-row", "docs/rows.md:7")]
    assert found() == lost
    git("add", "-A")
    git("commit", "-qm", "Merge")
    assert found() == lost
    put(src__other_md="more\n")
    git("add", "-A")
    git("commit", "-qm", "More")
    assert found("--base", "main~0") == lost
    put(docs__rows_md=table("A", "OURS", "THEIRS", "B", "C", "D", "E", "F"))
    assert found("--base", "main") == []


def test_what_git_ignores_is_no_target_and_a_deleted_file_is_gone(here: Path) -> None:
    put(docs__rows_md=table("[A](../build/x.md)", "[B](here.md)"), build__x_md="x\n", docs__here_md="here\n")
    (here / ".gitignore").write_text("build\n")
    assert found("--links") == [("record-dangling-link", "docs/rows.md:5")]
    git("add", "-A")
    (here / "docs" / "here.md").unlink()
    assert len(found("--links")) == 2


def test_a_heading_behind_a_link_of_the_file_system_is_not_judged(here: Path) -> None:
    put(docs__rows_md=table("[A](alias.md#none)"))
    (here / "docs" / "alias.md").symlink_to("rows.md")
    result = run("--links")
    assert (result.exit_code, "1 links lead out" in result.stdout) == (0, True)


def test_a_file_that_would_take_too_long_is_not_evaluated(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recipediff.cli.records, "SECONDS", 1)
    (here / "docs" / "rows.md").write_bytes(b"- a\n" * (4 * 1024 * 1024 - 1))
    result = run()
    assert result.exit_code == 2
    assert "Not evaluated: too-slow." in result.stdout


def test_a_file_that_is_too_large_is_a_finding(here: Path) -> None:
    (here / "docs" / "rows.md").write_bytes(b"x" * (16 * 1024 * 1024 + 1))
    assert found() == [("record-malformed-table", "docs/rows.md:None")]

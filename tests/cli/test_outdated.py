"""`recipediff outdated` and `recipediff bump`, against a git checkout of an upstream."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from recipediff.cli import main
from recipediff.cli.context import Workbench
from recipediff.wiring.local import LocalAdapters
from tests.app.review.world import RECIPE_PATH, UPSTREAM_PATH, UPSTREAM_TEXT, recipe_text

IDENTITY = ["-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false"]


@dataclass(slots=True)
class Desk:
    """A working folder, and an upstream beside it."""

    upstream: Path
    pin: str = ""

    def git(self, *arguments: str) -> str:
        return subprocess.run(
            ["git", "-C", str(self.upstream), *IDENTITY, *arguments], check=True, capture_output=True, text=True
        ).stdout.strip()

    def commit(self, files: dict[str, str | None], subject: str) -> str:
        for path, text in files.items():
            target = self.upstream / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if text is None:
                target.unlink()
            else:
                target.write_text(text)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", subject)
        return self.git("rev-parse", "HEAD")

    def run(self, *arguments: str) -> Result:
        found = CliRunner().invoke(
            main, [*arguments, "--upstream", f"eugr={self.upstream}"], obj=Workbench(LocalAdapters())
        )
        assert found.exception is None or isinstance(found.exception, SystemExit), found.exception
        return found


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    made = Desk(tmp_path / "upstream")
    made.upstream.mkdir()
    made.git("init", "-q", "-b", "main")
    made.pin = made.commit({UPSTREAM_PATH: UPSTREAM_TEXT}, "Begin")
    here = tmp_path / "here"
    (here / "recipes").mkdir(parents=True)
    (here / RECIPE_PATH).write_text(recipe_text(made.pin))
    monkeypatch.chdir(here)
    return made


def seqs(value: int) -> str:
    return UPSTREAM_TEXT.replace("max_num_seqs: 8", f"max_num_seqs: {value}  # measured")


def test_a_pin_that_trails_is_explained_and_moved_and_nothing_else(desk: Desk) -> None:
    moved = desk.commit({UPSTREAM_PATH: seqs(16)}, "Raise it")
    found = desk.run("outdated")
    assert found.exit_code == 1
    assert "~ max_num_seqs 8 → 16  # measured" in found.output
    assert "difference appears: max_num_seqs 16 → 8, not declared" in found.output
    before = Path(RECIPE_PATH).read_bytes()
    assert desk.run("bump", "--dry-run").exit_code == 0
    assert Path(RECIPE_PATH).read_bytes() == before
    assert "moved tiny-1spark" in desk.run("bump", "tiny-1spark").output
    assert Path(RECIPE_PATH).read_bytes() == before.replace(desk.pin.encode(), moved.encode())
    assert desk.run("outdated").exit_code == 0
    assert "Every pin says" in desk.run("bump").output


def test_json_says_the_same(desk: Desk) -> None:
    desk.commit({UPSTREAM_PATH: seqs(16)}, "Raise it")
    desk.commit({UPSTREAM_PATH: seqs(8)}, "Take it back")
    desk.commit({UPSTREAM_PATH: seqs(24)}, "Raise it more")
    (row,) = json.loads(desk.run("outdated", "--format", "json").output)["outdated"]
    assert row["changes"] == [
        {"kind": "flag", "setting": "max_num_seqs", "old": "8", "new": "24", "direction": "changed", "comment": "measured",
         "past": ["8", "16", "8", "24"]}
    ]  # fmt: skip
    assert [step["subject"] for step in row["commits"]] == ["Raise it more", "Take it back", "Raise it"]
    assert row["launch_changes"]


def test_a_renamed_file_moves_its_path(desk: Desk) -> None:
    desk.commit({UPSTREAM_PATH: None, "recipes/new.yaml": seqs(8)}, "Rename")
    assert "renamed upstream to recipes/new.yaml" in desk.run("outdated").output
    desk.run("bump")
    assert "path: recipes/new.yaml\n" in Path(RECIPE_PATH).read_text()


def test_a_deleted_file_is_not_moved(desk: Desk) -> None:
    desk.commit({UPSTREAM_PATH: None, "README.md": "x\n"}, "Drop it")
    found = desk.run("bump")
    assert found.exit_code == 1
    assert "deleted recipes/tiny.yaml" in found.output
    assert desk.pin in Path(RECIPE_PATH).read_text()


def test_a_pin_of_another_branch_and_one_that_is_missing_are_said(desk: Desk) -> None:
    desk.git("checkout", "-q", "-b", "side")
    side = desk.commit({UPSTREAM_PATH: seqs(4)}, "Aside")
    desk.git("checkout", "-q", "main")
    Path(RECIPE_PATH).write_text(recipe_text(side))
    found = desk.run("outdated")
    assert found.exit_code == 2
    assert "cannot be reached from main" in found.output
    Path(RECIPE_PATH).write_text(recipe_text("f" * 40))
    assert "does not exist" in desk.run("outdated").output


def test_a_plain_folder_an_unknown_id_and_no_recipes_are_one_line_each(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    plain = CliRunner().invoke(
        main, ["outdated", "--upstream", f"eugr={tmp_path / 'plain'}"], obj=Workbench(LocalAdapters())
    )
    assert (plain.exit_code, "git checkout" in plain.output) == (2, True)
    found = desk.run("bump", "tiny-1sprak")
    assert (found.exit_code, "did you mean tiny-1spark?" in found.output) == (2, True)
    Path(RECIPE_PATH).unlink()
    assert desk.run("outdated").exit_code == 2


def test_the_mode_of_a_file_and_links_stay(desk: Desk) -> None:
    desk.commit({UPSTREAM_PATH: seqs(16)}, "Raise it")
    real = Path("real.yaml")
    Path(RECIPE_PATH).replace(real)
    real.chmod(0o640)
    Path(RECIPE_PATH).symlink_to(Path("../real.yaml"))
    assert desk.run("bump", "--path", RECIPE_PATH).exit_code == 0
    assert Path(RECIPE_PATH).is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640

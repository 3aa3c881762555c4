"""Real git repositories, made anew for each test."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Git = Callable[..., str]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """`git` in `tmp_path / "repo"`, untouched by the settings of whoever runs the tests."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    repo = tmp_path / "repo"
    repo.mkdir()

    def git(*arguments: str) -> str:
        who = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "protocol.file.allow=always"]
        done = subprocess.run(["git", "-C", str(repo), *who, *arguments], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    git("init", "-q", "-b", "main")
    return git


@pytest.fixture
def repo(run: Git, tmp_path: Path) -> Path:
    """A repository with two files, a link and a run bit, committed."""
    folder = tmp_path / "repo"
    (folder / "recipes").mkdir()
    (folder / "recipes" / "qwen.yaml").write_text("model: org/qwen\n")
    (folder / "recipes" / "übung.yaml").write_text("model: org/übung\n")
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "run.sh").chmod(0o755)
    (folder / "link.yaml").symlink_to("recipes/qwen.yaml")
    run("add", ".")
    run("commit", "-q", "-m", "one")
    return folder

"""The documentation says what is there: links lead somewhere, every command and rule has its place."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from recipediff.cli import COMMANDS
from tests.shared import ROOT

PAGES = sorted(
    path
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "bot/recipediff/rules").glob("*.md")]
    if "node_modules" not in path.parts
)


def links(page: Path) -> list[str]:
    tokens = MarkdownIt("commonmark").enable("table").parse(page.read_text("utf-8"))
    found = []
    for token in tokens:
        for child in token.children or ():
            target = child.attrs.get("href") or child.attrs.get("src")
            if isinstance(target, str):
                found.append(target)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_relative_links_lead_somewhere(page: Path) -> None:
    missing = [
        target
        for target in links(page)
        if not re.match(r"[a-z]+:|#", target) and not (page.parent / target.partition("#")[0]).exists()
    ]
    assert missing == []


def test_every_command_is_documented() -> None:
    text = "\n".join(page.read_text("utf-8") for page in PAGES)
    assert [name for name in COMMANDS if f"recipediff {name}" not in text] == []


def test_commands_in_the_documentation_exist() -> None:
    fences = [
        token.content
        for page in PAGES
        for token in MarkdownIt("commonmark").parse(page.read_text("utf-8"))
        if token.type == "fence" and token.info.strip() in ("sh", "bash", "console")
    ]
    named = set(re.findall(r"^(?:\$ )?recipediff ([a-z]+)", "\n".join(fences), re.MULTILINE))
    assert named
    assert named - set(COMMANDS) == set()


def test_every_decision_is_listed() -> None:
    index = (ROOT / "docs" / "decisions" / "README.md").read_text("utf-8")
    pages = [path.name for path in (ROOT / "docs" / "decisions").glob("0*.md")]
    assert [name for name in pages if name not in index] == []


def test_the_repository_names_no_package_registry_in_its_locks() -> None:
    for name in ("requirements.txt", "requirements-dev.txt", "package-lock.json"):
        text = (ROOT / name).read_text("utf-8")
        assert not re.search(r"index-url|\"resolved\"|https?://[^\"\s]*(registry|simple)", text), name
    assert "--hash=sha256:" in (ROOT / "requirements.txt").read_text("utf-8")


def test_make_explains_its_targets() -> None:
    listed = subprocess.run(["make", "-n", "lint"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "ruff check" in listed.stdout

"""The patch of a report: however declarations are laid out, it leaves a recipe that declares what differed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from recipediff.checks.recipes.check import RecipesSnapshot, check, pin_of
from recipediff.core.upstream import UpstreamFiles
from recipediff.parse.tested.read import read_recipes
from recipediff.reports.bumps.patch import patch, patched
from recipediff.reports.report import build
from recipediff.reports.terminal import render

ROOT = Path(__file__).resolve().parents[2]
STATED = ROOT / "tests" / "fixtures" / "upstream" / "eugr"
RECIPE = ROOT / "recipes" / "deepseek-v4-flash-2spark.yaml"
TEXT = RECIPE.read_text()
BEFORE, AFTER = TEXT[: TEXT.index("  deviations:")], TEXT[TEXT.index("verified:") :]
NAME = f"recipes/{RECIPE.name}"


def plain() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(json.dumps(YAML(typ="safe").load(TEXT)))
    return {"id": RECIPE.stem, **loaded}


def flow(item: object) -> str:
    return json.dumps(item, ensure_ascii=False)


ITEMS = [flow(one) for one in plain()["source"]["deviations"]]
LISTED = "recipes/tested.json"
LAYOUTS = {
    "block": (NAME, TEXT),
    "brackets on one line": (NAME, f"{BEFORE}  deviations: [{', '.join(ITEMS)}]\n{AFTER}"),
    "brackets, spaced": (NAME, f"{BEFORE}  deviations: [ {', '.join(ITEMS)} ]\n{AFTER}"),
    "brackets, a line each": (NAME, f"{BEFORE}  deviations: [\n    " + ",\n    ".join(ITEMS) + f"\n  ]\n{AFTER}"),
    "brackets, trailing comma": (NAME, f"{BEFORE}  deviations: [\n    " + ",\n    ".join(ITEMS) + f",\n  ]\n{AFTER}"),
    "dashes and braces": (NAME, f"{BEFORE}  deviations:\n" + "".join(f"    - {one}\n" for one in ITEMS) + AFTER),
    "dashes, not indented": (NAME, f"{BEFORE}  deviations:\n" + "".join(f"  - {one}\n" for one in ITEMS) + AFTER),
    "none": (NAME, BEFORE + AFTER),
    "JSON": (LISTED, json.dumps([plain()], indent=2)),
    "JSON on one line": (LISTED, json.dumps([plain()])),
}


def findings(name: str, text: str) -> list[Any]:
    blobs = {path.relative_to(STATED).as_posix(): path.read_bytes() for path in STATED.rglob("*.yaml")}
    files = {name: text.encode()}
    upstream = {pin_of(r.source): UpstreamFiles(blobs) for r in read_recipes(files[name], name).recipes if r.source}
    return list(check(RecipesSnapshot(files=files, upstream=upstream)).findings)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_undeclared_difference_becomes_a_declaration_without_a_reason(layout: str, tmp_path: Path) -> None:
    name, text = LAYOUTS[layout]
    before = findings(name, text)
    assert {one.rule for one in before} == {"undeclared"}
    fixes = [one.fix for one in before if one.fix]
    after = findings(name, patched(text, fixes))
    assert {one.rule for one in after} == {"misdeclared"}
    assert len(after) == len(before)
    file = tmp_path / name
    file.parent.mkdir()
    file.write_text(text)
    if shutil.which("git"):
        subprocess.run(["git", "init", "-q", tmp_path], check=True)
        subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=patch(name, text, fixes), text=True, check=True)
        assert file.read_text() == patched(text, fixes)


@pytest.mark.parametrize("layout", ["none in braces", "empty list"])
def test_where_no_edit_is_sure_only_the_lines_are_shown(layout: str) -> None:
    source = {key: value for key, value in plain()["source"].items() if key != "deviations"}
    braces = f'source: {flow(source)[:-1]},\n  "path": {flow(source["path"])}}}\n'.replace(
        f'"path": {flow(source["path"])}, ', "", 1
    )
    text = {
        "none in braces": BEFORE[: BEFORE.index("source:")] + braces + AFTER,
        "empty list": f"{BEFORE}  deviations: []\n{AFTER}",
    }[layout]
    before = findings(NAME, text)
    assert {one.rule for one in before} == {"undeclared"}
    assert patched(text, [one.fix for one in before if one.fix]) == text
    assert all("kind: " in one.fix.snippet for one in before)


def test_a_long_line_is_not_indented_as_deep_as_it_is_long() -> None:
    entries = [{**plain(), "id": f"m{number}-2spark"} for number in range(20)]
    text = json.dumps(entries)
    blobs = {path.relative_to(STATED).as_posix(): path.read_bytes() for path in STATED.rglob("*.yaml")}
    recipes = read_recipes(text.encode(), LISTED).recipes
    upstream = {pin_of(one.source): UpstreamFiles(blobs) for one in recipes if one.source}
    shown = render(build(check(RecipesSnapshot(files={LISTED: text.encode()}, upstream=upstream)), {LISTED: text}))
    assert max(map(len, shown.splitlines())) < 200
    assert len(re.findall(r'^ +\{"kind": "env"', shown, re.MULTILINE)) == 40

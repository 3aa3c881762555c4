"""Which files `recipediff check` takes, and how it names them."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from recipediff.cli import main
from recipediff.cli.context import Workbench
from recipediff.wiring.local import LocalAdapters

ROOT = Path(__file__).resolve().parents[2]
RECIPE = ROOT / "recipes" / "deepseek-v4-flash-2spark.yaml"
UPSTREAM = ("--upstream", f"eugr={ROOT}/tests/fixtures/upstream/eugr")


def check(*paths: object) -> Result:
    return CliRunner().invoke(
        main, ["check", *UPSTREAM, *map(str, paths)], obj=Workbench(LocalAdapters()), catch_exceptions=False
    )


@pytest.fixture
def recipes(tmp_path: Path) -> Path:
    folder = tmp_path / "sp ace é" / "recipes"
    folder.mkdir(parents=True)
    (folder / RECIPE.name).write_bytes(RECIPE.read_bytes())
    return folder


def test_folders_links_and_odd_names_lead_to_the_same_recipe(recipes: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(recipes.parent)
    for path in (recipes, recipes.parent, recipes / RECIPE.name, link, link / "recipes"):
        result = check(path)
        assert (result.exit_code, result.stdout.splitlines()[-1]) == (1, "2 findings in 1 recipe: 2 undeclared.")
        assert f"--> {path}" in result.stdout


def test_a_recipe_named_twice_is_checked_once(recipes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(recipes.parent)
    assert check("recipes", f"recipes/{RECIPE.name}", f"./recipes/{RECIPE.name}", ".").stdout.endswith(
        "2 findings in 1 recipe: 2 undeclared.\n"
    )


def test_a_link_that_leads_nowhere_is_not_passed_over(recipes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (recipes / "gone.yaml").symlink_to(recipes / "nowhere.yaml")
    monkeypatch.chdir(recipes.parent)
    for paths in ((), (recipes,)):
        result = check(*paths)
        assert result.exit_code == 2
        assert "gone.yaml: No such file or directory" in result.stderr


def test_two_copies_of_one_upstream_are_refused(recipes: Path, tmp_path: Path) -> None:
    result = check(recipes, "--upstream", f"spark-vllm-docker={tmp_path}")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--upstream names eugr/spark-vllm-docker twice" in result.stderr

"""The two recipes of this repository, against upstream as it is stated in the fixtures and as it was stored."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from recipediff.checks.recipes import rules as entry
from recipediff.checks.recipes.check import RecipesSnapshot, check, pin_of
from recipediff.core.recipe import TestedRecipe
from recipediff.core.upstream import UpstreamFiles
from recipediff.parse.tested.read import read_recipes
from recipediff.parse.vllm.launch import read_version, recipe_invocation, understand
from tests.shared import ROOT, SHARED, needs_shared

FILES = {f"recipes/{path.name}": path.read_bytes() for path in sorted((ROOT / "recipes").glob("*.yaml"))}
STATED = ROOT / "tests" / "fixtures" / "upstream" / "eugr" / "recipes"
STORED = SHARED / "corpus" / "eugr-spark-vllm-docker" / "later"
IDS = ("deepseek-v4-flash-2spark", "deepseek-v4-flash-vision-2spark")

OPEN = {
    (recipe, "undeclared", "env", setting, ours)
    for recipe in IDS
    for setting, ours in (("VLLM_USE_MEGA_AOT_ARTIFACT", "-1"), ("VLLM_MOE_SKIP_PADDING", None))
}


def shipped() -> list[TestedRecipe]:
    return [recipe for path, data in FILES.items() for recipe in read_recipes(data, path).recipes]


def four(folder: Path) -> None:
    upstream = {}
    for recipe in shipped():
        assert recipe.source is not None
        blob = (folder / PurePosixPath(recipe.source.path).name).read_bytes()
        upstream[pin_of(recipe.source)] = UpstreamFiles({recipe.source.path: blob})
    found = check(RecipesSnapshot(files=FILES, upstream=upstream)).findings
    assert len(found) == 4
    assert {(f.recipe, f.rule, f.kind, f.setting, f.ours) for f in found} == OPEN


def test_against_upstream_as_stated_exactly_four_findings_are_left() -> None:
    four(STATED)


@needs_shared
def test_against_upstream_as_stored_exactly_four_findings_are_left() -> None:
    four(STORED)


@pytest.mark.parametrize("recipe", shipped(), ids=lambda recipe: recipe.id)
def test_by_themselves_they_break_no_rule(recipe: TestedRecipe) -> None:
    launch = understand(recipe_invocation(recipe), read_version(recipe.vllm))
    assert entry.check(recipe, launch) == ()
    assert list(entry.declarations(recipe, launch)) == []
    assert launch.refused == ()
    assert recipe.unread == ()


def test_they_state_the_facts_of_the_measurement() -> None:
    facts = {}
    for recipe in shipped():
        assert recipe.verified is not None
        measured = recipe.verified.facts
        facts[recipe.id] = (
            recipe.verified.context,
            measured["kv_tokens"],
            measured["concurrency"],
            measured["load_seconds"],
        )
        assert "when" not in measured, "the day is not known"
    assert facts == {IDS[0]: (262144, "664817", "2.53", "161"), IDS[1]: (262144, "670498", "2.56", "165")}
    assert [recipe.id for recipe in shipped()] == list(IDS)
    assert list(entry.across(shipped())) == []

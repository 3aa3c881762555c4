"""Upstream's own published commands. Every row is resolved from the recipes alone; `make oracle` prints the figures."""

from __future__ import annotations

import pytest

from recipediff.parse.formats.vllm_project import VllmProject
from tests.shared import SHARED, needs_shared
from tools import oracle_recipes

NEWEST, OLDER = "8959cf64189c71d36e11c6a30335f923f261b1f7", "86c7777aa699482ef1ebd0c5da9fc540ccc00a40"


@needs_shared
@pytest.mark.parametrize(("commit", "total", "explained"), [(NEWEST, 15_686, 0), (OLDER, 14_761, 17)])
def test_every_published_row_is_the_same(commit: str, total: int, explained: int) -> None:
    tally = oracle_recipes.measure(SHARED / oracle_recipes.CORPUS / commit)
    assert tally.rows == total
    assert tally.misses == {}
    assert len(tally.moved) == explained
    assert sum(count for (*_, what), count in tally.counts.items() if what == "matched") == total - explained


@needs_shared
@pytest.mark.parametrize("commit", [NEWEST, OLDER])
def test_every_stored_recipe_reads_clean(commit: str) -> None:
    files = oracle_recipes.files_of(SHARED / oracle_recipes.CORPUS / commit)
    upstream = VllmProject()
    for path in files.blobs:
        if path.startswith("models/"):
            recipe, problems = upstream.recipe(files, path)
            assert recipe is not None, path
            assert problems == (), path
            assert recipe.notes == (), path


@needs_shared
def test_what_is_offered_is_what_upstream_lists() -> None:
    folder = SHARED / oracle_recipes.CORPUS / NEWEST
    files, upstream = oracle_recipes.files_of(folder), VllmProject()
    for row in oracle_recipes.rows_of(folder):
        if row["kind"] != "default":
            continue
        offered: dict[str, list[str]] = {}
        path = f"models/{row['derived_from'] or row['hf_id']}.yaml"
        for offer in upstream.offers(files, path, row["requested_variant"]):
            offered.setdefault(offer.select.hardware, []).append(offer.select.strategy)
        assert list(offered) == row["by_hardware"], path
        assert offered[row["resolved_hardware"]] == [row["strategy"], *(row.get("alternatives") or ())], path

"""Separate ids for separate topologies, and no id twice."""

from __future__ import annotations

from dataclasses import replace

import pytest

from recipediff.checks.recipes import rules as entry
from tests.checks.recipes.rules.cases import case, launch, recipe


def said(recipe_id: str, nodes: int, hardware: str = "GB10") -> list[str]:
    one = replace(recipe(), id=recipe_id, nodes=nodes, hardware=hardware)
    return [f.message for f in entry.RULES["topology-in-id"](one, launch())]


@pytest.mark.parametrize(
    ("recipe_id", "nodes"),
    [("m-2spark", 2), ("m-4x-spark", 4), ("m-2-nodes", 2), ("m", 2), ("llama-8b", 2), ("m-0731", 2), ("m-0731-2spark", 2), ("spark-8", 2), ("m-2sparkling", 1)],
)  # fmt: skip
def test_an_id_that_fits_or_says_nothing_passes(recipe_id: str, nodes: int) -> None:
    assert said(recipe_id, nodes) == []


@pytest.mark.parametrize("recipe_id", ["m-2spark", "m-2sparks", "m-2x-spark", "2spark-m", "m-2-nodes", "M-2Spark"])
def test_an_id_of_another_topology_is_reported(recipe_id: str) -> None:
    assert said(recipe_id, 4) == ["the id says 2 nodes, topology.nodes is 4"]


def test_one_entry_does_not_name_two_kinds_of_hardware() -> None:
    assert said("m", 2, "GB10 or H200") == ["topology.hardware names several: “GB10 or H200”"]
    assert said("m", 2, "GB10 with 128 GB, ORed memory") == []


def test_nodes_that_could_not_be_read_are_not_judged_again() -> None:
    assert case(edits=(("nodes: 2", "nodes: [2, 4]"),)).findings("topology-in-id") == []


def test_an_id_is_taken_once_whatever_the_file_and_the_letter_case() -> None:
    one = recipe()
    twin = replace(one, file="tested.json")
    cased = replace(one, id=one.id.upper(), file="other.yaml")
    other = replace(one, id="another")
    found = list(entry.across([one, other, twin, cased]))
    assert [(f.rule, f.message) for f in found] == [
        ("duplicate-id", "the id “some-model-2spark” is taken"),
        ("duplicate-id", "the id “SOME-MODEL-2SPARK” differs only in letter case from “some-model-2spark”"),
    ]
    assert all(f.related[0].place.file == one.file for f in found)
    assert list(entry.across([one, other])) == []

"""Whatever a recipe file holds, reading and judging it gives findings and never an exception."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from recipediff.checks.recipes import rules as entry
from recipediff.core.finding import Finding
from recipediff.core.rules import RULES
from recipediff.parse.tested.read import read_recipes
from recipediff.parse.vllm.launch import read_version, recipe_invocation, understand
from tests.parse.tested.examples import GOOD, full

ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=12)
    | st.sampled_from(["--x", "-O", "--max-model-len=1e9", "{", "a.b.c", "--a.b", "256K", "0", "-1", "\u202e", "é" * 9]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


def judged(data: bytes, file: str) -> list[Finding]:
    read = read_recipes(data, file)
    found = list(read.findings)
    for recipe in read.recipes:
        launch = understand(recipe_invocation(recipe), read_version(recipe.vllm))
        found += [*entry.check(recipe, launch), *entry.declarations(recipe, launch)]
    return [*found, *entry.across(read.recipes)]


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from _paths(item, (*path, key))


@settings(max_examples=500, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(list(_paths(full()))), ODD), min_size=1, max_size=3))
def test_odd_values_anywhere(changes: list[tuple[tuple[Any, ...], Any]]) -> None:
    recipe: Any = full()
    for path, value in changes:
        level = recipe
        for key in path[:-1]:
            inside = (
                key in level
                if isinstance(level, dict)
                else isinstance(level, list) and isinstance(key, int) and key < len(level)
            )
            level = level[key] if inside else None
        if isinstance(level, dict) or (isinstance(level, list) and isinstance(path[-1], int) and path[-1] < len(level)):
            level[path[-1]] = value
    for finding in judged(json.dumps([recipe, recipe]).encode(), "tested.json"):
        assert finding.rule in RULES
        assert finding.message
        assert "\n" not in finding.message
        assert finding.place.file == "tested.json"
        str(finding).encode("utf-8")


@settings(max_examples=500, deadline=None)
@given(
    st.integers(0, len(GOOD)),
    st.integers(0, 40),
    st.text(max_size=10) | st.sampled_from(["&a ", "*a", "<<: ", "!!x ", "\t", "|\n", "- ", "{", "\r", "\x85"]),
)
def test_cut_and_spliced_yaml(at: int, length: int, piece: str) -> None:
    text = GOOD[:at] + piece + GOOD[at + length :]
    for finding in judged(text.encode("utf-8", "surrogatepass"), "recipes/some-model-2spark.yaml"):
        assert finding.rule in RULES
        assert "\n" not in finding.message
        assert finding.place.file == "recipes/some-model-2spark.yaml"


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=300), st.sampled_from(["x.yaml", "x.json"]))
def test_bytes_of_any_kind(data: bytes, file: str) -> None:
    judged(data, file)

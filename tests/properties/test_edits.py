"""Any single edit that changes the meaning of a real launch gives exactly that difference."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from recipediff.core.compare import compare
from tests.properties.edits import EDITS, Expected
from tests.properties.lines import Line, real_lines
from tests.properties.rewrites import chain, order

SLICES = 4


def exactly(line: Line, edited: Line, expected: Expected) -> None:
    """The one difference, and the same the other way round."""
    before, after = line.launch(), edited.launch()
    found = [(d.kind, d.setting, d.left, d.right) for d in compare(before, after)]
    assert found == [(expected.kind, expected.setting, expected.left, expected.right)], (line.origin, edited.words)
    back = [(d.kind, d.setting, d.right, d.left) for d in compare(after, before)]
    assert back == found, (line.origin, edited.words)
    if expected.keys is not None:
        assert compare(before, after)[0].keys == expected.keys, (line.origin, edited.words)


@pytest.mark.parametrize("part", range(SLICES))
def test_every_real_launch_edited_once(part: int) -> None:
    for number, line in enumerate(real_lines()[part::SLICES]):
        random = Random(number)
        for name in random.sample(list(EDITS), 3):
            made = EDITS[name](line, random)
            if made is not None:
                exactly(line, *made)


@pytest.mark.parametrize("name", EDITS)
@settings(max_examples=400, deadline=None)
@given(number=st.integers(0, 10**6), seed=st.integers(0, 10**9))
def test_any_edit_of_one_kind(name: str, number: int, seed: int) -> None:
    random, lines = Random(seed), able(name)
    line = lines[number % len(lines)]
    made = EDITS[name](line, random)
    assume(made is not None)
    assert made is not None
    exactly(line, *made)


@cache
def able(name: str) -> tuple[Line, ...]:
    """The real lines that have something for this kind of edit to change."""
    return tuple(line for line in real_lines() if EDITS[name](line, Random(0)) is not None)


@settings(max_examples=800, deadline=None)
@given(number=st.integers(0, 10**6), seed=st.integers(0, 10**9))
def test_an_edit_shows_through_rewrites_of_the_rest(number: int, seed: int) -> None:
    """The edit first, then another order and spelling of everything: still that one difference, by name and direction."""
    random, lines = Random(seed), real_lines()
    line = lines[number % len(lines)]
    made = EDITS[random.choice(["drop", "variable", "mod", "model"])](line, random)
    assume(made is not None)
    assert made is not None
    edited, expected = made
    rewritten, _ = chain(order(edited, random), random, 3)
    found = [(d.kind, d.setting, d.direction) for d in compare(line.launch(), rewritten.launch())]
    direction = "added" if expected.left is None else "dropped" if expected.right is None else "changed"
    assert found == [(expected.kind, expected.setting, direction)], (line.origin, rewritten.words)

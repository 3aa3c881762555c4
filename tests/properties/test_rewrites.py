"""Any chain of rewrites that keep the meaning of a real launch gives no difference."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recipediff.core.compare import compare
from recipediff.core.launch import Launch
from tests.properties import texts
from tests.properties.lines import Line, real_lines
from tests.properties.rewrites import REWRITES, chain

SLICES = 4


def agree(line: Line, launch: Launch, said: object) -> None:
    """No difference either way, nothing refused, nothing left over."""
    before = line.launch()
    assert compare(before, launch) == compare(launch, before) == (), (line.origin, said)
    assert (*launch.refused, *launch.problems) == (), (line.origin, said)


@pytest.mark.parametrize("part", range(SLICES))
def test_every_real_launch_rewritten(part: int) -> None:
    for number, line in enumerate(real_lines()[part::SLICES]):
        rewritten, names = chain(line, Random(number))
        agree(line, rewritten.launch(), (names, rewritten.words))


@pytest.mark.parametrize("part", range(SLICES))
def test_every_real_launch_as_text(part: int) -> None:
    for number, line in enumerate(real_lines()[part::SLICES]):
        check_text(line, Random(number))


def check_text(line: Line, random: Random) -> None:
    """As a script, which names no mods, and as a recipe of eugr's."""
    if random.random() < 0.5:
        alone = replace(line, mods=())
        text = texts.script(alone, random)
        agree(alone, texts.read_script(text), text)
    else:
        text = texts.recipe(line, random)
        agree(line, texts.read_recipe_text(text), text)


@settings(max_examples=1500, deadline=None)
@given(number=st.integers(0, 10**6), seed=st.integers(0, 10**9))
def test_any_chain_of_rewrites_then_any_text(number: int, seed: int) -> None:
    random, lines = Random(seed), real_lines()
    line = lines[number % len(lines)]
    rewritten, names = chain(line, random, 12)
    text = texts.recipe(rewritten, random)
    agree(line, texts.read_recipe_text(text), (names, text))


@pytest.mark.parametrize("name", REWRITES)
def test_each_rewrite_changes_some_real_launch(name: str) -> None:
    lines = real_lines()
    assert any(REWRITES[name](line, Random(number)).words != line.words for number, line in enumerate(lines))

"""Against what vLLM's own parser made of thousands of lines."""

from __future__ import annotations

import pytest

from tests.shared import SHARED, needs_shared
from tools.oracle_grammar import examples, lines, measured, report


@needs_shared
@pytest.mark.parametrize("version", ["0.32.0", "0.24.0", "0.14.1"])
def test_every_measured_line_and_pair_reads_the_same(version: str) -> None:
    for tally in lines(version, measured(SHARED)[version]):
        assert not tally.misses, report(tally)
        assert tally.counts


@needs_shared
def test_every_example_of_the_rules_holds_in_every_version() -> None:
    tallies = examples(SHARED)
    assert [tally.ratio() for tally in tallies] == ["140/140"] * 9, "\n".join(map(report, tallies))

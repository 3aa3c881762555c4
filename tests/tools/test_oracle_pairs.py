"""Pairs of measured command lines: our differences are those of vLLM's own parser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.shared import SHARED, needs_shared
from tools import oracle_pairs
from tools.oracle_grammar import measured
from tools.oracle_pairs import difference, expected


def row(argv: str = "", **more: Any) -> dict[str, Any]:
    return {"argv": argv.split(), "set": {}, "explicit": [], "edits": [], **more}


def test_what_is_expected_of_a_pair() -> None:
    one, other = row(set={"seed": 1}, explicit=["seed", "port"]), row(set={"seed": 2}, explicit=["seed"])
    assert expected(one, other) == {"seed": False, "port": True}
    assert expected(one, one) == {}
    assert expected(row(set={"seed": 3}), row(set={"seed": 3.0})) == {"seed": False}


def test_missed_invented_and_unmarked_are_told_apart() -> None:
    pair = row(explicit=["a"])
    assert difference(pair, {"a": False}, {"a": False}) == ""
    assert difference(pair, {"a": False}, {}) == "missed a"
    assert difference(pair, {}, {"b": False}) == "invented b"
    assert difference(pair, {"a": True}, {"a": False}) == "default a"


def test_two_routes_are_one_setting_to_us_and_two_to_the_parser() -> None:
    pair = row(edits=["other-route"])
    assert difference(pair, {"attention_backend": False, "attention_config": False}, {}) == ""
    assert difference(row(), {"attention_backend": False}, {}) == "missed attention_backend"


@needs_shared
@pytest.mark.parametrize(("version", "total"), [("0.32.0", 1123), ("0.24.0", 840), ("0.14.1", 607)])
def test_every_measured_pair(version: str, total: int) -> None:
    path: Path = measured(SHARED)[version]
    tally = oracle_pairs.pairs(version, path)
    assert tally.misses == {}
    assert sum(count for (_, what), count in tally.counts.items() if what == "total") == total

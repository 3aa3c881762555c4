"""The published audit reproduced, and the sweep held against vLLM's real parser."""

from __future__ import annotations

import pytest

from recipediff.parse.engine import surface_of_vllm
from tests.shared import needs_shared
from tools.sweep_bars import AUDITED, agreement, audit, engine, swept

pytestmark = needs_shared


def test_the_audit_is_reproduced_by_the_rule_that_is_named_published() -> None:
    assert audit() == {
        "recipes": 157,
        "flags": 70,
        "--enable-auto-tool-choice": 89,
        "--trust-remote-code": 82,
        "--reasoning-parser": 76,
        "--tool-call-parser": 90,
        "variables": 15,
        "dgx_spark_gb10": 8,
        "run together": 1,
    }


@pytest.mark.parametrize("version", ["0.20.2", "0.28.0", "0.32.0", "0.33.0"])
def test_how_many_recipes_start_on_a_version(version: str) -> None:
    result = swept(AUDITED, surface_of_vllm(version))
    counts = [len(result.having(outcome)) for outcome in ("starts", "stops", "not judged")]
    assert counts == [131, 19, 7]
    assert all("omni" in one.reasons[0] for one in result.having("not judged"))
    for one in result.having("stops"):
        assert one.first is not None
        assert one.first.place.file == one.recipe
        assert one.first.place.line


def test_what_an_older_engine_may_refuse_after_its_parser_is_in_doubt() -> None:
    older, newer = (swept(AUDITED, surface_of_vllm(version)).having("starts") for version in ("0.20.2", "0.32.0"))
    assert (sum(bool(one.doubts) for one in older), sum(bool(one.doubts) for one in newer)) == (16, 0)
    assert "no tool_call_parser “lfm2” is known" in {doubt for one in older for doubt in one.doubts}


def test_the_audited_engine_stops_nearly_everywhere_and_first_at_trust_remote_code() -> None:
    result = swept(AUDITED, engine())
    assert len(result.having("starts")) == 11
    firsts = [one.first.word for one in result.having("stops") if one.first is not None]
    assert max(set(firsts), key=firsts.count) == "--trust-remote-code"


def test_refused_by_the_real_parser_is_stopped_here_and_nothing_else() -> None:
    same = agreement("0.32.0")
    assert same.wrong == ()
    assert (same.left, same.agree) == (0, same.seen)
    assert same.seen > 1_400
    assert 0.03 < same.refused / same.seen < 0.08

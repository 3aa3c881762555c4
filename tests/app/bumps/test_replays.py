"""Upstreams' real histories. `make replay` prints the tables; here their figures are held."""

from __future__ import annotations

import pytest

from recipediff.core.bumps.config import BumpConfig
from tests.shared import SHARED, needs_shared
from tools import replay_eugr, replay_vllm_project


@needs_shared
@pytest.mark.parametrize(
    ("policy", "days"), [(replay_eugr.GENTLE, 0.0), (BumpConfig(), 1.0)], ids=["at once", "default"]
)
def test_no_launch_change_is_missed_hidden_or_invented(policy: BumpConfig, days: float) -> None:
    result = replay_eugr.Replay(replay_eugr.History(SHARED), policy, days).run()
    assert result.wrong == []
    assert len(result.own) <= 63
    assert len(result.quiet) <= 7
    for _, judged in result.own:
        assert any(one.meaning.changes or one.meaning.blind for one in judged.values())


@needs_shared
@pytest.mark.parametrize(("hardware", "pinned", "own", "quiet"), [("h200", 225, 5, 28), ("dgx_spark_gb10", 25, 0, 7)])
def test_bumps_of_their_own_are_the_rows_that_differ(hardware: str, pinned: int, own: int, quiet: int) -> None:
    result = replay_vllm_project.measure(SHARED, hardware)
    assert result.wrong == []
    assert (result.pinned, result.counts["own"], result.counts["quiet"]) == (pinned, own, quiet)
    assert result.counts["own"] == result.counts["rows that differ"] - len(result.same_meaning)

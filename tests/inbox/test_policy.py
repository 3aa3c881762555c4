"""The retry policy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recipediff.inbox.contract import Again, Buried, Done
from recipediff.inbox.policy import POLICY, RETRY_AFTER_LIMIT, decide, policy_for, spent

REASONS = st.sampled_from([*POLICY, "never heard of"])


@pytest.mark.parametrize("reason", POLICY)
def test_every_reason_is_tried_its_number_of_times_and_then_ends(reason: str) -> None:
    policy = POLICY[reason]
    for attempt in range(1, policy.attempts):
        assert isinstance(decide(reason, attempt), Again)
        assert not spent(reason, attempt)
    end = decide(reason, policy.attempts, message="why")
    assert end == (Done() if policy.then == "drop" else Buried(reason, "why"))
    assert spent(reason, policy.attempts)


def test_what_is_gone_is_forgotten_and_what_a_person_must_mend_is_kept() -> None:
    assert decide("gone", 1) == Done()
    assert decide("forbidden", 3) == Buried("forbidden")


def test_delays_double_up_to_the_ceiling() -> None:
    delays = [again.after for n in range(1, 8) if isinstance(again := decide("network", n, jitter=lambda: 1.0), Again)]
    assert delays == [2, 4, 8, 16, 32, 64, 128]
    assert policy_for("network").delay(50, 1.0) == 300


def test_an_unknown_reason_is_our_own_fault() -> None:
    assert policy_for("never heard of") == POLICY["own-fault"]


@given(REASONS, st.integers(1, 3), st.floats(0, RETRY_AFTER_LIMIT), st.floats(0, 1, exclude_max=True))
def test_a_retry_after_binds_and_is_never_cut_short(reason: str, attempt: int, after: float, jitter: float) -> None:
    again = decide(reason, attempt, after=after, jitter=lambda: jitter)
    if isinstance(again, Again):
        assert again.hold
        assert again.after >= after


@given(REASONS, st.integers(1, 10**9), st.floats(0, 1, exclude_max=True), st.none() | st.floats(allow_nan=False))
def test_no_delay_is_negative_or_endless(reason: str, attempt: int, jitter: float, after: float | None) -> None:
    again = decide(reason, attempt, after=after, jitter=lambda: jitter)
    if isinstance(again, Again):
        assert 0 <= again.after <= RETRY_AFTER_LIMIT + 30

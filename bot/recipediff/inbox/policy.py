"""The retry policy: the one place that says what is tried again, how often and when."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from recipediff.inbox.contract import Again, Buried, Done

RETRY_AFTER_LIMIT = 6 * 3600.0
"""Seconds; no other side may silence a job for longer."""


@dataclass(frozen=True, slots=True)
class Policy:
    """How often a reason is tried (the first run included), the delays between, and what follows."""

    attempts: int
    first: float
    """Seconds before the second run."""
    ceiling: float
    """Seconds; delays double up to here."""
    then: Literal["dead", "drop"] = "dead"
    """When the attempts are spent: keep for the operator, or forget because there is nothing left to do."""

    def delay(self, attempt: int, jitter: float) -> float:
        """Seconds after run `attempt` (from 1); `jitter` in [0, 1) spreads it over the upper half, so that jobs do not flock."""
        full = min(self.ceiling, self.first * 2.0 ** min(attempt - 1, 32))
        return full * (0.5 + jitter / 2)


POLICY: Mapping[str, Policy] = {
    # reason               attempts first ceiling then
    "network": Policy(8, 2, 300),  # connection refused or reset, timeout, name not found
    "server-fault": Policy(8, 5, 600),  # 500, 502, 503, 504, truncated answers
    "rate-limited": Policy(12, 60, 3600),  # 429, 403 with a limit; Retry-After or the reset time is obeyed
    "conflict": Policy(5, 1, 30),  # the head moved under the work, 409, 422 on a stale object
    "unauthorized": Policy(4, 30, 900),  # 401: a token revoked in the middle, a clock that is off
    "forbidden": Policy(3, 60, 900),  # 403 without a limit: a permission is missing; a person has to act
    "gone": Policy(1, 0, 0, "drop"),  # repository, pull request or installation vanished
    "own-fault": Policy(4, 5, 300),  # a defect of ours: the handler raised
    "timeout": Policy(3, 30, 300),  # the run took longer than a run may
    "worker-lost": Policy(5, 0, 0),  # the process died in the run; the lease was the delay
}
UNKNOWN = "own-fault"
"""The row for a reason that the table does not name."""


def policy_for(reason: str) -> Policy:
    """The row for `reason`."""
    return POLICY.get(reason, POLICY[UNKNOWN])


def spent(reason: str, attempt: int) -> bool:
    """Whether run `attempt`, ended by `reason`, was the last. A handler asks to know whether to conclude its check now."""
    return attempt >= policy_for(reason).attempts


def decide(
    reason: str,
    attempt: int,
    *,
    message: str = "",
    after: float | None = None,
    jitter: Callable[[], float] = random.random,
) -> Again | Buried | Done:
    """What follows run `attempt` that ended by `reason`. `after` is the other side's Retry-After in seconds: never earlier."""
    policy = policy_for(reason)
    if attempt >= policy.attempts:
        return Done() if policy.then == "drop" else Buried(reason, message)
    own = policy.delay(attempt, jitter())
    if after is None:
        return Again(own, reason, message)
    asked = min(max(after, 0.0), RETRY_AFTER_LIMIT)
    # Spread what everybody was told alike, later and never earlier.
    return Again(max(asked + min(own, asked, 30.0) * 0.1 * jitter(), own), reason, message, hold=True)

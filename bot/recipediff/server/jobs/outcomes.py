"""What a run that failed comes to: from the use cases' exceptions to the reasons of the retry policy, in one table."""

from __future__ import annotations

from dataclasses import dataclass

from recipediff.app.review.changes import TooMuch
from recipediff.inbox.worker import Retry
from recipediff.ports.errors import Missing, Moved, Refused, Unavailable

RETRIED = {
    # reason of `Unavailable`      row of the policy
    "network": "network",
    "timeout": "network",
    "busy": "network",
    "server-error": "server-fault",
    "bad-answer": "server-fault",
    "rate-limited": "rate-limited",
    "secondary-rate-limited": "rate-limited",
    "credentials": "unauthorized",
    "forbidden": "forbidden",
    "suspended": "forbidden",
    "own-fault": "own-fault",
}


@dataclass(frozen=True, slots=True)
class Final:
    """Trying again would come to the same: the check is concluded without a verdict now."""

    reason: str
    message: str


def outcome_of(error: Exception) -> Retry | Final | None:
    """What follows `error`; None where it is no failure that anybody foresaw."""
    match error:
        case Unavailable() if error.reason in RETRIED:
            return Retry(RETRIED[error.reason], str(error), error.retry_after)
        case Unavailable():
            return Final(error.reason, str(error))
        case TooMuch():
            return Final("too-many-recipes", str(error))
        case Missing() | Refused() | Moved():
            # Right after a push GitHub may not know everywhere what it told us of.
            return Retry("conflict", str(error))
    return None

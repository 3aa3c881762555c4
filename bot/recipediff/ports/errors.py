"""What may go wrong outside, as exceptions. What an adapter raises is one of these, whatever it talks to."""

from __future__ import annotations

TRANSIENT = frozenset(
    {"rate-limited", "secondary-rate-limited", "server-error", "timeout", "network", "bad-answer", "busy"}
)
"""The reasons of `Unavailable` that pass by themselves; the others need a person."""


class Missing(Exception):
    """The repository, commit or blob does not exist (or may not be seen). Asking again will not help."""


class Unavailable(Exception):
    """It could not be found out: network, rate limit, a fault on the other side. `reason` is a reason code."""

    def __init__(self, reason: str, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.reason = reason
        self.retry_after = retry_after
        """Seconds after which asking again may help, where that is known."""


class Refused(Exception):
    """The other side understood a write and will not do it; the same write again would be refused again."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class Moved(Exception):
    """A branch or a reference was not where it was expected: somebody else has moved, made or deleted it."""


class Misconfigured(Exception):
    """A setting is missing or wrong; the message names it and says what to do. It never holds a secret."""

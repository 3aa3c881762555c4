"""What an answer that is not a success means: one table from GitHub's statuses to `Missing`, `Refused`, `Unavailable`.

Sources: GitHub's "Rate limits for the REST API" and "Best practices for using the REST API". Pure: no I/O, no clock of
its own. Nothing that could be a credential survives in a message.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime

from recipediff.ports.errors import Missing, Refused, Unavailable

AT_LEAST = 60.0
"""Seconds to wait after a secondary limit that names no time, as GitHub asks."""
AT_MOST = 2 * 3600.0
"""No header makes the bot wait longer; a primary limit resets within the hour."""

_SECRETS = re.compile(
    r"\b(?:gh[a-z]_[A-Za-z0-9_]{8,}|github_pat_\w{8,}|v1\.[0-9a-f]{16,}|eyJ[\w-]{8,}(?:\.[\w-]+){1,2})"
    r"|(?i:\b(?:bearer|token|basic)\s+[\w.~+/=-]{12,})"
    r"|-----BEGIN[^-]{0,40}-----[^-]{0,8000}(?:-----END[^-]{0,40}-----)?"
)
_SECONDARY = ("secondary rate limit", "abuse detection", "abuse rate limit")
_GONE = frozenset({404, 410, 451})


def words(text: object, limit: int = 300) -> str:
    """`text` on one line, cut at `limit` characters, with whatever looks like a credential taken out."""
    plain = _SECRETS.sub("[redacted]", str(text)[:20_000])
    return "".join(c for c in " ".join(plain.split()) if c.isprintable())[:limit]


def classify(
    operation: str, status: int, headers: Mapping[str, str], message: str, now: float
) -> Missing | Refused | Unavailable:
    """The exception for an answer with `status`. `now` is in seconds since the epoch, used where the answer has no date.

    `operation` is the method and the path template (`GET /repos/{owner}/{repo}`), used in the message.
    """
    said = words(message)
    where = f"{operation}: {status}" + (f" {said}" if said else "")
    limited = _limit(status, headers, said.lower())
    if limited:
        wait = _wait(headers, now)
        return Unavailable(limited, f"GitHub asks to wait {wait:.0f} s: {where}", wait)
    if status >= 500:
        return Unavailable("server-error", f"GitHub failed: {where}", _retry_after(headers, now))
    if status < 300:
        return Unavailable("bad-answer", f"GitHub's answer is not one that was expected: {where}")
    if status < 400:
        return Unavailable("redirected", f"GitHub points elsewhere, which is not followed: {where}")
    if status == 401:
        return Unavailable("credentials", f"GitHub does not accept the credentials: {where}")
    if status in _GONE:
        return Missing(where)
    return _by_fault(operation, status, said.lower(), where)


def until_reset(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds until calls may be made again, where this answer was the last of the hour; else None."""
    reset = _number(headers.get("x-ratelimit-reset"))
    if reset is None or headers.get("x-ratelimit-remaining", "").strip() != "0":
        return None
    # Both times are GitHub's: a wrong clock here must not make the bot call too early.
    return _bounded(reset - (_date(headers.get("date")) or now) + 1)


def _by_fault(operation: str, status: int, said: str, where: str) -> Missing | Refused | Unavailable:
    reading = operation.startswith("GET ")
    if status == 403:
        if "too large" in said or "too_large" in said:
            return Unavailable("too-large", f"GitHub does not give out a file of this size: {where}")
        if "suspended" in said:
            return Unavailable("suspended", f"the App's installation is suspended: {where}")
        return Unavailable("forbidden", f"the permission is missing: {where}")
    # An empty repository is 409; a commit that is not there is 422.
    if reading and (status == 422 or (status == 409 and "empty" in said)):
        return Missing(where)
    if reading:
        return Unavailable("bad-request", f"GitHub does not take the request: {where}")
    return Refused("conflict" if status == 409 else "invalid", f"GitHub refuses: {where}")


def _limit(status: int, headers: Mapping[str, str], said: str) -> str:
    """`rate-limited`, `secondary-rate-limited` or nothing."""
    if status not in {403, 429}:
        return ""
    if any(sign in said for sign in _SECONDARY):
        return "secondary-rate-limited"
    if headers.get("x-ratelimit-remaining", "").strip() == "0":
        return "rate-limited"
    if "retry-after" in headers or status == 429:
        return "secondary-rate-limited"
    return "rate-limited" if "rate limit" in said else ""


def _wait(headers: Mapping[str, str], now: float) -> float:
    named = _retry_after(headers, now)
    if named is not None:
        return named
    return until_reset(headers, now) or AT_LEAST


def _retry_after(headers: Mapping[str, str], now: float) -> float | None:
    text = headers.get("retry-after")
    seconds = _number(text)
    if seconds is None and (moment := _date(text)) is not None:
        seconds = moment - (_date(headers.get("date")) or now)
    return None if seconds is None else _bounded(seconds)


def _bounded(seconds: float) -> float:
    return min(max(seconds, 1.0), AT_MOST)


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _date(text: str | None) -> float | None:
    """Seconds since the epoch of an HTTP date."""
    try:
        moment = parsedate_to_datetime(text or "")
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None

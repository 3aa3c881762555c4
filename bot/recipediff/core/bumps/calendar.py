"""When bumps may be opened. All times are UTC, in Unix seconds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from recipediff.core.bumps.config import DAYS, BumpConfig, Every

DAY = 86400.0


def next_day(now: float, policy: BumpConfig) -> float:
    """`now` on a day on which bumps may be opened, else the next such midnight (UTC); a far day where there is none."""
    today = datetime.fromtimestamp(now, UTC)
    for ahead in range(8):
        day = today + timedelta(days=ahead)
        if DAYS[day.weekday()] in policy.days:
            return now if not ahead else day.replace(hour=0, minute=0, second=0, microsecond=0).timestamp()
    return now + 365 * DAY


def next_period(then: float, every: Every) -> float:
    """The beginning (UTC) of the day, week or month after the one that `then` is in."""
    day = datetime.fromtimestamp(then, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    if every == "day":
        return (day + timedelta(days=1)).timestamp()
    if every == "week":
        return (day + timedelta(days=7 - day.weekday())).timestamp()
    return (day.replace(day=1) + timedelta(days=32)).replace(day=1).timestamp()

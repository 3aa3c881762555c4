"""What happens to a job, as pure functions of one row: both engines read a row, apply one of these, and write the row back."""

from __future__ import annotations

import json
import re
import secrets
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from operator import attrgetter
from typing import Any

from recipediff.inbox.contract import (
    DATA_LIMIT,
    KEY_LIMIT,
    PAYLOAD_KEPT,
    Again,
    Buried,
    Delivery,
    Done,
    Job,
    JobEntry,
    JobState,
    Released,
    Settlement,
    Work,
)

MESSAGE_KEPT = 2000
ASKED_TOGETHER = 500
WORK_LIMIT = 1000
"""Jobs that one delivery may ask for."""
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRow:
    """One job as it is stored. Times are Unix seconds."""

    key: str
    data: str
    """JSON text of an object."""
    newest: float
    """The order of `data`."""
    state: JobState
    due: float
    """Waiting: when it may run. Running: when the lease ends. Dead: when it died."""
    since: float
    priority: int = 0
    delivery: str = ""
    attempts: int = 0
    lost: bool = False
    hold: float = 0.0
    """Not before this time, whatever comes: the other side said so."""
    asked: float | None = None
    """When it was asked for while it ran."""
    next_due: float = 0.0
    """When the run that was asked for meanwhile may begin."""
    worker: str = ""
    token: str = ""
    reason: str = ""
    message: str = ""

    def values(self) -> tuple[Any, ...]:
        """The fields in order, for a statement."""
        return _values(self)

    @classmethod
    def of(cls, values: Sequence[Any]) -> JobRow:
        """The row whose fields are `values`, in the order of `COLUMNS`."""
        return cls(**dict(zip(COLUMNS, values, strict=True)))


COLUMNS = tuple(f.name for f in fields(JobRow))
_values: Callable[[JobRow], tuple[Any, ...]] = attrgetter(*COLUMNS)


def asked_for(row: JobRow | None, work: Work, *, now: float, delivery: str = "") -> JobRow:
    """`work` was asked for: a new job, or the one there is with the newest data, the earliest time, the highest priority."""
    due = now if work.at is None else work.at
    data = json_text(work)
    if row is None:
        return JobRow(
            key=work.key,
            data=data,
            newest=work.order,
            state="waiting",
            due=due,
            since=now,
            priority=work.priority,
            delivery=delivery,
        )
    newer = work.order >= row.newest
    row = replace(
        row,
        data=data if newer else row.data,
        newest=work.order if newer else row.newest,
        delivery=delivery or row.delivery,
        priority=max(work.priority, row.priority),
    )
    if row.state == "running":
        next_due = due if row.asked is None else min(due, row.next_due)
        return replace(row, asked=now if row.asked is None else row.asked, next_due=next_due)
    if row.state == "dead":
        return _fresh(replace(row, since=now), due)
    return replace(row, due=max(row.hold, min(row.due, due)), attempts=0)


def lost(row: JobRow, *, now: float) -> JobRow:
    """The row whose lease ended without a word: it waits, and what was asked for meanwhile is what runs next."""
    row = replace(row, state="waiting", due=now, lost=True, worker="", token="")
    if row.asked is None:
        return row
    return replace(row, since=row.asked, asked=None, next_due=0.0, attempts=0)


def taken(row: JobRow, *, now: float, lease: float, worker: str) -> JobRow:
    """The row with a new lease. One that is still running was lost by the worker before."""
    if row.state == "running":
        row = lost(row, now=now)
    token = secrets.token_hex(8)
    return replace(row, state="running", due=now + lease, attempts=row.attempts + 1, worker=worker, token=token)


def settled(row: JobRow, settlement: Settlement, *, now: float) -> JobRow | None:
    """The row after its run, or `None` where the job is finished. What was asked for meanwhile runs, whatever the end was."""
    row = replace(row, worker="", token="", lost=False)
    match settlement:
        case Again(after, reason, message, hold):
            due = now + max(after, 0.0)
            row = replace(row, due=due, hold=due if hold else 0.0, reason=reason, message=clean(message))
        case Buried(reason, message):
            row = replace(row, due=now, hold=0.0, reason=reason, message=clean(message))
        case Released():
            row = replace(row, due=now, attempts=max(row.attempts - 1, 0))
        case Done():
            row = replace(row, due=now, hold=0.0, reason="", message="")
    if row.asked is not None:
        return _fresh(replace(row, since=row.asked, asked=None), row.next_due)
    if isinstance(settlement, Done):
        return None
    return replace(row, state="dead" if isinstance(settlement, Buried) else "waiting")


def replayed(row: JobRow, *, now: float) -> JobRow | None:
    """The row run now by an operator's wish, or `None` where it runs already."""
    return None if row.state == "running" else _fresh(replace(row, hold=0.0), now)


def _fresh(row: JobRow, due: float) -> JobRow:
    return replace(row, state="waiting", due=max(row.hold, due), attempts=0, lost=False, next_due=0.0)


def job_of(row: JobRow) -> Job:
    """The lease that a handler sees."""
    return Job(
        key=row.key,
        data=json.loads(row.data),
        attempt=row.attempts,
        lost=row.lost,
        since=row.since,
        delivery=row.delivery,
        token=row.token,
    )


def entry_of(row: JobRow) -> JobEntry:
    """The job that an operator sees."""
    return JobEntry(
        key=row.key,
        state=row.state,
        data=json.loads(row.data),
        attempts=row.attempts,
        due=row.due,
        since=row.since,
        priority=row.priority,
        delivery=row.delivery,
        reason=row.reason,
        message=row.message,
        asked=row.asked is not None,
    )


def json_text(work: Work) -> str:
    """The work's data as ASCII JSON."""
    return json.dumps(dict(work.data), separators=(",", ":"), allow_nan=False)


def check(delivery: Delivery | None, work: Sequence[Work]) -> None:
    """Raise `ValueError` for what the stores cannot or will not hold."""
    if delivery is not None and len(work) > WORK_LIMIT:
        raise ValueError(
            f"delivery {delivery.id[:40]} asks for {len(work)} jobs; at most {WORK_LIMIT} are stored together"
        )
    names = [w.key for w in work]
    if delivery is not None:
        names += [delivery.id, delivery.event]
        if _UNPRINTABLE.search(delivery.action) or len(delivery.action) > KEY_LIMIT:
            raise ValueError(f"a delivery's action is one line of at most {KEY_LIMIT} characters")
    for name in names:
        if not name or len(name) > KEY_LIMIT or _UNPRINTABLE.search(name):
            raise ValueError(
                f"a key, delivery id or event is one line of 1 to {KEY_LIMIT} characters, not {name[:40]!r}"
            )
    for each in work:
        size = len(json_text(each))
        if size > DATA_LIMIT:
            raise ValueError(f"the data of {each.key} is {size} bytes; at most {DATA_LIMIT} are kept")


def parts(work: Sequence[Work]) -> Iterator[Sequence[Work]]:
    """`work` in pieces of a bounded size, so that no delivery waits long behind a reconciliation of thousands."""
    for start in range(0, len(work), ASKED_TOGETHER):
        yield work[start : start + ASKED_TOGETHER]


def clean(text: str) -> str:
    """One bounded line that every store can hold."""
    return _UNPRINTABLE.sub(" ", text[:MESSAGE_KEPT])


def kept(delivery: Delivery, work: Sequence[Work]) -> tuple[str, str, str, float, str, str, bytes]:
    """A delivery's row. Its keys stand between line feeds, so that one of them can be found as text."""
    keys = "".join(f"\n{key}" for key in dict.fromkeys(w.key for w in work))
    return (
        delivery.id,
        delivery.event,
        delivery.action,
        delivery.received,
        clean(delivery.ignored),
        keys + "\n",
        zlib.compress(
            delivery.payload[:PAYLOAD_KEPT], 1
        ),  # a fifth of the bytes to flush, for a tenth of a millisecond
    )


DELIVERY_COLUMNS = ("id", "event", "action", "received", "ignored", "keys", "payload")


def delivery_of(row: Sequence[Any]) -> Delivery:
    """The delivery that `kept` stored."""
    ident, event, action, received, ignored, keys, payload = row
    return Delivery(
        id=ident,
        event=event,
        action=action,
        received=received,
        payload=zlib.decompress(payload),
        ignored=ignored,
        keys=tuple(keys.strip("\n").split("\n")) if keys.strip("\n") else (),
    )

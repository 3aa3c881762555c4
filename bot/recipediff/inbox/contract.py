"""What the inbox promises, whichever engine keeps it: SQLite in one file, or PostgreSQL for several replicas.

A *delivery* is what a webhook brought; it is stored before the webhook is answered, and asks for *work*. Work is coalesced
by its key into a *job*: at most one job a key waits, at most one runs, and the newest data wins. A job that is asked for
while it runs causes exactly one more run. A run holds a lease; when the process dies the lease ends, and the job is taken
again. A job that cannot be done is *dead*: it stays where an operator sees it, until it is replayed, dropped, or asked for again.

Runs happen at least once: a handler brings the world to a state, and doing that twice changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from recipediff.ports.jobs import Scalar

Data = Mapping[str, Scalar]
JobState = Literal["waiting", "running", "dead"]

PAYLOAD_KEPT = 64 * 1024
"""Bytes of a delivery's raw payload that are kept for the operator. Jobs carry their own data, so nothing depends on it."""
DATA_LIMIT = 16 * 1024
"""Bytes of a job's data as JSON text."""
KEY_LIMIT = 512
"""Characters of a key or a delivery id."""
KEEP_DELIVERIES = 7 * 86400.0
"""Seconds for which a delivery id is remembered. GitHub redelivers for three days."""
KEEP_DEAD = 30 * 86400.0
"""Seconds for which a dead job is kept."""


class NotStored(Exception):
    """The delivery is not safe: the disk, the database or the backlog refuses. Answer 503, so that GitHub can redeliver."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One webhook delivery, as it came."""

    id: str
    event: str
    action: str
    received: float
    """Unix seconds."""
    payload: bytes = b""
    """Raw body; the first `PAYLOAD_KEPT` bytes are kept."""
    ignored: str = ""
    """Why the delivery asks for no work; empty where it does."""
    keys: tuple[str, ...] = ()
    """The jobs that it asked for. Filled by the inbox."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What is to be done under `key`: `review:owner/name#12`, `bump:owner/name`, `reconcile:owner/name`."""

    key: str
    data: Data = field(default_factory=dict)
    """Small and flat: what the handler needs to begin. Up to `DATA_LIMIT`."""
    order: float = 0.0
    """Which data is newest, for instance the pull request's `updated_at` in Unix seconds; of two equal ones the later stored."""
    at: float | None = None
    """Run at this time or after (Unix seconds); `None` is at once. Of several times asked for, the earliest."""
    priority: int = 0
    """Higher is taken first: what a person waits for goes before what a timer asks for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job as taken: the lease of one run."""

    key: str
    data: Data
    attempt: int
    """Which run this is since the newest data came, counted from 1; runs of killed processes count."""
    lost: bool
    """The run before this one never reported: its process died or stood still beyond its lease."""
    since: float
    """When it was first asked for (Unix seconds)."""
    delivery: str
    """Id of the delivery that asked last; empty where a timer did."""
    token: str
    """Tells this run's lease from every other."""


@dataclass(frozen=True, slots=True)
class Done:
    """Finished: the job is gone, unless it was asked for meanwhile."""


@dataclass(frozen=True, slots=True)
class Again:
    """Run once more, `after` seconds from now. A `hold` binds: not even a newer event runs the job earlier."""

    after: float
    reason: str
    message: str = ""
    hold: bool = False


@dataclass(frozen=True, slots=True)
class Buried:
    """Dead, with a reason code and a sentence for the operator, unless it was asked for meanwhile."""

    reason: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Released:
    """Given back unfinished, at once and without counting the attempt: the worker is stopping."""


Settlement = Done | Again | Buried | Released


@dataclass(frozen=True, slots=True, kw_only=True)
class JobEntry:
    """A job as an operator sees it."""

    key: str
    state: JobState
    data: Data
    attempts: int
    due: float
    """When it may run (waiting), or its lease ends (running), or it died (dead); Unix seconds."""
    since: float
    priority: int
    delivery: str
    reason: str = ""
    """Reason code of the last failure; empty where there was none."""
    message: str = ""
    asked: bool = False
    """It runs, and was asked for again meanwhile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Depth:
    """How much is in the inbox."""

    waiting: int
    """Due now."""
    delayed: int
    """Waiting for a time: timers and retries."""
    running: int
    dead: int
    oldest: float
    """Seconds by which the longest waiting due job is late; 0 where none waits."""

    @classmethod
    def of(cls, row: Sequence[Any]) -> Depth:
        """The figures in the order of the fields, as a statement yields them."""
        waiting, delayed, running, dead, oldest = row
        return cls(waiting=waiting, delayed=delayed, running=running, dead=dead, oldest=oldest)


class Intake(Protocol):
    """The side of the webhook and of the timers."""

    async def store(self, delivery: Delivery, work: Sequence[Work] = ()) -> bool:
        """Keep `delivery` and the work that it asks for, in one transaction; durable on return. False: a duplicate, dropped.

        Raises `NotStored`, and `ValueError` for what is over a limit.
        """

    async def ask(self, work: Sequence[Work]) -> None:
        """Ask for work without a delivery: timers and reconciliation, any number. Durable on return. Raises as `store` does."""


class Queue(Protocol):
    """The side of the worker."""

    lease: float
    """Seconds for which a job is held without a beat."""

    async def take(self, limit: int) -> list[Job]:
        """Up to `limit` jobs that are due or were lost, highest priority and longest due first. Each is leased to this inbox."""

    async def beat(self) -> frozenset[str]:
        """Renew every lease of this inbox, at least three times a lease; the tokens still held. The other runs must stop."""

    async def settle(self, job: Job, settlement: Settlement) -> bool:
        """Report how a run ended. False: the lease was lost, another run has or had the job, and nothing was changed."""

    async def wait(self, seconds: float) -> None:
        """Return when there may be something to take, or after `seconds`."""


class Operator(Protocol):
    """The side of `recipediff inbox` and of the metrics."""

    async def entries(self, state: JobState | None = None, *, limit: int = 100, after: str = "") -> list[JobEntry]:
        """Jobs in order of their keys, from the first key beyond `after`."""

    async def show(self, key: str) -> JobEntry | None:
        """One job, or `None`."""

    async def deliveries(self, key: str = "", *, limit: int = 20) -> list[Delivery]:
        """Deliveries that asked for `key` (all where it is empty), newest first."""

    async def replay(self, key: str) -> bool:
        """Run a dead or waiting job now, with its attempts counted afresh. False: there is none, or it runs already."""

    async def drop(self, key: str) -> bool:
        """Forget a dead or waiting job. False: there is none, or it runs."""

    async def depth(self) -> Depth:
        """Counts and age, for the metrics."""

    async def prune(self, *, deliveries: float = KEEP_DELIVERIES, dead: float = KEEP_DEAD) -> int:
        """Forget deliveries and dead jobs older than so many seconds; how many went."""


class Inbox(Intake, Queue, Operator, Protocol):
    """All of it. `open` and `close` bracket its use; `close` leaves running jobs to their leases."""

    async def open(self) -> None:
        """Connect, and bring the store to the present layout. Raises `NotStored` with what to do."""

    async def close(self) -> None:
        """Finish what was accepted and let go. Doing it twice does nothing."""

"""The inbox against a model of a few lines: nothing lost, one run a key, the newest data wins, duplicates dropped."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from recipediff.inbox.contract import Again, Buried, Delivery, Done, Job, Released, Settlement, Work
from tests.contract.engines import LEASE, Engine, Postgres, Sqlite

T = TypeVar("T")
KEYS = st.sampled_from(["review:o/r#1", "review:o/r#2", "bump:o/r"])
REPLICA = st.sampled_from([0, 1])
ENDS = st.sampled_from(
    [Done(), Again(50, "network"), Again(50, "rate-limited", hold=True), Buried("own-fault"), Released()]
)


@dataclass(kw_only=True)
class Model:
    """What is known of one key: the newest data, and whether and when a run is owed."""

    order: int
    head: int
    state: str
    due: float
    hold: float = 0.0
    attempts: int = 0
    owed: float | None = None
    """The time of the run that was asked for while one runs."""
    replica: int = 0
    job: Job | None = None


class InboxMachine(RuleBasedStateMachine):
    """Two replicas on one store do what real ones do, in any order."""

    engine: Engine

    @initialize()
    def start(self) -> None:
        self.runner = asyncio.Runner()
        self.engine = self.make()
        self.inboxes = [self.engine.inbox(), self.engine.inbox()]
        for inbox in self.inboxes:
            self.do(inbox.open())
        self.clean()
        self.clock = 0.0
        self.heads = 0
        self.seen: set[str] = set()
        self.keys: dict[str, Model] = {}
        self.stale: list[Job] = []

    def make(self) -> Engine:
        raise NotImplementedError

    def clean(self) -> None:
        """Begin with an empty store."""

    def do(self, what: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(what)

    @rule(
        replica=REPLICA, ident=st.integers(0, 30), key=KEYS, order=st.integers(0, 5), wait=st.sampled_from([0, 0, 100])
    )
    def deliver(self, replica: int, ident: int, key: str, order: int, wait: int) -> None:
        self.heads += 1
        work = Work(
            key=key, data={"head": self.heads}, order=float(order), at=self.engine.now() + wait if wait else None
        )
        new = self.do(
            self.inboxes[replica].store(
                Delivery(id=str(ident), event="push", action="", received=self.engine.now()), [work]
            )
        )
        assert new == (str(ident) not in self.seen)
        if new:
            self.seen.add(str(ident))
            self.ask(key, order, self.clock + wait)

    def ask(self, key: str, order: int, due: float) -> None:
        model = self.keys.get(key)
        if model is None:
            self.keys[key] = Model(order=order, head=self.heads, state="waiting", due=due)
            return
        if order >= model.order:
            model.order, model.head = order, self.heads
        if model.state == "running":
            model.owed = due if model.owed is None else min(due, model.owed)
        else:
            model.due = max(model.hold, due if model.state == "dead" else min(due, model.due))
            model.state, model.attempts = "waiting", 0

    @rule(replica=REPLICA, limit=st.integers(1, 3))
    def take(self, replica: int, limit: int) -> None:
        lost = {k for k, m in self.keys.items() if m.state == "running" and m.due < self.clock}
        ready = lost | {k for k, m in self.keys.items() if m.state == "waiting" and m.due <= self.clock}
        jobs = self.do(self.inboxes[replica].take(limit))
        assert len(jobs) == min(limit, len(ready))
        for job in jobs:
            assert job.key in ready, "never two runs of one key, never before its time"
            model = self.keys[job.key]
            assert job.data == {"head": model.head}, "the newest data wins"
            if model.state == "running":
                assert job.lost
                assert model.job is not None
                self.stale.append(model.job)
            model.attempts = 1 if model.owed is not None else model.attempts + 1
            assert job.attempt == model.attempts
            model.state, model.due, model.owed, model.replica, model.job = (
                "running",
                self.clock + LEASE,
                None,
                replica,
                job,
            )

    @precondition(lambda self: any(m.state == "running" and m.due >= self.clock for m in self.keys.values()))
    @rule(data=st.data(), end=ENDS)
    def settle(self, data: st.DataObject, end: Settlement) -> None:
        running = sorted(k for k, m in self.keys.items() if m.state == "running" and m.due >= self.clock)
        key = data.draw(st.sampled_from(running))
        model = self.keys[key]
        assert model.job is not None
        assert self.do(self.inboxes[model.replica].settle(model.job, end))
        self.stale.append(model.job)
        model.job = None
        hold = isinstance(end, Again) and end.hold
        model.hold = self.clock + 50 if hold else (model.hold if isinstance(end, Released) else 0.0)
        if model.owed is not None:
            model.state, model.due, model.attempts, model.owed = "waiting", max(model.hold, model.owed), 0, None
        elif isinstance(end, Done):
            del self.keys[key]
        elif isinstance(end, Buried):
            model.state = "dead"
        else:
            model.state, model.due = "waiting", self.clock + (end.after if isinstance(end, Again) else 0)
            model.attempts -= isinstance(end, Released)

    @precondition(lambda self: self.stale)
    @rule(replica=REPLICA, end=ENDS)
    def report_of_a_run_that_is_over(self, replica: int, end: Settlement) -> None:
        assert not self.do(self.inboxes[replica].settle(self.stale[-1], end))

    @rule(replica=REPLICA)
    def beat(self, replica: int) -> None:
        # Not after a lease has ended: whether it is still held then depends on who looks first.
        mine = [m for m in self.keys.values() if m.state == "running" and m.replica == replica]
        if any(m.due < self.clock for m in mine):
            return
        held = self.do(self.inboxes[replica].beat())
        assert held == {m.job.token for m in mine if m.job is not None}
        for model in mine:
            model.due = self.clock + LEASE

    @rule(seconds=st.sampled_from([10.0, 60.0]))
    def time_passes(self, seconds: float) -> None:
        for replica in (0, 1):  # PostgreSQL's leases are a worker's, SQLite's a job's: the same after a beat
            self.beat(replica)
        self.clock += seconds
        self.engine.advance(seconds)

    @rule(replica=REPLICA, key=KEYS)
    def replay(self, replica: int, key: str) -> None:
        model = self.keys.get(key)
        if self.lapsed(key):
            return
        able = model is not None and model.state != "running"
        assert self.do(self.inboxes[replica].replay(key)) == able
        if model is not None and able:
            model.state, model.due, model.hold, model.attempts = "waiting", self.clock, 0.0, 0

    @rule(replica=REPLICA, key=KEYS)
    def drop(self, replica: int, key: str) -> None:
        if self.lapsed(key):
            return
        able = key in self.keys and self.keys[key].state != "running"
        assert self.do(self.inboxes[replica].drop(key)) == able
        if able:
            del self.keys[key]

    @rule(replica=REPLICA)
    def die_and_come_back(self, replica: int) -> None:
        self.beat(replica)
        if any(m.state == "running" and m.replica == replica for m in self.keys.values()):
            return  # what becomes of its runs is `time_passes` without a beat, below
        self.do(self.inboxes[replica].close())
        self.inboxes[replica] = self.engine.inbox()
        self.do(self.inboxes[replica].open())

    @rule()
    def everybody_stands_still_beyond_the_lease(self) -> None:
        self.clock += LEASE + 1
        self.engine.advance(LEASE + 1)

    @invariant()
    def nothing_is_lost_and_nothing_invented(self) -> None:
        if not hasattr(self, "keys"):
            return
        entries = {e.key: e for e in self.do(self.inboxes[0].entries())}
        assert {k: m.head for k, m in self.keys.items()} == {k: e.data["head"] for k, e in entries.items()}
        for key, model in self.keys.items():
            # A lost run shows as running until somebody takes it, or as waiting once its loss was noticed.
            assert entries[key].state in ({"running", "waiting"} if self.lapsed(key) else {model.state})
        depth = self.do(self.inboxes[1].depth())
        assert depth.waiting + depth.delayed + depth.running + depth.dead == len(self.keys)

    def lapsed(self, key: str) -> bool:
        model = self.keys.get(key)
        return model is not None and model.state == "running" and model.due < self.clock

    def teardown(self) -> None:
        if hasattr(self, "inboxes"):
            for inbox in self.inboxes:
                self.do(inbox.close())
            self.runner.close()


def test_sqlite_agrees_with_the_model() -> None:
    with tempfile.TemporaryDirectory() as folder:
        names = iter(range(1_000_000))

        class OnSqlite(InboxMachine):
            def make(self) -> Engine:
                return Sqlite(Path(folder) / f"{next(names)}.db")

        run_state_machine_as_test(OnSqlite, settings=_settings(60))


@pytest.mark.postgres
def test_postgres_agrees_with_the_model(postgres_database: str) -> None:
    class OnPostgres(InboxMachine):
        def make(self) -> Engine:
            return Postgres(postgres_database)

        def clean(self) -> None:
            assert isinstance(self.engine, Postgres)
            self.engine.empty()

    run_state_machine_as_test(OnPostgres, settings=_settings(25))


def _settings(examples: int) -> settings:
    return settings(
        max_examples=examples, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
    )

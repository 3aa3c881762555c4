"""What the inbox promises, on both engines."""

from __future__ import annotations

import asyncio

import pytest

from recipediff.inbox.contract import (
    DATA_LIMIT,
    PAYLOAD_KEPT,
    Again,
    Buried,
    Data,
    Delivery,
    Done,
    Inbox,
    Job,
    NotStored,
    Released,
    Work,
)
from tests.contract.engines import LEASE, Engine

KEY = "review:octo/recipes#12"


def delivery(ident: str, received: float = 0.0, payload: bytes = b"{}") -> Delivery:
    return Delivery(id=ident, event="pull_request", action="synchronize", received=received, payload=payload)


def review(head: int, key: str = KEY, **more: float) -> Work:
    return Work(key=key, data={"head": head}, order=more.pop("order", float(head)), **more)  # type: ignore[arg-type]


async def one(inbox: Inbox) -> Job:
    (job,) = await inbox.take(5)
    return job


async def test_a_delivery_becomes_a_job_with_its_data(inbox: Inbox) -> None:
    assert await inbox.store(
        delivery("d1"), [Work(key=KEY, data={"head": "abc", "number": 12, "fork": False, "base": None})]
    )
    job = await one(inbox)
    assert (job.key, job.attempt, job.lost, job.delivery) == (KEY, 1, False, "d1")
    assert job.data == {"head": "abc", "number": 12, "fork": False, "base": None}
    assert await inbox.settle(job, Done())
    assert await inbox.take(5) == []
    assert await inbox.show(KEY) is None


async def test_a_duplicate_is_dropped_while_its_job_waits_and_after_it_is_done(inbox: Inbox) -> None:
    assert await inbox.store(delivery("d1"), [review(1)])
    assert not await inbox.store(delivery("d1"), [review(9)])
    job = await one(inbox)
    assert job.data == {"head": 1}
    await inbox.settle(job, Done())
    assert not await inbox.store(delivery("d1"), [review(1)])
    assert await inbox.take(5) == []


async def test_duplicates_stored_at_the_same_moment_count_once(inbox: Inbox, other: Inbox) -> None:
    asked = [each.store(delivery(f"d{n % 4}"), [review(1, f"k{n % 4}")]) for n in range(40) for each in (inbox, other)]
    assert sum(await asyncio.gather(*asked)) == 4
    assert len(await inbox.take(10)) == 4


async def test_the_newest_event_wins_whatever_came_last(inbox: Inbox) -> None:
    for number, head in enumerate((2, 5, 3)):
        await inbox.store(delivery(f"d{number}"), [review(head)])
    assert (await one(inbox)).data == {"head": 5}


async def test_of_two_events_of_one_moment_the_later_stored_wins(inbox: Inbox) -> None:
    await inbox.ask([review(1, order=7.0)])
    await inbox.ask([review(2, order=7.0)])
    assert (await one(inbox)).data == {"head": 2}


async def test_asked_while_running_runs_exactly_once_more(inbox: Inbox, other: Inbox) -> None:
    await inbox.ask([review(1)])
    job = await one(inbox)
    for head in (2, 4, 3):
        await inbox.ask([review(head)])
    assert await inbox.take(5) == []
    assert await other.take(5) == []
    entry = await inbox.show(KEY)
    assert entry is not None
    assert (entry.state, entry.asked) == ("running", True)
    await inbox.settle(job, Done())
    again = await one(other)
    assert (again.data, again.attempt) == ({"head": 4}, 1)
    await other.settle(again, Done())
    assert await inbox.take(5) == []


@pytest.mark.parametrize("end", [Done(), Again(3600, "network"), Buried("forbidden"), Released()])
async def test_what_was_asked_for_while_running_runs_whatever_the_end_was(inbox: Inbox, end: Done) -> None:
    await inbox.ask([review(1)])
    job = await one(inbox)
    await inbox.ask([review(2)])
    assert await inbox.settle(job, end)
    assert (await one(inbox)).data == {"head": 2}


async def test_different_keys_run_side_by_side(inbox: Inbox) -> None:
    await inbox.store(delivery("d"), [review(1, "a"), review(1, "b"), review(1, "c")])
    assert sorted(j.key for j in await inbox.take(2)) == ["a", "b"]
    assert [j.key for j in await inbox.take(2)] == ["c"]


async def test_priority_goes_first_and_is_raised_by_a_later_event(inbox: Inbox) -> None:
    await inbox.ask([review(1, "old"), review(1, "timer"), review(1, "person", priority=5)])
    await inbox.ask([review(2, "timer", priority=9)])
    assert [(await inbox.take(1))[0].key for _ in range(3)] == ["timer", "person", "old"]


async def test_a_timer_runs_at_its_time_and_an_event_brings_it_forward(inbox: Inbox, engine: Engine) -> None:
    await inbox.ask([review(1, "tick", at=engine.now() + 600), review(1, "tock", at=engine.now() + 600)])
    await inbox.ask([review(2, "tock", at=engine.now() + 900)])
    assert await inbox.take(5) == []
    assert (await inbox.depth()).delayed == 2
    engine.advance(300)
    await inbox.ask([review(1, "tick")])
    tick = await one(inbox)
    assert tick.key == "tick"
    await inbox.settle(tick, Done())
    engine.advance(301)
    assert (await one(inbox)).data == {"head": 2}


async def test_a_retry_waits_and_counts(inbox: Inbox, engine: Engine) -> None:
    await inbox.ask([review(1)])
    for attempt in (1, 2, 3):
        job = await one(inbox)
        assert job.attempt == attempt
        await inbox.settle(job, Again(60, "network", "connection reset"))
        assert await inbox.take(5) == []
        engine.advance(61)
    entry = await inbox.show(KEY)
    assert entry is not None
    assert (entry.state, entry.attempts, entry.reason, entry.message) == ("waiting", 3, "network", "connection reset")


async def test_a_new_event_ends_the_waiting_for_a_retry_and_counts_afresh(inbox: Inbox) -> None:
    await inbox.ask([review(1)])
    await inbox.settle(await one(inbox), Again(600, "server-fault"))
    await inbox.ask([review(2)])
    job = await one(inbox)
    assert (job.data, job.attempt) == ({"head": 2}, 1)


@pytest.mark.parametrize("before", [True, False])
async def test_a_hold_binds_newer_events_too(inbox: Inbox, engine: Engine, before: bool) -> None:
    await inbox.ask([review(1)])
    job = await one(inbox)
    if before:
        await inbox.ask([review(2)])
    await inbox.settle(job, Again(600, "rate-limited", hold=True))
    if not before:
        await inbox.ask([review(2)])
    engine.advance(500)
    assert await inbox.take(5) == []
    engine.advance(101)
    assert (await one(inbox)).data == {"head": 2}


async def test_a_lease_is_kept_by_beats_and_lost_without(inbox: Inbox, other: Inbox, engine: Engine) -> None:
    await inbox.ask([review(1)])
    first = await one(inbox)
    for _ in range(4):
        engine.advance(LEASE * 0.6)
        assert await inbox.beat() == {first.token}
        assert await other.take(5) == []
    engine.advance(LEASE + 1)
    second = await one(other)
    assert (second.key, second.attempt, second.lost) == (KEY, 2, True)
    assert await inbox.beat() == frozenset()
    assert not await inbox.settle(first, Done())
    assert await other.settle(second, Done())
    assert not await other.settle(second, Done())


async def test_a_lost_run_that_was_asked_for_again_takes_the_newest(inbox: Inbox, other: Inbox, engine: Engine) -> None:
    await inbox.ask([review(1)])
    await one(inbox)
    await other.ask([review(2)])
    engine.advance(LEASE + 1)
    job = await one(other)
    assert (job.data, job.attempt, job.lost) == ({"head": 2}, 1, True)
    await other.settle(job, Done())
    assert await other.take(5) == []


async def test_a_released_job_is_taken_at_once_and_not_counted(inbox: Inbox, other: Inbox) -> None:
    await inbox.ask([review(1)])
    await inbox.settle(await one(inbox), Released())
    job = await one(other)
    assert (job.attempt, job.lost) == (1, False)


async def test_a_dead_job_is_seen_and_replayed(inbox: Inbox, engine: Engine) -> None:
    await inbox.store(delivery("d1", engine.now()), [review(1)])
    await inbox.settle(await one(inbox), Buried("forbidden", "checks: write is missing\x00\nask an owner"))
    assert await inbox.take(5) == []
    (entry,) = await inbox.entries("dead")
    assert (entry.key, entry.reason, entry.delivery) == (KEY, "forbidden", "d1")
    assert entry.message == "checks: write is missing  ask an owner"
    assert await inbox.replay(KEY)
    job = await one(inbox)
    assert (job.attempt, job.data) == (1, {"head": 1})
    assert not await inbox.replay(KEY)
    assert not await inbox.replay("review:nobody/nothing#1")


async def test_a_dead_job_is_revived_by_a_new_event(inbox: Inbox) -> None:
    await inbox.ask([review(1)])
    await inbox.settle(await one(inbox), Buried("own-fault"))
    await inbox.ask([review(2)])
    assert (await one(inbox)).data == {"head": 2}
    assert await inbox.entries("dead") == []


async def test_waiting_and_dead_jobs_can_be_dropped_and_running_ones_not(inbox: Inbox, engine: Engine) -> None:
    await inbox.ask([review(1, "runs"), review(1, "dies")])
    jobs = {j.key: j for j in await inbox.take(5)}
    await inbox.settle(jobs["dies"], Buried("own-fault"))
    await inbox.ask([review(1, "waits"), review(1, "later", at=engine.now() + 60)])
    assert not await inbox.drop("runs")
    assert [await inbox.drop(k) for k in ("dies", "waits", "later")] == [True, True, True]
    assert not await inbox.drop("dies")
    engine.advance(61)
    await inbox.beat()
    assert [e.key for e in await inbox.entries()] == ["runs"]
    await inbox.ask([review(3, "dies")])
    assert (await one(inbox)).data == {"head": 3}


async def test_replay_brings_a_held_retry_forward(inbox: Inbox) -> None:
    await inbox.ask([review(1)])
    await inbox.settle(await one(inbox), Again(3600, "rate-limited", hold=True))
    assert await inbox.replay(KEY)
    assert (await one(inbox)).attempt == 1


async def test_entries_are_paged_in_order(inbox: Inbox) -> None:
    await inbox.ask([review(1, f"review:o/r#{n}") for n in (3, 1, 2, 5, 4)])
    first = await inbox.entries(limit=2)
    second = await inbox.entries("waiting", limit=10, after=first[-1].key)
    assert [e.key[-1] for e in (*first, *second)] == ["1", "2", "3", "4", "5"]


async def test_depth_counts_and_tells_the_age(inbox: Inbox, engine: Engine) -> None:
    assert (await inbox.depth()).oldest == 0
    await inbox.ask([review(1, k) for k in "abcd"] + [review(1, "later", at=engine.now() + 999)])
    jobs = await inbox.take(2)
    await inbox.settle(jobs[0], Buried("own-fault"))
    engine.advance(20)
    depth = await inbox.depth()
    assert (depth.waiting, depth.delayed, depth.running, depth.dead) == (2, 1, 1, 1)
    assert 20 <= depth.oldest < 25


async def test_deliveries_are_shown_by_key_with_a_bounded_payload(inbox: Inbox, engine: Engine) -> None:
    now = engine.now()
    await inbox.store(delivery("d1", now, b"x" * (PAYLOAD_KEPT + 10)), [review(1), review(1, "bump:octo/my recipes")])
    await inbox.store(
        Delivery(id="d2", event="star", action="created", received=now + 1, ignored="nothing to do for star")
    )
    await inbox.store(delivery("d3", now + 2), [review(1, KEY + "0")])
    assert [d.id for d in await inbox.deliveries()] == ["d3", "d2", "d1"]
    (found,) = await inbox.deliveries(KEY)
    assert (found.id, len(found.payload)) == ("d1", PAYLOAD_KEPT)
    assert found.received == pytest.approx(now)
    assert found.keys == (KEY, "bump:octo/my recipes")
    ignored = (await inbox.deliveries())[1]
    assert (ignored.ignored, ignored.keys) == ("nothing to do for star", ())


async def test_pruning_forgets_old_deliveries_and_dead_jobs_only(inbox: Inbox, engine: Engine) -> None:
    await inbox.store(delivery("old", engine.now()), [review(1, "dead"), review(1, "waits")])
    jobs = {j.key: j for j in await inbox.take(5)}
    await inbox.settle(jobs["dead"], Buried("own-fault"))
    await inbox.settle(jobs["waits"], Again(5, "network"))
    engine.advance(6 * 86400)
    await inbox.store(delivery("new", engine.now()))
    assert await inbox.prune() == 0
    engine.advance(86401)
    assert await inbox.prune() == 1
    assert [d.id for d in await inbox.deliveries()] == ["new"]
    engine.advance(30 * 86400)
    assert await inbox.prune() == 2
    assert [e.key for e in await inbox.entries()] == ["waits"]
    assert await inbox.store(delivery("old"), [review(1, "dead")])


@pytest.mark.parametrize(
    ("bad", "work"),
    [
        (delivery(""), []),
        (delivery("d\x00"), []),
        (delivery("d" * 600), []),
        (Delivery(id="d", event="push\n", action="", received=0), []),
        (Delivery(id="d", event="push", action="a\ud800", received=0), []),
        (delivery("d"), [review(1, "a\nb")]),
        (delivery("d"), [Work(key="k", data={"text": "x" * DATA_LIMIT})]),
        (delivery("d"), [Work(key="k", data={"number": float("nan")})]),
    ],
)
async def test_what_is_over_a_limit_is_refused_and_leaves_nothing(
    inbox: Inbox, bad: Delivery, work: list[Work]
) -> None:
    with pytest.raises(ValueError):
        await inbox.store(bad, work)
    assert await inbox.deliveries() == []
    assert await inbox.entries() == []


async def test_text_of_every_kind_survives(inbox: Inbox) -> None:
    data: Data = {"text": "ü\u2028\x00\ud800 '\"; DROP TABLE job; --", "big": 2**70, "part": 0.1}
    await inbox.store(
        Delivery(id="ü'\"", event="pull_request", action="", received=0, payload=b"\x00\xff"),
        [Work(key="review:ü/%s#1", data=data)],
    )
    job = await one(inbox)
    assert (job.key, job.data) == ("review:ü/%s#1", data)
    assert (await inbox.deliveries(job.key))[0].payload == b"\x00\xff"


async def test_everything_is_still_there_after_opening_anew(inbox: Inbox, engine: Engine) -> None:
    await inbox.store(delivery("d1"), [review(7)])
    await inbox.close()
    await inbox.close()
    with pytest.raises(NotStored):
        await inbox.store(delivery("d2"), [review(8)])
    later = engine.inbox()
    await later.open()
    assert (await one(later)).data == {"head": 7}
    assert not await later.store(delivery("d1"), [review(9)])
    await later.close()


async def test_waiting_ends_when_something_is_stored_here_or_elsewhere(inbox: Inbox, other: Inbox) -> None:
    for storing in (inbox, other):
        await inbox.take(1)
        waiting = asyncio.create_task(inbox.wait(10))
        await storing.ask([review(1, f"k{id(storing)}")])
        await asyncio.wait_for(waiting, 5)
        (job,) = await inbox.take(1)
        await inbox.settle(job, Done())


async def test_two_replicas_never_run_one_job_twice(inbox: Inbox, other: Inbox) -> None:
    await inbox.ask([review(1, f"k{n}") for n in range(60)])
    seen: list[str] = []

    async def drain(mine: Inbox) -> None:
        while jobs := await mine.take(3):
            seen.extend(job.key for job in jobs)
            for job in jobs:
                assert await mine.settle(job, Done())

    await asyncio.gather(drain(inbox), drain(other))
    assert sorted(seen) == sorted(f"k{n}" for n in range(60))


async def test_thousands_are_asked_for_at_once_and_a_delivery_may_not(inbox: Inbox) -> None:
    many = [review(1, f"k{n}") for n in range(3000)]
    await inbox.ask(many)
    assert (await inbox.depth()).waiting == 3000
    with pytest.raises(ValueError, match="asks for 3000 jobs"):
        await inbox.store(delivery("d1"), many)

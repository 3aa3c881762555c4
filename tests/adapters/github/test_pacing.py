from __future__ import annotations

import asyncio

import pytest

from recipediff.adapters.github.http.pacing import Pacing
from recipediff.ports.errors import Unavailable
from tests.adapters.github.conftest import Clock


def pacing(clock: Clock, **options: float) -> Pacing:
    reads = int(options.pop("reads", 16))
    burst = int(options.pop("burst", 1))
    return Pacing(monotonic=clock.now, sleep=clock.sleep, reads=reads, burst=burst, **options)


async def starts(pace: Pacing, clock: Clock, count: int, takes: float = 0.25) -> list[float]:
    begun: list[float] = []

    async def write() -> None:
        async with pace.turn(write=True):
            begun.append(clock.now())
            clock.time += takes

    await asyncio.gather(*(write() for _ in range(count)))
    return [moment - begun[0] for moment in begun]


async def test_writes_go_one_at_a_time_with_a_second_between(clock: Clock) -> None:
    assert await starts(pacing(clock), clock, 4) == [0, 1.25, 2.5, 3.75]


async def test_a_burst_is_paid_back(clock: Clock) -> None:
    times = await starts(pacing(clock, burst=2), clock, 6, takes=0.0)
    assert times == [0, 0, 2, 2, 4, 4]


async def test_a_pause_that_was_long_enough_costs_nothing(clock: Clock) -> None:
    pace = pacing(clock)
    await starts(pace, clock, 1)
    clock.time += 1
    await starts(pace, clock, 1)
    assert clock.slept == []


async def test_a_write_that_failed_counts_too(clock: Clock) -> None:
    pace = pacing(clock)
    with pytest.raises(ZeroDivisionError):
        async with pace.turn(write=True):
            raise ZeroDivisionError
    await starts(pace, clock, 1)
    assert clock.slept == [1]


async def test_reads_run_side_by_side_up_to_the_bound(clock: Clock) -> None:
    pace = pacing(clock, reads=3)
    running, most = 0, 0
    gate = asyncio.Event()

    async def read() -> None:
        nonlocal running, most
        async with pace.turn(write=False):
            running += 1
            most = max(most, running)
            await gate.wait()
            running -= 1

    work = [asyncio.create_task(read()) for _ in range(8)]
    for _ in range(20):
        await asyncio.sleep(0)
    assert running == 3
    async with pace.turn(write=True):
        pass
    gate.set()
    await asyncio.gather(*work)
    assert most == 3
    assert clock.slept == []


async def test_silence_stops_reads_and_writes(clock: Clock) -> None:
    pace = pacing(clock)
    pace.silence("secondary-rate-limited", 60)
    pace.silence("rate-limited", 10)
    for write in (True, False):
        with pytest.raises(Unavailable) as caught:
            async with pace.turn(write=write):
                pytest.fail("a call left in silence")
        assert (caught.value.reason, caught.value.retry_after) == ("secondary-rate-limited", 60)
    clock.time += 58
    async with pace.turn(write=False):
        assert clock.slept == [2]


async def test_silence_that_begins_while_a_write_waits_for_its_turn_stops_it(clock: Clock) -> None:
    pace = pacing(clock)
    await starts(pace, clock, 1)

    async def limited(seconds: float) -> None:
        pace.silence("rate-limited", 600)
        clock.time += seconds

    pace._sleep = limited
    with pytest.raises(Unavailable):
        await starts(pace, clock, 1)

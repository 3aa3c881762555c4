"""Work in a process of its own: its answer, its errors, and its end at the limits."""

from __future__ import annotations

import asyncio
import os
import time

import pytest

from recipediff.adapters.local.isolation import IsolatedProcess
from recipediff.ports.errors import Unavailable


def double(number: int) -> int:
    print("a word that must not spoil the answer")
    return 2 * number


def fail(text: str) -> str:
    raise ValueError(text)


def spin(forever: bool) -> None:
    while forever:
        pass


def hoard(megabytes: int) -> int:
    return len(b"x" * (megabytes << 20))


def seen(name: str) -> str | None:
    return os.environ.get(name)


def leave(status: int) -> None:
    os._exit(status)


async def test_the_answer_comes_back() -> None:
    assert await IsolatedProcess()(double, 21) == 42


async def test_what_it_raises_is_raised_here() -> None:
    with pytest.raises(ValueError, match="said there"):
        await IsolatedProcess()(fail, "said there")


async def test_what_never_ends_is_ended() -> None:
    began = time.monotonic()
    with pytest.raises(Unavailable) as caught:
        await IsolatedProcess(seconds=1)(spin, True)
    assert caught.value.reason == "too-slow"
    assert time.monotonic() - began < 20


async def test_what_takes_all_memory_is_ended() -> None:
    assert await IsolatedProcess()(hoard, 10) == 10 << 20
    with pytest.raises(Unavailable) as caught:
        await IsolatedProcess(megabytes=512)(hoard, 1_024)
    assert caught.value.reason == "too-large"


async def test_a_process_that_dies_is_said() -> None:
    with pytest.raises(Unavailable) as caught:
        await IsolatedProcess()(leave, 7)
    assert caught.value.reason == "own-fault"


async def test_no_secret_reaches_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "secret")
    assert await IsolatedProcess()(seen, "GITHUB_TOKEN") is None


async def test_the_loop_runs_on_meanwhile() -> None:
    working = asyncio.create_task(IsolatedProcess(seconds=1)(spin, True))
    turns = 0
    while not working.done():
        await asyncio.sleep(0.05)
        turns += 1
    assert isinstance(working.exception(), Unavailable)
    assert turns >= 10

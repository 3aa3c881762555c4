"""Each way to fail, seen from the client's side of the socket."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

import httpx
import pytest

from sandbox import FaultKind, Sandbox
from tests.sandbox.client import Client

BASE = "/repos/octo-org/recipes"


@pytest.fixture
async def bot(sandbox: Sandbox, client: Client) -> Client:
    sandbox.create_repo("octo-org/recipes")
    return await client.installed(sandbox.install(sandbox.register_app(), "octo-org"))


STATUSES = {
    FaultKind.SERVER_ERROR: (500, None),
    FaultKind.BAD_GATEWAY: (502, None),
    FaultKind.NOT_FOUND: (404, None),
    FaultKind.FORBIDDEN: (403, None),
    FaultKind.FORBIDDEN_RETRY_AFTER: (403, "7"),
    FaultKind.LIMITED: (403, None),
    FaultKind.TOO_MANY: (429, None),
    FaultKind.TOO_MANY_RETRY_AFTER: (429, "7"),
}


@pytest.mark.parametrize("kind", STATUSES)
async def test_a_status_comes_once_and_then_all_is_well(sandbox: Sandbox, bot: Client, kind: FaultKind) -> None:
    sandbox.faults.add(kind, "repos/get", retry_after=7)
    answer = await bot.get(BASE)
    assert (answer.status_code, answer.headers.get("Retry-After")) == STATUSES[kind]
    if kind is FaultKind.LIMITED:
        assert answer.headers["X-RateLimit-Remaining"] == "0"
        assert 0 < int(answer.headers["X-RateLimit-Reset"]) - time.time() <= 8
    assert (await bot.get(BASE)).status_code == 200


@pytest.mark.parametrize(
    ("kind", "problem"),
    [
        (FaultKind.RESET, httpx.TransportError),
        (FaultKind.RESET_MIDWAY, httpx.TransportError),
        (FaultKind.TIMEOUT, httpx.ReadTimeout),
    ],
)
async def test_a_connection_is_lost(sandbox: Sandbox, bot: Client, kind: FaultKind, problem: type[Exception]) -> None:
    sandbox.faults.add(kind, "repos/get")
    with pytest.raises(problem):
        await bot.get(BASE, timeout=0.3)
    async with asyncio.timeout(5):
        while sandbox.requests[-1].operation != "repos/get":  # a request that hangs is over when its client has gone
            await asyncio.sleep(0.01)
    assert (sandbox.requests[-1].fault, sandbox.requests[-1].status) == (kind.value, 0)
    assert (await bot.get(BASE)).status_code == 200


async def test_half_an_answer_is_no_json(sandbox: Sandbox, bot: Client) -> None:
    sandbox.faults.add(FaultKind.TRUNCATED, "repos/get")
    answer = await bot.get(BASE)
    assert answer.status_code == 200
    with pytest.raises(ValueError):
        answer.json()


@pytest.mark.parametrize("after", [False, True])
async def test_the_work_is_done_or_not_before_the_answer_is_lost(sandbox: Sandbox, bot: Client, after: bool) -> None:
    sandbox.faults.add(FaultKind.BAD_GATEWAY, "issues/.*", after=after)
    assert (await bot.post(f"{BASE}/issues", {"title": "Once"})).status_code == 502
    assert len((await bot.get(f"{BASE}/issues")).json()) == (1 if after else 0)


async def test_a_fault_waits_for_its_turn_and_lasts(sandbox: Sandbox, bot: Client) -> None:
    fault = sandbox.faults.add(FaultKind.SERVER_ERROR, skip=2, times=2)
    assert [(await bot.get(BASE)).status_code for _ in range(6)] == [200, 200, 500, 500, 200, 200]
    assert fault.met == 6
    sandbox.faults.add(FaultKind.SERVER_ERROR, times=None)
    assert [(await bot.get(BASE)).status_code for _ in range(3)] == [500, 500, 500]
    sandbox.faults.clear()
    assert (await bot.get(BASE)).status_code == 200


async def test_every_request_takes_its_time(sandbox: Sandbox, bot: Client) -> None:
    sandbox.faults.latency = 0.05
    calls: list[Callable[[], Awaitable[httpx.Response]]] = [lambda: bot.get(BASE)] * 3
    started = time.monotonic()
    for call in calls:
        await call()
    assert time.monotonic() - started >= 0.15
    assert all(item.took >= 0.05 for item in list(sandbox.requests)[-3:])


async def test_what_was_asked_is_done_though_who_asked_is_gone(sandbox: Sandbox, bot: Client) -> None:
    sandbox.faults.latency = 0.3
    with pytest.raises(httpx.ReadTimeout):
        await bot._send("POST", f"{BASE}/issues", {"title": "Last words"}, timeout=0.1)
    await sandbox.until(lambda: sandbox.requests[-1].operation == "issues/create")
    assert sandbox.requests[-1].status == 0
    assert [issue.title for issue in sandbox.world.repos[1001].issues.values()] == ["Last words"]

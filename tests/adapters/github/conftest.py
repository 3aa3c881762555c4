"""GitHub as respx plays it, a clock that moves only by sleeping, and clients that never sleep for real."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Callable, Iterator

import httpx
import pytest
import respx

from recipediff.adapters.github.http.client import GitHubClient, TokenSource
from recipediff.adapters.github.http.etags import EtagCache
from recipediff.adapters.github.http.pacing import Pacing
from recipediff.adapters.github.http.record import Exchange

API = "https://api.github.com"
TLS = ssl.create_default_context()
"""Made once: reading the certificates for each test takes longer than the test."""
EPOCH = 1_800_000_000.0


class Clock:
    """Seconds; sleeping moves it on."""

    def __init__(self) -> None:
        self.time = EPOCH
        self.slept: list[float] = []

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 3))
        self.time += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def github() -> Iterator[respx.MockRouter]:
    with respx.mock(base_url=API, assert_all_called=False) as router:
        yield router


@pytest.fixture
async def connection() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(verify=TLS) as client:
        yield client


@pytest.fixture
def exchanges() -> list[Exchange]:
    """What the clients of one test have sent, in order."""
    return []


Connect = Callable[..., GitHubClient]


@pytest.fixture
def connect(connection: httpx.AsyncClient, clock: Clock, exchanges: list[Exchange]) -> Connect:
    """Builds a client on the test's clock; `interval` seconds between writes."""

    def build(
        credentials: TokenSource | None = None,
        *,
        interval: float = 0.0,
        pacing: Pacing | None = None,
        base_url: str = API,
        etags: EtagCache | None = None,
        retries: int = 0,
        max_answer: int = 1_000_000,
        deadline: float = 30.0,
    ) -> GitHubClient:
        return GitHubClient(
            connection,
            credentials,
            base_url=base_url,
            pacing=pacing or Pacing(interval=interval, monotonic=clock.now, sleep=clock.sleep),
            etags=etags,
            record=exchanges.append,
            retries=retries,
            deadline=deadline,
            max_answer=max_answer,
            now=clock.now,
            sleep=clock.sleep,
        )

    return build


@pytest.fixture
def client(connect: Connect) -> GitHubClient:
    return connect()

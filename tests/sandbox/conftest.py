"""A sandbox whose every request and answer is held against GitHub's own description."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest

from sandbox import Sandbox
from tests.contract.contract import Contract
from tests.sandbox.client import Client


@pytest.fixture
async def sandbox() -> AsyncIterator[Sandbox]:
    contract = Contract(strict=False)  # these tests send wrong requests on purpose
    made = await Sandbox.start()
    made.observers.append(contract)
    yield made
    await made.stop()
    contract.check()


@pytest.fixture
async def client(sandbox: Sandbox) -> AsyncIterator[Client]:
    async with httpx.AsyncClient(base_url=sandbox.api_url, timeout=10, verify=False) as session:
        yield Client(session)

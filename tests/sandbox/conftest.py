"""A sandbox whose every request and answer is held against GitHub's own description."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator

import httpx
import pytest

from bot.sandbox import Exchange, Sandbox
from tests.contract.openapi import MISSING, Violation, load
from tests.sandbox.client import Client

USED: Counter[str] = Counter()


class Contract:
    """Validates what passes; `violations` must be empty at the end of a test."""

    def __init__(self) -> None:
        self.description = load()
        self.violations: list[str] = []

    def __call__(self, seen: Exchange) -> None:
        if self.description is None:
            return
        try:
            if seen.fault:
                self.description.validate_request(seen.method, seen.path, seen.request, seen.query)
            else:
                found = self.description.validate(
                    seen.method, seen.path, seen.status, seen.request, seen.answer, seen.query, seen.media
                )
                USED[found] += 1
                if found != seen.operation:
                    self.violations.append(
                        f"{seen.method} {seen.path}: answered as {seen.operation}, GitHub calls it {found}"
                    )
        except Violation as problem:
            self.violations.append(str(problem))


@pytest.fixture
def contract() -> Contract:
    return Contract()


@pytest.fixture
async def sandbox(contract: Contract) -> AsyncIterator[Sandbox]:
    made = await Sandbox.start()
    made.observers.append(contract)
    yield made
    await made.stop()
    assert not contract.violations, "\n".join(contract.violations)


@pytest.fixture
async def client(sandbox: Sandbox) -> AsyncIterator[Client]:
    async with httpx.AsyncClient(base_url=sandbox.api_url, timeout=10, verify=False) as session:
        yield Client(session)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if load() is None:
        terminalreporter.write_line(f"answers of the sandbox were not validated: {MISSING}")


@pytest.fixture(scope="session", autouse=True)
def _print_operations() -> object:
    yield
    if USED:
        print(
            "\noperations used, all valid by GitHub's description: "
            + ", ".join(f"{name} ({count})" for name, count in sorted(USED.items()))
        )

"""A pytest plug-in: after a session it prints which of GitHub's operations were used and found valid, from all worker processes."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.contract.contract import USED
from tests.contract.openapi import MISSING, PLACE

_KEY = "recipediff_operations"
_all: Counter[str] = Counter()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand the counts of a worker to the process that prints."""
    output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if output is not None:
        output[_KEY] = dict(USED)
    else:
        _all.update(USED)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    _all.update(getattr(node, "workeroutput", {}).get(_KEY, {}))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _all:
        terminalreporter.section("GitHub operations used: exchanges found valid by its description")
        for name, count in sorted(_all.items()):
            terminalreporter.write_line(f"{count:6} {name}")
    elif not PLACE.is_file():
        terminalreporter.write_line(f"requests and answers were not validated: {MISSING}")

"""Ending a task for certain."""

from __future__ import annotations

import asyncio
from typing import Any

_AGAIN = 0.2


async def cancel(*tasks: asyncio.Task[Any]) -> None:
    """Cancel `tasks` until each has ended, and keep their exceptions to themselves.

    Once is not enough: up to Python 3.11 `asyncio.wait_for` forgets a cancellation that comes with the result, and both
    procrastinate's and psycopg's way of waiting for notifications stand on it.
    """
    pending = {task for task in tasks if not task.done()}
    while pending:
        for task in pending:
            task.cancel()
        _, pending = await asyncio.wait(pending, timeout=_AGAIN)
    await asyncio.gather(*tasks, return_exceptions=True)

"""Where a check runs whose input a stranger writes: in a process of its own with a time limit, or in this one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

Given = TypeVar("Given")
Result = TypeVar("Result")


class Isolation(Protocol):
    """Runs a function of a module on a value. Raises `Unavailable` (`too-slow`, `too-large`) beyond its limits."""

    async def __call__(self, work: Callable[[Given], Result], given: Given) -> Result:
        """What `work(given)` gives, or raises."""


async def at_once(work: Callable[[Given], Result], given: Given) -> Result:
    """Here and now, without a limit."""
    return work(given)

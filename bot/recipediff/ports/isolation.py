"""Where work is done whose time the outside decides: in a process of its own under a limit, or here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

Given = TypeVar("Given")
Result = TypeVar("Result")


class Apart(Protocol):
    """Runs a function of a module on a value. Raises `Unavailable` (`too-slow`, `too-large`) beyond its limits."""

    async def __call__(self, work: Callable[[Given], Result], given: Given) -> Result:
        """What `work(given)` gives, or raises."""


async def at_once(work: Callable[[Given], Result], given: Given) -> Result:
    """Here and now, without a limit."""
    return work(given)

"""Answers are data from outside: a field that is not there is a bad answer, not a traceback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from recipediff.ports.errors import Unavailable


@contextmanager
def legible(what: str) -> Iterator[None]:
    """Around the reading of an answer. Raises `Unavailable` (`bad-answer`) where it has not the shape that it should."""
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise Unavailable("bad-answer", f"{what}: GitHub's answer has not the shape that it should have") from error

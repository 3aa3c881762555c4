"""Path patterns: the one engine for `recipes:`, `launcher:`, `records:` and what the formats ask for.

`*`, `?` and `[a-z]` stay within one folder, `**` spans folders, letter case counts, hidden files count; `./` in front is
dropped, and a pattern that ends with `/` stands for everything in that folder.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from wcmatch import glob

_FLAGS = glob.GLOBSTAR | glob.DOTGLOB | glob.CASE | glob.FORCEUNIX
_SPECIAL = frozenset("*?[")


def normalized(pattern: str) -> str:
    """`pattern` without `./` in front, and with `**` where it ends as a folder does."""
    while pattern.startswith("./"):
        pattern = pattern[2:].lstrip("/")
    return f"{pattern}**" if pattern.endswith("/") else pattern


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> glob.WcMatcher[str]:
    return glob.compile(normalized(pattern), flags=_FLAGS)


def matches(path: str, patterns: Iterable[str]) -> bool:
    """Whether any pattern matches the whole of `path` (`/` between folders)."""
    return any(_compiled(pattern).match(path) for pattern in patterns)


def is_literal(pattern: str) -> bool:
    """Whether a pattern names one file only."""
    return not pattern.endswith("/") and _SPECIAL.isdisjoint(pattern)

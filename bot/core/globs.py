"""Path patterns: `*` and `?` within one folder, `**` across folders."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern as a regular expression over whole paths (`/` between folders)."""
    parts: list[str] = []
    for part in pattern.split("/"):
        if part == "**":
            parts.append("(?:[^/]+/)*")
            continue
        text = "".join("[^/]*" if c == "*" else "[^/]" if c == "?" else re.escape(c) for c in re.sub(r"\*+", "*", part))
        parts.append(text + "/")
    return re.compile("".join(parts).removesuffix("/") if not pattern.endswith("**") else "".join(parts) + "[^/]+")


def matches(path: str, patterns: Iterable[str]) -> bool:
    """Whether any pattern matches the whole of `path`."""
    return any(compiled(pattern).fullmatch(path) is not None for pattern in patterns)

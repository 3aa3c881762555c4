"""Path patterns as people write them in configuration files: `docs/*.md`, `**/matrix.md`."""

from __future__ import annotations

from fnmatch import fnmatchcase


def matches(path: str, pattern: str) -> bool:
    """Whether `path` fits `pattern`: `*` and `?` within one folder, `**` any number of folders, letter case counts."""
    return _fits(tuple(path.split("/")), tuple(pattern.removeprefix("./").split("/")))


def matches_any(path: str, patterns: tuple[str, ...]) -> bool:
    """Whether `path` fits one of `patterns`."""
    return any(matches(path, pattern) for pattern in patterns)


def _fits(names: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    # The positions in `names` that the pattern read so far can have reached: never more than there are names.
    reached = {0}
    for part in parts:
        if part == "**":
            reached = set(range(min(reached), len(names) + 1)) if reached else reached
        else:
            reached = {at + 1 for at in reached if at < len(names) and fnmatchcase(names[at], part)}
    return len(names) in reached


def is_literal(pattern: str) -> bool:
    """Whether a pattern names one file only."""
    return not any(char in pattern for char in "*?[")

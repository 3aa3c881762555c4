"""Where a file went between two commits: kept, renamed (by letter case only, too), split, or gone. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

How = Literal["kept", "same content", "letter case", "similar", "gone"]

ALIKE = 0.5
"""From this share of common lines on, a file is taken for another's successor; git's own default for renames."""
TWIN = 0.6
"""From this share on, a new file beside a file that stayed is taken for its second half."""
MAX_READ = 20
"""So many candidates are read to find a successor by its content."""
_LINES = 2_000

Blobs = Mapping[str, str]
"""The id of each file's content, by path: one commit's tree."""


@dataclass(frozen=True, slots=True)
class Followed:
    """`path` is where the file is now, empty where it is gone. `others` are further successors: a split, or what is alike."""

    how: How
    path: str
    likeness: float = 1.0
    others: tuple[str, ...] = ()


def candidates(path: str, before: Blobs, after: Blobs, is_recipe: Callable[[str], bool]) -> tuple[str, ...]:
    """The files whose content must be read to follow `path`: new ones that may be recipes, the likeliest names first."""
    if path not in after and any(sha == before.get(path) for sha in after.values()):
        return ()
    fresh = [other for other in after if other not in before and is_recipe(other)]
    return tuple(sorted(fresh, key=lambda other: (-_kinship(path, other), other))[:MAX_READ])


def _kinship(path: str, other: str) -> float:
    one, two = PurePosixPath(path.lower()), PurePosixPath(other.lower())
    shared = difflib.SequenceMatcher(None, one.name[:200], two.name[:200], autojunk=False).ratio()
    return shared + (0.1 if one.parent == two.parent else 0)


def follow(path: str, content: bytes, before: Blobs, after: Blobs, read: Mapping[str, bytes]) -> Followed:
    """Where the file with `content` at `path` is in `after`. `read` are the contents of `candidates`."""
    likeness = {other: alike(content, data) for other, data in read.items()}
    if path in after:
        halves = [other for other, share in likeness.items() if share >= TWIN and _kinship(path, other) >= TWIN]
        return Followed("kept", path, others=tuple(sorted(halves, key=lambda other: (-likeness[other], other))))
    same = sorted(other for other, sha in after.items() if sha == before.get(path) and other not in before)
    case = sorted(other for other in after if other.lower() == path.lower())
    ordered = sorted(likeness, key=lambda other: (-likeness[other], other))
    near = [other for other in ordered if likeness[other] >= ALIKE]
    if same:
        best = max(same, key=lambda other: (_kinship(path, other), other))
        return Followed("same content", best, others=tuple(other for other in same if other != best))
    if case and (not read or alike_or(likeness, case[0]) >= ALIKE):
        return Followed("letter case", case[0], likeness.get(case[0], 1.0))
    if near:
        return Followed("similar", near[0], likeness[near[0]], tuple(near[1:4]))
    return Followed("gone", "")


def alike_or(likeness: Mapping[str, float], path: str) -> float:
    """The likeness of a file that was read; 1 for one that was not, whose name alone speaks for it."""
    return likeness.get(path, 1.0)


def alike(one: bytes, other: bytes) -> float:
    """How much two files share, from 0 to 1, by whole lines in their order."""
    if one == other:
        return 1.0
    a, b = one.split(b"\n")[:_LINES], other.split(b"\n")[:_LINES]
    matcher = difflib.SequenceMatcher(None, a, b, autojunk=False)
    if matcher.quick_ratio() < ALIKE:
        return matcher.quick_ratio()
    return matcher.ratio()

"""One upstream that is followed: its tree now, and the contents that following it needs. Only reads."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recipediff.app.bumps.history import Past, Steps
from recipediff.core.config import Upstream
from recipediff.core.follow import Followed, candidates, follow
from recipediff.core.upstream import UpstreamFiles
from recipediff.parse.formats.format import Format
from recipediff.parse.globs import matches
from recipediff.ports.errors import Missing
from recipediff.ports.repository import Repository, TreeEntry

MAX_BESIDE = 300
"""More files than this beside one recipe are not a recipe's companions."""


@dataclass(frozen=True, slots=True)
class Sight:
    """A repository that is followed: its files, and its commits."""

    repository: Repository
    past: Past


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """One upstream as it is now."""

    upstream: Upstream
    form: Format
    sight: Sight
    tip: str
    after: Mapping[str, TreeEntry]


def sha_at(tree: Mapping[str, TreeEntry], path: str) -> str:
    """The id of a file's content; empty where it is not there."""
    return tree[path].sha if path in tree else ""


def beside_changed(before: Mapping[str, TreeEntry], after: Mapping[str, TreeEntry], patterns: Sequence[str]) -> bool:
    """Whether a file that reading a recipe needs is another one."""
    if not patterns:
        return False
    sides = [{path: entry.sha for path, entry in tree.items() if matches(path, patterns)} for tree in (before, after)]
    return sides[0] != sides[1]


async def files_of(
    repository: Repository, tree: Mapping[str, TreeEntry], path: str, patterns: Sequence[str], more: Sequence[str] = ()
) -> UpstreamFiles:
    """The file, its companions and `more`, as they are in one tree."""
    beside = [one for one in sorted(tree) if one != path and matches(one, patterns)][:MAX_BESIDE] if patterns else []
    wanted = [tree[one] for one in (path, *beside, *more) if one in tree and tree[one].mode in ("100644", "100755")]
    if path in tree and not any(entry.path == path for entry in wanted):
        raise Missing(f"{repository.name}: {path} is a link or a submodule, not a file")
    return UpstreamFiles(await repository.blobs(wanted), frozenset(tree))


async def followed(watch: Watched, before: Mapping[str, TreeEntry], path: str, content: bytes) -> Followed:
    """Where the file with `content` is now; candidates are read only where its path or its neighbours changed."""
    one, two = ({name: entry.sha for name, entry in tree.items()} for tree in (before, watch.after))
    names = candidates(path, one, two, lambda name: matches(name, watch.upstream.recipes))
    entries = [watch.after[name] for name in names if watch.after[name].mode in ("100644", "100755")]
    read = await watch.sight.repository.blobs(entries) if entries else {}
    return follow(path, content, one, two, read)


async def versions_of(
    watch: Watched, steps: Steps, paths: Sequence[str], patterns: Sequence[str]
) -> tuple[list[tuple[UpstreamFiles, str]], list[tuple[UpstreamFiles, str]]]:
    """Upstream's versions before the pin and after it, oldest first; a version that cannot be read is left out."""

    async def version(commit: str) -> tuple[UpstreamFiles, str] | None:
        try:
            tree = await watch.sight.repository.tree(commit)
            path = next((one for one in reversed(paths) if one in tree), "")
            return (await files_of(watch.sight.repository, tree, path, patterns), path) if path else None
        except Missing:
            return None

    commits = [*steps.earlier, *steps.between]
    found = await asyncio.gather(*(version(commit) for commit in commits))
    earlier, between = found[: len(steps.earlier)], found[len(steps.earlier) :]
    return [one for one in earlier if one], [one for one in between if one]

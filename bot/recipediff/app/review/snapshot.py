"""Gathering what the recipe check looks at: the pinned trees and the few blobs that the sources need."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence

from recipediff.checks.recipes.check import Pin, RecipesSnapshot, pin_of
from recipediff.core.config import Config
from recipediff.core.recipe import Source
from recipediff.core.upstream import Fetched, NotFetched, UpstreamFiles
from recipediff.parse.formats import FORMATS
from recipediff.parse.globs import matches
from recipediff.parse.tested.read import read_recipes
from recipediff.ports.errors import TRANSIENT, Missing, Unavailable
from recipediff.ports.forge import History
from recipediff.ports.repository import Progress, Repository, TreeEntry

OpenRepository = Callable[[str], Repository]
"""The repository of a configured upstream, by its `owner/name`."""


MAX_SURVEYED = 2_000
MAX_COMPANIONS = 300
"""More files than this beside one recipe are not a recipe's companions."""


def sources_of(files: Mapping[str, bytes]) -> tuple[Source, ...]:
    """The sources of every recipe that can be read in `files`."""
    return tuple(
        recipe.source
        for path in sorted(files)
        for recipe in read_recipes(files[path], path).recipes
        if recipe.source is not None and recipe.source.commit
    )


async def gather(
    files: Mapping[str, bytes], config: Config, open_upstream: OpenRepository, progress: Progress | None = None
) -> RecipesSnapshot:
    """The snapshot of `files`. Only configured upstreams are opened."""
    return RecipesSnapshot(
        files=dict(files), upstream=await fetch(sources_of(files), config, open_upstream, progress), config=config
    )


async def fetch(
    sources: Iterable[Source], config: Config, open_upstream: OpenRepository, progress: Progress | None = None
) -> dict[Pin, Fetched]:
    """What came of each pin: each is read once, all at the same time."""
    wanted: dict[Pin, list[Source]] = {}
    for source in sources:
        if config.upstream(source.repo) is not None:
            wanted.setdefault(pin_of(source), []).append(source)
    fetched = await asyncio.gather(*(_fetch(some, config, open_upstream, progress) for some in wanted.values()))
    return dict(zip(wanted, fetched, strict=True))


async def foreign(
    sources: Iterable[Source], config: Config, open_history: Callable[[str], History]
) -> dict[Pin, NotFetched]:
    """The pins that are not on the branch that is followed, and why. GitHub serves a fork's commits under the parent's
    name too: without this, whoever changes a recipe could bring an upstream of their own to compare it with."""
    pins = {pin_of(source): source for source in sources}

    async def reason(source: Source) -> NotFetched | None:
        upstream = config.upstream(source.repo)
        if upstream is None:
            return None
        try:
            if await open_history(upstream.repo).contains(upstream.branch, source.commit):
                return None
        except Missing as error:
            return NotFetched("commit-missing", str(error))
        except Unavailable as error:
            return NotFetched(error.reason, str(error), temporary=error.reason in TRANSIENT)
        where = f"the branch {upstream.branch} of {upstream.repo}"
        return NotFetched("foreign-commit", f"{source.commit[:12]} is not on {where}; it may be a fork's")

    found = await asyncio.gather(*(reason(source) for source in pins.values()))
    return {pin: why for pin, why in zip(pins, found, strict=True) if why is not None}


async def _fetch(
    sources: list[Source], config: Config, open_upstream: OpenRepository, progress: Progress | None
) -> Fetched:
    upstream = config.upstream(sources[0].repo)
    form = FORMATS.get(upstream.format) if upstream is not None else None
    if upstream is None or form is None:
        return UpstreamFiles({}, frozenset())
    commit = sources[0].commit
    try:
        repository = open_upstream(upstream.repo)
        tree = await _tree(repository, commit, sorted({source.path for source in sources}))
        patterns = [pattern for source in sources for pattern in form.companions(source.path)]
        entries = _entries(tree, {source.path for source in sources}, patterns)
        blobs = await repository.blobs(entries)
    except Missing as error:
        return NotFetched("commit-missing", str(error))
    except Unavailable as error:
        return NotFetched(error.reason, str(error), temporary=error.reason in TRANSIENT)
    if progress is not None:
        progress(f"{upstream.repo}@{commit[:12]}")
    pinned = bool(getattr(repository, "pinned", True))
    return UpstreamFiles(blobs, frozenset(tree) if pinned else None, pinned, str(getattr(repository, "moved", "")))


async def _tree(repository: Repository, commit: str, paths: Sequence[str]) -> Mapping[str, TreeEntry]:
    """The tree; where the repository can, the files that the recipes name come at the same time."""
    ahead = getattr(repository, "ahead", None)
    if ahead is None:
        return await repository.tree(commit)
    early = asyncio.create_task(ahead(commit, paths))
    try:
        tree = await repository.tree(commit)
        await early
        return tree
    finally:
        early.cancel()


def _entries(tree: Mapping[str, TreeEntry], paths: set[str], patterns: Iterable[str]) -> list[TreeEntry]:
    """Ordinary files only: a link or a submodule is not read."""
    patterns = tuple(dict.fromkeys(patterns))
    beside = [path for path in tree if path not in paths and matches(path, patterns)][:MAX_COMPANIONS]
    chosen = [*(path for path in sorted(paths) if path in tree), *sorted(beside)]
    return [tree[path] for path in chosen if tree[path].mode in ("100644", "100755")]


async def survey(config: Config, local: Mapping[str, Repository]) -> dict[str, UpstreamFiles]:
    """Every recipe file of the upstreams that stand on this machine, at their present state (`recipediff.checks.recipes.authority`).

    Over the network that would be hundreds of requests for one recipe, so only local copies are surveyed.
    """
    found: dict[str, UpstreamFiles] = {}
    for repo, repository in local.items():
        upstream = config.upstream(repo)
        form = FORMATS.get(upstream.format) if upstream is not None else None
        if upstream is None or form is None:
            continue
        resolve = getattr(repository, "resolve", None)
        tree = await repository.tree(await resolve("HEAD") if resolve is not None else "0" * 40)
        patterns = (*upstream.recipes, *form.companions(""))
        entries = [e for path, e in tree.items() if matches(path, patterns) and e.mode in ("100644", "100755")]
        found[repo] = UpstreamFiles(await repository.blobs(entries[:MAX_SURVEYED]), frozenset(tree))
    return found

"""Reading what a change of the surface file is judged by. Only a pull request that changes it costs the requests: one for
upstream's branch, one for its tree, and one for each recipe that is not remembered."""

from __future__ import annotations

from recipediff.app.sweep.sweep import read_upstream
from recipediff.checks.sweep.surface_change import SurfaceSnapshot
from recipediff.core.config import Config, SurfaceConfig, Upstream
from recipediff.core.upstream import Fetched, NotFetched
from recipediff.parse.globs import matches
from recipediff.ports.errors import Missing, Unavailable
from recipediff.ports.forge import Forge, Home
from recipediff.ports.repository import MAX_BLOB_BYTES, Tree


async def surface_snapshots(
    home: Home, config: Config, trees: tuple[Tree, Tree], forge: Forge
) -> tuple[SurfaceSnapshot, SurfaceSnapshot]:
    """The snapshots of the head and of the base, whose trees are given in that order."""
    surface = config.surface
    if surface is None:
        raise ValueError("no surface file is configured")
    after, before = [await _content(home, tree, surface.file) for tree in trees]
    upstream = config.upstream(surface.upstream)
    form = upstream.format if upstream is not None else ""
    commit, fetched, paths = await _upstream(home, surface, upstream, forge)
    head = SurfaceSnapshot(
        file=surface.file,
        before=before,
        after=after,
        upstream=surface.upstream,
        format=form,
        commit=commit,
        fetched=fetched,
        paths=paths,
    )
    return head, SurfaceSnapshot(
        file=surface.file,
        before=None,
        after=before,
        upstream=surface.upstream,
        format=form,
        commit=commit,
        fetched=fetched,
        paths=paths,
    )


async def _content(home: Home, tree: Tree, path: str) -> bytes | None:
    entry = tree.get(path)
    if entry is None or entry.mode not in ("100644", "100755") or (entry.size or 0) > MAX_BLOB_BYTES:
        return None
    return (await home.repository.blobs([entry]))[path]


async def _upstream(
    home: Home, surface: SurfaceConfig, upstream: Upstream | None, forge: Forge
) -> tuple[str, Fetched, tuple[str, ...]]:
    if upstream is None:
        message = f"{surface.upstream} is not a configured upstream; add it to `upstreams`"
        return "", NotFetched("config-invalid", message), ()
    try:
        opened = forge.upstream(upstream.repo, home)
        commit = await opened.history.tip(upstream.branch)
        if commit is None:
            return "", NotFetched("branch-missing", f"{upstream.repo} has no branch {upstream.branch}"), ()
        files = await read_upstream(opened.repository, upstream, commit)
    except Missing as error:
        return "", NotFetched("upstream-missing", str(error)), ()
    except Unavailable as error:
        return "", NotFetched(error.reason, str(error), temporary=True), ()
    return commit, files, tuple(sorted(path for path in files.blobs if matches(path, upstream.recipes)))

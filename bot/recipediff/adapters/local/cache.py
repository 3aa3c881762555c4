"""What was fetched at a commit, kept on disk. Commits and blobs never change, so nothing here ever goes stale."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from recipediff.core.git import blob_id, is_object_id
from recipediff.ports.repository import Repository, TreeEntry


class DiskCache:
    """`repository` with a cache in `folder`. A damaged entry is ignored, a full disk only costs the speed.

    Blobs are checked against their id and trees against a digest when they are read back. A repository that has no
    commits (`pinned` is False) is passed through.
    """

    def __init__(self, repository: Repository, folder: Path) -> None:
        self.name = repository.name
        self.pinned: bool = getattr(repository, "pinned", True)
        self._repository = repository
        self._folder = folder / hashlib.sha256(repository.name.lower().encode()).hexdigest()[:24]

    @property
    def moved(self) -> str:
        """As the repository's own; empty where nothing was asked of it."""
        return getattr(self._repository, "moved", "")

    async def tree(self, commit: str) -> Mapping[str, TreeEntry]:
        """As the repository's own; asked of it once for each commit."""
        if not self.pinned or not is_object_id(commit):
            return await self._repository.tree(commit)
        file = self._folder / "trees" / commit
        kept = await asyncio.to_thread(_read_tree, file)
        if kept is not None:
            return kept
        tree = await self._repository.tree(commit)
        await asyncio.to_thread(_write, file, _tree_bytes(tree))
        return tree

    async def blobs(self, entries: Iterable[TreeEntry]) -> Mapping[str, bytes]:
        """As the repository's own; asked of it only for what is not here, all at once."""
        wanted = list(entries)
        if not self.pinned:
            return await self._repository.blobs(wanted)
        found = await asyncio.to_thread(lambda: {entry.path: self._read_blob(entry) for entry in wanted})
        absent = [entry for entry in wanted if found[entry.path] is None]
        fetched = await self._repository.blobs(absent) if absent else {}
        for entry in absent:
            if is_object_id(entry.sha):
                await asyncio.to_thread(_write, self._blob_file(entry.sha), fetched[entry.path])
        return {path: fetched[path] if content is None else content for path, content in found.items()}

    def _blob_file(self, sha: str) -> Path:
        return self._folder / "blobs" / sha[:2] / sha[2:]

    def _read_blob(self, entry: TreeEntry) -> bytes | None:
        # Links and submodules are the repository's to refuse.
        if not is_object_id(entry.sha) or entry.mode not in {"100644", "100755"}:
            return None
        with contextlib.suppress(OSError):
            content = self._blob_file(entry.sha).read_bytes()
            if blob_id(content, entry.sha) == entry.sha:
                return content
        return None


def _tree_bytes(tree: Mapping[str, TreeEntry]) -> bytes:
    rows = [[entry.path, entry.sha, entry.mode, entry.size] for entry in tree.values()]
    body = json.dumps(rows, separators=(",", ":")).encode()
    return hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def _read_tree(file: Path) -> dict[str, TreeEntry] | None:
    try:
        digest, _, body = file.read_bytes().partition(b"\n")
    except OSError:
        return None
    if hashlib.sha256(body).hexdigest().encode() != digest:
        return None
    try:
        return {path: TreeEntry(path, sha, mode, size) for path, sha, mode, size in json.loads(body)}
    except (ValueError, TypeError):
        return None


def _write(file: Path, content: bytes) -> None:
    """Whole or not at all: written beside its place and moved there."""
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=".new-")
        try:
            with os.fdopen(handle, "wb") as new:
                new.write(content)
            Path(name).replace(file)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise

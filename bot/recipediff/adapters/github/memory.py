"""Git objects that were read before. They never change, so nothing here goes stale; both stores are bounded."""

from __future__ import annotations

from collections.abc import Mapping

from cachetools import LRUCache

from recipediff.ports.repository import TreeEntry


class ObjectMemory:
    """Blobs by repository and id, trees by repository and commit. One for the process: a repository's objects are kept
    under its own name, so that no repository is shown another's."""

    def __init__(self, *, max_bytes: int = 16 * 1024 * 1024, max_entries: int = 50_000) -> None:
        self._blobs: LRUCache[tuple[str, str], bytes] = LRUCache(
            max_bytes, getsizeof=lambda content: len(content) + 200
        )
        self._trees: LRUCache[tuple[str, str], Mapping[str, TreeEntry]] = LRUCache(
            max_entries, getsizeof=lambda tree: len(tree) + 1
        )

    def blob(self, repository: str, sha: str) -> bytes | None:
        """The content, where it is known."""
        return self._blobs.get((repository.lower(), sha))

    def keep_blob(self, repository: str, sha: str, content: bytes) -> None:
        """Keeps a content that was checked against its id."""
        if len(content) + 200 <= self._blobs.maxsize:
            self._blobs[repository.lower(), sha] = content

    def tree(self, repository: str, commit: str) -> Mapping[str, TreeEntry] | None:
        """The whole tree of a commit, where it is known."""
        return self._trees.get((repository.lower(), commit))

    def keep_tree(self, repository: str, commit: str, tree: Mapping[str, TreeEntry]) -> None:
        """Keeps a whole tree; one over the bound is not kept."""
        if len(tree) + 1 <= self._trees.maxsize:
            self._trees[repository.lower(), commit] = tree

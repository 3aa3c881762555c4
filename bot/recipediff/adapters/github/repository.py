"""Trees and blobs over GitHub's git data API: the cost follows what is read, not how large the pull request is."""

from __future__ import annotations

import asyncio
import base64
import contextlib
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from recipediff.adapters.github.http.client import GitHubClient
from recipediff.adapters.github.http.route import repository
from recipediff.adapters.github.http.shape import legible
from recipediff.adapters.github.memory import ObjectMemory
from recipediff.core.git import blob_id, is_object_id
from recipediff.ports.errors import Missing, Unavailable
from recipediff.ports.repository import MAX_BLOB_BYTES, TreeEntry, full_commit, plain_file

T = TypeVar("T")

MAX_WALK = 200
"""Requests for one tree that GitHub cut because it is too large for one answer."""
MAX_ENTRIES = 500_000
MAX_AHEAD = 8
"""Files that are asked for before it is known whether they exist."""
_CONTENT = "GET /repos/{owner}/{repo}/contents/{path}"
_TREE = "GET /repos/{owner}/{repo}/git/trees/{tree_sha}"
_BLOB = "GET /repos/{owner}/{repo}/git/blobs/{file_sha}"


class GitHubRepository:
    """One repository, read at commits. Asks for each object once as long as `memory` has room for it."""

    pinned = True

    def __init__(
        self,
        client: GitHubClient,
        name: str,
        *,
        memory: ObjectMemory | None = None,
        max_blob: int = MAX_BLOB_BYTES,
        max_walk: int = MAX_WALK,
        known_as: str = "",
    ) -> None:
        """`name` is `owner/name`. Raises `Missing` where it cannot be one. `known_as`: its name in `memory`, where what
        this client may read is not for every client."""
        self.name = name
        self._client = client
        self._fields = repository(name)
        self._memory = memory or ObjectMemory()
        self._known_as = known_as or name
        self._max_blob = max_blob
        self._max_walk = max_walk

    @property
    def moved(self) -> str:
        """The address that GitHub answered from, where that is not this repository's own; else empty."""
        return self._client.moved.get(self.name.lower(), "")

    async def tree(self, commit: str) -> Mapping[str, TreeEntry]:
        """Every file at `commit` (a full id), by path. One request, more only where GitHub cuts its answer.

        A commit of a fork is served under the parent's name too: whether it is upstream's is another question
        (`GitHubHistory.contains`).
        """
        full_commit(self.name, commit)
        known = self._memory.tree(self._known_as, commit)
        if known is None:
            rows, cut = await self._rows(commit, recursive=True)
            if cut:
                rows = await self._walk(commit)
            known = {entry.path: entry for entry in rows if entry.mode != "040000"}
            self._memory.keep_tree(self._known_as, commit, known)
        return known

    async def ahead(self, commit: str, paths: Iterable[str]) -> None:
        """Fetch the files at `paths` while the tree of `commit` is still on its way, which saves a trip. Only a help: what
        comes is kept under its own id, `tree` alone says what is where, and what fails is left to `blobs` to fetch or to say."""
        if self._memory.tree(self._known_as, commit) is None:
            await asyncio.gather(*(self._early(commit, path) for path in [*paths][:MAX_AHEAD]))

    async def _early(self, commit: str, path: str) -> None:
        with contextlib.suppress(Missing, Unavailable):
            answer = await self._client.call(_CONTENT, {**self._fields, "path": path}, query={"ref": commit})
            with legible(f"{self.name}: {path}"):
                if isinstance(answer, dict) and answer.get("encoding") == "base64":
                    sha, content = str(answer["sha"]), base64.b64decode(str(answer["content"]))
                    if blob_id(content, sha) == sha:
                        self._memory.keep_blob(self._known_as, sha, content)

    async def blobs(self, entries: Iterable[TreeEntry]) -> Mapping[str, bytes]:
        """The contents of `entries`, by path, each checked against its id; side by side, each id asked for once."""
        wanted = [plain_file(self.name, entry, self._max_blob) for entry in entries]
        found: dict[str, bytes] = {}
        absent: dict[str, TreeEntry] = {}
        for entry in wanted:
            if not is_object_id(entry.sha):
                raise Missing(f"{self.name}: {entry.path} has no object id")
            content = self._memory.blob(self._known_as, entry.sha)
            if content is None:
                absent.setdefault(entry.sha, entry)
            else:
                found[entry.sha] = content
        contents = await together([self._blob(entry) for entry in absent.values()])
        found.update(zip(absent, contents, strict=True))
        return {entry.path: found[entry.sha] for entry in wanted}

    async def _blob(self, entry: TreeEntry) -> bytes:
        answer = await self._client.call(_BLOB, {**self._fields, "file_sha": entry.sha})
        with legible(f"{self.name}: {entry.path}"):
            plain_file(self.name, replace(entry, size=int(answer["size"])), self._max_blob)
            text = str(answer["content"])
            content = base64.b64decode(text) if answer["encoding"] == "base64" else text.encode()
        if blob_id(content, entry.sha) != entry.sha:
            raise Unavailable("bad-answer", f"{self.name}: GitHub's answer for {entry.path} is not the whole file")
        self._memory.keep_blob(self._known_as, entry.sha, content)
        return content

    async def _rows(self, tree: str, *, recursive: bool, prefix: str = "") -> tuple[list[TreeEntry], bool]:
        """The rows of one answer (folders included, mode 040000), and whether GitHub cut it."""
        query: dict[str, str | int] = {"recursive": "1"} if recursive else {}
        answer = await self._client.call(_TREE, {**self._fields, "tree_sha": tree}, query=query)
        with legible(f"{self.name}: tree {tree}"):
            return [_entry(row, prefix) for row in answer["tree"]], bool(answer["truncated"])

    async def _walk(self, commit: str) -> list[TreeEntry]:
        """Folder by folder: each as a whole where that fits into an answer, else its own folders one by one."""
        found, cut = await self._rows(commit, recursive=False)
        waiting = [entry for entry in found if entry.mode == "040000"]
        asked = 2
        while waiting:
            folder = waiting.pop()
            rows, cut = await self._rows(folder.sha, recursive=True, prefix=folder.path + "/")
            asked += 1
            if cut:
                rows, cut = await self._rows(folder.sha, recursive=False, prefix=folder.path + "/")
                asked += 1
                waiting.extend(entry for entry in rows if entry.mode == "040000")
            found.extend(rows)
            if cut or asked > self._max_walk or len(found) > MAX_ENTRIES:
                raise Unavailable("too-large", f"{self.name}: the tree of {commit} is too large to be read")
        return found


def _entry(row: Mapping[str, Any], prefix: str) -> TreeEntry:
    size = row.get("size")
    return TreeEntry(
        prefix + str(row["path"]), str(row["sha"]), str(row["mode"]), size if isinstance(size, int) else None
    )


async def together(work: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
    """The results side by side, in order. The first failure ends the others and is raised as it is."""
    tasks = [asyncio.ensure_future(one) for one in work]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

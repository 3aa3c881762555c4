"""A local git repository, read through its object store: what a commit holds, whatever the working tree looks like."""

from __future__ import annotations

import asyncio
from asyncio import StreamReader, StreamWriter
from collections.abc import Iterable, Mapping
from pathlib import Path

from recipediff.adapters.local.git import git, running
from recipediff.core.git import is_object_id
from recipediff.ports.errors import Missing, Unavailable
from recipediff.ports.repository import MAX_BLOB_BYTES, TreeEntry, full_commit, plain_file


class GitCheckout:
    """Trees and blobs of the git repository at `path` (a checkout, a folder inside one, or a bare repository)."""

    pinned = True

    def __init__(self, path: Path | str, *, name: str = "", max_blob: int = MAX_BLOB_BYTES) -> None:
        self.path = Path(path)
        self.name = name or str(path)
        self._max_blob = max_blob

    async def tree(self, commit: str) -> Mapping[str, TreeEntry]:
        """Every file at `commit` (a full id), by path from the repository's root. Raises `Missing` or `Unavailable`."""
        full_commit(self.name, commit)
        try:
            listing = await git(self.path, ["ls-tree", "-r", "-z", "--long", "--full-tree", f"{commit}^{{commit}}"])
        except Missing as error:
            if "valid object name" not in str(error):
                raise
            raise Missing(f"{self.name} has no commit {commit} (looked for in {self.path})") from error
        return {entry.path: entry for entry in map(_entry, filter(None, listing.split(b"\0")))}

    async def blobs(self, entries: Iterable[TreeEntry]) -> Mapping[str, bytes]:
        """The contents of `entries`, by path. Links and submodules are `Missing`, as is an object that is not here."""
        wanted = [plain_file(self.name, entry, self._max_blob) for entry in entries]
        for entry in wanted:
            if not is_object_id(entry.sha):
                raise Missing(f"{self.name}: {entry.path} has no object id")
        if not wanted:
            return {}
        found: dict[str, bytes] = {}
        async with running(self.path, ["cat-file", "--batch"]) as (stdin, stdout):
            asking = asyncio.create_task(_ask(stdin, [entry.sha for entry in wanted]))
            try:
                for entry in wanted:
                    if (content := await self._answer(stdout, entry)) is None:
                        break
                    found[entry.path] = content
            finally:
                asking.cancel()
                await asyncio.gather(asking, return_exceptions=True)
        if len(found) < len({entry.path for entry in wanted}):
            raise Unavailable("git-failed", f"{self.name}: git cat-file ended before it had answered")
        return found

    async def resolve(self, ref: str) -> str:
        """The full id of the commit that `ref` (`HEAD`, a branch, a tag, a short id) names here. Raises `Missing`."""
        answer = await git(self.path, ["rev-parse", "--verify", "--end-of-options", f"{ref}^{{commit}}"])
        return answer.decode().strip()

    async def merge_base(self, one: str, other: str) -> str:
        """The commit at which the two histories part. Raises `Missing` where they share none."""
        ids = [await self.resolve(one), await self.resolve(other)]
        try:
            return (await git(self.path, ["merge-base", *ids])).decode().strip()
        except Unavailable as error:
            if error.reason != "git-failed":
                raise
            raise Missing(f"{self.name}: {one} and {other} have no commit in common") from error

    async def root(self) -> Path:
        """The top folder of the working tree. Raises `Missing` outside of one."""
        return Path((await git(self.path, ["rev-parse", "--show-toplevel"])).decode().rstrip("\n"))

    async def remote(self, remote: str = "origin") -> str:
        """The address of a remote, empty where there is none."""
        try:
            return (await git(self.path, ["config", "--get", f"remote.{remote}.url"])).decode().strip()
        except Unavailable:
            return ""

    async def _answer(self, stdout: StreamReader, entry: TreeEntry) -> bytes | None:
        """One object; None where git has ended, whose own words then say why."""
        line = await stdout.readline()
        if not line:
            return None
        header = line.decode().split()
        if len(header) != 3:
            raise Missing(f"{self.name}: the object {entry.sha} of {entry.path} is not in this repository")
        kind, size = header[1], int(header[2])
        if kind != "blob":
            raise Missing(f"{self.name}: {entry.path} is a {kind}, not a file")
        if size > self._max_blob:
            message = f"{self.name}: {entry.path} has {size:,} bytes; the limit is {self._max_blob:,}"
            raise Unavailable("too-large", message)
        try:
            return (await stdout.readexactly(size + 1))[:-1]
        except asyncio.IncompleteReadError:
            return None


async def _ask(stdin: StreamWriter, shas: Iterable[str]) -> None:
    for sha in shas:
        stdin.write(sha.encode() + b"\n")
        await stdin.drain()
    stdin.close()


def _entry(line: bytes) -> TreeEntry:
    facts, _, path = line.partition(b"\t")
    mode, _, sha, size = facts.decode().split()
    return TreeEntry(path.decode("utf-8", "replace"), sha, mode, None if size == "-" else int(size))

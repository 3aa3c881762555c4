"""A plain folder as a repository. It has no commits: it serves what is there now for any commit, and says so."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from recipediff.ports.errors import Missing, Unavailable
from recipediff.ports.repository import MAX_BLOB_BYTES, TreeEntry, plain_file

MAX_FILES = 100_000
_NOT_SOURCE = frozenset({".git", ".hg", ".venv", "node_modules", "__pycache__"})


class Folder:
    """The files of one folder as they are now. Links are listed as links and never followed.

    An entry's `sha` starts with `stat-` and only says whether a file of this folder was touched; it is no git id.
    """

    pinned = False
    """False: what a commit held cannot be known here, so an answer is about the folder and not about the commit."""

    def __init__(
        self, path: Path | str, *, name: str = "", max_blob: int = MAX_BLOB_BYTES, max_files: int = MAX_FILES
    ) -> None:
        self.path = Path(path)
        self.name = name or str(path)
        self._max_blob = max_blob
        self._max_files = max_files

    async def tree(self, commit: str = "") -> Mapping[str, TreeEntry]:
        """Every file that is there now, by path with `/`. `commit` is not looked at."""
        return await asyncio.to_thread(self._tree)

    async def blobs(self, entries: Iterable[TreeEntry]) -> Mapping[str, bytes]:
        """The contents as they are now. Raises `Missing` for what is gone, is a link or lies outside the folder."""
        wanted = [plain_file(self.name, entry, self._max_blob) for entry in entries]
        return await asyncio.to_thread(lambda: {entry.path: self._read(entry.path) for entry in wanted})

    def _tree(self) -> dict[str, TreeEntry]:
        if not self.path.is_dir():
            raise Missing(f"{self.name}: there is no such folder")
        found: dict[str, TreeEntry] = {}
        for entry in self._walk():
            found[entry.path] = entry
            if len(found) > self._max_files:
                message = f"{self.name}: more than {self._max_files:,} files; name the folder that holds the recipes"
                raise Unavailable("too-large", message)
        return dict(sorted(found.items()))

    def _walk(self) -> Iterator[TreeEntry]:
        waiting = [("", self.path)]
        while waiting:
            prefix, folder = waiting.pop()
            try:
                children = sorted(os.scandir(folder), key=lambda child: child.name)
            except PermissionError:
                continue
            except OSError as error:
                raise Unavailable("unreadable", f"{prefix or self.name}: {error.strerror}") from error
            for child in children:
                path = prefix + child.name
                if child.is_symlink():
                    yield TreeEntry(path, identity(child.stat(follow_symlinks=False)), "120000")
                elif child.is_dir(follow_symlinks=False):
                    if child.name not in _NOT_SOURCE:
                        waiting.append((path + "/", Path(child.path)))
                elif child.is_file(follow_symlinks=False):
                    facts = child.stat(follow_symlinks=False)
                    mode = "100755" if facts.st_mode & stat.S_IXUSR else "100644"
                    yield TreeEntry(path, identity(facts), mode, facts.st_size)

    def _read(self, path: str) -> bytes:
        parts = path.split("/")
        if path.startswith("/") or "\0" in path or "\\" in path or any(part in {"", ".", ".."} for part in parts):
            raise Missing(f"{self.name}: {path[:200]!r} is not a path inside the folder")
        root = self.path.resolve()
        target = root.joinpath(*parts)
        try:
            if target.resolve() != target:
                raise Missing(f"{self.name}: {path} goes through a symbolic link; links are not followed")
            # O_NONBLOCK: opening a pipe must not wait for its other end.
            handle = os.open(target, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        except FileNotFoundError as error:
            raise Missing(f"{self.name}: {path} is not there") from error
        except OSError as error:
            raise Unavailable("unreadable", f"{self.name}: {path}: {error.strerror}") from error
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise Missing(f"{self.name}: {path} is not a file")
            with os.fdopen(handle, "rb", closefd=False) as file:
                content = file.read(self._max_blob + 1)
        finally:
            os.close(handle)
        if len(content) > self._max_blob:
            raise Unavailable("too-large", f"{self.name}: {path} has more than {self._max_blob:,} bytes")
        return content


def identity(facts: os.stat_result) -> str:
    """What changes when a file of this machine is touched; no git id."""
    return f"stat-{facts.st_ino:x}-{facts.st_size:x}-{facts.st_mtime_ns:x}"

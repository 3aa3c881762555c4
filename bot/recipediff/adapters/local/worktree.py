"""The working tree of a git checkout: the files that git knows or would add, as they are now."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Mapping
from pathlib import Path

from recipediff.adapters.local.folder import Folder, identity
from recipediff.adapters.local.git import git
from recipediff.ports.errors import Missing, Unavailable
from recipediff.ports.repository import MAX_BLOB_BYTES, TreeEntry

MAX_FILES = 500_000


class WorkTree(Folder):
    """Like `Folder`, without what git ignores. Links and submodules are listed and never followed."""

    def __init__(self, path: Path | str, *, name: str = "", max_blob: int = MAX_BLOB_BYTES) -> None:
        super().__init__(path, name=name, max_blob=max_blob, max_files=MAX_FILES)

    async def tree(self, commit: str = "") -> Mapping[str, TreeEntry]:
        """Every file that is there now, by path from `path`. `commit` is not looked at."""
        del commit
        listed = await git(self.path, ["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        paths = sorted({path for path in listed.split(b"\0") if path})
        if len(paths) > MAX_FILES:
            raise Unavailable("too-large", f"{self.name}: more than {MAX_FILES:,} files")
        return await asyncio.to_thread(lambda: {entry.path: entry for entry in map(self._entry, paths) if entry})

    def _entry(self, name: bytes) -> TreeEntry | None:
        """None where it was deleted and the deletion is not committed yet."""
        path = name.decode("utf-8", "replace")
        try:
            facts = (self.path / os.fsdecode(name)).lstat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise Missing(f"{self.name}: {path}: {error.strerror}") from error
        if stat.S_ISLNK(facts.st_mode) or path.encode() != name:
            # A name that is not text cannot be read by it; like a link it is there, and nothing more is known.
            return TreeEntry(path, identity(facts), "120000")
        if stat.S_ISDIR(facts.st_mode):
            return TreeEntry(path.rstrip("/"), identity(facts), "160000")
        mode = "100755" if facts.st_mode & stat.S_IXUSR else "100644"
        return TreeEntry(path, identity(facts), mode, facts.st_size) if stat.S_ISREG(facts.st_mode) else None

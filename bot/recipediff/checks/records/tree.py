"""What a relative address leads to within the repository, without touching a disk."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal
from urllib.parse import unquote

from recipediff.checks.records.snapshot import Snapshot

PathKind = Literal["file", "folder", "missing", "outside", "unknown"]


@dataclass(frozen=True, slots=True)
class Target:
    """Where an address leads. `path` is from the repository's root; `fragment` is decoded, without its `#`.

    `outside` is above the root, `unknown` behind a submodule or a symbolic link. `spelled` is the existing path that
    differs from a missing one in letter case only.
    """

    outcome: PathKind
    path: str
    fragment: str
    spelled: str = ""


@dataclass(eq=False)
class PathTree:
    """The paths of one tree."""

    files: frozenset[str]
    opaque: frozenset[str] = frozenset()
    folders: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        folders: set[str] = {""}
        for path in self.files | self.opaque:
            folder = posixpath.dirname(path)
            while folder and folder not in folders:
                folders.add(folder)
                folder = posixpath.dirname(folder)
        self.folders = frozenset(folders)

    @classmethod
    def of(cls, snapshot: Snapshot) -> PathTree:
        """The tree at a snapshot's head."""
        return cls(snapshot.known, snapshot.opaque)

    @cached_property
    def _folded(self) -> dict[str, str]:
        return {path.casefold(): path for path in sorted(self.files | self.folders, reverse=True)}

    def spelled(self, path: str) -> str:
        """The existing path that is `path` but for letter case, else the empty string."""
        return self._folded.get(path.casefold(), "")

    def resolve(self, address: str, source: str) -> Target | None:
        """What `address`, written in the file `source`, leads to; None for an address of another site.

        As GitHub does: from the file's folder, or from the root where it begins with a slash; a query is dropped.
        """
        if not is_relative(address):
            return None
        rest, _, fragment = address.partition("#")
        fragment = unquote(fragment)
        rest = unquote(rest.partition("?")[0])
        if not rest:
            return Target("file", source, fragment)
        joined = rest.lstrip("/") if rest.startswith("/") else posixpath.join(posixpath.dirname(source), rest)
        path = posixpath.normpath(joined) if joined else "."
        if path == ".." or path.startswith("../"):
            return Target("outside", path, fragment)
        return self._look(path, fragment, rest.endswith("/"))

    def _look(self, path: str, fragment: str, folder: bool) -> Target:
        path = "" if path == "." else path
        if path in self.folders:
            return Target("folder", path, fragment)
        if path in self.files and not folder:
            return Target("file", path, fragment)
        if self._behind_opaque(path):
            return Target("unknown", path, fragment)
        return Target("missing", path, fragment, self.spelled(path))

    def _behind_opaque(self, path: str) -> bool:
        while path:
            if path in self.opaque:
                return True
            path = posixpath.dirname(path)
        return False


def is_relative(address: str) -> bool:
    """Whether an address leads into the repository: no scheme (`https:`, `mailto:`), no host (`//host`)."""
    if address.startswith("//"):
        return False
    scheme, colon, _ = address.partition(":")
    return not (
        colon
        and scheme
        and scheme.isascii()
        and scheme[0].isalpha()
        and scheme.replace("+", "").replace("-", "").replace(".", "").isalnum()
    )

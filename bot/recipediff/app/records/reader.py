"""What the keyed-record guard looks at, read through trees and blobs: a server's, or those of a folder on this machine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from recipediff.checks.records import Snapshot, declared, wanted
from recipediff.checks.records.links import MARKDOWN
from recipediff.checks.records.snapshot import FileContents
from recipediff.core.records import RecordsConfig
from recipediff.parse.globs import is_literal, matches, normalized
from recipediff.ports.errors import Unavailable
from recipediff.ports.isolation import Isolation, at_once
from recipediff.ports.repository import MAX_BLOB_BYTES, Repository, Tree, TreeEntry

MAX_FILES = 300
"""Files that one review reads for the guard; beyond it nothing is judged, and the report says what to do."""
MAX_BYTES = 32 * 1024 * 1024
_MANY_PATHS = 20_000
"""In a tree with more paths, which of them are declared is found out in isolation."""


@dataclass(slots=True, kw_only=True)
class Reader:
    """Reads the files of one repository, each content once."""

    repository: Repository
    config: RecordsConfig
    isolation: Isolation = at_once
    largest: int = MAX_BLOB_BYTES
    most_files: int = MAX_FILES
    most_bytes: int = MAX_BYTES
    known: dict[str, bytes] = field(default_factory=dict)
    """Contents by object id."""

    async def snapshots(self, *trees: Tree) -> list[Snapshot]:
        """Each tree with all that its check needs. Raises `Unavailable` (`too-many-files` where the
        bounds do not hold all of it), and what the repository raises."""
        found = [self._bare(tree) for tree in trees]
        # The targets of links and anchors are known only when the files that name them have been read.
        for _ in range(3):
            paths = await self._wanted(found)
            if not any(paths):
                break
            for number, (tree, snapshot, some) in enumerate(zip(trees, found, paths, strict=True)):
                files = await self.files(tree, some)
                found[number] = replace(snapshot, head={**snapshot.head, **files})
        return found

    async def tables(self, tree: Tree) -> FileContents:
        """The files with declared tables, as far as they can be read."""
        return await self.files(tree, self.table_entries(tree))

    def table_entries(self, tree: Tree) -> dict[str, TreeEntry]:
        """The files with declared tables, by path."""
        patterns = tuple(dict.fromkeys(table.file for table in self.config.tables))
        literal = {normalized(pattern) for pattern in patterns if is_literal(pattern)}
        wild = tuple(pattern for pattern in patterns if not is_literal(pattern))
        # Most declarations name one file: a large tree need not be looked through for it.
        found = literal & tree.keys() if not wild else {p for p in tree if p in literal or matches(p, wild)}
        return {path: tree[path] for path in sorted(found) if self._readable(tree[path])}

    async def files(self, tree: Tree, paths: Iterable[str]) -> dict[str, bytes]:
        """The contents of some files of a tree, by path."""
        entries = [tree[path] for path in sorted(paths)]
        # A folder on this machine has no object ids, and its files are read anew.
        fresh = {entry.sha: entry for entry in entries if entry.sha not in self.known}
        self._bound(fresh.values())
        for path, data in (await self.repository.blobs(fresh.values())).items():
            self.known[tree[path].sha] = data
        return {entry.path: self.known[entry.sha] for entry in entries}

    def _bound(self, fresh: Iterable[TreeEntry]) -> None:
        fresh = list(fresh)
        count = len(self.known) + len(fresh)
        size = sum(map(len, self.known.values())) + sum(entry.size or 0 for entry in fresh)
        if count > self.most_files or size > self.most_bytes:
            raise Unavailable(
                "too-many-files",
                f"the guard of keyed records would read {count:,} files ({size / 1e6:.0f} MB), more than the"
                f" {self.most_files:,} ({self.most_bytes / 1e6:.0f} MB) that one review reads; name fewer under `records`",
            )

    async def _wanted(self, snapshots: Sequence[Snapshot]) -> list[frozenset[str]]:
        given = (tuple(snapshots), self.config)
        simple = not (self.config.links or self.config.anchors) or not any(snapshot.head for snapshot in snapshots)
        few = sum(len(snapshot.paths) for snapshot in snapshots) <= _MANY_PATHS
        return _all_wanted(given) if simple and few else await self.isolation(_all_wanted, given)

    def _bare(self, tree: Tree) -> Snapshot:
        large = {path: entry.size or 0 for path, entry in tree.items() if _plain(entry) and not self._readable(entry)}
        opaque = frozenset(path for path, entry in tree.items() if not _plain(entry))
        return Snapshot(head={}, paths=frozenset(tree), opaque=opaque | large.keys(), large=large)

    def _readable(self, entry: TreeEntry) -> bool:
        return _plain(entry) and (entry.size or 0) <= self.largest


def _all_wanted(given: tuple[tuple[Snapshot, ...], RecordsConfig]) -> list[frozenset[str]]:
    snapshots, config = given
    return [wanted(snapshot, config) for snapshot in snapshots]


def _plain(entry: TreeEntry) -> bool:
    return entry.mode in ("100644", "100755")


def touched(changed: Sequence[str], after: Tree, config: RecordsConfig) -> bool:
    """Whether a change may bring a finding: it edits a declared file, or what a link or an anchor may lead to."""
    if not config or not changed:
        return False
    if config.anchors or len(changed) > _MANY_PATHS:
        return True
    if config.links and any(path not in after or path.lower().endswith(MARKDOWN) for path in changed):
        return True
    return bool(declared(Snapshot(head={}, paths=frozenset(changed)), config))

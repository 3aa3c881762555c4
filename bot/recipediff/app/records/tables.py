"""The keyed tables of the open pull requests: read once a head, however many reviews look at them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from cachetools import LRUCache

from recipediff.app.records.reader import Reader
from recipediff.checks.records import OpenPull
from recipediff.checks.records.guard import told
from recipediff.checks.records.snapshot import FileContents
from recipediff.core.finding import Finding
from recipediff.core.records import RecordsConfig
from recipediff.ports.errors import Missing
from recipediff.ports.forge import Home, PullRequest
from recipediff.ports.isolation import Isolation, at_once
from recipediff.ports.repository import MAX_BLOB_BYTES, Tree, TreeEntry

MAX_OPEN = 300
"""Open pull requests of one base branch that are compared with each other, the newest first."""
MAX_BYTES = 48 * 1024 * 1024
"""Of all their tables together."""
_GROWTH = 256 * 1024
"""A table that has more than doubled, and by more than this, is not read: its author is not whose review it would slow."""
_AT_ONCE = 8

TableEntries = Mapping[str, TreeEntry]
Told = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Own:
    """The tables of one pull request: those at its head, those at the tip of its base, and what it changes itself."""

    at_head: TableEntries
    at_tip: TableEntries
    changes: frozenset[tuple[str, str]] = frozenset()

    def signature(self, findings: Iterable[Finding]) -> Told:
        """What a report on these tables rests on, as far as others can change it: their keys, and the base's tables."""
        return (*told(tuple(findings)), *sorted(f"{path} {entry.sha}" for path, entry in self._behind()))

    def _behind(self) -> Iterable[tuple[str, TreeEntry]]:
        mine = {
            path for path, entry in self.at_head.items() if path in self.at_tip and entry.sha != self.at_tip[path].sha
        }
        return ((path, self.at_tip[path]) for path in mine)


class TableMemory:
    """What this process has seen of the tables of pull requests. Bounded; forgetting costs requests, never a verdict."""

    def __init__(self) -> None:
        self.heads: LRUCache[tuple[str, str, RecordsConfig], TableEntries] = LRUCache(5_000)
        self.forks: LRUCache[tuple[str, str, str], str] = LRUCache(5_000)
        """By the tip of a base branch and a head: the commit where they part."""
        self.said: LRUCache[tuple[str, int], tuple[str, Told]] = LRUCache(20_000)
        """By pull request: its head, and what its report rests on."""
        self._changes: LRUCache[tuple[str, int], frozenset[tuple[str, str]]] = LRUCache(20_000)

    def keep(self, repo: str, number: int, head: str, own: Own, findings: Iterable[Finding]) -> bool:
        """Note what was said of a pull request; True where it changes other tables than when it was seen last."""
        key = (repo.lower(), number)
        self.said[key] = (head, own.signature(findings) if own.changes else ())
        before = self._changes.get(key, frozenset())
        self._changes[key] = own.changes
        return before != own.changes


@dataclass(frozen=True, slots=True)
class Guard:
    """What the guard of keyed records works with: a memory, and a place for work whose time the outside decides."""

    memory: TableMemory = field(default_factory=TableMemory)
    isolation: Isolation = at_once


@dataclass(frozen=True, slots=True)
class OpenPulls:
    """The open pull requests whose tables differ from the base's, and what could not be looked at."""

    pulls: Mapping[int, OpenPull]
    tables: Mapping[int, TableEntries]
    notes: tuple[str, ...] = ()


async def open_pulls(
    home: Home, listed: Sequence[PullRequest], reader: Reader, tip: Tree, memory: TableMemory
) -> OpenPulls:
    """The tables of the pull requests `listed`, each held against the `tip` of the base branch: one tree for a head that
    was not seen before, one blob for a content that differs."""
    notes = []
    if len(listed) > MAX_OPEN:
        notes.append(f"only the {MAX_OPEN} newest open pull requests were compared with each other")
    pulls = listed[:MAX_OPEN]
    turns = asyncio.Semaphore(_AT_ONCE)

    async def tables(pull: PullRequest) -> TableEntries | None:
        async with turns:
            return await _tables(home, reader, pull.head_sha, memory)

    found = await asyncio.gather(*(tables(pull) for pull in pulls))
    at_tip = reader.table_entries(tip)
    before = await reader.files(tip, at_tip)
    theirs = Reader(
        repository=home.repository,
        config=reader.config,
        known=reader.known,
        most_files=10 * MAX_OPEN,
        most_bytes=2 * MAX_BYTES,
    )
    chosen: dict[int, TableEntries] = {}
    room = MAX_BYTES
    for pull, entries in zip(pulls, found, strict=True):
        if entries is None:
            notes.append(f"pull request #{pull.number} was not compared: its head cannot be read")
            continue
        differing = {
            path: entry for path, entry in entries.items() if path not in at_tip or entry.sha != at_tip[path].sha
        }
        room -= sum(entry.size or 0 for entry in differing.values())
        if differing and (room < 0 or any(_swollen(entry, at_tip.get(path)) for path, entry in differing.items())):
            notes.append(f"pull request #{pull.number} was not compared: its tables are too large")
        elif differing:
            chosen[pull.number] = differing

    async def contents(entries: TableEntries) -> FileContents:
        async with turns:
            return await theirs.files(entries, entries)

    heads = await asyncio.gather(*(contents(entries) for entries in chosen.values()))
    made = {number: OpenPull(before, head) for number, head in zip(chosen, heads, strict=True)}
    known = {pull.number: entries for pull, entries in zip(pulls, found, strict=True) if entries is not None}
    return OpenPulls(made, known, tuple(notes))


async def _tables(home: Home, reader: Reader, head: str, memory: TableMemory) -> TableEntries | None:
    key = (home.name.lower(), head, reader.config)
    known = memory.heads.get(key)
    if known is None:
        try:
            known = reader.table_entries(await home.repository.tree(head))
        except Missing:
            return None
        memory.heads[key] = known
    return known


def _swollen(entry: TreeEntry, before: TreeEntry | None) -> bool:
    size = entry.size or 0
    return size > MAX_BLOB_BYTES or size > 2 * ((before.size if before else 0) or 0) + _GROWTH

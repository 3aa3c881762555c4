"""What a pull request changes, read through trees and blobs: 3,000 changed files cost the same requests as three."""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from recipediff.app.records.guard import Sides, guarded
from recipediff.app.records.tables import Guard, Own
from recipediff.app.review.snapshot import fetch, foreign, sources_of
from recipediff.app.review.surface import surface_snapshots
from recipediff.app.task_groups import together
from recipediff.checks.config import ConfigSnapshot
from recipediff.checks.recipes.check import RecipesSnapshot, pin_of
from recipediff.core.config import CONFIG_PATH, Config
from recipediff.core.upstream import UpstreamFiles
from recipediff.parse.config.repository import read_config
from recipediff.parse.globs import matches
from recipediff.ports.forge import Forge, Home, PullRequest
from recipediff.ports.repository import MAX_BLOB_BYTES, Repository, Tree, TreeEntry

_SUFFIXES = frozenset({".yaml", ".yml", ".json"})
_GUESS = 12
"""So many changed files are read before the configuration has said which of them are recipes; more wait for it."""
MAX_RECIPES = 300
"""Changed recipe files that one review looks at; beyond it the review says that it did not look at all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewReading:
    """What the review judges: for each check its snapshot of the head and of the base, by the check's name."""

    config: Config
    snapshots: Mapping[str, tuple[object, object]] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    own: Own | None = None
    """The keyed tables, where such are guarded."""


class TooMuch(Exception):
    """More changed recipes than one review looks at."""


async def read_changes(
    home: Home, head: str, base: str, forge: Forge, *, pull: PullRequest | None = None, guard: Guard | None = None
) -> ReviewReading:
    """The snapshots of `head` against the point where it left `base`; rules come from the tip of the base alone.

    The keys that `pull` adds to keyed tables are held against those of the other open pull requests."""
    repository = home.repository
    async with together() as group:
        heads, bases = (group.create_task(repository.tree(commit)) for commit in (head, base))
        parting = group.create_task(home.history.merge_base(base, head))
    after, tip, fork_point = heads.result(), bases.result(), parting.result()
    before = tip if fork_point == base else await repository.tree(fork_point)
    changed = sorted(path for path in {*after, *before} if _differs(after.get(path), before.get(path)))
    candidates = [path for path in changed if PurePosixPath(path).suffix in _SUFFIXES]
    early = candidates if len(candidates) <= _GUESS else []
    blobs = await _read(repository, after, before, tip, early)
    config, notes = _config(blobs.config)
    records = None
    if config.records:
        sides = Sides(
            head=after, fork=before, tip=tip, head_sha=head, fork_sha=fork_point, tip_sha=base, changed=changed
        )
        records = await guarded(home, sides, config.records, pull, guard or Guard())
    chosen = [path for path in candidates if matches(path, config.recipes)]
    if len(chosen) > MAX_RECIPES:
        raise TooMuch(f"{len(chosen):,} changed recipes are more than the {MAX_RECIPES} that one review looks at")
    if not early:
        blobs = await _read(repository, after, before, {}, chosen)
    large = {p: after[p].size or 0 for p in chosen if p in after and _ordinary(after[p]) and not _readable(after[p])}
    snapshots = await _recipes(chosen, blobs, config, home, forge, large)
    if config.surface is not None and config.surface.file in changed:
        snapshots["surface"] = await surface_snapshots(home, config, (after, before), forge)
    if CONFIG_PATH in blobs.after:
        snapshots["config"] = (_edited(blobs.after), ConfigSnapshot({}))
    if records is not None and records.pair is not None:
        snapshots["records"] = records.pair
    texts = {path: data.decode("utf-8", "replace") for path, data in blobs.after.items()}
    return ReviewReading(
        config=config, snapshots=snapshots, texts=texts, notes=notes, own=records.own if records else None
    )


def _differs(one: TreeEntry | None, other: TreeEntry | None) -> bool:
    return (one.sha, one.mode) != (other.sha, other.mode) if one and other else True


@dataclass(frozen=True, slots=True)
class _Blobs:
    after: Mapping[str, bytes]
    before: Mapping[str, bytes]
    config: bytes | None = None


async def _read(repository: Repository, after: Tree, before: Tree, tip: Tree, paths: Iterable[str]) -> _Blobs:
    """The changed files on both sides and the base's configuration, all at the same time."""
    sides = [[tree[path] for path in paths if path in tree and _readable(tree[path])] for tree in (after, before)]
    rules = [tip[CONFIG_PATH]] if CONFIG_PATH in tip and _ordinary(tip[CONFIG_PATH]) else []
    async with together() as group:
        new, old, config = (group.create_task(repository.blobs(entries)) for entries in (*sides, rules))
    return _Blobs(new.result(), old.result(), config.result().get(CONFIG_PATH))


def _readable(entry: TreeEntry) -> bool:
    return _ordinary(entry) and (entry.size or 0) <= MAX_BLOB_BYTES


def _ordinary(entry: TreeEntry) -> bool:
    return entry.mode in ("100644", "100755")


def _config(data: bytes | None) -> tuple[Config, tuple[str, ...]]:
    """The base's configuration. One that is broken on the base must not switch the check off: the defaults hold, and it is said."""
    if data is None:
        return Config(), ()
    config, findings = read_config(data, CONFIG_PATH)
    if not findings:
        return config, ()
    note = f"{CONFIG_PATH} on the base branch is not valid ({findings[0].place}: {findings[0].message}); what could be read of it was used"
    return config, (note,)


def _edited(after: Mapping[str, bytes]) -> ConfigSnapshot:
    return ConfigSnapshot({CONFIG_PATH: after[CONFIG_PATH]})


async def _recipes(
    chosen: list[str], blobs: _Blobs, config: Config, home: Home, forge: Forge, large: Mapping[str, int]
) -> dict[str, tuple[object, object]]:
    after = {path: blobs.after[path] for path in chosen if path in blobs.after}
    before = _renamed(after, {path: blobs.before[path] for path in chosen if path in blobs.before})
    if not after and not before and not large:
        return {}
    theirs, ours = sources_of(after), sources_of(before)
    known = {pin_of(source) for source in ours}
    upstream, strangers = await asyncio.gather(
        fetch((*theirs, *ours), config, lambda repo: forge.upstream(repo, home).repository),
        foreign((s for s in theirs if pin_of(s) not in known), config, lambda repo: forge.upstream(repo, home).history),
    )
    upstream |= {pin: why for pin, why in strangers.items() if isinstance(upstream.get(pin), UpstreamFiles)}
    return {
        "recipes": (
            RecipesSnapshot(files=after, upstream=upstream, config=config, too_large=large),
            RecipesSnapshot(files=before, upstream=upstream, config=config),
        )
    }


def _renamed(after: Mapping[str, bytes], before: Mapping[str, bytes]) -> dict[str, bytes]:
    """The base's files under the names that they have on the head: a rename brings no new findings."""
    gone = {path: data for path, data in before.items() if path not in after}
    kept = {path: data for path, data in before.items() if path in after}
    for path, data in after.items():
        if path in before or not gone:
            continue
        twin = max(gone, key=lambda old: _likeness(data, gone[old]))
        if _likeness(data, gone[twin]) >= 0.5:
            kept[path] = gone.pop(twin)
    return {**gone, **kept}


def _likeness(one: bytes, other: bytes) -> float:
    """How much two small files share, from 0 to 1, by whole lines."""
    if one == other:
        return 1.0
    return difflib.SequenceMatcher(
        None, one.split(b"\n")[:2000], other.split(b"\n")[:2000], autojunk=False
    ).quick_ratio()

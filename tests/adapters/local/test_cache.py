from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from recipediff.adapters.local import DiskCache, Folder
from recipediff.core.git import blob_id
from recipediff.ports.errors import Missing, Unavailable
from recipediff.ports.repository import Repository, TreeEntry

COMMIT = "a" * 40


class Counted:
    """One file at one commit; counts what it is asked."""

    def __init__(self, name: str = "org/upstream") -> None:
        self.name = name
        self.asked: list[str] = []
        self.down = False

    async def tree(self, commit: str) -> Mapping[str, TreeEntry]:
        self.asked.append("tree")
        if self.down:
            raise Unavailable("network", "no network")
        if commit != COMMIT:
            raise Missing(commit)
        return {
            "one.yaml": TreeEntry("one.yaml", blob_id(b"one"), "100644", 3),
            "ln": TreeEntry("ln", blob_id(b"one.yaml"), "120000", 8),
        }

    async def blobs(self, entries: Iterable[TreeEntry]) -> Mapping[str, bytes]:
        self.asked.append("blobs")
        if self.down:
            raise Unavailable("network", "no network")
        found = {}
        for entry in entries:
            if entry.mode == "120000":
                raise Missing("a link")
            found[entry.path] = b"one"
        return found


async def fetch(repository: Repository) -> Mapping[str, bytes]:
    tree = await repository.tree(COMMIT)
    return await repository.blobs([tree["one.yaml"]])


async def test_what_was_fetched_once_is_served_without_the_repository(tmp_path: Path) -> None:
    origin = Counted()
    assert await fetch(DiskCache(origin, tmp_path)) == {"one.yaml": b"one"}
    origin.down = True
    later = DiskCache(origin, tmp_path)
    assert await fetch(later) == {"one.yaml": b"one"}
    assert dict(await later.tree(COMMIT)) == dict(await DiskCache(Counted(), tmp_path / "other").tree(COMMIT))
    assert origin.asked == ["tree", "blobs"]


async def test_another_repository_does_not_get_it(tmp_path: Path) -> None:
    await fetch(DiskCache(Counted(), tmp_path))
    other = Counted("org/private")
    await fetch(DiskCache(other, tmp_path))
    assert other.asked == ["tree", "blobs"]


@pytest.mark.parametrize("damage", [b"", b"garbage", b"0" * 64 + b"\n[]"])
async def test_a_damaged_entry_is_fetched_again(tmp_path: Path, damage: bytes) -> None:
    origin = Counted()
    await fetch(DiskCache(origin, tmp_path))
    for file in tmp_path.rglob("*"):
        if file.is_file():
            file.write_bytes(damage)
    assert await fetch(DiskCache(origin, tmp_path)) == {"one.yaml": b"one"}
    assert origin.asked == ["tree", "blobs", "tree", "blobs"]
    await fetch(DiskCache(origin, tmp_path))
    assert len(origin.asked) == 4


async def test_failures_are_not_kept(tmp_path: Path) -> None:
    origin = Counted()
    origin.down = True
    cache = DiskCache(origin, tmp_path)
    with pytest.raises(Unavailable):
        await fetch(cache)
    origin.down = False
    assert await fetch(cache) == {"one.yaml": b"one"}
    with pytest.raises(Missing):
        await cache.tree("b" * 40)


async def test_a_link_is_refused_also_where_its_text_is_known(tmp_path: Path) -> None:
    origin = Counted()
    cache = DiskCache(origin, tmp_path)
    await fetch(cache)
    with pytest.raises(Missing):
        await cache.blobs([TreeEntry("ln", blob_id(b"one"), "120000")])


async def test_a_cache_that_cannot_be_written_costs_nothing_but_speed(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    origin = Counted()
    assert await fetch(DiskCache(origin, blocked)) == {"one.yaml": b"one"}
    assert await fetch(DiskCache(origin, blocked)) == {"one.yaml": b"one"}
    assert origin.asked == ["tree", "blobs", "tree", "blobs"]


async def test_a_folder_is_never_cached(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    file = tmp_path / "src" / "one.yaml"
    file.write_text("one")
    cache = DiskCache(Folder(tmp_path / "src"), tmp_path / "cache")
    assert cache.pinned is False
    assert await fetch(cache) == {"one.yaml": b"one"}
    file.write_text("two")
    assert await fetch(cache) == {"one.yaml": b"two"}
    assert not (tmp_path / "cache").exists()


async def test_nothing_half_written_is_left(tmp_path: Path) -> None:
    await fetch(DiskCache(Counted(), tmp_path))
    files = sorted(file.name for file in tmp_path.rglob("*") if file.is_file())
    assert files == sorted([COMMIT, blob_id(b"one")[2:]])

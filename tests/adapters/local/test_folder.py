from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recipediff.adapters.local import Folder
from recipediff.ports.errors import Missing, Unavailable
from recipediff.ports.repository import Repository, TreeEntry


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "recipes"
    (root / "a").mkdir(parents=True)
    (root / "a" / "one.yaml").write_text("one")
    (root / "b.yaml").write_text("b")
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("secret")
    (tmp_path / "outside.yaml").write_text("outside")
    return root


async def test_it_serves_what_is_there_now_for_any_commit(folder: Path) -> None:
    plain = Folder(folder)
    repository: Repository = plain
    assert plain.pinned is False
    tree = await repository.tree("1" * 40)
    assert list(tree) == ["a/one.yaml", "b.yaml"]
    assert await repository.blobs(tree.values()) == {"a/one.yaml": b"one", "b.yaml": b"b"}
    (folder / "b.yaml").write_text("changed")
    again = await repository.tree("2" * 40)
    assert again["b.yaml"].sha != tree["b.yaml"].sha
    assert again["a/one.yaml"].sha == tree["a/one.yaml"].sha


async def test_links_are_listed_and_never_followed(folder: Path, tmp_path: Path) -> None:
    (folder / "link.yaml").symlink_to(tmp_path / "outside.yaml")
    (folder / "linked").symlink_to(tmp_path)
    (folder / "loop").symlink_to(folder)
    plain = Folder(folder)
    tree = await plain.tree()
    assert {path for path, entry in tree.items() if entry.mode == "120000"} == {"link.yaml", "linked", "loop"}
    assert len(tree) == 5
    with pytest.raises(Missing, match="symbolic link"):
        await plain.blobs([tree["link.yaml"]])
    for path in ("link.yaml", "linked/outside.yaml", "loop/b.yaml"):
        with pytest.raises(Missing, match="symbolic link"):
            await plain.blobs([TreeEntry(path, "x")])


@pytest.mark.parametrize(
    "path",
    ["../outside.yaml", "a/../../outside.yaml", "/etc/passwd", "", ".", "a//one.yaml", "a\\one.yaml", "b.yaml\0"],
)
async def test_a_path_that_leaves_the_folder_is_missing(folder: Path, path: str) -> None:
    with pytest.raises(Missing, match="not a path inside"):
        await Folder(folder).blobs([TreeEntry(path, "x")])


@given(st.lists(st.sampled_from(["..", ".", "a", "one.yaml", "", "outside.yaml", "recipes", "b.yaml"]), max_size=6))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_no_path_reaches_outside(folder: Path, parts: list[str]) -> None:
    try:
        got = await Folder(folder).blobs([TreeEntry("/".join(parts), "x")])
    except (Missing, Unavailable):
        return
    assert set(got.values()) <= {b"one", b"b"}


async def test_what_is_no_file_is_refused_without_waiting(folder: Path) -> None:
    os.mkfifo(folder / "pipe.yaml")
    plain = Folder(folder)
    assert "pipe.yaml" not in await plain.tree()
    with pytest.raises(Missing, match="not a file"):
        await plain.blobs([TreeEntry("pipe.yaml", "x")])
    with pytest.raises((Missing, Unavailable)):
        await plain.blobs([TreeEntry("a", "x")])
    with pytest.raises(Missing, match="not there"):
        await plain.blobs([TreeEntry("gone.yaml", "x")])


async def test_bounds(folder: Path) -> None:
    with pytest.raises(Unavailable, match="more than 1 files") as caught:
        await Folder(folder, max_files=1).tree()
    assert caught.value.reason == "too-large"
    small = Folder(folder, max_blob=2)
    tree = await small.tree()
    with pytest.raises(Unavailable, match="the limit is 2"):
        await small.blobs([tree["a/one.yaml"]])
    with pytest.raises(Unavailable, match="more than 2"):
        await small.blobs([TreeEntry("a/one.yaml", "x")])
    assert await small.blobs([tree["b.yaml"]]) == {"b.yaml": b"b"}


async def test_no_folder_is_missing(tmp_path: Path) -> None:
    with pytest.raises(Missing, match="no such folder"):
        await Folder(tmp_path / "nowhere").tree()

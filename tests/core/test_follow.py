"""Where a file went: kept, renamed by content or letter case, split, gone."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from recipediff.core.follow import Followed, candidates, follow
from recipediff.core.git import blob_id
from tests.shared import SHARED, needs_shared

TEXT = b"".join(b"line %d\n" % n for n in range(20))
NEAR = TEXT.replace(b"line 3\n", b"line three\n").replace(b"line 7\n", b"")
FAR = b"".join(b"other %d\n" % n for n in range(20))


def is_recipe(path: str) -> bool:
    return path.startswith(("models/", "recipes/")) and path.endswith(".yaml")


def where(before: Mapping[str, bytes], after: Mapping[str, bytes], path: str = "models/org/m.yaml") -> Followed:
    a, b = ({name: blob_id(data) for name, data in tree.items()} for tree in (before, after))
    read = {name: after[name] for name in candidates(path, a, b, is_recipe)}
    return follow(path, before[path], a, b, read)


BEFORE = {"models/org/m.yaml": TEXT, "models/org/other.yaml": FAR}


@pytest.mark.parametrize(
    ("after", "how", "path"),
    [
        ({"models/org/m.yaml": NEAR}, "kept", "models/org/m.yaml"),
        ({"models/org/moved.yaml": TEXT}, "same content", "models/org/moved.yaml"),
        ({"models/org/M.yaml": NEAR}, "letter case", "models/org/M.yaml"),
        ({"models/Org/m.yaml": NEAR}, "letter case", "models/Org/m.yaml"),
        ({"models/new/n.yaml": NEAR}, "similar", "models/new/n.yaml"),
        ({"models/org/n.yaml": FAR.replace(b"other", b"another")}, "gone", ""),
        ({"models/org/M.yaml": FAR.replace(b"other", b"another")}, "gone", ""),
        ({"docs/m.yaml": NEAR}, "gone", ""),
        ({}, "gone", ""),
    ],
)
def test_a_file_is_followed(after: dict[str, bytes], how: str, path: str) -> None:
    found = where(BEFORE, {"models/org/other.yaml": FAR, **after})
    assert (found.how, found.path) == (how, path)


def test_a_file_that_was_there_before_is_nobodys_successor() -> None:
    before = {**BEFORE, "models/org/copy.yaml": TEXT}
    assert where(before, {"models/org/other.yaml": FAR, "models/org/copy.yaml": TEXT}).how == "gone"


def test_a_split_names_both_halves() -> None:
    after = {**BEFORE, "models/org/m.yaml": NEAR, "models/org/m-no-thinking.yaml": TEXT + b"one more\n"}
    found = where(BEFORE, after)
    assert (found.how, found.others) == ("kept", ("models/org/m-no-thinking.yaml",))


@needs_shared
def test_the_renames_of_a_real_history_are_followed() -> None:
    folder = SHARED / "corpus" / "eugr-spark-vllm-docker"
    tree: dict[str, str] = {}
    renames = 0
    for line in (folder / "history.jsonl").read_text("utf-8").splitlines():
        before = dict(tree)
        changes = json.loads(line)["changes"]
        for change in changes:
            if change["status"] == "R":
                tree.pop(change["old_path"])
            tree[change["path"]] = change["new_blob"]
        for change in (c for c in changes if c["status"] == "R"):
            data = {sha: (folder / "blobs" / f"{sha}.yaml").read_bytes() for sha in {*before.values(), *tree.values()}}
            old = change["old_path"]
            read = {name: data[tree[name]] for name in candidates(old, before, tree, is_recipe)}
            assert follow(old, data[before[old]], before, tree, read).path == change["path"]
            renames += 1
    assert renames == 2

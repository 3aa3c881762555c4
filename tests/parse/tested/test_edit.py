"""The edit of a pin: only the bytes of the scalar differ, whatever the file looks like."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from recipediff.parse.documents.document import plain, read
from recipediff.parse.tested.edit import CannotEdit, Repin, repin
from recipediff.parse.tested.read import read_recipes
from tests.parse.tested.examples import COMMIT, GOOD, full
from tests.shared import ROOT

SHIPPED = sorted((ROOT / "recipes").glob("*.yaml"))
HEX = st.text("0123456789abcdef", min_size=40, max_size=40)
PATHS = st.from_regex(r"recipes/[A-Za-z0-9_.+ #:'\"{}&*-]{1,30}\.yaml", fullmatch=True)


def only_these_bytes(before: bytes, after: bytes, old: str, new: str) -> None:
    """The text is the old one with one scalar exchanged, its quotes aside."""
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    gone, come = before[start : len(before) - end].decode(), after[start : len(after) - end].decode()
    assert re.fullmatch(r"[0-9a-f\"']*", gone)
    assert re.fullmatch(r"[0-9a-f\"']*", come)
    assert gone.strip("\"'") in old
    assert come.strip("\"'") in new


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
@given(commit=HEX.filter(lambda text: not text.isdigit()))
@settings(max_examples=25, deadline=None)
def test_a_shipped_recipe_keeps_every_other_byte(path: Path, commit: str) -> None:
    data = path.read_bytes()
    (recipe,) = read_recipes(data, path.name).recipes
    assert recipe.source is not None
    after = repin(data, path.name, Repin(recipe.id, commit))
    only_these_bytes(data, after, recipe.source.commit, commit)
    if not re.fullmatch("[0-9e]+", commit):  # that would be a number, so it gets quotes
        assert repin(after, path.name, Repin(recipe.id, recipe.source.commit)) == data


@given(
    commit=HEX,
    which=st.integers(0, 10),
    indent=st.sampled_from([None, 1, 2, "\t"]),
    separators=st.sampled_from([(",", ":"), (", ", ": ")]),
    escaped=st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_the_shipped_recipes_as_a_json_list_keep_every_other_byte(
    commit: str, which: int, indent: int | str | None, separators: tuple[str, str], escaped: bool
) -> None:
    recipes: list[Any] = [{"id": path.stem, **plain(read(path.read_bytes(), path.name).root)} for path in SHIPPED]  # type: ignore[dict-item]
    text = json.dumps(recipes, indent=indent, separators=separators, ensure_ascii=escaped)
    chosen = recipes[which % len(recipes)]
    after = repin(text.encode(), "recipes/tested.json", Repin(chosen["id"], commit))
    only_these_bytes(text.encode(), after, chosen["source"]["commit"], commit)
    chosen["source"]["commit"] = commit
    assert json.loads(after) == recipes


@st.composite
def layouts(draw: st.DrawFn) -> tuple[str, str]:
    """A recipe in YAML in some odd layout, and the old commit."""
    old = draw(HEX)
    quote = draw(st.sampled_from(["", "'", '"']))
    if not quote and re.fullmatch(r"[0-9e]+", old):
        quote = "'"
    gap = draw(st.sampled_from([" ", "  ", "\t ", "   "])).replace("\t", " ")
    comment = draw(st.sampled_from(["", "  # the pin, see docs", " # commit: " + "0" * 40, " #'\"", "   "]))
    anchor = draw(st.sampled_from(["", "&pin ", "!!str "]))
    commit = f"commit:{gap}{anchor}{quote}{old}{quote}"
    rest = ["repo: owner/upstream", "path: 'recipes/some-model.yaml' # é", "license: MIT"]
    order = draw(st.permutations([commit + comment, *rest]))
    if draw(st.booleans()):
        flow = ", ".join(part.partition(" #")[0].rstrip() for part in draw(st.permutations([commit, *rest])))
        source = ["source: {" + flow + "}" + comment]
    else:
        indent = draw(st.sampled_from(["  ", "    ", " "]))
        source = ["source:" + draw(st.sampled_from(["", "   # where it is from"])), *(indent + line for line in order)]
    head = draw(st.sampled_from(["", "# schema\n\n", "---\n", "# ünïcode — ✓ 😀\n"]))
    lines = [
        head + "model: org/é",
        f"notes: 'at {old} it was fine'",
        *source,
        "image: v/s@sha256:" + "ab" * 32,
        "args: []",
    ]
    text = "\n".join(lines) + draw(st.sampled_from(["", "\n", "\n\n# the end", "\n..."]))
    text = text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))
    return draw(st.sampled_from(["", "\ufeff"])) + text, old


@given(layouts(), HEX)
@example(("source: {commit: '" + "0" * 40 + "'}", "0" * 40), "1" * 40)
@example(("source:\n  commit: " + "1" * 40, "1" * 40), "2" * 40)
@settings(max_examples=400, deadline=None)
def test_odd_yaml_keeps_every_other_byte(layout: tuple[str, str], new: str) -> None:
    text, old = layout
    data = text.encode()
    after = repin(data, "recipes/x.yaml", Repin("x", new))
    only_these_bytes(data, after, old, new)
    before_values: Any = plain(read(data, "x.yaml").root)
    values: Any = plain(read(after, "x.yaml").root)
    assert str(values["source"].pop("commit")) == new
    before_values["source"].pop("commit")
    assert values == before_values


@given(
    entries=st.lists(HEX, min_size=1, max_size=5),
    which=st.integers(0, 4),
    new=HEX,
    indent=st.sampled_from([None, 0, 1, 2, 4, "\t"]),
    separators=st.sampled_from([(",", ":"), (", ", ": "), (" , ", " : ")]),
    tail=st.sampled_from(["", "\n", "\r\n", "\n\n  "]),
    crlf=st.booleans(),
    note=st.text(max_size=20),
)
@settings(max_examples=200, deadline=None)
def test_json_keeps_every_other_byte(
    entries: list[str],
    which: int,
    new: str,
    indent: int | str | None,
    separators: tuple[str, str],
    tail: str,
    crlf: bool,
    note: str,
) -> None:
    recipes = [full() for _ in entries]
    for index, (recipe, commit) in enumerate(zip(recipes, entries, strict=True)):
        recipe["id"], recipe["source"]["commit"], recipe["notes"] = f"recipe-{index}", commit, note
    which %= len(entries)
    text = json.dumps(recipes, indent=indent, separators=separators, ensure_ascii=bool(which % 2)) + tail
    try:
        data = (text.replace("\n", "\r\n") if crlf else text).encode()
    except UnicodeEncodeError:
        return
    if read_recipes(data, "recipes/tested.json").recipes == ():
        return  # half a character, which no recipe file may hold
    after = repin(data, "recipes/tested.json", Repin(f"recipe-{which}", new))
    only_these_bytes(data, after, entries[which], new)
    recipes[which]["source"]["commit"] = new
    assert json.loads(after) == recipes


@given(
    PATHS, HEX, st.sampled_from(["recipes/some-model.yaml", "'recipes/some-model.yaml'", '"recipes/some-model.yaml"'])
)
@settings(max_examples=200, deadline=None)
def test_a_rename_moves_the_path_with_the_commit(path: str, commit: str, written: str) -> None:
    data = GOOD.replace("path: recipes/some-model.yaml", f"path: {written}  # upstream").encode()
    after = repin(data, "recipes/some-model-2spark.yaml", Repin("some-model-2spark", commit, path))
    values: Any = plain(read(after, "x.yaml").root)
    assert (values["source"]["path"], str(values["source"]["commit"])) == (path, commit)
    changed = [n for n, (a, b) in enumerate(zip(data.split(b"\n"), after.split(b"\n"), strict=True)) if a != b]
    assert len(changed) == len({path, "recipes/some-model.yaml"}) - 1 + (commit != COMMIT)
    assert b"# upstream" in after


def test_two_entries_of_a_list_move_in_one_edit() -> None:
    one, two = full(), full()
    one["id"], two["id"] = "a", "b"
    data = json.dumps([one, two]).encode()
    after = json.loads(repin(data, "tested.json", Repin("a", "1" * 40), Repin("b", "2" * 40, "other.yaml")))
    assert [entry["source"]["commit"] for entry in after] == ["1" * 40, "2" * 40]
    assert [entry["source"]["path"] for entry in after] == ["recipes/some-model.yaml", "other.yaml"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x: &c abc\nsource:\n  commit: *c\n", "alias"),
        ("source:\n  commit: &c abc\nnotes: *c\n", "more than the pin"),
        ("source:\n  commit: |\n    abc\n", "block"),
        ("source:\n  path: a\n", "not text"),
        ("source: abc\n", "no source"),
        ("source:\n  commit: a\n  commit: b\n", "given twice"),
        ("source: {commit: a}\nsource: {commit: b}\n", "given twice"),
        ("base: &b\n  commit: abc\nsource:\n  <<: *b\n  path: x\n", ""),
        ("source: [", "not YAML"),
        ("", "no recipe"),
        ("source:\n  commit: [a]\n", "not text"),
    ],
)
def test_what_cannot_be_edited_is_refused_with_its_place(text: str, says: str) -> None:
    with pytest.raises(CannotEdit) as error:
        repin(text.encode(), "recipes/x.yaml", Repin("x", "a" * 40))
    assert says in error.value.problem.message
    assert error.value.problem.place.file == "recipes/x.yaml"


def test_two_entries_of_one_id_are_refused() -> None:
    with pytest.raises(CannotEdit, match="two entries"):
        repin(json.dumps([full(), full()]).encode(), "tested.json", Repin("some-model-2spark", "a" * 40))


@pytest.mark.parametrize("commit", ["main", "abc123", "", "A" * 40, "a" * 39])
def test_only_a_full_commit_becomes_a_pin(commit: str) -> None:
    with pytest.raises(CannotEdit, match="full commit"):
        repin(GOOD.encode(), "x.yaml", Repin("x", commit))

"""The published schemas: in step with the table of fields, valid, and of one mind with the reader."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from recipediff.checks.recipes.rules import pins
from recipediff.core.finding import Finding
from recipediff.core.launch import Launch
from recipediff.parse.documents.document import plain, read
from recipediff.parse.schema.fields import ENTRY, FINGERPRINT_TEXT, RECIPE
from recipediff.parse.schema.publish import schemas
from recipediff.parse.schema.shapes import Field, ListOf, MapOf, Number, Record, Shape, Switch, Text
from recipediff.parse.tested.read import read_recipes
from tests.parse.tested.examples import full, read_one
from tests.shared import ROOT

RECIPE_SCHEMA = Draft202012Validator(json.loads(schemas()["recipe.schema.json"]))
LIST_SCHEMA = Draft202012Validator(json.loads(schemas()["tested.schema.json"]))
NOTHING = Launch(role="serve", settings=(), model=None, image=None, version="")


@pytest.mark.parametrize("name", list(schemas()))
def test_the_published_file_is_in_step_with_the_table(name: str) -> None:
    published = (ROOT / "schemas" / name).read_text("utf-8")
    assert published == schemas()[name], "run `python tools/build_schema.py`"


@pytest.mark.parametrize("text", schemas().values(), ids=list(schemas()))
def test_it_is_a_valid_schema(text: str) -> None:
    Draft202012Validator.check_schema(json.loads(text))


@pytest.mark.parametrize("path", sorted((ROOT / "recipes").glob("*.yaml")), ids=lambda path: path.stem)
def test_the_shipped_recipes_point_editors_at_it_and_fit_it(path: Path) -> None:
    first = path.read_text("utf-8").split("\n")[0]
    target = first.removeprefix("# yaml-language-server: $schema=")
    assert (path.parent / target).resolve() == ROOT / "schemas" / "recipe.schema.json"
    root = plain(read(path.read_bytes(), path.name).root)
    assert [error.message for error in RECIPE_SCHEMA.iter_errors(root)] == []


def _fields(record: Record, path: str = "") -> Iterator[tuple[str, Field]]:
    for field in record.fields:
        yield f"{path}{field.name}", field
        inner = field.shape.item if isinstance(field.shape, ListOf) else field.shape
        if isinstance(inner, Record):
            yield from _fields(inner, f"{path}{field.name}.")


@pytest.mark.parametrize(("path", "field"), list(_fields(RECIPE)), ids=[path for path, _ in _fields(RECIPE)])
def test_every_field_tells_an_editor_what_it_is(path: str, field: Field) -> None:
    assert len(field.doc) > 15
    assert field.doc.endswith(".")
    for example in field.examples:
        if isinstance(field.shape, Text):
            assert field.shape.fits(str(example)), path


def refusals(recipe: Any) -> list[Finding]:
    """What the reader finds, and the rules to which it leaves a missing or misshapen text."""
    found = read_one(recipe)
    rest: list[Finding] = []
    for one in found.recipes:
        rest += [*pins.source(one, NOTHING), *pins.image(one, NOTHING)]
        if one.verified is not None and not FINGERPRINT_TEXT.fits(one.verified.fingerprint):
            rest.append(
                Finding(
                    rule="stale-measurement", severity="error", recipe=one.id, message="fingerprint", place=one.place
                )
            )
        for deviation in one.source.deviations if one.source else ():
            if not deviation.why.strip():
                rest.append(
                    Finding(rule="misdeclared", severity="error", recipe=one.id, message="why", place=deviation.place)
                )
    return [*found.findings, *rest]


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _paths(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _paths(item, (*path, index))


def _changed(path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    recipe = full()
    level: Any = recipe
    for key in path[:-1]:
        level = level[key]
    if value is ...:
        del level[path[-1]]
    else:
        level[path[-1]] = value
    return recipe


_VALUES: tuple[Any, ...] = (
    ...,
    None,
    True,
    7,
    1.5,
    2.0,
    -1,
    0,
    "",
    "some text",
    "a/b",
    "--x y",
    [],
    {},
    ["x"],
    [1],
    {"x": "y"},
    {"x": 1},
    [[]],
)
_ALL_PATHS = tuple(_paths(full()))


def _shown(value: Any) -> str:
    return "taken out" if value is ... else json.dumps(value)


@pytest.mark.parametrize("path", _ALL_PATHS, ids=lambda path: ".".join(map(str, path)))
def test_reader_and_schema_judge_every_single_change_alike(path: tuple[Any, ...]) -> None:
    if path == ("id",):
        return  # the schema does not see the file's name; see the test of ids
    for value in _VALUES:
        recipe = _changed(path, value)
        refused, valid = refusals(recipe), RECIPE_SCHEMA.is_valid(recipe)
        assert (not refused) == valid, f"{path} {_shown(value)}: {[f.message for f in refused]}, schema valid: {valid}"


def test_the_example_is_clean_to_both_so_that_the_changes_above_mean_something() -> None:
    assert refusals(full()) == []
    assert RECIPE_SCHEMA.is_valid(full())
    assert LIST_SCHEMA.is_valid([full()])


def test_both_ask_for_the_id_in_a_list_alone() -> None:
    recipe = full()
    del recipe["id"]
    assert RECIPE_SCHEMA.is_valid(recipe)
    assert read_one(recipe).findings == ()
    assert not LIST_SCHEMA.is_valid([recipe])
    assert read_recipes(json.dumps([recipe]).encode(), "tested.json").findings != ()


_TEXTS: dict[str, st.SearchStrategy[str]] = {
    "repo": st.from_regex(r"\A[a-z][a-z0-9-]{0,10}/[a-z._-]{3,10}\Z"),
    "commit": st.text("0123456789abcdef", min_size=40, max_size=40),
    "path": st.from_regex(r"\A([a-z]{1,5}/){0,3}[a-z]{1,8}\.yaml\Z"),
    "image": st.text("0123456789abcdef", min_size=64, max_size=64).map(lambda digest: f"a/b:1@sha256:{digest}"),
    "fingerprint": st.text("0123456789abcdef", min_size=64, max_size=64).map("sha256:".__add__),
    "vllm": st.sampled_from(["0.32.0", "0.33", "0.24.0rc1", "0.32.0+cu130"]),
    "when": st.dates().map(lambda day: day.isoformat()),
    "mods": st.from_regex(r"\Amods/[a-z-]{1,10}\Z"),
    "model": st.from_regex(r"\A[a-z]{1,5}/[A-Za-z0-9._-]{1,10}\Z"),
    "id": st.just("some-model-2spark"),
}
_WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=["C", "Z"], include_characters=" "), min_size=1, max_size=20
)


def values(shape: Shape, name: str) -> st.SearchStrategy[Any]:
    """Values that a person could mean for a field."""
    if isinstance(shape, Text):
        if shape.values:
            return st.sampled_from(shape.values)
        return _TEXTS.get(name, _WORDS).filter(shape.fits)
    if isinstance(shape, Number):
        whole = st.integers(shape.least + int(shape.above), 10**9)
        return whole if shape.whole else whole | st.floats(0.01, 1e6)
    if isinstance(shape, ListOf):
        return st.lists(values(shape.item, name), max_size=4)
    if isinstance(shape, MapOf):
        return st.dictionaries(st.from_regex(r"\A[A-Z][A-Z0-9_]{0,8}\Z"), values(shape.value, name), max_size=4)
    if isinstance(shape, Switch):
        return st.booleans()
    needed = {field.name: values(field.shape, field.name) for field in shape.fields if field.required}
    optional = {field.name: values(field.shape, field.name) for field in shape.fields if not field.required}
    return st.fixed_dictionaries(needed, optional=optional)


@settings(max_examples=300, deadline=None)
@given(values(ENTRY, ""))
def test_what_the_reader_finds_clean_fits_the_schema_and_the_other_way_round(recipe: dict[str, Any]) -> None:
    assert refusals(recipe) == []
    assert RECIPE_SCHEMA.is_valid(recipe)
    read = read_recipes(json.dumps([recipe]).encode(), "tested.json")
    assert read.findings == ()
    assert LIST_SCHEMA.is_valid([recipe])


@settings(max_examples=300, deadline=None)
@given(values(ENTRY, ""), st.data())
def test_a_change_of_shape_anywhere_is_refused_by_both(recipe: dict[str, Any], data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(list(_paths(recipe))))
    level: Any = recipe
    for key in path[:-1]:
        level = level[key]
    shapes: dict[type, list[Any]] = {dict: ["x", 7, []], list: ["x", 7, {}], str: [7, True, None, {}, []]}
    unfit = shapes.get(type(level[path[-1]]), ["x", True, [], {}])
    level[path[-1]] = data.draw(st.sampled_from(unfit))
    if "topology" in path and isinstance(level[path[-1]], list):
        level[path[-1]] = {}
    assert refusals(recipe) != []
    assert not RECIPE_SCHEMA.is_valid(recipe)

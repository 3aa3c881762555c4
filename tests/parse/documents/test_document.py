"""YAML and JSON become nodes with places, within bounds, and nothing is made of them."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recipediff.core.place import Unreadable
from recipediff.parse.documents.document import MappingNode, ScalarNode, plain, read
from recipediff.parse.documents.json_text import MAX_VALUES
from recipediff.parse.documents.yaml_text import resolve

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join(['*' + chr(97 + n)] * 9)}]\n" for n in range(9)
)


@pytest.mark.parametrize(
    ("data", "file", "line", "words"),
    [
        (b"[" * 100_000, "x.yaml", 1, "nested deeper"),
        (b"[" * 100_000, "x.json", 1, "nested deeper"),
        (b"- " * 100_000, "x.yaml", 1, "nested deeper"),
        (BOMB.encode(), "x.yaml", 5, "aliases are expanded"),
        (b"a: &a [*a]", "x.yaml", 1, "no anchor"),
        (b"a: !!python/object:os.system x", "x.yaml", 1, "not allowed"),
        (b"a: !!python/tuple [1]", "x.yaml", 1, "not allowed"),
        (b"a: !mine x", "x.yaml", 1, "not allowed"),
        (b"a: b: c", "x.yaml", 1, "not YAML"),
        (b"a:\n\t- b", "x.yaml", 2, "no tabs"),
        (b"a: 'x", "x.yaml", 1, "not YAML"),
        (b"a: 1\n---\nb: 2", "x.yaml", 2, "second YAML document"),
        (b"? [a, b]\n: c", "x.yaml", 1, "used as a key"),
        (b"a: \x00", "x.yaml", 1, "control character U+0000"),
        (b"ok\nb\xff", "x.yaml", 2, "not UTF-8"),
        (b'{"a": 1,}', "x.json", 1, "double quotes"),
        (b'{"a": 1} 2', "x.json", 1, "follows the end"),
        (b'{"a": "\\ud800"}', "x.json", 1, "surrogate"),
        (b'{"a": NaN}', "x.json", 1, "value was expected"),
        (b'{"a": 01}', "x.json", 1, "comma"),
        (b"[" + b"1," * MAX_VALUES + b"1]", "x.json", 1, "more than"),
    ],
)
def test_what_cannot_be_read_says_where_and_what_to_do(data: bytes, file: str, line: int, words: str) -> None:
    started = time.process_time()
    with pytest.raises(Unreadable) as caught:
        read(data, file)
    problem = caught.value.problem
    assert problem.place.line == line
    assert words in str(problem)
    assert time.process_time() - started < 2


def test_every_scalar_knows_its_place_and_its_text() -> None:
    document = read(b"a: 0.70\nb:\n  - 'x'\n  - |\n    y\n", "f.yaml")
    assert isinstance(document.root, MappingNode)
    node = document.root.get("a")
    assert isinstance(node, ScalarNode)
    assert (node.value, node.text, str(node.place), node.place.end_column) == (0.7, "0.70", "f.yaml:1:4", 8)
    assert plain(document.root) == {"a": 0.7, "b": ["x", "y\n"]}


def test_a_repeated_key_is_kept_with_both_places() -> None:
    for data, file in ((b"a: 1\nb: 2\na: 3\n", "f.yaml"), (b'{"a": 1,\n"b": 2,\n"a": 3}', "f.json")):
        root = read(data, file).root
        assert isinstance(root, MappingNode)
        ((key, earlier),) = root.repeated
        assert (key.place.line, earlier.line, plain(root)) == (3, 1, {"a": 3, "b": 2})


def test_merge_keys_give_way_to_those_that_stand_there() -> None:
    root = read(b"x: &x {a: 1, b: 2}\ny: {<<: *x, b: 3}\n", "f.yaml").root
    assert plain(root) == {"x": {"a": 1, "b": 2}, "y": {"a": 1, "b": 3}}


@pytest.mark.parametrize(
    ("text", "core", "old"),
    [
        ("yes", "yes", True),
        ("off", "off", False),
        ("1e-5", 1e-05, "1e-5"),
        ("1.0e-5", 1e-05, 1e-05),
        ("010", 10, 8),
        ("1_000", "1_000", 1000),
        ("0x10", 16, 16),
        ("0.70", 0.7, 0.7),
        ("~", None, None),
        ("1:30", "1:30", 90),
        ("12.", 12.0, 12.0),
        (".5", 0.5, 0.5),
        ("-", "-", "-"),
    ],
)
def test_plain_words_by_both_versions_of_yaml(text: str, core: object, old: object) -> None:
    assert resolve(text) == core
    assert resolve(text, yaml11=True) == old


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=("Cs", "Cc"))),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=("Cs", "Cc"))), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(values)
def test_json_reads_as_the_standard_library_reads_it(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=1)
    assert plain(read(text.encode(), "f.json").root) == value


@given(st.binary(max_size=200), st.sampled_from(["f.yaml", "f.json"]))
def test_no_bytes_raise_anything_but_unreadable(data: bytes, file: str) -> None:
    try:
        read(data, file)
    except Unreadable as error:
        assert error.problem.place.file == file  # noqa: PT017  (most bytes read well)

"""What counts as a difference, and under which name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recipediff.core.compare import Difference, changed_keys, compare, same
from recipediff.core.setting import Json
from tests.core.making import env, flag, launch, mod


def rows(differences: tuple[Difference, ...]) -> list[tuple[str, str, str | None, str | None, str]]:
    return [(d.kind, d.setting, d.left, d.right, d.direction) for d in differences]


def test_equal_meaning_in_other_words_is_no_difference() -> None:
    left = launch(flag("max_model_len", "256K", 262144), env("A", "1"), mod("mods/x"))
    right = launch(env("A", "1"), mod("mods/x"), flag("max_model_len", "262144", 262144))
    assert compare(left, right) == ()


def test_each_direction_is_said_of_the_right_side() -> None:
    left = launch(flag("max_num_seqs", "8", 8), flag("seed", "1", 1), env("A", "1"), mod("mods/x"))
    right = launch(flag("max_num_seqs", "32", 32), flag("port", "1", 1), env("A", "2"))
    assert rows(compare(left, right)) == [
        ("flag", "max_num_seqs", "8", "32", "changed"),
        ("flag", "seed", "1", None, "dropped"),
        ("flag", "port", None, "1", "added"),
        ("env", "A", "1", "2", "changed"),
        ("mod", "mods/x", "mods/x", None, "dropped"),
    ]


def test_another_model_comes_first() -> None:
    differences = compare(launch(flag("seed", "1"), model="org/a"), launch(flag("seed", "2"), model="org/b"))
    assert [d.setting for d in differences] == ["model", "seed"]


def test_an_empty_variable_is_not_an_absent_one() -> None:
    assert rows(compare(launch(env("A", "")), launch())) == [("env", "A", '""', None, "dropped")]


def test_a_difference_inside_json_is_one_difference_with_its_keys() -> None:
    left = launch(flag("speculative_config", '{"method":"mtp","n":2}', {"method": "mtp", "n": 2}))
    right = launch(flag("speculative_config", '{"n":3,"method":"mtp"}', {"n": 3, "method": "mtp"}))
    (difference,) = compare(left, right)
    assert (difference.setting, difference.keys) == ("speculative_config", (("n", "2", "3"),))


def test_where_upstream_writes_dotted_keys_each_is_a_setting() -> None:
    left = launch(
        flag("kwargs.thinking", "true", True),
        flag("kwargs.effort", "high"),
        fields={"kwargs": {"thinking": True, "effort": "high"}},
    )
    assert rows(compare(left, launch())) == [
        ("flag", "kwargs.thinking", "true", None, "dropped"),
        ("flag", "kwargs.effort", "high", None, "dropped"),
    ]
    json = launch(flag("kwargs", '{"thinking": false}', {"thinking": False}), fields={"kwargs": {"thinking": False}})
    assert rows(compare(left, json)) == [
        ("flag", "kwargs.thinking", "true", "false", "changed"),
        ("flag", "kwargs.effort", "high", None, "dropped"),
    ]


def test_dotted_keys_and_json_of_one_object_are_equal() -> None:
    value: dict[str, Json] = {"kwargs": {"a": 1, "b": 2}}
    dotted = launch(flag("kwargs.a", "1", 1), flag("kwargs.b", "2", 2), fields=value)
    assert compare(dotted, launch(flag("kwargs", '{"b":2,"a":1}', {"b": 2, "a": 1}), fields=value)) == ()


def test_two_routes_to_one_setting_are_equal_and_named_as_upstream_names_them() -> None:
    route = ("attention_config", "backend")
    fields: dict[str, Json] = {"attention_config": {"backend": "B12X"}}
    direct = launch(flag("attention_backend", "B12X", route=route), fields=fields)
    dotted = launch(flag("attention_config.backend", "B12X"), fields=fields)
    assert compare(direct, dotted) == ()
    other = launch(flag("attention_config.backend", "FA"), fields={"attention_config": {"backend": "FA"}})
    assert rows(compare(direct, other)) == [("flag", "attention_backend", "B12X", "FA", "changed")]


def test_a_stated_default_is_a_difference_and_says_so() -> None:
    (difference,) = compare(launch(), launch(flag("seed", "0", 0, default=True)))
    assert difference.default
    assert difference.direction == "added"
    (plain,) = compare(launch(), launch(flag("seed", "7", 7)))
    assert not plain.default


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        (1, True, False),
        (1, 1.0, False),
        (1, "1", False),
        (None, False, False),
        ([1, 2], [2, 1], False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        (float("nan"), float("nan"), True),
        ("x", "x", True),
    ],
)
def test_same_keeps_types_and_order_of_lists_apart(left: Json, right: Json, equal: bool) -> None:
    assert same(left, right) is equal


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", min_size=1, max_size=2), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.text("abc", min_size=1, max_size=2), json_values, max_size=4), json_values)
def test_changed_keys_are_empty_exactly_for_equal_objects(value: dict[str, Json], other: Json) -> None:
    assert changed_keys(value, dict(reversed(list(value.items())))) == ()
    if value:
        key = next(iter(value))
        changed = {**value, key: other}
        if not same(value, changed) and not (_empty(value[key]) and _empty(other)):
            assert changed_keys(value, changed)


def _empty(value: Json) -> bool:
    return isinstance(value, dict) and not value

"""A declaration must be falsifiable: every way in which one can be false, and the true one beside it."""

from __future__ import annotations

import pytest

from recipediff.core.compare import compare
from recipediff.core.declare import declared_direction, judge
from recipediff.core.launch import Launch
from recipediff.core.recipe import Deviation
from tests.core.making import deviation, env, flag, launch, mod

LONG = '{"method":"dspark","num_speculative_tokens":5}'
UPSTREAM = launch(flag("max_num_seqs", "8", 8), flag("spec", LONG), env("SKIP", "0"), mod("mods/x"), env("EMPTY", ""))
OURS = launch(flag("max_num_seqs", "32", 32), flag("port", "8001", 8001))


def reasons(declared: Deviation, left: Launch = UPSTREAM, right: Launch = OURS) -> str:
    judged, _ = judge([declared], compare(left, right))
    return judged[0].reason


@pytest.mark.parametrize(
    "declared",
    [
        deviation("flag", "max_num_seqs", "8", "32"),
        deviation("flag", "port", "", "8001"),
        deviation("env", "SKIP", "0", ""),
        deviation("mod", "mods/x", "mods/x", ""),
        deviation("flag", "spec", LONG, ""),
        deviation("flag", "spec", "upstream's speculative decoding", ""),
        deviation("env", "EMPTY", '""', ""),
    ],
)
def test_a_true_declaration_stands(declared: Deviation) -> None:
    assert reasons(declared) == ""
    _, undeclared = judge([declared], compare(UPSTREAM, OURS))
    assert (declared.kind, declared.setting) not in [(d.kind, d.setting) for d in undeclared]


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        (deviation("flag", "max_num_seqs", "8", ""), "it declares a drop, but the difference is a change"),
        (deviation("flag", "max_num_seqs", "", "32"), "it declares an addition, but the difference is a change"),
        (deviation("flag", "port", "8000", "8001"), "it declares a change, but the difference is an addition"),
        (deviation("env", "SKIP", "0", "1"), "it declares a change, but the difference is a drop"),
        (deviation("flag", "max_num_seqs", "8", "16"), "ours says “16”, the recipe has “32”"),
        (deviation("flag", "max_num_seqs", "8", "032"), "ours says “032”, the recipe has “32”"),
        (deviation("flag", "max_num_seqs", "4", "32"), "upstream says “4”, upstream has “8”"),
        (deviation("flag", "seed", "1", "2"), "no difference is left"),
        (deviation("env", "max_num_seqs", "8", "32"), "no difference is left"),
        (deviation("flag", "port", "", ""), "both sides are empty"),
        (deviation("env", "EMPTY", "", ""), "both sides are empty"),
    ],
)
def test_a_false_declaration_says_why(declared: Deviation, words: str) -> None:
    assert words in reasons(declared)


def test_prose_is_for_upstream_values_longer_than_32_characters() -> None:
    for length, fine in ((32, False), (33, True)):
        left = launch(flag("spec", "x" * length))
        assert (reasons(deviation("flag", "spec", "prose", ""), left, launch()) == "") is fine


def test_declaring_twice_is_false_once() -> None:
    declared = deviation("flag", "max_num_seqs", "8", "32")
    judged, _ = judge([declared, declared], compare(UPSTREAM, OURS))
    assert [bool(j.reason) for j in judged] == [False, True]


def test_a_misdeclared_difference_is_not_undeclared_as_well() -> None:
    _, undeclared = judge([deviation("flag", "max_num_seqs", "8", "16")], compare(UPSTREAM, OURS))
    assert "max_num_seqs" not in [d.setting for d in undeclared]
    assert {"port", "spec", "SKIP", "mods/x", "EMPTY"} == {d.setting for d in undeclared}


def test_the_reason_names_the_part_to_mend_and_what_would_be_true() -> None:
    judged, _ = judge([deviation("flag", "max_num_seqs", "8", "16")], compare(UPSTREAM, OURS))
    assert (judged[0].field, judged[0].expected) == ("ours", "32")
    judged, _ = judge([deviation("flag", "max_num_seqs", "4", "32")], compare(UPSTREAM, OURS))
    assert (judged[0].field, judged[0].expected) == ("upstream", "8")


def test_directions() -> None:
    assert declared_direction(deviation("flag", "a", "1", "")) == "dropped"
    assert declared_direction(deviation("flag", "a", "", "1")) == "added"
    assert declared_direction(deviation("flag", "a", "1", "2")) == "changed"
    assert declared_direction(deviation("flag", "a", "", "")) is None

"""The numbers belong to the command: the context, and the fingerprint of the launch."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recipediff.checks.recipes import rules as entry
from recipediff.core.fingerprint import fingerprint
from recipediff.core.launch import Launch
from recipediff.core.place import Problem
from recipediff.core.recipe import TestedRecipe
from recipediff.core.setting import Refusal
from recipediff.parse.tested.read import read_recipes
from tests.checks.recipes.rules.cases import HERE, Case, case, flag, launch, stamped
from tests.parse.tested.examples import full

NOTHING = launch()


@pytest.mark.parametrize("written", ["262144", "256K"])
def test_a_context_of_the_same_meaning_passes(written: str) -> None:
    assert case(flag("max_model_len", written, 262144)).findings("context-mismatch") == []


@pytest.mark.parametrize(
    ("written", "meaning", "message"),
    [
        ("131072", 131072, "--max-model-len is 131072; verified.context is 262144"),
        ("256k", 256000, "--max-model-len is 256k, which is 256000; verified.context is 262144"),
        ("auto", -1, "--max-model-len is auto, which is settled only at start; verified.context is 262144"),
    ],
)
def test_another_context_is_a_mismatch(written: str, meaning: int, message: str) -> None:
    (found,) = case(flag("max_model_len", written, meaning)).findings("context-mismatch")
    assert found.message == message
    assert found.fix is not None
    assert "262144" in found.fix.summary


def test_without_the_flag_nothing_holds_the_server_to_the_context() -> None:
    (found,) = case().findings("context-mismatch")
    assert "no --max-model-len" in found.message
    assert found.place.line == 7


def test_what_was_not_understood_may_hold_the_flag() -> None:
    unclear = replace(NOTHING, problems=(Problem("?", HERE),))
    refused = replace(NOTHING, refused=(Refusal(message="?", setting="x", place=HERE, version="0.32.0"),))
    for odd in (unclear, refused):
        assert Case(case().recipe, odd).findings("context-mismatch") == []


def test_a_flag_that_the_grammar_does_not_know_compares_by_its_number() -> None:
    assert case(flag("max_model_len", "262144", "262144", known=False)).findings("context-mismatch") == []


def stale(recipe: TestedRecipe) -> list[str]:
    return [f.message for f in entry.RULES["stale-measurement"](recipe, NOTHING)]


def test_the_fingerprint_of_the_launch_passes_and_any_other_does_not() -> None:
    recipe = stamped()
    assert stale(recipe) == []
    assert recipe.verified is not None
    for wrong, message in (("sha256:" + "1" * 64, "changed since"), ("", "no fingerprint"), ("abc", "is not sha256:")):
        changed = replace(recipe, verified=replace(recipe.verified, fingerprint=wrong))
        assert message in stale(changed)[0]


def test_the_finding_gives_the_right_value() -> None:
    recipe = replace(stamped(), args=())
    (found,) = entry.RULES["stale-measurement"](recipe, NOTHING)
    assert found.fix is not None
    assert fingerprint(recipe) in found.fix.summary


def read(data: dict[str, object]) -> TestedRecipe:
    return read_recipes(json.dumps([data]).encode(), "tested.json").recipes[0]


def changed(**changes: object) -> str:
    return fingerprint(read({**full(), **changes}))


def test_every_part_of_the_launch_counts() -> None:
    same = changed()
    args, env = full()["args"], full()["env"]
    others = {
        "model": changed(model="org/other"),
        "image": changed(image="a@sha256:" + "1" * 64),
        "nodes": changed(topology={"hardware": "DGX Spark", "nodes": 4}),
        "a word": changed(args=[*args[:1], "131072", *args[2:]]),
        "a word more": changed(args=[*args, "--x"]),
        "the order of words": changed(args=list(reversed(args))),
        "where words end": changed(args=["--max-model-len 262144", *args[2:]]),
        "a variable": changed(env={**env, "SOME_SWITCH": "0"}),
        "a variable less": changed(env={"SOME_SWITCH": "1"}),
        "empty or absent": changed(env={**env, "MORE": ""}),
        "a mod": changed(mods=[]),
    }
    assert same not in others.values()
    assert len(set(others.values())) == len(others)


def test_what_only_describes_the_recipe_does_not_count() -> None:
    same = changed()
    source = {**full()["source"], "commit": "f" * 40, "deviations": []}
    assert changed(notes="new", source=source, vllm="0.33.0", id="other") == same
    assert changed(topology={"hardware": "GB10", "nodes": 2}) == same
    assert changed(verified={"context": 1}) == same


@given(st.permutations(["A", "B", "C", "D"]))
def test_the_order_of_variables_does_not_count(order: list[str]) -> None:
    values = {"A": "1", "B": "2", "C": "", "D": "4"}
    assert changed(env={name: values[name] for name in order}) == changed(env=values)


def test_a_recipe_that_was_not_wholly_read_has_no_fingerprint_to_compare() -> None:
    recipe = replace(stamped(), args=(), unread=("args[1]",))
    assert stale(recipe) == []


def test_port_and_model_agree_with_args() -> None:
    def said(port: int | None, launched: Launch) -> list[str]:
        recipe = replace(stamped(), port=port)
        return [f.message for f in entry.RULES["malformed-recipe"](recipe, launched)]

    assert said(8001, launch(flag("port", "8001"))) == []
    assert said(None, NOTHING) == []
    assert said(8000, NOTHING) == []
    assert said(8002, launch(flag("port", "8001"))) == ["port is 8002, but args say --port 8001"]
    assert "listens on 8000" in said(8002, NOTHING)[0]
    assert said(None, launch(model="org/some-model")) == []
    assert said(None, launch(model="org/other")) == ["args serve org/other, but model is org/some-model"]


def test_args_do_not_begin_with_the_program() -> None:
    words = stamped().args
    recipe = replace(stamped(), args=(replace(words[0], text="vllm"), replace(words[0], text="serve"), *words))
    (found,) = entry.RULES["malformed-recipe"](recipe, launch(model="vllm"))
    assert "program's name" in found.message

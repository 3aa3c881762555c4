"""Every way in which a declaration can be false by the recipe alone, and that a true one passes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from recipediff.checks.recipes import rules as entry
from recipediff.checks.recipes.rules.declarations import is_placeholder
from recipediff.core.recipe import Deviation
from recipediff.core.setting import Setting
from tests.checks.recipes.rules.cases import HERE, declared, flag, launch, recipe

SETTINGS: tuple[Setting, ...] = (
    flag("max_num_seqs", "32"),
    flag("max_model_len", "256K", 262144),
    flag("enable_prefix_caching", "true", True),
    flag("compilation_config", '{"mode": 0, "pass_config": {"a": true}}'),
    flag("speculative_config.method", "mtp"),
    flag("speculative_config.num_speculative_tokens", "2"),
    flag("attention_backend", "B12X", route=("attention_config", "backend")),
    Setting(kind="env", name="SOME_SWITCH", value="1", meaning="1", place=HERE),
    Setting(kind="env", name="EMPTY_ONE", value='""', meaning="", place=HERE),
    Setting(kind="mod", name="mods/some-mod", value="mods/some-mod", meaning="mods/some-mod", place=HERE),
)


def reason(deviation: Deviation) -> tuple[str, str]:
    """The reason and the field that is wrong; empty where the declaration fits."""
    misfit = entry.judge_entry(deviation, recipe(), SETTINGS)
    return (misfit.reason, misfit.field) if misfit else ("", "")


@pytest.mark.parametrize(
    "deviation",
    [
        declared("flag", "max_num_seqs", "8", "32", "measured ..."),
        declared("flag", "max_model_len", "auto", "256K"),
        declared("flag", "enable_prefix_caching", "", "true"),
        declared("flag", "reasoning_config", "a long JSON value, in prose", ""),
        declared("flag", "default_chat_template_kwargs.thinking", "true", ""),
        declared("flag", "compilation_config.mode", "3", "0"),
        declared("flag", "compilation_config.pass_config", "", '{"a":true}'),
        declared("flag", "speculative_config", "", '{"method":"mtp","num_speculative_tokens":2}'),
        declared("flag", "speculative_config.method", "eagle", "mtp"),
        declared("flag", "spec_method", "eagle", "mtp"),
        declared("flag", "attention_config.backend", "FLASH_ATTN", "B12X"),
        declared("flag", "model", "org/other", "org/some-model"),
        declared("env", "SOME_SWITCH", "0", "1"),
        declared("env", "EMPTY_ONE", "1", '""'),
        declared("env", "VLLM_MOE_SKIP_PADDING", "0", ""),
        declared("mod", "mods/some-mod", "", "mods/some-mod"),
        declared("mod", "mods/other", "mods/other", ""),
    ],
    ids=lambda deviation: f"{deviation.kind}-{deviation.setting}",
)
def test_a_true_declaration_passes(deviation: Deviation) -> None:
    assert reason(deviation) == ("", "")


SHAPES = [
    ("mod", "some-mod", "a mod is named by its path", "setting"),
    ("mod", "SOME_MOD", "a mod is named by its path", "kind"),
    ("env", "some_switch", "an environment key is upper case", "kind"),
    ("env", "SOME-SWITCH", "an environment key is upper case", "setting"),
    ("env", "mods/x", "an environment key is upper case", "kind"),
    ("flag", "--max-model-len", "a flag is named without its dashes", "setting"),
    ("flag", "max-model-len", "a flag is named without its dashes", "setting"),
    ("flag", "--VLLM-MOE-SKIP-PADDING", "a flag is named without its dashes", "setting"),
    ("flag", "VLLM_MOE_SKIP_PADDING", "a flag is named without its dashes", "kind"),
    ("flag", "mods/some-mod", "a flag is named without its dashes", "kind"),
    ("flag", "max model len", "a flag is named without its dashes", "setting"),
]


@pytest.mark.parametrize(("kind", "name", "message", "field"), SHAPES, ids=[f"{row[0]}-{row[1]}" for row in SHAPES])
def test_a_name_has_the_shape_of_its_kind(kind: str, name: str, message: str, field: str) -> None:
    said, where = reason(Deviation(kind=kind, setting=name, upstream="a", ours="b", why="a reason", place=HERE))  # type: ignore[arg-type]
    assert said.startswith(message)
    assert where == field


def test_a_flag_with_dashes_is_told_its_name() -> None:
    misfit = entry.judge_entry(declared("flag", "--default-chat-template-kwargs.some-key"), recipe(), SETTINGS)
    assert misfit is not None
    assert misfit.fix == "write default_chat_template_kwargs.some-key"


@pytest.mark.parametrize(
    ("deviation", "message", "field"),
    [
        (declared("flag", "max_num_seqs", "8", "16"), "ours says “16”, the recipe has “32”", "ours"),
        (declared("flag", "max_model_len", "auto", "262144"), "ours says “262144”, the recipe has “256K”", "ours"),
        (declared("flag", "compilation_config", "", '{"mode":0}'), "ours says “{\"mode\":0}”, the recipe has", "ours"),
        (declared("env", "SOME_SWITCH", "0", "true"), "ours says “true”, the recipe has “1”", "ours"),
        (declared("flag", "max_num_seqs", "8", ""), "it declares a drop, but the recipe has the setting with the value “32”", "ours"),
        (declared("flag", "compilation_config.mode", "8", ""), "it declares a drop, but the recipe has the setting", "ours"),
        (declared("env", "EMPTY_ONE", "1", ""), "it declares a drop, but the recipe has the setting with the value “\"\"”", "ours"),
        (declared("mod", "mods/some-mod", "x", ""), "it declares a drop, but the recipe has the setting", "ours"),
        (declared("flag", "seed", "", "1"), "ours says “1”, but args of the recipe do not have the setting", "ours"),
        (declared("env", "OTHER", "", "1"), "ours says “1”, but env of the recipe do not have the setting", "ours"),
        (declared("mod", "mods/other", "", "1"), "ours says “1”, but mods of the recipe do not have the setting", "ours"),
        (declared("flag", "max_num_seqs", "", ""), "both sides are empty, so it declares nothing", "ours"),
        (declared("flag", "max_num_seqs", "32", "32"), "both sides are the same, so it declares no difference", "ours"),
        (declared("flag", "max_num_seqs", "8", "32", ""), "why is empty", "why"),
        (declared("flag", "max_num_seqs", "8", "32", "  \n"), "why is empty", "why"),
        (declared("flag", "max_num_seqs", "8", "32", "TODO"), "why is a placeholder: “TODO”", "why"),
    ],
    ids=lambda value: f"{value.setting}-{value.ours}-{value.why}" if isinstance(value, Deviation) else "",
)  # fmt: skip
def test_a_false_declaration_is_told_why(deviation: Deviation, message: str, field: str) -> None:
    said, where = reason(deviation)
    assert said.startswith(message)
    assert where == field


def test_an_object_of_which_only_keys_are_written_is_there_and_is_not() -> None:
    """Which of the two a report says depends on upstream's way of writing, so the comparison decides."""
    assert reason(declared("flag", "speculative_config", "{}", "")) == ("", "")
    assert reason(declared("flag", "speculative_config", "", '{"method":"mtp","num_speculative_tokens":2}')) == ("", "")
    assert reason(declared("flag", "speculative_config", "", '{"method":"mtp"}'))[1] == "ours"


def test_a_config_object_is_not_there_because_a_flag_of_its_own_is() -> None:
    assert reason(declared("flag", "attention_config", "{}", "")) == ("", "")


@pytest.mark.parametrize(
    "why",
    ["TODO", "todo: measure", "tbd", "T.B.D.", "FIXME later", "n/a", "N/A.", "na", "-", "--", "...", "…", "?", "xxx", "none", "(todo)", "Because.", "same as above", "to be determined", "# TODO explain"],
)  # fmt: skip
def test_placeholders_are_no_reasons(why: str) -> None:
    assert is_placeholder(why)


@pytest.mark.parametrize(
    "why",
    ["measured ...", "the router expects 8001", "28.8 tok/s with, 80 without", "None of the clients use it", "todos are served elsewhere", "OOM", "28.8 > 20.1", "速度が上がる"],
)  # fmt: skip
def test_short_reasons_are_reasons(why: str) -> None:
    assert not is_placeholder(why)


def test_what_could_not_be_read_is_no_proof_against_a_declaration() -> None:
    partly = replace(recipe(), unread=("args[3]",))
    assert entry.judge_entry(declared("flag", "seed", "", "1"), partly, SETTINGS) is None
    assert entry.judge_entry(declared("env", "OTHER", "", "1"), partly, SETTINGS) is not None


def test_all_declarations_of_a_recipe_are_judged_at_their_place() -> None:
    one = recipe(("      upstream: auto\n", "      upstream: '8'\n"), ('ours: "262144"', "ours: '16'"))
    (found,) = entry.declarations(one, launch(flag("max_model_len", "262144")))
    assert (found.rule, found.place.line) == ("misdeclared", 20)
    assert found.message == "max_model_len: ours says “16”, the recipe has “262144”"
    assert found.fix is not None
    assert found.fix.summary == 'write ours: "262144", exactly as it is written in args'


def test_one_setting_is_declared_once() -> None:
    one = recipe()
    assert one.source is not None
    twice = replace(one, source=replace(one.source, deviations=one.source.deviations * 2))
    (found,) = entry.declarations(twice, launch(flag("max_model_len", "262144")))
    assert "declared twice" in found.message
    assert list(entry.declarations(one, launch(flag("max_model_len", "262144")))) == []

"""The sweep on a small upstream: each counting rule, each outcome, each table."""

from __future__ import annotations

import dataclasses
import json
import re

import pytest

from recipediff.checks.sweep.counting import BadCount
from recipediff.checks.sweep.run import SweepSnapshot, models, sweep
from recipediff.core.sweep.change import change
from recipediff.core.sweep.models import ModelAnswer
from recipediff.core.upstream import UpstreamFiles
from recipediff.parse.engine import surface_of_vllm
from recipediff.reports.sweep import FORMATS, Sweep
from tests.app.sweep.upstream import PLAIN, THINKING, engine, outcome, snapshot, swept
from tests.parse.formats.vllm_project.tree import FILES


def test_published_counts_base_arguments_and_features_and_their_environment() -> None:
    result = swept(engine())
    assert {flag.name: flag.uses for flag in result.flags} == {
        "--max-model-len": 2,
        "--trust-remote-code": 1,
        "--reasoning-parser": 1,
        "--enable-auto-tool-choice": 1,
        "--tool-call-parser": 1,
        "--max-model-len auto": 1,
    }
    assert {one.name: one.state for one in result.env} == {
        "NCCL_DEBUG": "not read",
        "VLLM_LOGGING_LEVEL": "read",
    }


def test_everything_counts_what_variants_and_strategies_state_too() -> None:
    result = swept(engine(), "everything")
    assert "--block-size" in {flag.name for flag in result.flags}
    assert "NOT_COUNTED" in {one.name for one in result.env}
    assert outcome(result, "thinking").without == ("variants.default",)
    assert outcome(result, "thinking").base_starts


def test_recipes_start_or_stop_at_their_first_word() -> None:
    result = swept(engine())
    assert [outcome(result, name).outcome for name in ("plain", "thinking", "broken")] == ["starts", "starts", "stops"]
    result = swept(engine((", tool_call_parser]", "]"), ("inert: [trust_remote_code, ", "inert: [")))
    stopped = outcome(result, "thinking")
    assert [stop.word for stop in stopped.stops] == ["--trust-remote-code", "--tool-call-parser"]
    assert stopped.first is not None
    assert (stopped.first.place.file, stopped.first.place.line) == ("models/org/thinking.yaml", 5)
    assert not stopped.base_starts


def test_what_can_be_left_out_is_named() -> None:
    result = swept(engine((", tool_call_parser]", "]")))
    stopped = outcome(result, "thinking")
    assert (stopped.base_starts, stopped.without) == (True, ("features.tools",))


def test_an_option_and_its_value_in_one_item_is_reported_as_that() -> None:
    for surface in (engine(), surface_of_vllm("0.32.0")):
        result = swept(surface)
        first = outcome(result, "broken").first
        assert first is not None
        assert first.kind == "run together"
        (row,) = [flag for flag in result.flags if flag.run_together]
        assert (row.name, row.state) == ("--max-model-len auto", "aborts")
        assert "--max-model-len auto" not in {gap.name for gap in result.gaps}


def test_a_name_that_does_not_resolve_stops_and_is_ranked() -> None:
    result = swept(engine(("reasoning_parser: [qwen3]", "reasoning_parser: [other]")))
    first = outcome(result, "thinking").first
    assert first is not None
    assert (first.kind, first.word) == ("value", "qwen3")
    axis = next(axis for axis in result.axes if axis.setting == "reasoning_parser")
    assert [(value.name, value.resolves, len(value.recipes)) for value in axis.values] == [("qwen3", False, 1)]
    assert (axis.uses, axis.served) == (1, 0)
    assert ("value", "qwen3") in {(gap.kind, gap.name) for gap in result.gaps}


def test_against_vllm_flags_values_and_keys_inside_json_stop() -> None:
    bad = PLAIN.replace('"32768"]', '"32768", "--compilation-config", \'{"no_such_key": 1}\']')
    wrong = PLAIN.replace('"32768"', '"many"')
    result = swept(
        surface_of_vllm("0.32.0"), plain=bad, wrong=wrong, extra=PLAIN.replace("max-model-len", "no-such-flag")
    )
    kinds = {}
    for name in ("plain", "wrong", "extra"):
        first = outcome(result, name).first
        assert first is not None
        kinds[name] = (first.kind, first.word)
    assert kinds == {
        "plain": ("value", '{"no_such_key": 1}'),
        "wrong": ("value", "many"),
        "extra": ("flag", "--no-such-flag"),
    }


def test_what_the_parser_takes_and_nobody_knows_is_a_doubt() -> None:
    result = swept(surface_of_vllm("0.32.0"), thinking=THINKING.replace("qwen3", "no_such_parser"))
    one = outcome(result, "thinking")
    assert (one.outcome, one.doubts) == ("starts", ("no reasoning_parser “no_such_parser” is known",))
    plugin = THINKING.replace('"qwen3"]', '"no_such_parser", "--reasoning-parser-plugin", "own.py"]')
    assert outcome(swept(surface_of_vllm("0.32.0"), thinking=plugin), "thinking").doubts == ()


def test_a_recipe_of_another_program_is_never_called_starting() -> None:
    omni = PLAIN.replace("tasks: [text]", "tasks: [omni]")
    result = swept(engine(), plain=omni, other=omni.replace("--max-model-len", "--omni"))
    assert [outcome(result, name).outcome for name in ("plain", "other")] == ["not judged", "stops"]


def test_launches_are_judged_as_upstream_resolves_them() -> None:
    paths = tuple(sorted(path for path in FILES.blobs if path.startswith("models/")))
    shot = SweepSnapshot(
        upstream="up/stream",
        format="vllm-project",
        commit="a" * 40,
        files=FILES,
        paths=paths,
        surface=surface_of_vllm("0.32.0"),
        rule="hardware:h200",
    )
    result = sweep(shot)
    by_name = {one.recipe.split("/")[-1]: one for one in result.recipes}
    assert by_name["dense.yaml"].outcome == "starts"
    assert by_name["omni.yaml"].outcome == "not judged"
    assert "--tensor-parallel-size" in {flag.name for flag in result.flags}
    every = sweep(dataclasses.replace(shot, rule="launches"))
    assert next(one for one in every.recipes if one.recipe.endswith("dense.yaml")).judged > 1


def test_hardware_is_what_recipes_list_and_nothing_else() -> None:
    shot = dataclasses.replace(snapshot(engine()), hardware=("desk",))
    (row,) = sweep(shot).hardware
    assert (row.profile, row.restricted, row.mine, row.stated) == (
        "desk",
        True,
        True,
        {"verified": ("models/org/plain.yaml",)},
    )


def test_architectures_are_joined_and_the_unverified_stand_apart() -> None:
    shot = snapshot(engine())
    assert models(shot) == ("org/broken", "org/plain", "org/thinking")
    answers = {
        "org/plain": ModelAnswer("known", ("PlainForCausalLM",)),
        "org/thinking": ModelAnswer("known", ("ThinkingForCausalLM",)),
        "org/broken": ModelAnswer("gated"),
    }
    result = sweep(dataclasses.replace(shot, models=answers))
    assert result.architectures is not None
    assert [(row.name, row.registered) for row in result.architectures.rows] == [
        ("PlainForCausalLM", True),
        ("ThinkingForCausalLM", False),
    ]
    assert [(model, answer.state) for _, model, answer in result.architectures.unverified] == [("org/broken", "gated")]
    text = FORMATS["terminal"](Sweep(result))
    assert "This is a floor" in text
    assert "2 of 3 recipes could be verified" in text


def test_eugr_recipes_are_swept_as_well() -> None:
    text = 'recipe_version: "1"\nname: t\nmodel: org/tiny\nenv: {A_B: "1"}\ncommand: |\n  vllm serve org/tiny --port 8000 --max-model-len 32k\n'
    files = UpstreamFiles({"recipes/t.yaml": text.encode()}, frozenset({"recipes/t.yaml"}))
    shot = SweepSnapshot(
        upstream="a/b", format="eugr", commit="a" * 40, files=files, paths=("recipes/t.yaml",), surface=engine()
    )
    (one,) = sweep(shot).recipes
    assert [stop.word for stop in one.stops] == ["--port"]
    assert [e.name for e in sweep(shot).env] == ["A_B"]
    with pytest.raises(BadCount, match="no hardware profiles"):
        sweep(dataclasses.replace(shot, rule="hardware:h200"))


@pytest.mark.parametrize("rule", ["", "all", "hardware", "hardware:", "published:x"])
def test_an_unknown_rule_is_refused(rule: str) -> None:
    with pytest.raises(BadCount, match="published, everything, launches, hardware:ID"):
        sweep(snapshot(engine(), rule))


def test_a_recipe_that_cannot_be_read_is_not_judged() -> None:
    result = swept(engine(), plain="model: [\n")
    assert outcome(result, "plain").outcome == "not judged"
    assert "models/org/plain.yaml" in outcome(result, "plain").reasons[0]


def test_a_change_of_the_surface_says_what_is_won_and_lost() -> None:
    less = engine((", tool_call_parser]", "]"), ("[hermes]", "[other]"))
    moved = change(swept(less), swept(engine()))
    assert [one.recipe for one in moved.newly_start] == ["models/org/thinking.yaml"]
    assert moved.newly_stop == ()
    assert [(name.setting, name.name) for name in moved.gained] == [("tool_call_parser", "hermes")]
    assert [(flag.name, flag.before, flag.after) for flag in moved.flags] == [
        ("--tool-call-parser", "aborts", "accepted")
    ]
    back = change(swept(engine()), swept(less))
    assert [one.recipe for one in back.newly_stop] == ["models/org/thinking.yaml"]
    assert [name.name for name in back.lost] == ["hermes"]
    assert change(swept(engine()), swept(engine())).nothing


def test_a_move_of_upstream_names_new_and_gone_recipes() -> None:
    moved = change(swept(engine()), swept(engine(), new=PLAIN))
    assert ([one.recipe for one in moved.added], moved.removed) == (["models/org/new.yaml"], ())


def test_every_format_carries_the_headline_and_hostile_text_stays_text() -> None:
    evil = PLAIN.replace('"32768"]', '"32768", "--x<script>|`@everyone`\\n#1"]')
    result = swept(engine(), evil=evil)
    sweep_ = Sweep(result, change(result, result))
    texts = {name: render(sweep_) for name, render in FORMATS.items()}
    for text in texts.values():
        assert "2 of 4 recipes start on tiny 1, 2 stop" in text
    assert "<script" not in texts["html"]
    assert "@everyone" not in re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", "", texts["markdown"])
    document = json.loads(texts["json"])
    assert document["totals"] == {"recipes": 4, "starts": 2, "stops": 2, "not_judged": 0, "flags": 7, "environment": 2}
    assert document["count"]["rule"] == "published"

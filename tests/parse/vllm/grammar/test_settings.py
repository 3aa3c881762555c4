"""How a line comes out: names, texts, places, and nothing lost after a refusal."""

from __future__ import annotations

import pytest

from recipediff.parse.vllm.grammar.parse import parse
from recipediff.parse.vllm.grammar.surface import load
from tests.parse.vllm.grammar.reading import line, messages, setting, words


def test_a_setting_is_named_by_its_long_option_and_keeps_its_text() -> None:
    read = line("org/m -tp 2 --gpu_memory_utilization .90 --served-model-name a 'b c' --no-enable-log-requests")
    assert [(one.name, one.value, one.written, one.place.column) for one in read.settings] == [
        ("model", "org/m", "", 1),
        ("tensor_parallel_size", "2", "-tp", 2),
        ("gpu_memory_utilization", ".90", "--gpu_memory_utilization", 4),
        ("served_model_name", "a 'b c'", "--served-model-name", 6),
        ("enable_log_requests", "false", "--no-enable-log-requests", 9),
    ]
    assert setting(read, "gpu_memory_utilization").meaning == 0.9


def test_dotted_keys_are_settings_of_their_own() -> None:
    short = line("m --compilation.mode 3 --compilation.pass_config.fuse_norm_quant=true")
    assert [one.name for one in short.settings] == [
        "model",
        "compilation_config.mode",
        "compilation_config.pass_config.fuse_norm_quant",
    ]
    read = line("m -cc.mode 3 -cc.pass_config.fuse_norm_quant=true")
    mode = setting(read, "compilation_config.mode")
    assert (mode.value, mode.meaning, mode.field, mode.place.column) == ("3", "VLLM_COMPILE", "compilation_config", 2)
    assert setting(read, "compilation_config.pass_config.fuse_norm_quant").meaning is True


def test_a_stated_default_inside_a_config_is_marked() -> None:
    read = line("m -cc.cudagraph_num_of_warmups 0 -cc.mode 3 --eplb-config '{\"window_size\": 1000}'")
    assert setting(read, "compilation_config.cudagraph_num_of_warmups").default
    assert not setting(read, "compilation_config.mode").default
    assert setting(read, "eplb_config").default
    assert "eplb_config" not in read.values
    assert read.fields["eplb_config"] == {"window_size": 1000}


def test_only_the_winner_is_in_force() -> None:
    read = line("m -tp 2 --tensor-parallel-size 4")
    assert [one.value for one in read.settings] == ["m", "4"]
    assert "-tp 2 is given again later as --tensor-parallel-size; the last one counts" in messages(read)


def test_a_flag_that_an_image_adds_still_compares() -> None:
    read = line("m --gpu-memory-utilization-gb 108 --mxfp4-backend CUTLASS moe,qkv --fast --port 9")
    assert not read.ok
    known = {one.name: (one.value, one.known) for one in read.settings}
    assert known == {
        "model": ("m", True),
        "gpu_memory_utilization_gb": ("108", False),
        "mxfp4_backend": ("CUTLASS moe,qkv", False),
        "fast": ("true", False),
        "port": ("9", True),
    }
    assert [refusal.place.column for refusal in read.refusals] == [2, 4, 7]


def test_unknown_dotted_keys_still_compare() -> None:
    read = line("m --mystery.deep.key 3 --mystery.list+ a,b")
    assert setting(read, "mystery.deep.key").meaning == 3
    assert setting(read, "mystery.list").meaning == ["a", "b"]
    assert not any(one.known for one in read.settings if one.name != "model")


def test_a_refused_value_still_compares_by_its_text() -> None:
    read = line("m --max-num-seqs 1k --dtype BFLOAT16 --port")
    assert [(one.name, one.value, one.meaning) for one in read.settings[1:]] == [
        ("max_num_seqs", "1k", "1k"),
        ("dtype", "BFLOAT16", "BFLOAT16"),
        ("port", "", ""),
    ]
    assert len(read.refusals) == 3


def test_of_a_refused_config_the_good_keys_are_understood() -> None:
    read = line("""m -cc '{"mode": 3, "leve": 1, "cache_dir": 7}'""")
    assert read.fields["compilation_config"] == {"mode": "VLLM_COMPILE", "leve": 1, "cache_dir": 7}
    assert [refusal.setting for refusal in read.refusals] == ["compilation_config.leve", "compilation_config.cache_dir"]


def test_the_words_after_a_bare_double_dash_are_no_options() -> None:
    assert line("--port 1 -- --odd-model").values["model_tag"] == "--odd-model"
    read = line("m --port 1 --")
    assert not read.ok
    assert read.refusals[0].setting == "--"


@pytest.mark.parametrize("version", ["0.11.0", "0.14.1", "0.24.0", "0.32.0", "0.33.0"])
def test_a_line_of_a_real_shape_reads_the_same_in_every_version(version: str) -> None:
    text = """org/m --max-model-len 262144 --gpu-memory-utilization 0.7 --port 8000 --host 0.0.0.0 -tp 2
        --load-format fastsafetensors --enable-auto-tool-choice --tool-call-parser qwen3_coder --trust-remote-code"""
    read = line(text, version)
    assert read.ok, read.error
    assert len(read.settings) == 10
    assert not read.refusals


def test_two_lines_in_any_order_mean_the_same() -> None:
    one = line("""m -tp 2 --hf-overrides '{"a": {"b": 1}, "c": [1, 2]}' --seed 7""")
    other = line("""m --seed=7 --hf-overrides.c [1,2] --hf-overrides.a.b 1 --tensor-parallel-size 2""")
    assert one.values == other.values
    assert one.fields == other.fields
    assert one.explicit == other.explicit


def test_a_file_behind_config_comes_before_the_line() -> None:
    files = {"a.yaml": {"port": 1, "seed": 3, "enable-prefix-caching": False, "served-model-name": ["x", "y"]}}
    read = parse(words(["org/m", "--port", "2", "--config", "a.yaml"]), load("0.32.0"), files)
    assert read.ok, read.error
    assert read.values == {"model_tag": "org/m", "port": 2, "seed": 3, "served_model_name": ["x", "y"]}
    assert not parse(words(["--config", "a.yaml"]), load("0.32.0"), files).ok

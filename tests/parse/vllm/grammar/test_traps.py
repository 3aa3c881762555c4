"""The traps of comparing two vLLM commands, each with what is equal and what only looks so."""

from __future__ import annotations

import pytest

from tests.parse.vllm.grammar.reading import line, messages, setting, value


@pytest.mark.parametrize(
    ("text", "number"),
    [("256k", 256000), ("256K", 262144), ("1m", 1000000), ("1M", 1048576), ("25.6k", 25600), (" 8 ", 8), ("1_0", 10)],
)
def test_suffixes_count_in_thousands_when_small_and_in_1024_when_capital(text: str, number: int) -> None:
    assert value(f"m --max-model-len '{text}'", "max_model_len") == number


@pytest.mark.parametrize("text", ["25.6K", "32kb", "1e5", "262,144", "0x10", "", "1__0", "k"])
def test_what_is_no_number_with_a_suffix_is_refused(text: str) -> None:
    assert not line(f"m '--max-model-len={text}'").ok


def test_only_some_flags_take_suffixes() -> None:
    assert value("m --kv-cache-memory-bytes 10G", "kv_cache_memory_bytes") == 10 * 2**30
    refused = line("m --max-num-seqs 1k")
    assert refused.refusals[0].setting == "max_num_seqs"
    assert "no whole number" in refused.error


def test_dotted_keys_wipe_out_json_wherever_it_stands() -> None:
    only = {"num_speculative_tokens": 3}
    json = """--speculative-config '{"method":"mtp","num_speculative_tokens":1}'"""
    assert value(f"m {json} --speculative-config.num_speculative_tokens 3", "speculative_config") == only
    after = line(f"m --speculative-config.num_speculative_tokens 3 {json}")
    assert after.values["speculative_config"] == only
    assert any("replaced whole by the dotted keys under --speculative-config" in note for note in messages(after))


def test_short_and_long_heads_are_two_groups_and_the_later_one_wins_whole() -> None:
    two = "m -sc.method mtp --speculative-config.num_speculative_tokens 3 -sc.model x"
    assert value(two, "speculative_config") == {"num_speculative_tokens": 3}
    one = "m -sc.method mtp -sc.num_speculative_tokens 3"
    assert value(one, "speculative_config") == {"method": "mtp", "num_speculative_tokens": 3}


def test_lists_by_dotted_key_join_and_plus_appends_text() -> None:
    sizes = line("m -cc.cudagraph_capture_sizes [1,2] -cc.cudagraph_capture_sizes [4]")
    assert sizes.fields == {"compilation_config": {"cudagraph_capture_sizes": [1, 2, 4]}}
    ops = line("m -cc.custom_ops+ none -cc.custom_ops+=+rms_norm,+silu_and_mul")
    assert setting(ops, "compilation_config.custom_ops").meaning == ["none", "+rms_norm", "+silu_and_mul"]
    assert value("m --hf-overrides.x+ 1", "hf_overrides") == {"x": ["1"]}


def test_a_dotted_key_given_twice_keeps_the_last() -> None:
    read = line("m -cc.mode 3 -cc.mode 0")
    assert read.fields == {"compilation_config": {"mode": "NONE"}}
    assert any("-cc.mode 3 is given again" in message for message in messages(read))


def test_config_as_two_words_reads_a_file_nobody_can_see_and_with_equals_reads_none() -> None:
    hidden = line("m --config all.yaml --port 9")
    assert not hidden.ok
    assert "cannot be seen" in hidden.error
    assert hidden.values["port"] == 9
    read = line("m --config=all.yaml")
    assert read.ok
    assert read.values["config"] == "all.yaml"
    assert any("reads no file" in message for message in messages(read))


def test_opposites_depend_on_the_version() -> None:
    assert value("m --no-enable-prefix-caching", "enable_prefix_caching") is False
    assert not line("m --disable-prefix-caching").ok
    assert value("m --disable-prefix-caching", "enable_prefix_caching", "0.33.0") is False
    assert [line("m --disable-log-requests", v).ok for v in ("0.14.1", "0.17.1", "0.32.0", "0.33.0")] == [
        True,
        False,
        False,
        True,
    ]
    assert not line("m --no-disable-log-stats").ok


@pytest.mark.parametrize("text", ["--enable-prefix-caching=true", "--enable-prefix-caching true"])
def test_a_switch_takes_no_value(text: str) -> None:
    refused = line(f"m {text}")
    assert not refused.ok
    assert "takes no value" in refused.error + refused.refusals[0].hint


def test_o3_is_the_optimization_level_and_not_the_mode() -> None:
    assert value("m -O3", "optimization_level") == value("m -O 3", "optimization_level") == "3"
    assert line("m -O3").fields == line("m --optimization-level 3").fields == {"optimization_level": 3}
    assert line("m -O3").fields != line("m -cc.mode 3").fields
    assert setting(line("m -O3"), "optimization_level").written == "-O"
    assert value("m -O3", "compilation_config", "0.11.0") == {"__class__": "CompilationConfig", "level": 3}


def test_o4_passes_the_parser_and_not_the_engine() -> None:
    read = line("m -O4")
    assert read.ok
    assert [refusal.setting for refusal in read.refusals] == ["optimization_level"]
    assert not line("m -O 4").ok


def test_a_flag_left_out_is_not_its_default_stated() -> None:
    stated = line("m --gpu-memory-utilization 0.92")
    assert stated.values == line("m").values
    assert stated.explicit == {"model_tag", "gpu_memory_utilization"}
    assert setting(stated, "gpu_memory_utilization").default
    assert not setting(line("m --gpu-memory-utilization 0.92", "0.17.1"), "gpu_memory_utilization").default
    assert setting(line("m --gpu-memory-utilization 0.9", "0.17.1"), "gpu_memory_utilization").default


def test_null_true_and_false_are_three_states_and_auto_is_not_left_out() -> None:
    assert value("m --no-async-scheduling", "async_scheduling") is False
    assert value("m --async-scheduling", "async_scheduling") is True
    assert value("m", "async_scheduling") == "(as without)"
    assert value("m --max-model-len AUTO", "max_model_len") == value("m --max-model-len -1", "max_model_len") == -1
    assert not line("m --max-model-len auto", "0.11.0").ok


def test_repeats_differ_by_flag() -> None:
    assert value("m --served-model-name a b", "served_model_name") == ["a", "b"]
    assert value("m --served-model-name a --served-model-name b", "served_model_name") == ["b"]
    assert value("m --served-model-name a,b", "served_model_name") == ["a,b"]
    assert value("m --middleware a --middleware b", "middleware") == ["a", "b"]
    assert value("m -tp 2 --tensor-parallel-size 4", "tensor_parallel_size") == 4


def test_collected_words_are_one_setting() -> None:
    both = setting(line("m --middleware a --middleware 'b c'"), "middleware")
    assert (both.value, both.meaning, both.place.column) == ("a 'b c'", ["a", "b c"], 2)


@pytest.mark.parametrize(
    ("text", "field", "wanted"),
    [
        ("--tensor-parallel 2", "tensor_parallel_size", 2),
        ("--gpu_mem 0.8", "gpu_memory_utilization", 0.8),
        ("-t 4", "tensor_parallel_size", 4),
        ("-tp=4", "tensor_parallel_size", 4),
        ("-qfp8", "quantization", "fp8"),
        ("-q=fp8", "quantization", "fp8"),
    ],
)
def test_abbreviations_and_short_names(text: str, field: str, wanted: object) -> None:
    assert value(f"m {text}", field) == wanted


@pytest.mark.parametrize("text", ["-tp4", "--tp 4", "--max-num 100", "--Max-Model-Len 100", "--port= 3"])
def test_what_only_looks_like_an_option(text: str) -> None:
    assert not line(f"m {text}").ok


def test_an_abbreviation_ages() -> None:
    assert value("m --quant fp8", "quantization", "0.20.2") == "fp8"
    refused = line("m --quant fp8", "0.22.1")
    assert "ambiguous" in refused.error
    assert refused.refusals[0].accepted_by == ("0.11.0", "0.14.1", "0.17.1", "0.20.2")


def test_words_get_swallowed() -> None:
    token = line("--hf-token org/model")
    assert token.model is None
    assert token.values == {"hf_token": "org/model"}
    assert any("no word of this line is the model" in message for message in messages(token))
    switch = line("--enable-prefix-caching false")
    assert switch.model is not None
    assert switch.model.value == "false"
    assert any("'false' is the model" in message for message in messages(switch))
    assert line("--api-key k org/model").values["api_key"] == ["k", "org/model"]


def test_the_model_by_option_is_the_model_as_a_word() -> None:
    by_option, by_word = line("--port 1 --model org/m"), line("org/m --port 1")
    assert by_option.values == by_word.values
    assert by_option.explicit == by_word.explicit
    assert by_option.model is not None
    assert (by_option.model.value, by_option.model.written) == ("org/m", "--model")
    assert not line("org/m --model x/y").ok
    assert not line("--model org/m", "0.11.0").ok


def test_words_of_equal_meaning() -> None:
    assert line("m --dtype half").fields == line("m --dtype float16").fields
    assert line("m --dtype half").values != line("m --dtype float16").values
    assert line("m --attention-backend flash_attn").fields == line("m --attention-backend FLASH_ATTN").fields
    assert line("m --kv-cache-dtype fp8").fields != line("m --kv-cache-dtype fp8_e4m3").fields
    assert not line("m --dtype BFLOAT16").ok
    assert value("m --moe-backend FlashInfer-Cutlass", "moe_backend") == "flashinfer_cutlass"


def test_none_is_null_only_where_it_can_be() -> None:
    assert value("m --quantization None", "quantization") == "(as without)"
    assert value("m --quantization none", "quantization") == "none"
    assert not line("m --seed None").ok
    assert value("m --reasoning-parser none", "reasoning_parser") == "none"
    assert value("m --reasoning-parser none", "reasoning_parser", "0.33.0") == "(as without)"


def test_true_in_a_dotted_value_is_json_first() -> None:
    kwargs = "default_chat_template_kwargs"
    assert value(f"m --{kwargs}.enable_thinking false", kwargs) == {"enable_thinking": False}
    assert value(f"m --{kwargs}.enable_thinking False", kwargs) == {"enable_thinking": "False"}
    by_class = "m -cc.pass_config.fuse_norm_quant"
    assert value(f"{by_class} True", "compilation_config") == value(f"{by_class} true", "compilation_config")


def test_dashes_inside_dotted_keys() -> None:
    assert value("m --max_model-len 100", "max_model_len") == 100
    refused = line("m -cc.pass-config.fuse_norm_quant true")
    assert refused.refusals[0].setting == "compilation_config.pass-config.fuse_norm_quant"
    assert refused.refusals[0].hint == "did you mean pass_config?"
    dashed, right = "m -sc.method ngram -sc.num-speculative-tokens 3", "m -sc.method ngram -sc.num_speculative_tokens 3"
    assert line(dashed).fields == line(right).fields
    assert not line(dashed).refusals
    assert line(dashed, "0.24.0").refusals


def test_a_deprecated_flag_is_accepted_and_said_to_be() -> None:
    read = line("m --disable-cascade-attn", "0.33.0")
    assert read.ok
    assert any("deprecated" in message for message in messages(read))


def test_a_negative_fraction_needs_equals() -> None:
    assert value("m --cpu-offload-gb=-0.5", "cpu_offload_gb") == -0.5
    assert value("m --seed -1", "seed") == -1
    refused = line("m --cpu-offload-gb -0.5")
    assert not refused.ok
    assert any("dotted key" in refusal.hint for refusal in refused.refusals)

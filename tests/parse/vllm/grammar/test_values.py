"""Values by type: what the parser takes, and what it makes of it."""

from __future__ import annotations

import pytest

from recipediff.core.setting import Json
from recipediff.parse.vllm.grammar.shapes import Unfit, compile_type
from tests.parse.vllm.grammar.reading import line, value

TAKEN: list[tuple[str, Json, Json]] = [
    ("bool", True, True),
    ("bool", "True", True),
    ("bool", "off", False),
    ("bool", 1, True),
    ("int", "3", 3),
    ("int", " 1_000 ", 1000),
    ("int", 3.0, 3),
    ("int", "3.0", 3),
    ("int", True, 1),
    ("float", 3, 3.0),
    ("float", "9e-1", 0.9),
    ("str", "3", "3"),
    ("Path", "a//b/", "a/b"),
    ("int | None", None, None),
    ("list[int]", ["1", 2], [1, 2]),
    ("list[int | str] | None", [1, "x"], [1, "x"]),
    ("dict[str, list[float]]", {"a": [1]}, {"a": [1.0]}),
    ('Literal["a", "b"] | str', "c", "c"),
    ("Literal[2, 3, 4] | None", 3, 3),
    ("tuple[int, int]", [1, 2], [1, 2]),
    ("Any", {"x": [None]}, {"x": [None]}),
    ("SomethingUnheardOf", 3, 3),
]
REFUSED: list[tuple[str, Json]] = [
    ("bool", "maybe"),
    ("bool", None),
    ("bool", 2),
    ("int", 3.5),
    ("int", "3.5"),
    ("int", "0x10"),
    ("int", float("inf")),
    ("int", "9" * 5000),
    ("float", "x"),
    ("float", 10**400),
    ("str", 3),
    ("int | None", "x"),
    ("list[int]", "1"),
    ("list[int]", [1, "x"]),
    ("dict[str, int]", {"a": "x"}),
    ("dict", []),
    ('Literal["a"]', "b"),
    ("Literal[2, 3]", "2"),
    ("tuple[int, int]", [1]),
]


@pytest.mark.parametrize(("kind", "given", "result"), TAKEN)
def test_what_a_type_makes_of_json(kind: str, given: Json, result: Json) -> None:
    made = compile_type(kind, lambda name: None)(given)
    assert made == result
    assert type(made) is type(result)


@pytest.mark.parametrize(("kind", "given"), REFUSED)
def test_what_a_type_refuses(kind: str, given: Json) -> None:
    with pytest.raises(Unfit):
        compile_type(kind, lambda name: None)(given)


def test_a_fault_inside_names_the_way_to_it() -> None:
    with pytest.raises(Unfit) as caught:
        compile_type("dict[str, list[int]]", lambda name: None)({"a": [1, "x"]})
    assert caught.value.path == ("a", "1")


@pytest.mark.parametrize(
    ("text", "field", "wanted"),
    [
        ("--port 007", "port", 7),
        ("--seed +1", "seed", 1),
        ("--gpu-memory-utilization .9", "gpu_memory_utilization", 0.9),
        ("--cpu-offload-gb nan", "cpu_offload_gb", {"__float__": "nan"}),
        ("--device-ids 0,1", "device_ids", [0, 1]),
        ("--device-ids a,1", "device_ids", ["a", 1]),
        ("--hf-token", "hf_token", True),
        ("--hf-token x", "hf_token", "x"),
        ("--hf-overrides some.func", "hf_overrides", "some.func"),
        ("--hf-overrides ' {\"a\": 1} '", "hf_overrides", {"a": 1}),
        ("--limit-mm-per-prompt '{\"image\": 2}'", "limit_mm_per_prompt", {"image": 2}),
        ("--override-generation-config '{\"top_p\":0.950}'", "override_generation_config", {"top_p": 0.95}),
        ("--numa-bind-nodes -1 1_000", "numa_bind_nodes", [-1, 1000]),
        ("--mamba-backend triton", "mamba_backend", "triton"),
        ("--mamba-backend TRITON", "mamba_backend", "(as without)"),
        ("--cpu-offload-gb 0", "cpu_offload_gb", 0.0),
    ],
)
def test_values_of_flags(text: str, field: str, wanted: Json) -> None:
    assert value(f"m {text}", field) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "--port 0x10",
        "--allowed-origins '*'",
        "--limit-mm-per-prompt image=2",
        "--override-generation-config \"{'top_p':0.95}\"",
        "--hf-overrides '{a: 1}'",
        "--compilation-config 3",
        "--compilation-config ''",
        "-cc '{\"mode\": 9}'",
        '-cc \'{"cudagraph_mode": "FULLX"}\'',
        '-cc \'{"custom_ops": ["all", "none"]}\'',
        '-cc \'{"custom_ops": ["rms_norm"]}\'',
        '--pooler-config \'{"pooling_type": "CLS", "seq_pooling_type": "CLS"}\'',
        "--structured-outputs-config.disable_any_whitespace true",
        "--profiler-config.profiler torch",
        "--profiler-config.delay_iterations -1",
        "--eplb-config.window_size 0",
        "-ac.mla_prefill_backend x",
        "-ac.backend None",
        "--lora-modules ./m",
        "--lora-modules a=b=c",
        '--lora-modules \'{"name": "a"}\'',
        '-cc \'{"cache_dir": "\\ud800"}\'',
    ],
)
def test_values_that_are_refused(text: str) -> None:
    assert not line(f"m {text}").ok


def test_what_a_config_fills_in_itself() -> None:
    events = value("m --kv-events-config.enable_kv_cache_events true", "kv_events_config")
    assert events == {"__class__": "KVEventsConfig", "enable_kv_cache_events": True, "publisher": "zmq"}
    pooler = value("m --pooler-config.pooling_type STEP", "pooler_config")
    assert pooler == {"__class__": "PoolerConfig", "pooling_type": "STEP", "tok_pooling_type": "STEP"}


@pytest.mark.parametrize(
    "key",
    [
        "dynamic_shapes_config.type backed",
        "compile_cache_save_format binary",
        "cudagraph_copy_inputs false",
        "cache_dir ''",
        "backend inductor",
        "backend ''",
        "mode null",
        "pass_config.eliminate_noops true",
    ],
)
def test_a_default_stated_inside_a_config_changes_nothing(key: str) -> None:
    read = line(f"m -cc.{key}")
    assert read.ok, read.error
    assert "compilation_config" not in read.values
    assert read.settings[1].default


@pytest.mark.parametrize(
    ("key", "wanted"),
    [
        ("dynamic_shapes_config.type unbacked", {"dynamic_shapes_config": {"type": "UNBACKED"}}),
        ("compile_cache_save_format unpacked", {"compile_cache_save_format": "unpacked"}),
        ("cudagraph_specialize_lora false", {"cudagraph_specialize_lora": False}),
        ("cudagraph_mode 2", {"cudagraph_mode": "FULL"}),
    ],
)
def test_another_value_inside_a_config_is_a_change(key: str, wanted: Json) -> None:
    read = line(f"m -cc.{key}")
    assert read.fields["compilation_config"] == wanted
    assert "compilation_config" in read.values
    assert not read.settings[1].default


def test_lora_modules_as_words_or_json() -> None:
    short, long = line("m --lora-modules a=b"), line("""m --lora-modules '{"path": "b", "name": "a"}'""")
    assert short.values == long.values
    assert short.fields["lora_modules"] == [
        {"name": "a", "path": "b", "base_model_name": None, "is_3d_lora_weight": False}
    ]


def test_unknown_keys_were_dropped_once() -> None:
    text = """m --kv-events-config '{"unheard_of": 1}'"""
    assert not line(text).ok
    assert value(text, "kv_events_config", "0.14.1") == {"__class__": "KVEventsConfig"}
    assert not line("m -cc.unheard_of 1", "0.14.1").ok


def test_suffixes_inside_json_only_where_a_class_reads_it() -> None:
    assert line("""m -cc '{"max_cudagraph_capture_size":1K, "cache_dir": "1K"}'""").fields["compilation_config"] == {
        "max_cudagraph_capture_size": 1024,
        "cache_dir": "1K",
    }
    assert not line("""m -sc '{"num_speculative_tokens":1k}'""").ok
    assert value("m -sc.num_speculative_tokens 1k", "speculative_config") == {"num_speculative_tokens": 1000}

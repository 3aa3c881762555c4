"""Two routes to one setting are one field for the engine."""

from __future__ import annotations

import pytest

from recipediff.parse.vllm.grammar.routes import ROUTES, fold, route_of
from recipediff.parse.vllm.grammar.surface import load, versions
from tests.parse.vllm.grammar.reading import line, setting

EQUAL = [
    ("--attention-backend FLASH_ATTN", "-ac.backend flash_attn"),
    ("--moe-backend triton", "--kernel-config.moe_backend Triton"),
    ("--linear-backend torch", '--kernel-config \'{"linear_backend": "torch"}\''),
    ("--cudagraph-capture-sizes 1 2 4", "-cc.cudagraph_capture_sizes [1,2,4]"),
    ("--max-cudagraph-capture-size 8", "-cc.max_cudagraph_capture_size 8"),
    ("--spec-method ngram --spec-tokens 3", '-sc \'{"num_speculative_tokens":3,"method":"ngram"}\''),
    ("--ir-op-priority.rms_norm native", '--kernel-config \'{"ir_op_priority": {"rms_norm": ["native"]}}\''),
    ("-cc.mode 3", "-cc.mode vllm_compile"),
    ("-cc.max_cudagraph_capture_size 1K", "--compilation-config '{\"max_cudagraph_capture_size\": 1024}'"),
    ("-sc.num_speculative_tokens 3", '-sc \'{"num_speculative_tokens": "3"}\''),
    ("--moe-backend triton --kernel-config.moe_backend cutlass", "--moe-backend triton"),
    ("--kernel-config.moe_backend cutlass --moe-backend auto", "--kernel-config.moe_backend cutlass"),
    ("--gpu-memory-utilization 0.9", "--gpu-memory-utilization 9e-1"),
]
DIFFERENT = [
    ("--attention-backend FLASH_ATTN", "-ac.backend FLASHINFER"),
    ("--enforce-eager", "-O0"),
    ("-O0", "-cc.mode 0 -cc.cudagraph_mode NONE"),
    ("--moe-backend triton", "--linear-backend triton"),
    ("--cudagraph-capture-sizes 1 2 4", "--cudagraph-capture-sizes 4 2 1"),
    ("--max-model-len 4k", "--max-model-len 4K"),
    ("--hf-overrides.x 1", "--hf-overrides.x 1.0"),
    ("--hf-overrides.x true", "--hf-overrides.x 1"),
]


@pytest.mark.parametrize(("left", "right"), EQUAL)
def test_equal_for_the_engine(left: str, right: str) -> None:
    one, other = line(f"m {left}"), line(f"m {right}")
    assert one.ok, one.error
    assert other.ok, other.error
    assert one.fields == other.fields


@pytest.mark.parametrize(("left", "right"), DIFFERENT)
def test_different_for_the_engine(left: str, right: str) -> None:
    one, other = line(f"m {left}").fields, line(f"m {right}").fields
    assert repr(one) != repr(other)


def test_a_flag_with_a_route_says_where_it_leads() -> None:
    assert setting(line("m --moe-backend triton"), "moe_backend").route == ("kernel_config", "moe_backend")
    assert setting(line("m --seed 1"), "seed").route == ()


def test_a_route_holds_only_where_both_ends_exist() -> None:
    assert route_of("moe_backend", load("0.14.1")) == ()
    assert route_of("max_cudagraph_capture_size", load("0.14.1")) == (
        "compilation_config",
        "max_cudagraph_capture_size",
    )
    assert any(route_of(route.flag, load(versions()[-1])) for route in ROUTES)


def test_fold_takes_stated_meanings_of_any_kind() -> None:
    assert fold({"dtype": "float", "spec_tokens": 2, "unheard_of": [1]}, load("0.32.0")) == {
        "dtype": "float32",
        "unheard_of": [1],
        "speculative_config": {"num_speculative_tokens": 2},
    }

"""What a person is told where the stated version would abort."""

from __future__ import annotations

import pytest

from tests.parse.vllm.grammar.reading import line


@pytest.mark.parametrize(
    ("text", "hint", "accepted"),
    [
        ("--task embed", "--runner pooling", ("0.11.0",)),
        ("--enable-reasoning", "--reasoning-parser", ()),
        ("--disable-log-requests", "--enable-log-requests", ("0.11.0", "0.14.1", "0.33.0")),
        ("--rope-scaling '{}'", "--hf-overrides", ("0.11.0",)),
        ("--cuda-graph-sizes 1 2", "--cudagraph-capture-sizes", ("0.11.0",)),
        ("--max-modle-len 4", "did you mean --max-model-len?", ()),
        ("--tp 4", "-tp has one dash", ()),
    ],
)
def test_a_removed_flag_names_what_to_write_and_who_accepts_it(text: str, hint: str, accepted: tuple[str, ...]) -> None:
    refused = line(f"m {text}")
    (refusal,) = refused.refusals
    assert not refused.ok
    assert hint in refusal.hint
    assert refusal.accepted_by == accepted
    assert refusal.version == "0.32.0"
    assert refusal.place.column == 2


def test_a_value_names_the_versions_that_take_it() -> None:
    refused = line("m --kv-cache-dtype fp8_ds_mla --all2all-backend moonep", "0.14.1")
    assert [refusal.setting for refusal in refused.refusals] == ["all2all_backend"]
    assert refused.refusals[0].accepted_by[-1] == "0.33.0"
    assert "0.11.0" not in refused.refusals[0].accepted_by


def test_a_key_of_a_config_names_the_versions_that_take_it() -> None:
    refused = line("m --attention_config.use_fp4_indexer_cache True --attention_config.backend FLASHINFER")
    (refusal,) = refused.refusals
    assert refusal.setting == "attention_config.use_fp4_indexer_cache"
    assert refusal.place.column == 2
    assert refusal.accepted_by == ("0.20.2", "0.22.1", "0.24.0", "0.28.0")


def test_all_refusals_of_a_line_in_the_order_of_its_words() -> None:
    refused = line("""m x --port a --nope --kv-events-config '{"hwm": "b"}' --dtype z""")
    assert [refusal.place.column for refusal in refused.refusals] == [2, 4, 5, 7, 9]
    assert refused.error == refused.refusals[0].message


def test_a_long_list_of_choices_is_cut_and_the_near_one_offered() -> None:
    (refusal,) = line("m --moe-backend flashinfer_cutlas").refusals
    assert "more" in refusal.message
    assert refusal.hint == "did you mean flashinfer_cutlass?"


def test_keys_that_go_together() -> None:
    (refusal,) = line("""m --kv-transfer-config '{"kv_connector": "NixlConnector"}'""").refusals
    assert "needs kv_role" in refusal.message
    assert line("""m --kv-transfer-config '{"kv_connector": "NixlConnector", "kv_role": "kv_both"}'""").ok


@pytest.mark.parametrize(
    ("text", "setting"),
    [
        ("--cudagraph-capture-sizes 1 2 -cc.cudagraph_capture_sizes [8]", "cudagraph_capture_sizes"),
        ("--attention-backend FLASH_ATTN -ac.backend FLASHINFER", "attention_backend"),
        ("-sc.method ngram -sc.num_speculative_tokens 3 --spec-tokens 5", "spec_tokens"),
        ("--attention-backend weird", "attention_backend"),
        ("--distributed-executor-backend weird", "distributed_executor_backend"),
        ("-sc.method ngram -sc.zz 3", "speculative_config.zz"),
    ],
)
def test_what_the_engine_refuses_after_the_parser_took_it(text: str, setting: str) -> None:
    read = line(f"m {text}")
    assert read.ok
    assert [refusal.setting for refusal in read.refusals] == [setting]


@pytest.mark.parametrize(
    "text", ["--load-format weird", "--distributed-executor-backend a.b.C", "--tool-call-parser weird"]
)
def test_what_the_engine_takes_although_it_is_not_listed(text: str) -> None:
    read = line(f"m {text}")
    assert read.ok
    assert not read.refusals


def test_versions_that_the_engine_of_which_takes_a_key_have_that_key() -> None:
    (refusal,) = line("""m -sc '{"method": "mtp", "attention_backend": "B12X_MLA_SPARSE"}'""").refusals
    assert refusal.accepted_by == ()
    (refusal,) = line("""m -sc '{"method": "mtp", "attention_backend": "B12X"}'""", "0.24.0").refusals
    assert refusal.accepted_by[-1] == "0.33.0"

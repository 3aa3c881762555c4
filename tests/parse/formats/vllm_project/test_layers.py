"""What goes into a launch, and in which order: base, variant, strategy, sizes, amendments, hardware, features."""

from __future__ import annotations

from tests.parse.formats.vllm_project.tree import changed, env, launch, line

MOE = "models/example/moe.yaml"
TAIL = "--enable-auto-tool-choice --tool-call-parser moe --reasoning-parser moe"


def test_every_layer_in_upstreams_order() -> None:
    (one,) = launch("moe", "b200", "single_node_tp")
    assert line(one) == (
        "example/moe --trust-remote-code --variant-flag all --variant-exact b200 --tensor-parallel-size 8"
        f" --general blackwell --max-num-seqs 128 --variant-family blackwell {TAIL}"
    )
    assert one.program == ("vllm", "serve")
    assert one.role == "serve"


def test_an_option_given_again_replaces_the_earlier_one_at_the_later_position() -> None:
    (hopper,) = launch("moe", "h200", "single_node_tp")
    (blackwell,) = launch("moe", "b200", "single_node_tp")
    assert "--trust-remote-code --max-num-seqs 64 --variant-flag" in line(hopper)
    assert "--max-num-seqs 64" not in line(blackwell)
    assert line(blackwell).count("--max-num-seqs") == 1


def test_an_option_with_an_equals_sign_is_the_same_option() -> None:
    files = changed(MOE, ('"--max-num-seqs", "128"', '"--max-num-seqs=128"'))
    (one,) = launch("moe", "b200", "single_node_tp", files=files)
    assert "--general blackwell --max-num-seqs=128 --variant-family" in line(one)
    assert "--max-num-seqs 64" not in line(one)


def test_a_negative_number_belongs_to_its_option() -> None:
    files = changed(MOE, ('"--max-num-seqs", "128"', '"--seed", "-1", "--max-num-seqs", "128"'))
    (one,) = launch("moe", "b200", "single_node_tp", files=files)
    assert "--seed -1 --max-num-seqs 128" in line(one)


def test_the_block_of_the_generation_replaces_that_of_the_brand() -> None:
    assert "--general nvidia" in line(launch("moe", "h200", "single_node_tp")[0])
    assert "--general nvidia" not in line(launch("moe", "b200", "single_node_tp")[0])


def test_a_strategys_block_for_the_family_replaces_the_general_ones_and_its_exact_block_adds() -> None:
    (one,) = launch("moe", "gb200", "single_node_tep")
    assert f"--amended tep --special blackwell {TAIL}" in line(one)
    assert "--general" not in line(one)
    assert "--variant-family" not in line(one)
    (exact,) = launch("moe", "b200", "single_node_tep")
    assert f"--amended tep --special b200 {TAIL}" in line(exact)


def test_the_environment_is_merged_in_the_same_order() -> None:
    (one,) = launch("moe", "b200", "single_node_tp")
    assert env(one) == {
        "BASE_ENV": "1",
        "SHARED_ENV": "blackwell",
        "VARIANT_ENV": "1",
        "EXACT_ENV": "b200",
    }
    (tep,) = launch("moe", "h200", "single_node_tep")
    assert env(tep) == {"BASE_ENV": "1", "SHARED_ENV": "base", "VARIANT_ENV": "1", "TEP_ENV": "1"}
    assert list(env(launch("moe", "h200", "multi_node_tp")[0])) == [
        "BASE_ENV",
        "SHARED_ENV",
        "VARIANT_ENV",
        "GLOO_SOCKET_IFNAME",
        "NCCL_SOCKET_IFNAME",
    ]


def test_both_spellings_of_an_amendment_add() -> None:
    files = changed(
        MOE, ('vllm_args: ["--dtype", "bfloat16"]', 'vllm_args: ["--dtype", "half"]\n    extra_args: ["-x"]')
    )
    head = launch("moe", "h200", "multi_node_tp_pp", files=files)[0]
    assert "--dtype half -x --general nvidia" in line(head)


def test_a_variant_serves_its_own_model() -> None:
    (one,) = launch("moe", "b200", "single_node_tp", variant="nvfp4")
    assert one.argv[0].text == "example/moe-NVFP4"
    assert one.model == one.argv[0]
    assert "--variant-flag" not in line(one)


def test_facts_that_do_not_reach_the_launch_are_advisory() -> None:
    assert [fact[:2] for fact in launch("dense")[0].advisory] == [("min_vllm_version", "0.20.0")]
    (fp8,) = launch("dense", variant="fp8")
    assert [fact[:2] for fact in fp8.advisory] == [("min_vllm_version", "0.22.0")]
    (stored,) = launch("dense", "h200", "store_shared")
    assert ("kv_min_vllm_version", "0.21.0") in [fact[:2] for fact in stored.advisory]


def test_values_that_yaml_reads_as_numbers_are_written_as_the_builder_writes_them() -> None:
    edits = ('["--general", "nvidia"]', "[--a, 8, --b, 0.90, --c, 1.0, --d, true, --e, '0.90']")
    (one,) = launch("moe", "h200", "single_node_tp", files=changed(MOE, edits))
    assert "--a 8 --b 0.9 --c 1 --d true --e 0.90" in line(one)

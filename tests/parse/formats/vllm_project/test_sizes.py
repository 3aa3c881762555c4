"""Parallel sizes, nodes and roles."""

from __future__ import annotations

import pytest

from recipediff.core.launch import Select
from recipediff.parse.formats.format import UpstreamFiles
from tests.parse.formats.vllm_project.tree import FILES, changed, launch, line, problems, read

DENSE, MOE = "models/example/dense.yaml", "models/example/moe.yaml"


def _tp(hardware: str, variant: str = "", files: UpstreamFiles = FILES) -> str:
    (one,) = launch("dense", hardware, "single_node_tp", variant, files=files)
    words = [word.text for word in one.argv]
    return words[words.index("--tensor-parallel-size") + 1]


def test_one_gpu_where_the_model_fits_it_else_all_of_the_node() -> None:
    assert _tp("h200") == "1"
    assert _tp("tpu") == "8"
    exact = changed(DENSE, ("vram_minimum_gb: 60", "vram_minimum_gb: 141"))
    over = changed(DENSE, ("vram_minimum_gb: 60", "vram_minimum_gb: 142"))
    assert _tp("h200", files=exact) == "1"
    assert _tp("h200", files=over) == "8"


def test_a_stated_size_wins_the_variants_over_the_strategys() -> None:
    assert _tp("b200", "fp8") == "2"
    both = changed(DENSE, ("    tp:\n      xeon: 8", "    tp: 4"))
    assert _tp("b200", "fp8", files=both) == "2"
    assert _tp("b200", files=both) == "4"


def test_a_general_size_is_cut_to_the_node_and_one_for_the_hardware_is_not() -> None:
    assert _tp("xeon") == "8"
    general = changed(DENSE, ("    tp:\n      xeon: 8", "    tp: 8"))
    assert _tp("gb200", files=general) == "4"


def test_expert_and_data_parallel_take_the_whole_node() -> None:
    assert "--enable-expert-parallel --tensor-parallel-size 4" in line(launch("moe", "gb200", "single_node_tep")[0])
    assert "--enable-expert-parallel --data-parallel-size 4" in line(launch("moe", "gb200", "single_node_dep")[0])


def test_tensor_parallel_over_nodes() -> None:
    head, worker = launch("moe", "h200", "multi_node_tp")
    assert (head.role, worker.role) == ("head", "worker-1")
    assert "--tensor-parallel-size 16 --nnodes 2 --node-rank 0 --master-addr $HEAD_IP --general" in line(head)
    assert "--nnodes 2 --node-rank 1 --master-addr $HEAD_IP --headless --general" in line(worker)


def test_data_parallel_over_nodes() -> None:
    head, worker = launch("moe", "gb200", "multi_node_dep")
    sizes = "--data-parallel-size 8 --data-parallel-size-local 4 --data-parallel-address $HEAD_IP"
    assert f"--data-parallel-hybrid-lb {sizes} --general" in line(head)
    assert f"{sizes} --data-parallel-start-rank 4 --general" in line(worker)


def test_pipeline_and_data_parallel_across_with_tensor_parallel_inside() -> None:
    head, *workers = launch("moe", "gb200", "multi_node_tp_pp")
    assert "--tensor-parallel-size 4 --pipeline-parallel-size 4 --nnodes 4 --node-rank 0" in line(head)
    assert [one.role for one in workers] == ["worker-1", "worker-2", "worker-3"]
    head, worker = launch("moe", "gb200", "multi_node_tp_dp")
    sizes = "--tensor-parallel-size 4 --data-parallel-size 2 --data-parallel-size-local 1"
    assert f"{sizes} --data-parallel-address $HEAD_IP --general" in line(head)
    assert "--data-parallel-address $HEAD_IP --data-parallel-start-rank 1" in line(worker)


def test_nodes_can_be_asked_for() -> None:
    found = launch("moe", "h200", "multi_node_tp", nodes=3)
    assert [one.role for one in found] == ["head", "worker-1", "worker-2"]
    assert "--tensor-parallel-size 24 --nnodes 3" in line(found[0])


@pytest.mark.parametrize(
    ("strategy", "nodes", "hint"),
    [
        ("single_node_tp", 2, "possible: 1"),
        ("multi_node_tp", 1, "possible: 2 to 64"),
        ("multi_node_tp", 65, "possible: 2 to 64"),
        ("pd_cluster", 2, "each pool has its own"),
    ],
)
def test_nodes_that_a_strategy_cannot_have_are_refused(strategy: str, nodes: int, hint: str) -> None:
    reading = read("moe", Select(hardware="h200", strategy=strategy, nodes=nodes))
    assert reading.invocations == ()
    assert hint in reading.problems[0].hint


def test_more_nodes_than_anybody_has_are_refused() -> None:
    files = changed(MOE, ("multi_node_tp_pp: 16", "multi_node_tp_pp: 60000"))
    reading = read("moe", Select(hardware="h200", strategy="multi_node_tp_pp"), files)
    assert [problem.message for problem in problems(reading)] == ["multi_node_tp_pp would take 7,500 nodes here"]


def test_one_role_can_be_asked_for() -> None:
    reading = read("moe", Select(hardware="h200", strategy="multi_node_tp", role="worker-1"))
    assert [one.role for one in reading.invocations] == ["worker-1"]
    wrong = read("moe", Select(hardware="h200", strategy="multi_node_tp", role="serve"))
    assert wrong.invocations == ()
    assert wrong.problems[0].hint == "possible: head, worker-1"


def test_a_size_stated_for_a_strategy_that_never_took_one_blocks() -> None:
    tep = changed(MOE, ("  single_node_tep:\n", "  single_node_tep:\n    tp: 2\n"))
    assert "--tensor-parallel-size 2" in line(launch("moe", "h200", "single_node_tep", files=tep)[0])
    dep = changed(MOE, ("  multi_node_tp_pp:\n    vllm", "  multi_node_tp_pp:\n    tp: 2\n    vllm"))
    reading = read("moe", Select(hardware="h200", strategy="multi_node_tp_pp"), dep)
    assert [p.message for p in problems(reading)] == ["a `tp` for multi_node_tp_pp is not known to reach the launch"]


def test_a_variants_size_is_for_plain_tensor_parallelism() -> None:
    files = changed(MOE, ('    extra_args: ["--variant-flag", "all"]', "    tp: 2"))
    assert "--tensor-parallel-size 2" in line(launch("moe", "h200", "single_node_tp", files=files)[0])
    assert "--tensor-parallel-size 8" in line(launch("moe", "h200", "single_node_tep", files=files)[0])

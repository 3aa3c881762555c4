"""Prefill/decode pairs, and KV stores laid over a serving strategy."""

from __future__ import annotations

from recipediff.core.launch import Select
from tests.parse.formats.vllm_project.tree import changed, env, launch, line, problems, read

MOE = "models/example/moe.yaml"


def test_each_pool_has_its_own_words_sizes_and_environment() -> None:
    prefill, decode = launch("moe", "b200", "pd_cluster")
    assert (prefill.role, decode.role) == ("prefill", "decode")
    assert line(prefill).startswith(
        "example/moe --trust-remote-code --variant-flag all --variant-exact b200 --port 8001 --kv-transfer-config"
    )
    assert (
        "--tensor-parallel-size 8 --enable-expert-parallel --max-num-batched-tokens 16384 --general blackwell"
    ) in line(prefill)
    assert (
        "--data-parallel-size 8 --data-parallel-size-local 8 --data-parallel-start-rank 0 --data-parallel-address"
        " $DECODE_NODE_1 --data-parallel-rpc-port $DECODE_DP_RPC_PORT --enable-expert-parallel --general blackwell"
    ) in line(decode)
    assert env(decode)["DECODE_ENV"] == "1"
    assert env(decode)["CUDA_VISIBLE_DEVICES"] == "0,1,2,3,4,5,6,7"
    assert "DECODE_ENV" not in env(prefill)


def test_pools_that_need_more_nodes_rendezvous_and_say_that_one_node_is_shown() -> None:
    prefill, decode = launch("moe", "gb200", "pd_cluster")
    assert (
        "--tensor-parallel-size 8 --enable-expert-parallel --nnodes 2 --node-rank 0 --master-addr $PREFILL_NODE_1"
        in (line(prefill))
    )
    assert "--data-parallel-size 8 --data-parallel-size-local 4" in line(decode)
    assert "--data-parallel-hybrid-lb --enable-expert-parallel" in line(decode)
    assert env(prefill)["GLOO_SOCKET_IFNAME"] == "$IFACE_NAME"
    assert [note.message for note in prefill.notes] == [
        "the prefill pool has 2 nodes; upstream publishes the command of the first"
    ]
    assert launch("moe", "b200", "pd_cluster")[0].notes == ()


def test_pools_that_fit_half_a_node_share_one() -> None:
    prefill, decode = launch("moe", "b200", "pd_cluster", variant="nvfp4")
    assert "--tensor-parallel-size 4 --enable-expert-parallel" in line(prefill)
    assert env(prefill)["CUDA_VISIBLE_DEVICES"] == "0,1,2,3"
    assert env(decode)["CUDA_VISIBLE_DEVICES"] == "4,5,6,7"


def test_a_pool_without_a_statement_is_tensor_parallel() -> None:
    files = changed(MOE, ("      parallelism: tep\n", ""))
    prefill, _ = launch("moe", "b200", "pd_cluster", files=files)
    assert "--tensor-parallel-size 8 --max-num-batched-tokens" in line(prefill)


def test_a_data_parallel_pool_with_tensor_parallel_ranks() -> None:
    files = changed(MOE, ("      parallelism: dep\n", "      parallelism: dep\n      tp: 2\n"))
    _, decode = launch("moe", "b200", "pd_cluster", files=files)
    assert "--tensor-parallel-size 2 --data-parallel-size 4 --data-parallel-size-local 4" in line(decode)


def test_multi_node_nvlink_variables_stay_on_racks_alone() -> None:
    rack, _ = launch("moe", "gb200", "pd_cluster")
    box, _ = launch("moe", "b200", "pd_cluster")
    only = {"NCCL_MNNVL_ENABLE", "UCX_NET_DEVICES", "VLLM_USE_NCCL_SYMM_MEM"}
    assert only <= env(rack).keys()
    assert not only & env(box).keys()
    assert env(box)["PAIR_ENV"] == "1"


def test_a_roles_hardware_block_is_for_that_role() -> None:
    prefill, decode = launch("moe", "gb200", "pd_cluster")
    assert "--decode-only gb200" in line(decode)
    assert "--decode-only" not in line(prefill)


def test_a_pair_whose_pools_take_more_than_four_nodes_is_not_offered() -> None:
    fits = changed(MOE, ("vram_minimum_gb: 1000", "vram_minimum_gb: 5760"))
    over = changed(MOE, ("vram_minimum_gb: 1000", "vram_minimum_gb: 5761"))
    assert "--nnodes 4" in line(launch("moe", "b200", "pd_cluster", files=fits)[0])
    reading = read("moe", Select(hardware="b200", strategy="pd_cluster"), over)
    assert "strategy 'pd_cluster' is not offered" in problems(reading)[0].message


def test_a_store_adds_to_the_recommended_serving_strategy() -> None:
    (plain,), (stored,) = launch("moe", "h200"), launch("moe", "h200", "store_own")
    assert line(stored) == line(plain) + ' --kv-transfer-config {"kv_connector":"StoreConnector","kv_role":"kv_both"}'
    assert env(stored) == {**env(plain), "PYTHONHASHSEED": "0"}
    assert stored.role == "serve"


def test_instances_of_several_nodes_meet_at_the_instances_address() -> None:
    shared, own = launch("moe", "gb200", "store_shared"), launch("moe", "gb200", "store_own")
    assert [one.role for one in shared] == ["head", "worker-1"]
    assert all("--master-addr $VLLM_INSTANCE_1" in line(one) for one in shared)
    assert all("--master-addr $HEAD_IP" in line(one) for one in own)


def test_a_stores_environment_stands_before_that_of_the_hardware() -> None:
    (stored,) = launch("moe", "mi300x", "store_own")
    assert list(env(stored))[-2:] == ["PYTHONHASHSEED", "AMD_ENV"]


def test_stores_are_offered_on_clusters_of_two_brands_only() -> None:
    for hardware in ("tpu", "xeon", "npu"):
        reading = read("dense", Select(hardware=hardware, strategy="store_own"))
        assert "strategy 'store_own' is not offered" in reading.problems[0].message

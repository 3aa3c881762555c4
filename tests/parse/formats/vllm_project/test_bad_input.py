"""Broken upstream files: one clear message with file and line, never an exception, and never a silent guess."""

from __future__ import annotations

import time

import pytest

from recipediff.core.launch import Select
from recipediff.parse.formats.format import UpstreamFiles
from tests.parse.formats.vllm_project.tree import BLOBS, FILES, UPSTREAM, changed, launch, problems, read

MOE, DENSE = "models/example/moe.yaml", "models/example/dense.yaml"
TAXONOMY, TP, PAIR, STORE = (
    "taxonomy.yaml",
    "strategies/single_node_tp.yaml",
    "strategies/pd_cluster.yaml",
    "kv_store/store_own.yaml",
)


def _with(path: str, content: bytes | str) -> UpstreamFiles:
    return UpstreamFiles({**BLOBS, path: content if isinstance(content, bytes) else content.encode()})


def _without(*paths: str) -> UpstreamFiles:
    return UpstreamFiles({path: data for path, data in BLOBS.items() if path not in paths})


# Five levels of ten aliases each, and seven more on top.
BOMB = b"a0: &a0 [1, 1]\n" + b"".join(
    b"a%d: &a%d [%s]\n" % (level, level, b", ".join([b"*a%d" % (level - 1)] * 10)) for level in range(1, 8)
)

WHOLE_FILES = [
    (b"", "the file describes no recipe"),
    (b"# nothing\n", "the file describes no recipe"),
    (b"- a\n- b\n", "the recipe should be a mapping"),
    (b"just text\n", "the recipe should be a mapping"),
    (b"meta: {}\n", "no model.model_id is given"),
    (b"model: []\n", "model should be a mapping"),
    (b"model: {model_id: [a]}\n", "model.model_id should be a single value"),
    (b"model: {model_id: a}\n", "no variant can be read"),
    (b"model: {model_id: a}\nvariants: 3\n", "variants should be a mapping"),
    (b"model: {model_id: a}\nvariants: {default: 3}\n", "variants.default should be a mapping"),
    (b"model: {model_id: a}\nvariants: {default: }\n", "no variant can be read"),
    (b"model: {model_id: a\n", "not YAML"),
    (b"model:\n\tmodel_id: a\n", "not YAML"),
    (b"a: *nowhere\n", "names no anchor"),
    (b"a: !custom x\n", "tag"),
    (b"a: 1\n---\nb: 2\n", "second YAML document"),
    (b"\xff\xfe\x00", "not UTF-8"),
    (b"a: \x00\n", "control character"),
    (b"a: " + b"[" * 100 + b"]" * 100 + b"\n", "nested deeper"),
    (b"x" * (4 * 1024 * 1024 + 1), "more than the"),
    (BOMB, "aliases"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "message"), WHOLE_FILES)
def test_a_file_that_is_no_recipe(content: bytes, message: str) -> None:
    started = time.monotonic()
    reading = read("moe", files=_with(MOE, content))
    assert time.monotonic() - started < 2
    assert reading.invocations == ()
    assert any(message in problem.message for problem in reading.problems), reading.problems
    assert all(problem.place.file == MOE for problem in reading.problems)


PARTS = [
    (MOE, "    - \"--trust-remote-code\"", "    - [nested]", "model.base_args, item 1, should be a single value"),
    (MOE, "    - \"--trust-remote-code\"", "    -", "model.base_args, item 1, is empty"),
    (MOE, "base_args:\n", "base_args: oops\n  other:\n", "model.base_args should be a list"),
    (MOE, "    BASE_ENV: \"1\"", "    BASE_ENV:", "model.base_env.BASE_ENV has no value"),
    (MOE, "    BASE_ENV: \"1\"", "    BASE_ENV: [1]", "model.base_env.BASE_ENV should be a single value"),
    (MOE, "    BASE_ENV: \"1\"", "    SHARED_ENV: \"1\"", "key 'SHARED_ENV' is given twice (first on line"),
    (MOE, "vram_minimum_gb: 1000", "vram_minimum_gb: lots", "variants.default.vram_minimum_gb should be a number"),
    (MOE, "vram_minimum_gb: 1000", "vram_minimum_gb: -3", "should be a number"),
    (MOE, "vram_minimum_gb: 1000", "vram_minimum_gb: .inf", "should be a number"),
    (MOE, "vram_minimum_gb: 1000", "vram_minimum_gb: true", "should be a number"),
    (MOE, "multi_node_tp_pp: 16", "multi_node_tp_pp: 1.5", "should be a whole number from 1"),
    (MOE, "multi_node_tp_pp: 16", "multi_node_tp_pp: 99999999999", "should be a whole number from 1"),
    (MOE, "hopper: unsupported", "hopper: maybe", "'maybe' is not understood"),
    (MOE, "parallelism: tep", "parallelism: ring", "'ring' is not understood"),
    (MOE, "    default_mode: mtp", "    default_mode: eagle", "'eagle' is none of its modes"),
    (MOE, "      brand: AMD", "      colour: red", "precision_hardware.colour is not understood"),
    (MOE, "opt_in_features:\n  - spec_decoding\n  - long_context", "opt_in_features: 7", "opt_in_features should be a list"),
    (MOE, "features:\n  tool_calling:", "features:\n  - tool_calling\nx:\n  tool_calling:", "features should be a mapping"),
    (MOE, "    extra_args: [\"--general\", \"nvidia\"]", "    extra_args: {a: b}", "hardware_overrides.nvidia.extra_args"),
    (MOE, "strategy_overrides:\n", "strategy_overrides: []\nunread:\n", "strategy_overrides should be a mapping"),
    (MOE, "    desk: verified", "    desk: [verified]", "meta.hardware.desk should be a single value"),
    (DENSE, "  min_vllm_version: \"0.20.0\"", "  nightly_required: 3", "should be true or false"),
    (TAXONOMY, "    brand: NVIDIA\n    generation: hopper\n    display_name: H200", "    generation: hopper\n    display_name: H200", "hardware_profiles.h200 needs brand, gpu_count and vram_gb"),
    (TAXONOMY, "    vram_gb: 1128", "    vram_gb: much", "hardware_profiles.h200.vram_gb should be a number"),
    (TAXONOMY, "    display_name: H200\n    gpu_count: 8", "    display_name: H200\n    gpu_count: 0", "should be a whole number from 1"),
    (TAXONOMY, "  h200:\n", "  h200: 8\n  h201:\n", "hardware_profiles.h200 should be a mapping"),
    (TAXONOMY, "    vram_gb: 1128\n    multi_node: false", "    vram_gb: 1128\n    scalable: perhaps", "should be true or false"),
    (TP, "deploy_type: single_node", "deploy_type: everywhere", "deploy_type 'everywhere' is not understood"),
    (TP, "deploy_type: single_node\n", "", "a strategy needs a name and a deploy_type"),
    (TP, "parallel_flag: \"--tensor-parallel-size\"", "parallel_flag: \"--ring\"", "parallel_flag '--ring' is not understood"),
    (TP, "vllm_args: []", "vllm_args: 3", "vllm_args should be a list"),
    (TP, "vllm_args: []", "parallelism: ring", "parallelism 'ring' is not understood"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "before", "after", "message"), PARTS)
def test_a_part_that_is_wrong(path: str, before: str, after: str, message: str) -> None:
    files = changed(path, (before, after))
    model = "dense" if path == DENSE else "moe"
    found = problems(read(model, files=files))
    wanted = [problem for problem in found if message in problem.message]
    assert wanted, found
    assert wanted[0].place.file == path
    assert wanted[0].place.line > 0


def test_a_launch_with_a_problem_in_its_files_carries_it() -> None:
    reading = read("moe", files=changed(MOE, ("hopper: unsupported", "hopper: maybe")))
    assert reading.invocations
    assert all(one.problems for one in reading.invocations)


UNKNOWN = [
    (MOE, "model:\n", "model:\n  extra_flags: [x]\n", True),
    (MOE, "model:\n", "model:\n  poem: [\"--seed\", \"1\"]\n", True),
    (MOE, "model:\n", "model:\n  poem: {VLLM_SOMETHING: \"1\"}\n", True),
    (MOE, "model:\n", "model:\n  poem: roses\n", False),
    (MOE, "meta:\n", "meta:\n  poem: roses\n", False),
    (MOE, "compatible_strategies:\n", "node_overrides: {}\ncompatible_strategies:\n", True),
    (MOE, "compatible_strategies:\n", "poem: roses\ncompatible_strategies:\n", False),
    (MOE, "    extra_args: [\"--variant-flag\", \"all\"]", "    late_args: [\"--variant-flag\", \"all\"]", True),
    (MOE, "      blackwell:\n        extra_args: [\"--special\"", "      blackwell:\n        remove_args: [\"--special\"", True),
    (TP, "vllm_args: []", "vllm_args: []\ndp_size: 4", True),
    (TP, "vllm_args: []", "vllm_args: []\npoem: roses", False),
]  # fmt: skip


@pytest.mark.parametrize(("path", "before", "after", "blocks"), UNKNOWN)
def test_a_key_that_nobody_understands_blocks_where_it_may_change_the_launch(
    path: str, before: str, after: str, blocks: bool
) -> None:
    reading = read("moe", files=changed(path, (before, after)))
    assert reading.invocations
    found = [problem.message for problem in problems(reading)]
    assert any("not understood, and it may change the launch" in message for message in found) is blocks
    notes = [note.message for one in reading.invocations for note in one.notes]
    if not blocks and path == MOE:
        assert any("'poem' that is not read" in note for note in notes)


def test_missing_files_are_named() -> None:
    reading = read("moe", files=_without(MOE))
    assert [str(problem.place) for problem in reading.problems] == [MOE]
    reading = read("moe", files=_without(TAXONOMY))
    assert any("taxonomy.yaml is not there" in problem.message for problem in reading.problems)
    strategies = [path for path in BLOBS if path.startswith(("strategies/", "kv_store/"))]
    reading = read("moe", files=_without(*strategies))
    assert any("no strategies/*.yaml is there" in problem.message for problem in reading.problems)


def test_a_broken_companion_concerns_the_launches_that_use_it() -> None:
    broken = _with(PAIR, "name: [")
    assert any(problem.place.file == PAIR for problem in problems(read("moe", files=broken)))
    assert problems(read("dense", files=broken)) == []
    store = _with(STORE, "name: [")
    assert launch("moe", "h200", files=store)
    reading = read("moe", Select(hardware="h200", strategy="store_own"), store)
    assert reading.invocations == ()
    assert {problem.place.file for problem in reading.problems} == {STORE, MOE}
    profile = changed(TAXONOMY, ("    display_name: H100\n", "    display_name: H100\n    image: x/y\n"))
    assert problems(read("moe", Select(hardware="h100"), profile))
    assert problems(read("moe", Select(hardware="h200"), profile)) == []


def test_an_unreadable_taxonomy_leaves_no_launch() -> None:
    for content in ("a: [", "hardware_profiles: 3", "tasks: []", ""):
        reading = read("moe", files=_with(TAXONOMY, content))
        assert reading.invocations == ()
        assert any(problem.place.file == TAXONOMY for problem in reading.problems)


def test_messages_stay_short_and_few() -> None:
    keys = "\n".join(f"  args_{'x' * 500}_{index}: 1" for index in range(500))
    found = problems(read("moe", files=changed(MOE, ("model:\n", f"model:\n{keys}\n"))))
    assert len(found) <= 102
    assert all(len(problem.message) <= 300 for problem in found)
    reading = read("moe", Select(hardware="h" * 100_000, features=("f" * 100_000,)))
    assert all(len(str(problem)) < 1_000 for problem in reading.problems)


def test_a_list_beyond_all_reason_is_refused_quickly() -> None:
    words = ", ".join(f'"--w{index}"' for index in range(20_000))
    files = changed(MOE, ('["--general", "nvidia"]', f"[{words}]"))
    started = time.monotonic()
    found = problems(read("moe", Select(hardware="h200", strategy="multi_node_tp", nodes=64), files))
    assert any("has 20,000 items" in problem.message for problem in found)
    assert time.monotonic() - started < 2


def test_what_was_read_once_is_not_mixed_up_with_another_commit() -> None:
    other = changed(TAXONOMY, ("    display_name: H200\n    gpu_count: 8", "    display_name: H200\n    gpu_count: 2"))
    for files, size in ((FILES, "16"), (other, "4"), (FILES, "16")):
        head = read("moe", Select(hardware="h200", strategy="multi_node_tp"), files).invocations[0]
        words = [word.text for word in head.argv]
        assert words[words.index("--tensor-parallel-size") + 1] == size


def test_companions_are_the_shared_files() -> None:
    assert UPSTREAM.companions(MOE) == ("taxonomy.yaml", "platforms.yaml", "strategies/*.yaml", "kv_store/*.yaml")
    assert UPSTREAM.name == "vllm-project"

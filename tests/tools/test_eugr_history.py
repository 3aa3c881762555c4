"""eugr's whole history: every version is read, and every edit is given the settings that it changes."""

from __future__ import annotations

from functools import cache

import pytest

from recipediff.parse.vllm.launch import read_version
from tests.shared import SHARED, needs_shared
from tools import eugr_history
from tools.eugr_history import History, understood

RECIPE = """\
recipe_version: "1"
name: example
model: org/m
container: image
defaults:
  tensor_parallel: 2
env:
  A: 1
command: |
  vllm serve org/m -tp {tensor_parallel} --max-num-seqs 8 %s
"""


@cache
def history() -> History:
    return eugr_history.measure(SHARED)


def test_every_word_of_a_command_is_accounted_for() -> None:
    content = understood((RECIPE % "--enable-prefix-caching --port=8000").encode(), "r.yaml", read_version(""))
    assert (content.reasons, content.remainder) == ((), ())


def test_a_word_that_no_setting_and_no_note_holds_is_a_remainder() -> None:
    content = understood((RECIPE % "--port=8000").encode(), "r.yaml", read_version(""))
    assert content.launch is not None
    from recipediff.parse.formats.eugr.reader import read_recipe

    invocation = read_recipe((RECIPE % "--port=8000 --seed 7").encode(), "r.yaml").invocations[0]
    assert eugr_history.remainder(invocation, content.launch) == ("--seed", "7")


def test_a_placeholder_that_nothing_fills_is_a_reason() -> None:
    content = understood((RECIPE % "-pp {pipeline}").encode(), "r.yaml", read_version(""))
    assert content.reasons == ("placeholder {pipeline} has no default",)


@needs_shared
def test_each_version_is_read_without_an_unexplained_remainder() -> None:
    contents = history().contents
    assert len(contents) == 118
    assert not history().unexplained
    stopped = {name[:10]: content.reasons for name, content in contents.items() if content.reasons}
    assert stopped == {"bff1f236d7": ("placeholder {pipeline_parallel} has no default",)}


@needs_shared
def test_each_edit_is_classified() -> None:
    counts = {
        kind: history().count(kind) for kind in ("settings", "launcher's own", "no launch change", "not comparable")
    }
    assert counts == {"settings": 63, "launcher's own": 0, "no launch change": 24, "not comparable": 1}
    assert (len(history().edits), history().added) == (88, 31)


@needs_shared
@pytest.mark.parametrize(
    ("commit", "path", "settings"),
    [
        ("30f72c8a", "qwen3.6-35b-a3b-fp8-dflash.yaml", ("-enable_prefix_caching",)),
        ("87cb9f6e", "gemma4-26b-a4b.yaml", ("~load_format", "-mods/fix-gemma4-tool-parser")),
        ("5d0f307b", "step-3.7-flash-fp8.yaml", ("-mods/gpu-memory-utilization-gb", "+mods/gpu-mem-util-gb")),
        ("3baca14e", "4x-spark-cluster/qwen3.5-397b-int4-autoround.yaml", ("+PYTORCH_CUDA_ALLOC_CONF",)),
        ("b87854fd", "qwen3.6-35b-a3b-fp8.yaml", ("~model",)),
        ("8fec9bed", "nemotron-3-super-nvfp4.yaml", ("~tensor_parallel_size",)),
        ("03577eb2", "step-3.7-flash-fp8.yaml", ()),
        ("5c9bee26", "gemma4-26b-a4b.yaml", ()),
    ],
)
def test_edits_that_were_read_by_hand(commit: str, path: str, settings: tuple[str, ...]) -> None:
    found = [edit.settings for edit in history().edits if edit.commit.startswith(commit) and edit.path == path]
    assert found == [settings]


@needs_shared
def test_what_the_launcher_supplies_and_what_stands_beside_the_launch_is_said_apart() -> None:
    edits = {(edit.commit[:8], edit.path): edit for edit in history().edits}
    assert edits["8fec9bed", "nemotron-3-super-nvfp4.yaml"].launcher == ("+distributed_executor_backend",)
    assert edits["5c9bee26", "gemma4-26b-a4b.yaml"].beside == ("container", "build_args")

"""The facts by version, and how they are found."""

from __future__ import annotations

import json
from importlib import resources

import pytest

from recipediff.parse.vllm.grammar import surface
from tests.shared import SHARED, needs_shared
from tools.build_grammar import TARGET, build, dump


def test_nine_versions_oldest_first() -> None:
    assert surface.versions() == (
        "0.11.0",
        "0.14.1",
        "0.17.1",
        "0.20.2",
        "0.22.1",
        "0.24.0",
        "0.28.0",
        "0.32.0",
        "0.33.0",
    )
    assert surface.newest() == "0.33.0"


@pytest.mark.parametrize(
    ("stated", "used"),
    [
        ("0.32.0", "0.32.0"),
        ("v0.32.0", "0.32.0"),
        ("0.32.1", "0.32.0"),
        ("0.31.9", "0.28.0"),
        ("0.32.0rc1", "0.32.0"),
        ("0.32.0+cu130", "0.32.0"),
        ("0.33.1.dev12+gabc", "0.33.0"),
        ("1.0", "0.33.0"),
        ("0.9.2", "0.11.0"),
    ],
)
def test_the_nearest_version_is_the_newest_not_above(stated: str, used: str) -> None:
    assert surface.nearest(stated) == used


@pytest.mark.parametrize("stated", ["", "nightly", "latest", "0", "x.y", "." * 5, "9" * 5000])
def test_what_is_no_version_is_said_to_be_none(stated: str) -> None:
    with pytest.raises(ValueError, match="no vLLM version"):
        surface.nearest(stated)


@pytest.mark.parametrize(
    ("version", "flags", "options"), [("0.11.0", 184, 243), ("0.32.0", 317, 430), ("0.33.0", 321, 485)]
)
def test_every_measured_flag_and_option_is_there(version: str, flags: int, options: int) -> None:
    loaded = surface.load(version)
    assert (len(loaded.flags), len(loaded.options)) == (flags, options)


def test_lists_that_others_need() -> None:
    newest = surface.load("0.33.0")
    assert newest.reasoning_parsers is not None
    assert "qwen3" in newest.reasoning_parsers
    assert newest.tool_call_parsers is not None
    assert "hermes" in newest.tool_call_parsers
    assert newest.architectures is not None
    assert len(newest.architectures) == 415
    assert newest.architectures_removed["GritLM"] == "0.28.0"
    assert newest.env["VLLM_LOGGING_LEVEL"].default == "INFO"
    assert newest.listed("load_formats") is not None
    assert surface.load("0.11.0").listed("moe_backends") is None
    assert {row["device"] for row in newest.late_defaults} >= {"NVIDIA H200"}


def test_facts_of_one_flag() -> None:
    flag = surface.load("0.33.0").flags["enable_prefix_caching"]
    assert flag.hidden_options == {"--no-enable-prefix-caching"}
    assert flag.sets_false == {"--no-enable-prefix-caching", "--disable-prefix-caching"}
    assert surface.load("0.32.0").flags["tool_call_parser"].known_values is not None
    assert surface.load("0.32.0").flags["log_config_file"].deprecated


def test_the_file_is_small_and_says_where_its_facts_come_from() -> None:
    text = resources.files("recipediff.parse.vllm.grammar").joinpath("data/vllm.json").read_text("utf-8")
    assert len(text.encode()) < 1_000_000
    assert "Apache-2.0" in json.loads(text)["licence"]


@needs_shared
def test_the_file_is_what_the_tool_builds() -> None:
    assert TARGET.read_text("utf-8") == dump(build(SHARED / "data"))

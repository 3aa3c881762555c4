"""The entry-side judgement and the comparison speak of one value: a declaration written from a difference fits both."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from itertools import permutations

import pytest

from recipediff.checks.recipes import rules as entry
from recipediff.core.compare import Difference, compare
from recipediff.core.declare import judge
from recipediff.core.launch import Invocation, Launch, Word
from recipediff.core.recipe import Deviation
from recipediff.parse.vllm.launch import ReadVersion, understand
from tests.checks.recipes.rules.cases import HERE, recipe
from tests.shared import SHARED, needs_shared

VERSION = ReadVersion("0.32.0", stated=True)

LINES: tuple[list[str], ...] = (
    ["-tp", "2", "--max-model-len", "256K", "--enable-prefix-caching"],
    ["--tensor-parallel-size=4", "--max-model-len", "auto", "--no-enable-prefix-caching"],
    ["--speculative-config", '{"method":"mtp","num_speculative_tokens":2}', "--attention-backend", "FLASH_ATTN"],
    ["--speculative-config.method", "mtp", "--speculative-config.num_speculative_tokens", "3", "-ac.backend", "FLASHINFER"],
    ["--spec-method", "mtp", "--spec-tokens", "4", "--served-model-name", "long name", "short"],
    ["--compilation-config", '{"cudagraph_mode":"NONE","custom_ops":["all"]}', "--max-cudagraph-capture-size", "48"],
    ["-cc.cudagraph_mode", "PIECEWISE", "--hf-overrides", '{"a":{"b":1}}', "--served-model-name", "short"],
    ["--default-chat-template-kwargs.thinking=true", "--default-chat-template-kwargs.effort=high", "-O3"],
    ["--default-chat-template-kwargs", '{"thinking": true}', "--made-up-flag", "x", "--seed", "0"],
    [],
)  # fmt: skip


def launch(argv: list[str]) -> Launch:
    return understand(
        Invocation(role="serve", argv=tuple(Word(text, HERE) for text in ["org/some-model", *argv])), VERSION
    )


def declaration(difference: Difference) -> Deviation:
    left, right = difference.left or "", difference.right or ""
    return Deviation(
        kind=difference.kind, setting=difference.setting, upstream=left, ours=right, why="a reason to check", place=HERE
    )


def false(deviation: Deviation, right: Launch, differences: tuple[Difference, ...]) -> str:
    """Why a declaration does not fit, by the recipe or by the comparison; empty where it does."""
    misfit = entry.judge_entry(deviation, recipe(), right.settings)
    return misfit.reason if misfit else judge([deviation], differences)[0][0].reason


def disagreements(left: Launch, right: Launch) -> list[str]:
    found = []
    differences = compare(left, right)
    true = [declaration(difference) for difference in differences]
    for difference, deviation in zip(differences, true, strict=True):
        if reason := false(deviation, right, differences):
            found.append(f"{difference.setting}: {reason}")
        if not false(replace(deviation, ours=deviation.ours + "0"), right, differences):
            found.append(f"{difference.setting}: another value passed")
        dropped = replace(deviation, ours="", upstream=deviation.upstream or "x")
        if difference.direction != "dropped" and not false(dropped, right, differences):
            found.append(f"{difference.setting}: passed for a drop")
    return [*found, *map(str, judge(true, differences)[1])]


@pytest.mark.parametrize(("left", "right"), list(permutations(range(len(LINES)), 2)))
def test_a_declaration_written_from_a_difference_fits(left: int, right: int) -> None:
    assert disagreements(launch(LINES[left]), launch(LINES[right])) == []


@needs_shared
def test_it_fits_for_command_lines_that_were_measured() -> None:
    """Each rewritten line of the grammar oracle against its original, both ways."""
    lines = {}
    with gzip.open(SHARED / "data" / "grammar-oracle-0.32.0.jsonl.gz", "rt", encoding="utf-8") as rows:
        for row in map(json.loads, rows):
            if row["ok"] and row["origin"] in ("real", "rewrite") and row["set"].get("model_tag"):
                lines[row["id"]] = row
    checked = 0
    for row in list(lines.values())[::2]:
        original = lines.get(row.get("of"))
        if original is None or original["set"]["model_tag"] != row["set"]["model_tag"]:
            continue
        one, other = launch_of(original["argv"]), launch_of(row["argv"])
        assert disagreements(one, other) == [], (original["id"], row["id"])
        assert disagreements(other, one) == [], (row["id"], original["id"])
        checked += 1
    assert checked > 300


def launch_of(argv: list[str]) -> Launch:
    return understand(Invocation(role="serve", argv=tuple(Word(text, HERE) for text in argv)), VERSION)

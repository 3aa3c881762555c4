"""Features: which are on, their modes, and where they cannot be had."""

from __future__ import annotations

import pytest

from recipediff.core.launch import Select
from tests.parse.formats.vllm_project.tree import changed, launch, line, read

MOE = "models/example/moe.yaml"
MTP = '--speculative-config {"method":"mtp","num_speculative_tokens":%d}'
DRAFT = '--speculative-config {"method":"draft","num_speculative_tokens":7}'


def test_all_are_on_but_those_that_are_opt_in() -> None:
    text = line(launch("moe", "h200", "single_node_tp")[0])
    assert "--tool-call-parser moe --reasoning-parser moe" in text
    assert "--rope-scaling" not in text
    assert "--speculative-config" not in text


def test_opt_in_on_one_hardware() -> None:
    assert "--tool-call-parser" not in line(launch("moe", "h100", "single_node_tp")[0])
    assert "--reasoning-parser moe" in line(launch("moe", "h100", "single_node_tp")[0])


def test_a_variant_that_names_a_mode_switches_its_feature_on() -> None:
    assert line(launch("moe", "h200", variant="drafted")[0]).endswith(DRAFT)


def test_exactly_the_named_ones_in_the_recipes_order() -> None:
    (one,) = launch("moe", "h200", features=("long_context", "tool_calling"))
    assert line(one).endswith('--enable-auto-tool-choice --tool-call-parser moe --rope-scaling {"factor":4.0}')
    (none,) = launch("moe", "h200", features=())
    assert line(none).endswith("--general nvidia")


def test_modes() -> None:
    assert line(launch("moe", "b200", features=("spec_decoding",))[0]).endswith(MTP % 2)
    assert line(launch("moe", "h200", features=("spec_decoding:mtp",))[0]).endswith(MTP % 1)
    assert line(launch("moe", "b200", variant="drafted", features=("spec_decoding:draft",))[0]).endswith(DRAFT)
    assert line(launch("moe", "b200", variant="drafted", features=("spec_decoding:mtp",))[0]).endswith(MTP % 2)


def test_words_by_hardware() -> None:
    assert line(launch("moe", "mi300x", "single_node_tp")[0]).endswith("--reasoning-parser moe_amd")


@pytest.mark.parametrize(
    ("select", "why"),
    [
        (Select(hardware="b200", features=("spec_decoding:draft",)), "for variant 'default' (for: drafted)"),
        (Select(hardware="gb200", features=("spec_decoding:mtp",)), "on gb200"),
        (
            Select(hardware="h200", strategy="single_node_tep", features=("long_context",)),
            "with single_node_tep (with: multi_node_tp, single_node_tp)",
        ),
    ],
)
def test_one_that_this_launch_cannot_have_is_refused(select: Select, why: str) -> None:
    reading = read("moe", select)
    assert reading.invocations == ()
    assert why in reading.problems[0].message


def test_a_default_one_that_this_launch_cannot_have_is_left_out() -> None:
    files = changed(
        MOE,
        (
            '    args: ["--reasoning-parser", "moe"]',
            '    args: ["--reasoning-parser", "moe"]\n    strategies: [single_node_tep]',
        ),
    )
    assert "--reasoning-parser" not in line(launch("moe", "h200", "single_node_tp", files=files)[0])
    assert "--reasoning-parser" in line(launch("moe", "h200", "single_node_tep", files=files)[0])

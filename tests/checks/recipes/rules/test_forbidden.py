"""Combinations that are known to abort or to misbehave."""

from __future__ import annotations

import pytest

from recipediff.checks.recipes.rules.forbidden import FORBIDDEN
from recipediff.core.setting import Setting
from tests.checks.recipes.rules.cases import Case, case, flag

FLASH = (("org/some-model", "deepseek-ai/DeepSeek-V4-Flash-0731"),)
DSPARK = '{"method": "dspark", "num_speculative_tokens": %d}'


def said(made: Case) -> list[str]:
    return [f.message for f in made.findings("forbidden-combination")]


@pytest.mark.parametrize(
    "setting",
    [
        flag("attention_backend", "B12X_MLA_SPARSE", route=("attention_config", "backend")),
        flag("attention_backend", "b12x_mla_sparse"),
        flag("attention_config.backend", "B12X_MLA_SPARSE"),
        flag("attention_config", '{"backend": "B12X_MLA_SPARSE"}'),
        flag("speculative_config", '{"attention_backend": "B12X_MLA_SPARSE"}'),
    ],
    ids=lambda setting: setting.name,
)
def test_the_backend_that_the_image_rejects_is_found_however_it_is_written(setting: Setting) -> None:
    (found,) = case(setting).findings("forbidden-combination")
    assert "aborts at start" in found.message
    assert "spec/recipes.md" in found.message
    assert found.fix is not None
    assert "B12X" in found.fix.summary
    assert found.setting == setting.name


@pytest.mark.parametrize("value", ["B12X", "FLASHMLA_SPARSE", "FLASH_ATTN"])
def test_other_backends_pass(value: str) -> None:
    assert said(case(flag("attention_backend", value, route=("attention_config", "backend")))) == []


@pytest.mark.parametrize(("tokens", "fine"), [(5, True), (10, True), (3, False), (6, False), (0, False)])
def test_dspark_speculates_in_whole_blocks(tokens: int, fine: bool) -> None:
    as_json = case(flag("speculative_config", DSPARK % tokens), edits=FLASH)
    dotted = case(
        flag("speculative_config.method", "dspark"),
        flag("speculative_config.num_speculative_tokens", str(tokens), tokens),
        edits=FLASH,
    )
    routed = case(
        flag("spec_method", "dspark", route=("speculative_config", "method")),
        flag("spec_tokens", str(tokens), tokens, route=("speculative_config", "num_speculative_tokens")),
        edits=FLASH,
    )
    for made in (as_json, dotted, routed):
        assert bool(said(made)) is not fine
        assert all("not a multiple of 5" in message for message in said(made))


def test_other_models_and_methods_have_other_blocks() -> None:
    assert said(case(flag("speculative_config", DSPARK % 6))) == []
    assert said(case(flag("speculative_config", (DSPARK % 6).replace("dspark", "mtp")), edits=FLASH)) == []


def test_the_capture_size_under_speculation_is_a_warning_with_the_right_number() -> None:
    def made(size: int, *more: Setting) -> Case:
        own = ("compilation_config", "max_cudagraph_capture_size")
        capture = flag("max_cudagraph_capture_size", str(size), size, route=own)
        return case(flag("speculative_config", DSPARK % 5), capture, *more, edits=FLASH)

    seqs = flag("max_num_seqs", "8")
    assert said(made(48, seqs)) == []
    (found,) = made(64, seqs).findings("forbidden-combination")
    assert found.severity == "warning"
    assert "max_cudagraph_capture_size is 64, not 8 x (5 + 1)" in found.message
    assert found.fix is not None
    assert found.fix.summary == "write 48"
    assert said(made(64)) == [], "without max_num_seqs nothing is known"


def test_every_row_has_a_reason_and_a_source() -> None:
    assert len({row.id for row in FORBIDDEN}) == len(FORBIDDEN)
    assert all(len(row.reason) > 20 and row.source for row in FORBIDDEN)


def test_args_that_were_not_read_are_not_judged() -> None:
    made = case(flag("attention_backend", "B12X_MLA_SPARSE"), edits=(('- "262144"', "- {a: 1}"),))
    assert said(made) == []

"""The `bumps:` section: every key is read, and a broken one opens nothing."""

from __future__ import annotations

import pytest

from recipediff.core.bumps.config import BumpConfig, BumpGroup
from recipediff.parse.config.repository import read_config
from recipediff.parse.schema.bump_fields import BUMPS

FULL = b"""\
bumps:
  open: asked
  days: [mon, thu]
  cooldown: 2.5
  max-open: 2
  max-per-day: 0
  groups: [{name: deepseek, recipes: ["deepseek-*"]}]
  quiet: skip
  quiet-every: week
  ignore: [old-*]
  labels: []
  reviewers: [ada, lab/models]
  assignees: [ada]
  automerge: quiet
  overview: never
"""


def test_every_key_is_read() -> None:
    config, findings = read_config(FULL, "c.yml")
    assert findings == ()
    assert config.bumps == BumpConfig(
        open="asked", days=("mon", "thu"), cooldown=2.5, max_open=2, max_per_day=0, groups=(BumpGroup("deepseek", ("deepseek-*",)),), quiet="skip", quiet_every="week", ignore=("old-*",), labels=(),
        reviewers=("ada", "lab/models"), assignees=("ada",), automerge="quiet", overview="never",
    )  # fmt: skip
    assert config.bumps.group("deepseek-v4") == "deepseek"
    assert config.bumps.group("qwen") == ""
    assert config.bumps.ignores("old-one")
    assert not config.bumps.ignores("older")


def test_without_a_section_the_defaults_hold() -> None:
    assert read_config(b"recipes: [r/*.yaml]\n", "c.yml")[0].bumps == BumpConfig()
    assert read_config(b"bumps: {quiet: skip}\n", "c.yml")[0].bumps == BumpConfig(quiet="skip")


@pytest.mark.parametrize(
    "text",
    ["open: maybe", "days: [monday]", "cooldown: -1", "max-open: many", "groups: [{name: a b, recipes: [x]}]", "ignore: x",
     "reviewers: ['@ada']", "labels: ['']", "opne: never", "quiet-every: year", "automerge: true"],
)  # fmt: skip
def test_a_broken_section_is_said_at_its_line_and_opens_nothing(text: str) -> None:
    config, findings = read_config(f"recipes: [r/*.yaml]\nbumps:\n  {text}\n".encode(), "c.yml")
    assert [finding.place.line for finding in findings] == [3]
    assert config.bumps.open == "never"
    assert config.recipes == ("r/*.yaml",)


def test_the_documentation_names_every_key() -> None:
    from tests.shared import ROOT

    page = (ROOT / "docs" / "bumps.md").read_text("utf-8")
    assert [field.name for field in BUMPS.fields if f"`{field.name}`" not in page] == []

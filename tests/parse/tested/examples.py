"""A tested recipe with every field, for the tests of the reader, the schema and the rules."""

from __future__ import annotations

import copy
import json
from typing import Any

from recipediff.parse.tested.read import RecipeFile, read_recipes

COMMIT = "0123456789abcdef0123456789abcdef01234567"
IMAGE = "vendor/server@sha256:" + "ab" * 32
FINGERPRINT = "sha256:" + "0" * 64

_FULL: dict[str, Any] = {
    "id": "some-model-2spark",
    "model": "org/some-model",
    "topology": {"hardware": "DGX Spark", "nodes": 2},
    "image": IMAGE,
    "vllm": "0.32.0",
    "args": ["--max-model-len", "262144", "--port=8001", "--compilation-config", '{"mode": 0}'],
    "env": {"SOME_SWITCH": "1", "EMPTY_ONE": ""},
    "mods": ["mods/some-mod"],
    "port": 8001,
    "source": {
        "repo": "owner/upstream",
        "path": "recipes/some-model.yaml",
        "commit": COMMIT,
        "license": "MIT",
        "select": {"hardware": "h200", "variant": "fp8", "strategy": "tp", "features": ["reasoning"], "nodes": 2, "role": "head"},
        "deviations": [
            {"kind": "flag", "setting": "port", "upstream": "8000", "ours": "8001", "why": "the router expects it"},
            {"kind": "env", "setting": "SOME_SWITCH", "upstream": "", "ours": "1", "why": "measured: 5 % faster"},
        ],
    },
    "verified": {
        "context": 262144,
        "kv_tokens": 664817,
        "concurrency": 2.53,
        "load_seconds": 161,
        "when": "2026-11-30",
        "on": "two machines on one desk",
        "fingerprint": FINGERPRINT,
    },
    "notes": "Nothing special.",
}  # fmt: skip


def full() -> dict[str, Any]:
    """A fresh copy, to be changed at will."""
    return copy.deepcopy(_FULL)


def read_one(recipe: dict[str, Any]) -> RecipeFile:
    """The recipe as a YAML file of its own, named by the id of the example."""
    return read_recipes(json.dumps(recipe, ensure_ascii=False).encode(), "recipes/some-model-2spark.yaml")


GOOD = f"""\
model: org/some-model
topology:
  hardware: DGX Spark
  nodes: 2
image: {IMAGE}
args:
  - --max-model-len
  - "262144"
env:
  SOME_SWITCH: "1"
source:
  repo: owner/upstream
  path: recipes/some-model.yaml
  commit: {COMMIT}
  license: MIT
  deviations:
    - kind: flag
      setting: max_model_len
      upstream: auto
      ours: "262144"
      why: the window that was measured
verified:
  context: 262144
  fingerprint: {FINGERPRINT}
"""
"""The same in YAML, shorter; the tests break it line by line."""


def broken(*edits: tuple[str, str]) -> bytes:
    """`GOOD` with pieces of text replaced; each piece must be there."""
    text = GOOD
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text.encode()

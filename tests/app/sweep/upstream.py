"""A small upstream in the format of vllm-project/recipes, and surfaces to hold it against."""

from __future__ import annotations

from recipediff.checks.sweep.run import SweepSnapshot, sweep
from recipediff.core.sweep.result import RecipeOutcome, SweepResult
from recipediff.core.sweep.surface import EngineSurface
from recipediff.core.upstream import UpstreamFiles
from recipediff.parse.engine.file import read_surface

REPO = "vllm-project/recipes"

PLAIN = """\
meta: {title: Plain, tasks: [text], hardware: {desk: verified}}
model:
  model_id: org/plain
  base_args: ["--max-model-len", "32768"]
  base_env: {NCCL_DEBUG: "1"}
features: {}
variants: {default: {precision: bf16, vram_minimum_gb: 60}}
compatible_strategies: [single_node_tp]
"""
THINKING = """\
meta: {title: Thinking, tasks: [text], hardware: {}}
model:
  model_id: org/thinking
  base_args:
    - "--trust-remote-code"
    - "--max-model-len=32768"
features:
  reasoning: {args: ["--reasoning-parser", "qwen3"]}
  tools: {args: ["--enable-auto-tool-choice", "--tool-call-parser", "hermes"]}
variants: {default: {precision: bf16, vram_minimum_gb: 60, extra_args: ["--block-size", "16"]}}
compatible_strategies: [single_node_tp]
strategy_overrides:
  single_node_tp: {env: {VLLM_LOGGING_LEVEL: INFO}, extra_env: {NOT_COUNTED: "1"}}
"""
BROKEN = """\
meta: {title: Broken, tasks: [text], hardware: {}}
model:
  model_id: org/broken
  base_args: ["--max-model-len auto"]
features: {}
variants: {default: {precision: bf16, vram_minimum_gb: 60}}
compatible_strategies: [single_node_tp]
"""
TAXONOMY = """\
hardware_profiles:
  desk: {brand: NVIDIA, generation: blackwell, display_name: A desk, gpu_count: 1, vram_gb: 96, multi_node: false, restricted: true}
"""
BLOBS = {
    "models/org/plain.yaml": PLAIN,
    "models/org/thinking.yaml": THINKING,
    "models/org/broken.yaml": BROKEN,
    "taxonomy.yaml": TAXONOMY,
}

ENGINE = """\
engine: tiny
version: "1"
flags:
  accepted: [max_model_len, reasoning_parser, tool_call_parser]
  inert: [trust_remote_code, enable_auto_tool_choice]
values:
  reasoning_parser: [qwen3]
  tool_call_parser: [hermes]
architectures: [PlainForCausalLM]
env: [VLLM_LOGGING_LEVEL]
"""


def engine(*edits: tuple[str, str]) -> EngineSurface:
    """The surface with texts replaced; each must be there."""
    text = ENGINE
    for before, after in edits:
        assert before in text
        text = text.replace(before, after)
    surface, findings = read_surface(text.encode(), "engine.yaml")
    assert surface is not None, findings
    return surface


def snapshot(surface: EngineSurface, rule: str = "published", **blobs: str) -> SweepSnapshot:
    """The small upstream, `models/org/<name>.yaml` replaced or added, against `surface`."""
    texts = {**BLOBS, **{f"models/org/{name}.yaml": text for name, text in blobs.items()}}
    files = UpstreamFiles({path: text.encode() for path, text in texts.items()}, frozenset(texts))
    paths = tuple(sorted(path for path in texts if path.startswith("models/")))
    return SweepSnapshot(
        upstream=REPO, format="vllm-project", commit="a" * 40, files=files, paths=paths, surface=surface, rule=rule
    )


def swept(surface: EngineSurface, rule: str = "published", **blobs: str) -> SweepResult:
    """The sweep of the small upstream."""
    return sweep(snapshot(surface, rule, **blobs))


def outcome(result: SweepResult, name: str) -> RecipeOutcome:
    """What became of `models/org/<name>.yaml`."""
    return next(one for one in result.recipes if one.recipe == f"models/org/{name}.yaml")

"""Which upstream to believe, both answers."""

from __future__ import annotations

from recipediff.checks.recipes.check import RecipesSnapshot, check
from recipediff.core.config import Config
from recipediff.core.upstream import UpstreamFiles
from recipediff.core.verdict import Evaluation
from tests.app.review.world import RECIPE_PATH, UPSTREAM, UPSTREAM_PATH, UPSTREAM_TEXT, recipe_text

PIN = "a" * 40
MODELS = "vllm-project/recipes"
IMAGE_SIDE = UPSTREAM_TEXT.replace("--enable-prefix-caching", "--attention-backend {backend}").replace(
    "defaults:\n", "defaults:\n  backend: TRITON_ATTN\n"
)


def model_side(backend: str) -> str:
    return f"""\
meta:
  title: Tiny
  hardware: {{dgx_spark_gb10: verified}}
model:
  model_id: org/tiny
  base_args: ["--attention-backend", "{backend}"]
variants:
  default: {{precision: fp8, vram_minimum_gb: 10}}
compatible_strategies: [single_node_tp]
"""


SHARED = {
    "taxonomy.yaml": """\
hardware_profiles:
  dgx_spark_gb10: {brand: NVIDIA, generation: blackwell, gpu_count: 1, vram_gb: 128, scalable: false, restricted: true}
""",
    "strategies/single_node_tp.yaml": """\
name: single_node_tp
deploy_type: single_node
parallel_flag: "--tensor-parallel-size"
vllm_args: []
""",
}


def evaluated(ours: str, image: str, model: str, *, declared: str = "") -> Evaluation:
    text = recipe_text(PIN).replace("  - --enable-prefix-caching\n", f"  - --attention-backend\n  - {ours}\n")
    if declared:
        text = text.replace("  deviations:\n", f"  deviations:\n{declared}")
    image_text = IMAGE_SIDE.replace("TRITON_ATTN", image)
    eugr = UpstreamFiles({UPSTREAM_PATH: image_text.encode()})
    other = UpstreamFiles(
        {"models/org/tiny.yaml": model_side(model).encode(), **{p: t.encode() for p, t in SHARED.items()}}
    )
    beside = {UPSTREAM: eugr, MODELS: other}
    snapshot = RecipesSnapshot(
        files={RECIPE_PATH: text.encode()}, upstream={(UPSTREAM, PIN): eugr}, config=Config(), beside=beside
    )
    return check(snapshot)


def about_backend(evaluation: Evaluation) -> list[tuple[str, tuple[str, ...]]]:
    return [(f.rule, f.detail) for f in evaluation.findings if f.setting == "attention_backend"]


def test_a_backend_name_of_the_model_upstream_is_said_to_be_one() -> None:
    ((rule, detail),) = about_backend(evaluated("FLASHINFER", "TRITON_ATTN", "FLASHINFER"))
    assert rule == "undeclared"
    assert "the value is that of vllm-project/recipes, which has no authority over the image" in detail


def test_the_name_of_the_image_upstream_is_fine() -> None:
    assert about_backend(evaluated("TRITON_ATTN", "TRITON_ATTN", "FLASHINFER")) == []


def test_a_value_of_nobodys_is_an_ordinary_difference() -> None:
    ((rule, detail),) = about_backend(evaluated("FLEX_ATTENTION", "TRITON_ATTN", "FLASHINFER"))
    assert (rule, detail) == ("undeclared", ())


def test_a_recipe_derived_from_the_model_upstream_gets_a_finding_of_its_own() -> None:
    text = recipe_text(PIN, repo=MODELS).replace("path: recipes/tiny.yaml", "path: models/org/tiny.yaml")
    text = text.replace("  - --enable-prefix-caching\n", "  - --attention-backend\n  - FLASHINFER\n")
    model = {
        "models/org/tiny.yaml": model_side("FLASHINFER").encode(),
        **{p: t.encode() for p, t in SHARED.items()},
    }
    beside = {UPSTREAM: UpstreamFiles({UPSTREAM_PATH: IMAGE_SIDE.encode()}), MODELS: UpstreamFiles(model)}
    snapshot = RecipesSnapshot(
        files={RECIPE_PATH: text.encode()},
        upstream={(MODELS, PIN): UpstreamFiles(model)},
        config=Config(),
        beside=beside,
    )
    assert [rule for rule, _ in about_backend(check(snapshot))] == ["wrong-authority"]

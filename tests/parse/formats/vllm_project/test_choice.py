"""What upstream chooses where a select leaves it open, and what is refused."""

from __future__ import annotations

import pytest

from recipediff.core.launch import Invocation, Select
from recipediff.parse.formats.format import UpstreamFiles
from tests.parse.formats.vllm_project.tree import FILES, UPSTREAM, changed, launch, line, problems, read

MOE, OWN = "models/example/moe.yaml", "models/example/default_hw.yaml"


def _offers(model: str, variant: str = "", files: UpstreamFiles = FILES) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for offer in UPSTREAM.offers(files, f"models/example/{model}.yaml", variant):
        found.setdefault(offer.select.hardware, []).append(offer.select.strategy)
    return found


def _gpus(found: tuple[Invocation, ...]) -> str:
    """Where a computed size comes from shows which hardware was chosen."""
    word = next(w for w in found[0].argv if w.place.file == "taxonomy.yaml")
    text = FILES.blobs["taxonomy.yaml"].decode().split("\n")
    return next(
        line.strip()[:-1] for line in reversed(text[: word.place.line]) if line.startswith("  ") and line[2] != " "
    )


def test_the_usual_default_hardware() -> None:
    assert _gpus(launch("moe")) == "h200"
    assert _gpus(launch("moe", variant="nvfp4")) == "b200"


def test_a_variant_bound_to_a_brand_has_the_first_profile_that_runs_it() -> None:
    assert _gpus(launch("moe", variant="amd_only")) == "mi300x"


def test_a_stated_default_hardware_wins_where_the_variant_runs_there() -> None:
    assert _gpus(launch("default_hw")) == "b200"
    assert _gpus(launch("default_hw", variant="elsewhere")) == "h200"
    unstated = changed(OWN, ("  default_hardware: b200\n", ""))
    assert _gpus(launch("default_hw", files=unstated)) == "h200"


def test_the_default_is_listed_first_and_the_rest_as_in_the_taxonomy() -> None:
    assert list(_offers("moe")) == ["h200", "h100", "b200", "gb200", "desk", "mi300x"]
    assert list(_offers("default_hw")) == ["b200", "h100", "h200", "gb200", "mi300x"]


def test_restricted_hardware_is_offered_where_the_recipe_names_it_and_unsupported_never() -> None:
    assert set(_offers("dense")) == {"h100", "h200", "b200", "gb200", "tpu", "xeon", "arc", "npu"}
    assert set(_offers("moe", "nvfp4")) == {"b200", "gb200", "desk"}
    assert set(_offers("dense", "fp8")) == {"b200", "gb200"}


def test_the_strategies_of_each_hardware_recommended_first() -> None:
    offers = _offers("moe")
    stores = ["store_own", "store_shared"]
    assert offers["h200"] == [
        "single_node_tp",
        "single_node_tep",
        "single_node_dep",
        "multi_node_tp",
        "multi_node_tp_pp",
        "pd_cluster",
        *stores,
    ]
    assert offers["gb200"][0] == "multi_node_tp"
    assert "multi_node_tp_dp" in offers["gb200"]
    assert "multi_node_dep" in offers["gb200"]
    assert offers["desk"] == ["single_node_tp", "single_node_tep", "single_node_dep"]


def test_every_offer_reads_clean() -> None:
    for model in ("dense", "moe", "default_hw"):
        recipe, wrong = UPSTREAM.recipe(FILES, f"models/example/{model}.yaml")
        assert recipe is not None
        assert wrong == ()
        for variant in recipe.variants:
            for offer in UPSTREAM.offers(FILES, f"models/example/{model}.yaml", variant):
                reading = read(model, offer.select)
                assert reading.invocations, offer
                assert problems(reading) == [], offer


def test_nodes_follow_memory_and_the_least_number_of_gpus() -> None:
    assert [one.role for one in launch("moe", "gb200")] == ["head", "worker-1"]
    assert [one.role for one in launch("moe", "h200")] == ["serve"]
    files = changed(MOE, ("  multi_node_tp_pp: 16", "  h200: 32"))
    assert len(launch("moe", "h200", files=files)) == 4
    assert "single_node_tp" not in _offers("moe", files=files)["h200"]


def test_the_recipes_default_strategy_is_recommended_where_it_is_offered() -> None:
    assert "--enable-expert-parallel" in line(launch("default_hw", "b200")[0])
    assert "--enable-expert-parallel" not in line(launch("default_hw", "gb200")[0])


def test_a_recommendation_that_the_hardware_bars_falls_back_to_the_first_offered() -> None:
    files = changed(MOE, ("  multi_node_dep:\n    hopper: unsupported", "  multi_node_tp:\n    blackwell: unsupported"))
    (one,) = launch("moe", "gb200", files=files)
    assert one.role == "serve"
    stored = launch("moe", "gb200", "store_own", files=files)
    assert [part.role for part in stored] == ["head", "worker-1"]


def test_on_a_lone_machine_the_largest_variant_that_fits_is_rendered_and_noted() -> None:
    (one,) = launch("moe", "desk")
    assert one.argv[0].text == "example/moe-INT4"
    assert [note.message for note in one.notes] == [
        "variant 'default' does not fit desk; upstream renders 'small' there"
    ]
    assert launch("moe", "desk", variant="smaller")[0].argv[0].text == "example/moe"
    assert launch("moe", "desk", variant="smaller")[0].notes == ()


@pytest.mark.parametrize(
    ("select", "message", "hint"),
    [
        (Select(hardware="h900"), "'h900' is no hardware profile", "h200, h100, b200, gb200, desk, mi300x"),
        (Select(hardware="tpu"), "'tpu' is not offered for variant 'default'", "h200, h100"),
        (Select(variant="int3"), "no variant 'int3'", "default, nvfp4, small"),
        (Select(variant="nvfp4", hardware="h200"), "'h200' is not offered for variant 'nvfp4'", "b200, gb200, desk"),
        (Select(strategy="single_node_pp"), "strategy 'single_node_pp' is not offered", "single_node_tp, "),
        (Select(strategy="multi_node_dep"), "strategy 'multi_node_dep' is not offered", "store_shared"),
        (
            Select(hardware="desk", strategy="multi_node_tp"),
            "is not offered for variant 'small' on desk",
            "single_node_tp",
        ),
        (Select(features=("vision",)), "no feature 'vision'", "tool_calling, reasoning, long_context, spec_decoding"),
        (Select(features=("spec_decoding:eagle",)), "no mode 'eagle'", "mtp, draft"),
        (Select(role="decode"), "single_node_tp has no role 'decode'", "serve"),
    ],
)
def test_what_is_not_there_is_refused_with_what_is(select: Select, message: str, hint: str) -> None:
    reading = read("moe", select)
    assert reading.invocations == ()
    (problem,) = reading.problems
    assert message in problem.message
    assert hint in problem.hint
    assert problem.place.file == MOE


def test_a_recipe_of_another_server_says_so() -> None:
    reading = read("omni")
    assert reading.invocations == ()
    assert "task omni" in reading.problems[0].message
    assert list(UPSTREAM.offers(FILES, "models/example/omni.yaml")) == []


def test_facts_for_other_checks() -> None:
    recipe, _ = UPSTREAM.recipe(FILES, MOE)
    assert recipe is not None
    assert recipe.verified == ("b200", "gb200", "desk")
    assert recipe.min_version is not None
    assert recipe.min_version.text == "0.25.0"
    assert recipe.model_ids["nvfp4"] == "example/moe-NVFP4"
    assert recipe.model_ids["smaller"] == "example/moe"
    assert list(recipe.features) == ["tool_calling", "reasoning", "long_context", "spec_decoding"]

"""The container image of a launch."""

from __future__ import annotations

import pytest

from recipediff.core.launch import Select
from recipediff.parse.formats.format import UpstreamFiles
from tests.parse.formats.vllm_project.tree import FILES, changed, launch, problems, read

MOE = "models/example/moe.yaml"
BRANDS = "docker_image:\n    nvidia: example/image:moe\n    amd: example/image-rocm:moe"


def _image(model: str, hardware: str, variant: str = "", files: UpstreamFiles = FILES) -> str:
    image = launch(model, hardware, variant=variant, files=files)[0].image
    assert image is not None
    return image.text


@pytest.mark.parametrize(
    ("hardware", "expected"),
    [
        ("h200", "vllm/vllm-openai:latest"),
        ("tpu", "vllm/vllm-tpu:latest"),
        ("xeon", "vllm/vllm-openai-cpu:latest-x86_64"),
        ("arc", "vllm/vllm-openai-xpu:latest"),
        ("npu", "vllm/vllm-openai:latest"),
    ],
)
def test_without_a_statement_it_is_vllms_own_for_the_brand(hardware: str, expected: str) -> None:
    assert _image("dense", hardware) == expected


def test_a_recipe_that_needs_a_nightly_gets_one_where_there_is_one() -> None:
    assert _image("default_hw", "h200") == "vllm/vllm-openai:nightly"
    assert _image("default_hw", "mi300x") == "vllm/vllm-openai-rocm:nightly"


def test_the_recipes_image_by_brand() -> None:
    assert _image("moe", "h200") == "example/image:moe"
    assert _image("moe", "mi300x") == "example/image-rocm:moe"


def test_a_plain_image_is_for_nvidia_and_for_brands_without_their_own() -> None:
    files = changed(MOE, (BRANDS, "docker_image: example/image:plain"))
    assert _image("moe", "h200", files=files) == "example/image:plain"
    assert _image("moe", "mi300x", files=files) == "vllm/vllm-openai-rocm:latest"
    dense = changed("models/example/dense.yaml", ("  architecture: dense", "  docker_image: example/image:plain"))
    assert _image("dense", "npu", files=dense) == "example/image:plain"
    assert _image("dense", "tpu", files=dense) == "vllm/vllm-tpu:latest"


def test_of_images_by_cuda_version_the_first_counts() -> None:
    files = changed(MOE, (BRANDS, "docker_image:\n    nvidia:\n      cu130: example/image:cu130\n      cu129: x/y:z"))
    assert _image("moe", "h200", files=files) == "example/image:cu130"


def test_the_variants_image_wins_and_the_one_for_this_hardware_wins_over_it() -> None:
    assert _image("moe", "h200", variant="drafted") == "example/image:draft"
    assert _image("moe", "mi300x", variant="drafted") == "example/image-rocm:moe"
    assert _image("moe", "b200") == "example/image:b200"
    assert _image("moe", "gb200") == "example/image:moe"


def test_an_image_in_a_block_that_never_had_one_blocks() -> None:
    files = changed(MOE, ('    extra_args: ["--general", "nvidia"]', "    docker_image: example/image:hopper"))
    found = problems(read("moe", Select(hardware="h200"), files))
    assert [problem.message for problem in found] == ["an image in this block is not known to reach the launch"]
    assert problems(read("moe", Select(hardware="mi300x"), files)) == []

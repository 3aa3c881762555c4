"""Looking models up at a local stand-in: what is told apart, what is kept, and that no weight is ever asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from recipediff.adapters.hub import HubModels
from recipediff.core.sweep.models import ModelAnswer
from tests.adapters.hub.standin import Hub, standin

CONFIG = {"architectures": ["TinyForCausalLM"], "model_type": "tiny"}


@pytest.fixture
def hub() -> Iterator[Hub]:
    with standin() as made:
        made.add("org/tiny", config=CONFIG)
        made.add("org/gated", config=CONFIG)
        made.gated.add("org/gated")
        made.add("org/pipeline", model_index={"_class_name": "TinyPipeline"})
        made.add("org/bare")
        made.add("org/nameless", config={"model_type": "x"})
        made.add("org/failing", config=CONFIG)
        made.failing.add("org/failing")
        yield made


async def look(hub: Hub, folder: Path, *models: str, network: bool = True) -> Mapping[str, ModelAnswer]:
    done: list[str] = []
    found = await HubModels(folder, endpoint=hub.url, network=network).look_up(models, done.append)
    assert sorted(done) == sorted(models)
    assert not [asked for asked in hub.asked if "safetensors" in asked]
    return found


async def test_gated_missing_and_pipelines_are_told_apart(hub: Hub, tmp_path: Path) -> None:
    names = (
        "org/tiny",
        "org/gated",
        "org/none",
        "org/pipeline",
        "org/bare",
        "org/nameless",
        "org/failing",
        "no id/at/all",
    )
    found = await look(hub, tmp_path, *names)
    assert {name: answer.state for name, answer in found.items()} == {
        "org/tiny": "known",
        "org/gated": "gated",
        "org/none": "missing",
        "org/pipeline": "pipeline",
        "org/bare": "no architectures",
        "org/nameless": "no architectures",
        "org/failing": "unreachable",
        "no id/at/all": "missing",
    }
    assert found["org/tiny"].architectures == ("TinyForCausalLM",)
    assert found["org/tiny"].revision == hub.revision("org/tiny")
    assert tuple(found) == names


async def test_a_revision_that_was_read_is_not_read_again(hub: Hub, tmp_path: Path) -> None:
    await look(hub, tmp_path, "org/tiny")
    before = sum(count for asked, count in hub.asked.items() if "/resolve/" in asked)
    assert before
    await look(hub, tmp_path, "org/tiny")
    assert sum(count for asked, count in hub.asked.items() if "/resolve/" in asked) == before
    hub.add("org/tiny", config={"architectures": ["OtherForCausalLM"]})
    found = await look(hub, tmp_path, "org/tiny")
    assert found["org/tiny"].architectures == ("OtherForCausalLM",)


async def test_without_the_network_what_is_kept_is_used_and_the_rest_is_named(hub: Hub, tmp_path: Path) -> None:
    await look(hub, tmp_path, "org/tiny", "org/pipeline")
    hub.asked.clear()
    found = await look(hub, tmp_path, "org/tiny", "org/pipeline", "org/new", network=False)
    assert [found[name].state for name in ("org/tiny", "org/pipeline", "org/new")] == [
        "known",
        "pipeline",
        "not looked up",
    ]
    assert "network" in found["org/new"].detail
    assert not hub.asked


async def test_a_run_that_was_cut_short_goes_on(hub: Hub, tmp_path: Path) -> None:
    await look(hub, tmp_path, "org/tiny")
    hub.failing.add("org/tiny")
    found = await look(hub, tmp_path, "org/tiny", "org/failing")
    assert found["org/tiny"].architectures == ("TinyForCausalLM",)
    assert "as cached" in found["org/tiny"].detail
    hub.failing.clear()
    assert (await look(hub, tmp_path, "org/failing"))["org/failing"].state == "known"


async def test_a_damaged_cache_is_no_answer(hub: Hub, tmp_path: Path) -> None:
    await look(hub, tmp_path, "org/tiny")
    for file in (tmp_path / "hub").rglob("*.json"):
        if "files" not in file.parts:
            file.write_text("{", "utf-8")
    assert (await look(hub, tmp_path, "org/tiny", network=False))["org/tiny"].state == "not looked up"
    assert (await look(hub, tmp_path, "org/tiny"))["org/tiny"].state == "known"


BAD: Sequence[object] = (
    [],
    {"architectures": "x"},
    {"architectures": []},
    {"architectures": [1]},
    {"architectures": [""]},
    "x",
)


@pytest.mark.parametrize("config", BAD, ids=repr)
async def test_a_config_that_names_nothing_is_no_architecture(hub: Hub, tmp_path: Path, config: object) -> None:
    hub.add("org/odd", config=config)
    assert (await look(hub, tmp_path, "org/odd"))["org/odd"].state == "no architectures"


async def test_a_config_that_is_too_long_is_not_fetched(hub: Hub, tmp_path: Path) -> None:
    hub.add("org/long", config={"architectures": ["X"], "more": "x" * 1_100_000})
    answer = (await look(hub, tmp_path, "org/long"))["org/long"]
    assert (answer.state, "1,1" in answer.detail) == ("no architectures", True)
    assert not [asked for asked in hub.asked if "/resolve/" in asked]


async def test_nobody_there_is_unreachable(tmp_path: Path) -> None:
    found = await HubModels(tmp_path, endpoint="http://127.0.0.1:9").look_up(["org/tiny"], lambda _name: None)
    assert found["org/tiny"].state == "unreachable"
    assert found["org/tiny"].detail

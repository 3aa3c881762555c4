"""Every word and variable knows the file, line and column of the fact that it comes from."""

from __future__ import annotations

import pytest

from recipediff.core.launch import Assignment, Invocation, Select, Word
from recipediff.core.place import Place
from tests.parse.formats.vllm_project.tree import BLOBS, FILES, UPSTREAM, launch, read

MOE = "models/example/moe.yaml"


def _written(place: Place) -> str:
    """The text of the span."""
    assert place.line == place.end_line
    return BLOBS[place.file].decode().split("\n")[place.line - 1][place.column - 1 : place.end_column - 1]


def _word(one: Invocation, text: str) -> Word:
    return next(word for word in one.argv if word.text == text)


def test_words_stand_where_they_were_written() -> None:
    (one,) = launch("moe", "b200", "single_node_tep")
    for text, file in [
        ("--trust-remote-code", MOE),
        ("--variant-exact", MOE),
        ("--enable-expert-parallel", "strategies/single_node_tep.yaml"),
        ("--tensor-parallel-size", "strategies/single_node_tep.yaml"),
        ("moe", MOE),
    ]:
        word = _word(one, text)
        assert word.place.file == file
        assert _written(word.place).strip("\"'") == text


def test_computed_sizes_stand_where_their_fact_does() -> None:
    (whole,) = launch("moe", "b200", "single_node_tp")
    size = whole.argv[[w.text for w in whole.argv].index("--tensor-parallel-size") + 1]
    assert (size.place.file, _written(size.place)) == ("taxonomy.yaml", "8")
    (stated,) = launch("dense", "gb200", "single_node_tp", variant="fp8")
    size = stated.argv[[w.text for w in stated.argv].index("--tensor-parallel-size") + 1]
    assert (size.place.file, _written(size.place)) == ("models/example/dense.yaml", "2")


def test_variables_stand_where_they_were_written() -> None:
    head, _ = launch("moe", "gb200", "multi_node_tp")
    places = {item.name: item.place for item in head.env}
    assert (places["GLOO_SOCKET_IFNAME"].file, _written(places["GLOO_SOCKET_IFNAME"])) == (
        "strategies/multi_node_tp.yaml",
        '"$IFACE_NAME"',
    )
    assert _written(places["SHARED_ENV"]) == "blackwell"
    (stored,) = launch("moe", "h200", "store_own")
    assert {item.name: item.place.file for item in stored.env}["PYTHONHASHSEED"] == "kv_store/store_own.yaml"


def test_the_image_stands_where_it_was_written() -> None:
    (one,) = launch("moe", "b200", "single_node_tp")
    assert one.image is not None
    assert _written(one.image.place) == "example/image:b200"


@pytest.mark.parametrize("model", ["dense", "moe", "default_hw"])
def test_every_word_and_variable_of_every_launch_has_a_place(model: str) -> None:
    recipe, _ = UPSTREAM.recipe(FILES, f"models/example/{model}.yaml")
    assert recipe is not None
    for variant in recipe.variants:
        for offer in UPSTREAM.offers(FILES, f"models/example/{model}.yaml", variant):
            for one in read(model, offer.select).invocations:
                items: list[Word | Assignment] = [*one.argv, *one.env]
                for item in items:
                    assert item.place.file in BLOBS, (offer, item)
                    assert item.place.line > 0, (offer, item)
                    assert item.place.column > 0, (offer, item)
                    assert _written(item.place), (offer, item)


def test_problems_name_the_place() -> None:
    reading = read("moe", Select(hardware="b200", features=("spec_decoding:draft",)))
    place = reading.problems[0].place
    assert place.file == MOE
    assert "default_mode: mtp" in BLOBS[MOE].decode().split("\n")[place.line - 1]

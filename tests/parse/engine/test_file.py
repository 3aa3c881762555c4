"""An engine's surface file: both answers of its rule, and that schema and reader are of one mind."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from recipediff.core.sweep.surface import ran_together, setting_name
from recipediff.parse.documents.document import plain, read
from recipediff.parse.engine.file import read_surface
from recipediff.parse.schema.publish import schemas
from tests.app.sweep.upstream import ENGINE, engine

SCHEMA = Draft202012Validator(json.loads(schemas()["surface.schema.json"]))

BAD = {
    "engine: 3\nflags: {accepted: []}\n": (1, 9),
    "engine: x\n": (1, 1),
    "engine: x\nflags: {accepted: [--port=3]}\n": (2, 20),
    "engine: x\nflags: {accepted: [port]}\nvalues: {reasoning_parser: qwen3}\n": (3, 28),
    "engine: x\nversion: 0.4\nflags: {accepted: []}\n": (2, 10),
    "engine: x\nflags: {accepted: [], inrt: []}\n": (2, 23),
    "- a\n": (1, 1),
    "engine: [\n": (2, 1),
}


def test_a_whole_file_is_read() -> None:
    surface = engine()
    assert (surface.title, surface.obtained) == ("tiny 1", "the file engine.yaml")
    assert [surface.state(option) for option in ("--max-model-len", "--trust_remote_code", "--port")] == [
        "accepted",
        "inert",
        "aborts",
    ]
    SCHEMA.validate(plain(read(ENGINE.encode(), "engine.yaml").root))


@pytest.mark.parametrize(("text", "place"), BAD.items())
def test_what_is_wrong_is_said_at_its_place_and_nothing_is_used(text: str, place: tuple[int, int]) -> None:
    surface, findings = read_surface(text.encode(), "engine.yaml")
    assert surface is None
    assert findings[0].rule == "malformed-surface"
    assert (findings[0].place.line, findings[0].place.column) == place


def test_a_flag_cannot_be_effective_and_inert() -> None:
    _, findings = read_surface(b"engine: x\nflags: {accepted: [--a-b], inert: [a_b]}\n", "engine.yaml")
    assert [finding.message for finding in findings] == ["`a_b` is listed as accepted and as inert"]


def test_a_name_with_one_dash_is_another_name() -> None:
    surface = engine(("[max_model_len,", "[-tp, tensor_parallel_size, kernel_config.*, max_model_len,"))
    assert [surface.state(option) for option in ("-tp", "--tp", "-pp", "--tensor_parallel-size=2")] == [
        "accepted",
        "aborts",
        "aborts",
        "accepted",
    ]
    assert [surface.state(option) for option in ("--kernel-config.x", "--kernel-config")] == ["accepted", "aborts"]


@given(st.binary(max_size=300))
def test_any_bytes_are_a_surface_or_findings(data: bytes) -> None:
    surface, findings = read_surface(data, "engine.yaml")
    assert (surface is None) == bool(findings)


@given(st.text(max_size=60))
def test_any_word_has_a_name(word: str) -> None:
    assert "=" not in setting_name(word)
    if ran_together(word) is not None:
        assert word.startswith("-")
        assert len(word.split()) > 1

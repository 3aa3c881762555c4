"""A plain command line, as text or as a JSON list of words."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recipediff.core.launch import Invocation, Select
from recipediff.parse.formats.command import COMMAND, read_text
from recipediff.parse.formats.format import UpstreamFiles


def one(text: str) -> Invocation:
    found = read_text(text, "f")
    assert found.problems == ()
    (invocation,) = found.invocations
    assert invocation.problems == ()
    return invocation


def argv(text: str) -> list[str]:
    return [word.text for word in one(text).argv]


@pytest.mark.parametrize(
    "text",
    [
        "vllm serve org/m --port '1 2'",
        "#!/bin/bash\nset -e\n\nvllm serve org/m \\\n  --port '1 2'\n",
        '["vllm", "serve", "org/m", "--port", "1 2"]',
        '  ["vllm","serve","org/m",\n "--port","1 2"]\n',
        '["org/m", "--port", "1 2"]',
        '["bash", "-c", "vllm serve org/m --port \'1 2\'"]',
        '["docker", "run", "vllm/vllm-openai:v1", "org/m", "--port", "1 2"]',
        '["python3", "-m", "vllm.entrypoints.openai.api_server", "--model", "org/m", "--port", "1 2"]',
    ],
)
def test_the_same_launch(text: str) -> None:
    assert argv(text) == ["org/m", "--port", "1 2"]


def test_a_list_is_not_expanded() -> None:
    words = ["org/m", "$A", "{a,b}", "*.x", "~", "a\\b", "'q'", "$(x)", ""]
    assert argv(json.dumps(["vllm", "serve", *words])) == words


@pytest.mark.parametrize(
    "text", ["--port 1 --host 'a b'", '["--port", "1", "--host", "a b"]', " \n--port 1 \\\n --host 'a b'"]
)
def test_arguments_alone_are_taken_with_a_note(text: str) -> None:
    launch = one(text)
    assert [word.text for word in launch.argv] == ["--port", "1", "--host", "a b"]
    assert any("taken as the arguments of `vllm serve`" in note.message for note in launch.notes)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("vllm serve m \\\n  --port 1", "f:2:3"),
        ('["vllm", "serve", "m",\n "--port", "1"]', "f:2:2"),
        (" --host x --port 1", "f:1:11"),
    ],
)
def test_places(text: str, place: str) -> None:
    (word,) = [word for word in one(text).argv if word.text == "--port"]
    assert str(word.place) == place


def test_a_list_carries_its_environment_and_image() -> None:
    launch = one('["docker", "run", "-e", "A=1 2", "vllm/vllm-openai@sha256:0", "m"]')
    assert [(item.name, item.value) for item in launch.env] == [("A", "1 2")]
    assert launch.image is not None
    assert launch.image.text == "vllm/vllm-openai@sha256:0"
    assert str(launch.image.place) == "f:1:34"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "no `vllm serve` was found"),
        ("   \n", "no `vllm serve` was found"),
        ("# only a comment", "no `vllm serve` was found"),
        ("org/m --port 1", "no `vllm serve` was found"),
        ("[]", "no `vllm serve` was found"),
        ('["llama-server", "-m", "x"]', "no `vllm serve` was found"),
        ('["vllm", "serve", 5]', "f:1:19: this is not a word in double quotes"),
        ('["vllm", ["serve"]]', "f:1:10: this is not a word in double quotes"),
        ('["vllm", "serve"', "not JSON"),
        ('["vllm" "serve"]', "f:1:9: not JSON"),
        ("x" * 140_000, "more than the 131,072"),
    ],
)
def test_what_cannot_be_read(text: str, expected: str) -> None:
    found = read_text(text, "f")
    assert found.invocations == ()
    assert expected in str(found.problems[0])
    assert found.problems[0].hint


def test_a_shells_test_is_no_list() -> None:
    found = read_text("[ -f x ] && vllm serve m", "f")
    assert [word.text for word in found.invocations[0].argv] == ["m"]


def test_a_file_is_read_through_the_format() -> None:
    files = UpstreamFiles({"a.sh": b"vllm serve m", "b.sh": b"vllm serve \xff"})
    assert [word.text for word in COMMAND.read(files, "a.sh", Select()).invocations[0].argv] == ["m"]
    assert "not UTF-8" in COMMAND.read(files, "b.sh", Select()).problems[0].message
    assert "not there" in COMMAND.read(files, "c.sh", Select()).problems[0].message
    assert COMMAND.companions("a.sh") == ()


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=10), max_size=8))
def test_any_list_of_words_comes_back(words: list[str]) -> None:
    assert argv(json.dumps(["vllm", "serve", *words], indent=1)) == words

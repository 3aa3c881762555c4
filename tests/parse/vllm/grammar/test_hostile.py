"""Any words at all: never an exception, never a word without a trace, never slow."""

from __future__ import annotations

import json
import shlex
import time

from hypothesis import given, settings
from hypothesis import strategies as st

from recipediff.core.launch import Word
from recipediff.core.place import Place
from recipediff.parse.vllm.grammar.command_line import CommandLine
from recipediff.parse.vllm.grammar.parse import parse
from recipediff.parse.vllm.grammar.surface import load, versions
from tests.parse.vllm.grammar.reading import words

_FRAGMENTS = st.sampled_from(
    [
        *sorted(load("0.33.0").options)[::9],
        *["--", "-", "m", "--model", "--model=x", "--config", "a.yaml", "--config=a.yaml", "-O", "-O3", "-O.mode=3"],
        *["-cc.mode", "-cc.", "-cc.custom_ops+", "-cc.a.b.c=1", "-.5", "-0.5", "-1", "--x.y", "--=", "-=", "--.=."],
        *["{}", "[1]", '{"a": 1}', "{'a': 1}", "true", "None", "", " ", "1k", "25.6K", "null", "NaN", "\ud800"],
        *["-cc", "-sc", "-ac.backend", "--port=", "--served_model_name", "--speculative_config.method", "--help", "-h"],
    ]
)
_WORDS = st.lists(_FRAGMENTS | st.text(max_size=12) | st.text("-=._{}[]\"'+ 0a", max_size=9), max_size=14)


def _traces(line: CommandLine) -> set[int]:
    places = [one.place for one in line.settings]
    places += [one.place for one in line.refusals]
    places += [one.place for one in line.notes]
    return {place.column for place in places}


@settings(max_examples=400, deadline=None)
@given(_WORDS, st.sampled_from(versions()))
def test_any_words_are_read_and_none_is_lost(argv: list[str], version: str) -> None:
    line = parse(words(argv), load(version))
    traced = _traces(line)
    said = " ".join(
        [one.value for one in line.settings]
        + [refusal.message + refusal.setting for refusal in line.refusals]
        + [note.message for note in line.notes]
    )
    for column, text in enumerate(argv, 1):
        shown = {text, text.partition("=")[2] if text.startswith("-") and "=" in text else text}
        spellings = [one for t in shown for one in (t[:60], repr(t)[1:61], json.dumps(t)[1:50], shlex.quote(t)[:60])]
        # names are respelled before anything else looks at them: `_` becomes `-`, `-O3` another option
        found = any(spelling.replace("_", "-") in said.replace("_", "-") for spelling in spellings)
        assert column in traced or found or text.startswith("-O")


@settings(max_examples=200, deadline=None)
@given(_WORDS, st.sampled_from(versions()))
def test_what_comes_out_is_json_and_in_order(argv: list[str], version: str) -> None:
    line = parse(words(argv), load(version))
    json.dumps([line.values, sorted(line.explicit)], allow_nan=False)
    json.dumps(line.fields)
    columns = [one.place.column for one in line.settings]
    assert columns == sorted(columns)
    assert line.ok is (line.error == "")
    assert line.ok or line.refusals
    assert set(line.values) <= line.explicit


def _timed(argv: list[str]) -> CommandLine:
    started = time.process_time()
    line = parse([Word(text, Place(file="line")) for text in argv], load("0.32.0"))
    assert time.process_time() - started < 4
    return line


def test_ten_megabytes_of_json() -> None:
    big = json.dumps({f"key{i}": "x" * 80 for i in range(100_000)})
    assert len(big) > 9_000_000
    assert _timed(["m", "--hf-overrides", big]).ok
    assert not _timed(["m", "-cc", big]).ok
    read = _timed(["m", "-sc", big])
    assert read.ok
    assert 0 < len(read.refusals) < 100


def test_hostile_shapes() -> None:
    _timed(["m", "-cc", "[" * 1_000_000])
    _timed(["m", "--hf-overrides", "{" * 1_000_000])
    _timed(["m", "-cc", '{"a":' * 3000 + "1" + "}" * 3000])
    _timed(["m", "-cc", '"' + '\\"' * 1_000_000])
    _timed(["m", "-cc", "1k " * 500_000])
    _timed(["m", "--port", "9" * 5_000_000])
    _timed(["m", "--cpu-offload-gb", "9" * 5_000_000])
    _timed(["m", "--max-model-len", "9" * 5_000_000 + "k"])
    _timed(["m", "-cc" + ".a" * 100_000, "1"])
    _timed(["m", "-cc.x", '{"a":' * 900 + "1" + "}" * 900])


def test_very_long_lines() -> None:
    _timed(["m", *["--nope"] * 5_000])
    _timed(["m", *[f"--nope{i}" for i in range(3_000)]])
    _timed(["m", *["-cc.custom_ops+", "all"] * 5_000])
    _timed(["m", *[word for i in range(5_000) for word in (f"-cc.k{i}", "1")]])
    _timed(["m", *["--port", "1"] * 10_000])
    _timed(["m", "--api-key", *["x"] * 50_000])

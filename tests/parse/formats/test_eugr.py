"""Recipes of recipe_version "1": what upstream's runner would hand to bash, each part at its place."""

from __future__ import annotations

import importlib
import json
import shlex
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recipediff.core.launch import Invocation, Select
from recipediff.parse.documents.document import read
from recipediff.parse.formats.eugr import values
from recipediff.parse.formats.eugr.reader import EUGR, read_recipe
from recipediff.parse.formats.format import FormatReading, UpstreamFiles
from tests.shared import SHARED, needs_shared

PATH = "recipes/m.yaml"


def recipe(command: str = "vllm serve org/m", rest: str = "", version: str = '"1"') -> str:
    head = f"recipe_version: {version}\nname: m\ncontainer: vllm-node\n"
    return head + dedent(rest).strip("\n") + "\ncommand: |\n" + indent(dedent(command).strip("\n"), "  ") + "\n"


def reading(text: str, paths: frozenset[str] | None = None) -> FormatReading:
    return EUGR.read(UpstreamFiles({PATH: text.encode()}, paths), PATH, Select())


def one(text: str, paths: frozenset[str] | None = None) -> Invocation:
    found = reading(text, paths)
    assert found.problems == ()
    (invocation,) = found.invocations
    return invocation


def clean(text: str) -> Invocation:
    invocation = one(text)
    assert invocation.problems == ()
    return invocation


def argv(invocation: Invocation) -> list[str]:
    return [word.text for word in invocation.argv]


def notes(text: str, paths: frozenset[str] | None = None) -> list[str]:
    return [f"{note.place.line}: {note.message}" for note in one(text, paths).notes]


def problems(text: str) -> list[str]:
    found = reading(text)
    return [str(p) for p in (*found.problems, *(p for i in found.invocations for p in i.problems))]


def test_a_whole_recipe() -> None:
    text = recipe(
        """
        vllm serve org/m \\
            --port {port} \\
            -tp {tensor_parallel} \\
            --speculative-config '{{"method":"mtp","num_speculative_tokens":{tokens}}}' \\
            --trust-remote-code
        """,
        """
        model: org/m
        build_args:
          - --exp
        cluster_only: true
        mods:
          - mods/one
        defaults:
          port: 8000
          tensor_parallel: 2
          tokens: 5
        env:
          A: "1"
          B: 2
        """,
    )
    launch = clean(text)
    assert launch.role == "serve"
    assert launch.program == ("vllm", "serve")
    assert argv(launch) == [
        "org/m", "--port", "8000", "-tp", "2", "--speculative-config",
        '{"method":"mtp","num_speculative_tokens":5}', "--trust-remote-code",
    ]  # fmt: skip
    assert [(item.name, item.value) for item in launch.env] == [("A", "1"), ("B", "2")]
    assert [word.text for word in launch.mods] == ["mods/one"]
    assert launch.model is not None
    assert launch.model.text == "org/m"
    assert [(key, value) for key, value, _ in launch.advisory] == [
        ("container", "vllm-node"),
        ("cluster_only", "True"),
        ("build_args", "--exp"),
    ]
    assert launch.notes == ()


def test_every_part_knows_its_place() -> None:
    text = recipe("vllm serve org/m \\\n    --port {port}", "mods: [mods/one]\ndefaults: {port: 8000}\nenv: {A: 1}")
    launch = clean(text)
    assert [str(word.place) for word in launch.argv] == [f"{PATH}:8:14", f"{PATH}:9:7", f"{PATH}:9:14"]
    assert (launch.argv[2].place.end_line, launch.argv[2].place.end_column) == (9, 20)
    assert str(launch.mods[0].place) == f"{PATH}:4:8"
    assert str(launch.env[0].place) == f"{PATH}:6:10"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("0.70", "0.7"), ("0.90", "0.9"), ("'0.70'", "0.70"), ("!!str 0.70", "0.70"), ("1e-5", "1e-5"), ("1.0e-5", "1e-05"),
        ("true", "True"), ("yes", "True"), ("off", "False"), ("null", "None"), ("~", "None"), ("", "None"), ("'true'", "true"),
        ("010", "8"), ("0x10", "16"), ("1_000", "1000"), ("1:30", "90"), ("auto", "auto"), ("0.0.0.0", "0.0.0.0"),
        ("-tp", "-tp"), ("32k", "32k"), ("1.", "1.0"), (".5", "0.5"), ("[1, 2]", "[1, 2]"), ("[true, 0.10]", "[True, 0.1]"),
        ("{a: 'b'}", "{'a': 'b'}"), ("2024-01-02", "2024-01-02"),
    ],
)  # fmt: skip
def test_a_default_reads_as_the_runner_renders_it(written: str, shown: str) -> None:
    launch = clean(recipe('vllm serve org/m --x "{x}"', f"defaults:\n  x: {written}"))
    assert argv(launch) == ["org/m", "--x", shown]


@given(
    st.one_of(
        st.text(alphabet="0123456789._eE+-xob:", max_size=8),
        st.sampled_from(["yes", "No", "ON", "off", "null", "Null", "~"]),
    )
)
def test_values_read_as_pyyaml_reads_them(written: str) -> None:
    yaml = importlib.import_module("yaml")
    try:
        want = yaml.safe_load(f"k: {written}")
    except (yaml.YAMLError, ValueError):
        return
    if not isinstance(want, dict) or isinstance(want["k"], dict | list):
        return
    node: Any = read(f"k: {written}".encode(), "f.yaml").root
    if ":" in written and isinstance(want["k"], float):
        return  # base 60 with a fraction: PyYAML alone still reads these
    assert values.shown(node.get("k")) == str(want["k"])


def test_backslashes_in_an_unquoted_default_are_shell_quoting() -> None:
    rest = 'defaults:\n  kw: \'{\\"enable_x\\":true}\'\n  two: \'{\\"a\\":1,\\"b\\":2}\''
    assert argv(clean(recipe("vllm serve org/m --kw {kw}", rest)))[2:] == ['{"enable_x":true}']
    assert argv(clean(recipe("vllm serve org/m --kw {two}", rest)))[2:] == ['"a":1', '"b":2']


def test_a_default_with_json_is_not_filled_again() -> None:
    launch = one(
        recipe("exec /opt/entry serve org/m --speculative-config '{spec}'", 'defaults:\n  spec: \'{"method":"mtp"}\'')
    )
    assert argv(launch) == ["org/m", "--speculative-config", '{"method":"mtp"}']
    assert launch.program == ("/opt/entry", "serve")
    assert any("started through `/opt/entry`" in note.message for note in launch.notes)


def test_a_default_with_blanks_becomes_words() -> None:
    launch = clean(recipe("vllm serve org/m --sizes {sizes} '{sizes}'", "defaults:\n  sizes: 1 2"))
    assert argv(launch)[2:] == ["1", "2", "1 2"]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1", "1"), ('"1"', "1"), ("true", "True"), ("''", ""), ("", "None"), ("0.50", "0.5"), ("a b", "a b"),
        ("'${A:-}'", ""), ("'${A:-x}'", "x"), ("$HOME/x", None), ("'`id`'", None), ("'{\"a\": 1}'", '{"a": 1}'),
        ("'{\\\"a\\\": 1}'", '{"a": 1}'), ("'a\\$b'", "a$b"), ("'a\\nb'", "a\\nb"),
    ],
)  # fmt: skip
def test_env_values_are_what_the_runner_exports(written: str, value: str | None) -> None:
    launch = one(recipe(rest=f"env:\n  X: {written}"))
    assert [(item.name, item.value) for item in launch.env] == [("X", value)]
    assert bool(launch.problems) == (value is None)


@pytest.mark.parametrize("env", ["env:", "env: {}", "env: null", ""])
def test_no_env(env: str) -> None:
    assert clean(recipe(rest=env)).env == ()


def test_bare_quotes_in_env_are_kept_and_noted() -> None:
    found = notes(recipe(rest="env:\n  X: '{\"a\": 1}'"))
    assert found == ["5: X holds double quotes; the runner exports it in double quotes, where they are lost"]


def test_assignments_in_the_command_win_over_env() -> None:
    launch = clean(recipe("export A=2 && C=$B vllm serve org/m", "env: {A: 1, B: x}"))
    assert [(item.name, item.value) for item in launch.env] == [("A", "2"), ("B", "x"), ("C", "x")]


@pytest.mark.parametrize("end", ["", " \\", " \\\n  ", "  ", " \\  "])
def test_a_last_continuation_does_no_harm(end: str) -> None:
    text = f'recipe_version: "1"\nname: m\ncontainer: c\ncommand: |\n  vllm serve org/m \\\n    --port 1{end}\n'
    assert argv(clean(text)) == ["org/m", "--port", "1"]


@pytest.mark.parametrize(
    "command",
    [
        "|\n  vllm serve org/m --port 1\n",
        "|-\n  vllm serve org/m \\\n  --port 1",
        ">\n  vllm serve org/m\n  --port 1\n",
        "vllm serve org/m --port 1\n",
        "'vllm serve org/m\n  --port 1'\n",
        '"vllm serve org/m \\\n  --port 1"\n',
    ],
)
def test_every_yaml_style_of_command(command: str) -> None:
    assert argv(clean(f'recipe_version: "1"\nname: m\ncontainer: c\ncommand: {command}')) == ["org/m", "--port", "1"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (recipe("vllm serve org/m -pp {pipeline_parallel}", "defaults: {pipeline_parellel: 3}"),
         f"{PATH}:6:24: placeholder {{pipeline_parallel}} has no default (defaults has pipeline_parellel)"),
        (recipe("vllm serve {model}", "model: org/m"), f"{PATH}:6:14: placeholder {{model}} has no default"),
        (recipe("vllm serve org/m --x '{\"a\": 1}'"), f"{PATH}:6:25: single braces round JSON"),
        (recipe("vllm serve org/m --x {0.__class__}"), "asks for more than a value"),
        (recipe("vllm serve org/m --x 'a"), f"{PATH}:6:24: this single quote is not closed"),
        (recipe("vllm serve org/m --x $(nproc)"), "only known to a shell"),
        (recipe(version='"2"') .replace("name: m\n", ""), f"{PATH}:1:17: recipe_version 2 is another format"),
        (recipe("vllm serve org/m --x '{{\"a\": 1}}'", version='"2"'), f"{PATH}:1:17: recipe_version 2 is another format"),
        (recipe(version='"3"'), "recipe_version 3 is another format"),
        (recipe(version="1.0"), "recipe_version 1.0 is another format"),
        (recipe(version="[1]"), "recipe_version a list or mapping is another format"),
        (recipe().replace('recipe_version: "1"\n', ""), "there is no recipe_version"),
        (recipe(rest="runtime: vllm"), f"{PATH}:4:1: `runtime` belongs to another launcher"),
        (recipe(rest="min_nodes: 2"), "`min_nodes` belongs to another launcher"),
        ('recipe_version: "1"\nname: m\n', "there is no command"),
        ('recipe_version: "1"\ncommand: [vllm, serve]\n', f"{PATH}:2:10: the command is not text"),
        ('recipe_version: "1"\ncommand: 5\n', "the command is not text"),
        ('recipe_version: "1"\ncommand:\n', "the command is not text"),
        (recipe(rest="defaults: [a]"), f"{PATH}:4:11: defaults is not a mapping"),
        (recipe(rest="env: text"), f"{PATH}:4:6: env is not a mapping"),
        (recipe(rest="env: {1A: x}"), "1A is no name that a shell can export"),
        (recipe(rest="mods: mods/one"), f"{PATH}:4:7: mods is not a list"),
        (recipe(rest="mods: [{a: b}]"), "an item of mods is not text"),
        (recipe("vllm serve org/m {x}", "defaults:\n  x: 2024-01-02 10:00:00"), "x: YAML reads this as a point in time"),
        (recipe("vllm serve org/m " + "x" * 140_000), "more than the 131,072 that are read"),
        ("- a\n", "a recipe is a mapping of keys"),
        ("", "a recipe is a mapping of keys"),
        ("text", "a recipe is a mapping of keys"),
        ("a: [", "not YAML"),
        ("a:\n\tb: 1\n", "not YAML"),
        ("a: \x00\n", "control character U+0000"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_a_problem(text: str, expected: str) -> None:
    found = problems(text)
    assert [problem for problem in found if expected in problem], found


def test_windows_line_ends_are_undone_by_yaml() -> None:
    assert argv(clean(recipe("vllm serve org/m \\\n  --port 1").replace("\n", "\r\n"))) == ["org/m", "--port", "1"]


def test_a_file_that_is_not_there() -> None:
    (problem,) = EUGR.read(UpstreamFiles({}), PATH, Select()).problems
    assert "not there" in problem.message


def test_bytes_that_are_no_text() -> None:
    (problem,) = read_recipe(b'recipe_version: "1"\nname: \xff\n', PATH).problems
    assert (problem.place.line, problem.place.column) == (2, 7)


def test_version_two_of_this_runner_is_read_with_a_note() -> None:
    """The runner only warns; where both formats that call themselves 2 read the command alike, it is compared."""
    assert notes(recipe(version='"2"')) == [
        "1: recipe_version 2 is not one that upstream's runner knows; it warns and goes on"
    ]
    assert notes(recipe(version="1")) == []


@pytest.mark.parametrize(
    ("command", "model", "told"),
    [("vllm serve org/M-3.5", "org/M-3.6", True), ("vllm serve org/M-3.6", "org/M-3.6", False)],
)
def test_a_file_that_disagrees_about_its_model(command: str, model: str, told: bool) -> None:
    found = notes(recipe(command, f"model: {model}"))
    assert found[:1] == (
        ["6: upstream disagrees with itself: the command serves org/M-3.5, `model:` says org/M-3.6"] if told else []
    )


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("vllm serve org/m", True),
        ("vllm serve org/m --revision other", True),
        ("vllm serve org/m --revision abc", False),
        ("vllm serve org/m --revision=abc", False),
    ],
)
def test_a_revision_that_never_reaches_the_server(command: str, told: bool) -> None:
    found = notes(recipe(command, "model_revision: abc"))
    assert found == (
        ["4: model_revision abc never reaches the server: the command passes no such --revision"] if told else []
    )


@pytest.mark.parametrize(
    ("paths", "told"),
    [
        (frozenset({"mods/gpu-mem-gb/run.sh"}), True),
        (frozenset({"mods/gpu-memory-gb/run.sh"}), False),
        (frozenset({"mods/gpu-memory-gb"}), False),
        (frozenset({"mods/gpu-memory-gb-2/run.sh"}), True),
        (None, False),
    ],
)
def test_a_mod_that_is_not_in_the_tree(paths: frozenset[str] | None, told: bool) -> None:
    text = recipe(rest="mods: [mods/gpu-memory-gb]")
    launch = one(text, paths)
    assert launch.problems == ()
    assert [word.text for word in launch.mods] == ["mods/gpu-memory-gb"]
    message = "4: upstream names mods/gpu-memory-gb, a mod that does not exist in its tree at that commit"
    assert notes(text, paths) == ([message] if told else [])


@pytest.mark.parametrize(
    ("rest", "note"),
    [
        ("container: other", "4: key container is given twice (first in line 3); the last one counts"),
        ("env:\n  A: 1\n  A: 1", "6: key A is given twice (first in line 5); the last one counts"),
        ("defaults: {unused: 1}", "4: default unused is not used by the command"),
        (
            "build_args: ['--apply-pr 38135']",
            "4: build_args item “--apply-pr 38135” is one argument with a blank in it",
        ),
        ("surprise: 1", "4: key surprise is not one that the runner reads"),
    ],
)
def test_what_a_reader_should_know_is_noted(rest: str, note: str) -> None:
    assert notes(recipe(rest=rest)) == [note]


def test_keys_that_the_runner_needs_are_noted_where_missing() -> None:
    found = notes('recipe_version: "1"\ncommand: vllm serve org/m\n')
    assert [note.split(",")[0] for note in found] == ["0: there is no name", "0: there is no container"]


EUGR_CORPUS = SHARED / "corpus" / "eugr-spark-vllm-docker"


def published() -> list[Path]:
    folders = ("blobs", "later", "tip")
    return sorted(path for folder in folders for path in (EUGR_CORPUS / folder).rglob("*.yaml"))


@needs_shared
def test_all_that_upstream_published_is_understood() -> None:
    """Words, environment and places of 118 contents, the tip and the later recipes; one has a misspelt default."""
    yaml = importlib.import_module("yaml")
    explained = []
    for path in published():
        data = path.read_bytes()
        found = read_recipe(data, path.name)
        assert found.problems == (), path.name
        (launch,) = found.invocations
        if launch.problems:
            explained.append(str(launch.problems[0]).split(": ", 1)[1])
            continue
        loaded = yaml.safe_load(data)
        filled = loaded["command"].format(**loaded["defaults"]).replace("\\\n", " ")
        assert argv(launch) == shlex.split(filled)[2:], path.name
        assert {item.name: item.value for item in launch.env} == {
            k: str(v) for k, v in (loaded.get("env") or {}).items()
        }
        assert [word.text for word in launch.mods] == (loaded.get("mods") or [])
        lines = data.decode().split("\n")
        for word in launch.argv:
            written = lines[word.place.line - 1][word.place.column - 1 : word.place.end_column - 1]
            assert written == word.text or "{" in written, (path.name, word)
    assert len(published()) >= 151
    assert explained == ["placeholder {pipeline_parallel} has no default (defaults has pipeline_parellel)"]


@needs_shared
def test_another_launchers_recipes_are_not_read() -> None:
    paths = sorted((SHARED / "corpus" / "sparkrun").rglob("*.yaml"))
    assert len(paths) >= 37
    for path in paths:
        found = read_recipe(path.read_bytes(), path.name)
        assert found.invocations == ()
        assert "another launcher" in found.problems[0].message


@needs_shared
def test_every_stored_edit_can_be_told_from_its_words() -> None:
    """Each edit of the history has a launch on both sides, so that it can be classified."""
    edits = 0
    for line in (EUGR_CORPUS / "history.jsonl").read_text().splitlines():
        for change in json.loads(line)["changes"]:
            if not change["old_blob"] or not change["new_blob"]:
                continue
            edits += 1
            for blob in (change["old_blob"], change["new_blob"]):
                assert read_recipe((EUGR_CORPUS / "blobs" / f"{blob}.yaml").read_bytes(), blob).invocations
    assert edits >= 86

"""SPECs and versions that cannot be used, and launches that can only be read in part: said, never passed over."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from recipediff.cli import main
from recipediff.core.rules import RULES

RECIPE = """\
model: org/m
topology: {hardware: GB10, nodes: 1}
image: example/vllm@sha256:1111111111111111111111111111111111111111111111111111111111111111
args: [--port, "8001"]
env: {A: "1"}
"""


def invoke(*args: str, data: bytes = b"") -> Result:
    return CliRunner().invoke(main, list(args), input=data, catch_exceptions=False)


def document(*args: str, data: bytes = b"") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(invoke(*args, "--format", "json", data=data).stdout)
    return found


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("show", "command:"), "names no file; write command:FILE"),
        (("show", "eugr:x?hardware=h200"), "cannot read x?hardware=h200"),
        (("show", "recipe:x?hardware=h200"), "cannot read x?hardware=h200"),
        (("show", "vllm-project:x?hardware"), "write a select as ?key=value&key=value"),
        (("show", "vllm-project:x?nodes=" + "9" * 5000), "nodes is a whole number"),
        (("show", "command:-", "--vllm", "banana"), "--vllm: 'banana' is no vLLM version; write it like 0.32.0"),
        (("show", "command:-", "--vllm", "9" * 5000), "is no vLLM version"),
        (("diff", "command:-", "recipe:x", "--vllm", "99"), "--vllm: '99' is no vLLM version"),
    ],
)
def test_what_cannot_be_used_is_one_line_with_status_2(args: tuple[str, ...], said: str) -> None:
    result = invoke(*args, data=b"vllm serve m")
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("asked", "table"), [("0.32", "0.32.0"), ("v0.32.0", "0.32.0"), ("0.31", "0.28.0"), ("0.20.2rc1", "0.20.2")]
)
def test_a_version_without_its_last_part_is_that_release(asked: str, table: str) -> None:
    assert document("show", "command:-", "--vllm", asked, data=b"vllm serve m")["vllm"] == table


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("args: [--port,", "args: [{a: b}, --port,", "args[0]"),
        ('{A: "1"}', "{A: [1]}", "env.A"),
        ('{A: "1"}', '{A: "1"}\nmods: {a: b}', "mods"),
    ],
)
def test_a_part_of_a_recipe_that_cannot_be_read_is_not_left_out(tmp_path: Path, old: str, new: str, what: str) -> None:
    file = tmp_path / "r.yaml"
    file.write_text(RECIPE)
    assert document("show", f"recipe:{file}")["not_understood"] == []
    broken = tmp_path / "s.yaml"
    broken.write_text(RECIPE.replace(old, new))
    (said,) = document("show", f"recipe:{broken}")["not_understood"]
    assert f"`{what}`" in said["message"]
    result = invoke("diff", f"recipe:{broken}", f"recipe:{broken}")
    assert result.exit_code == 1
    assert "Not compared in full" in result.stdout


def test_a_part_that_is_written_oddly_is_noted(tmp_path: Path) -> None:
    file = tmp_path / "r.yaml"
    file.write_text(RECIPE.replace('"8001"', "8001"))
    shown = document("show", f"recipe:{file}")
    assert shown["not_understood"] == []
    assert any("`args[1]` is the number 8001" in note["message"] for note in shown["notes"])


def test_a_command_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.sh"
    file.write_bytes(b"vllm serve m --host \xff")
    result = invoke("show", f"command:{file}")
    assert result.exit_code == 1
    assert "byte 0xff is not UTF-8" in result.stderr


def test_nothing_that_a_terminal_acts_on_is_printed(tmp_path: Path) -> None:
    file = tmp_path / "a\x1b[31m\n.sh"
    file.write_text("$'\\e[2J' serve m --bogus x 'unclosed")
    for args in (("show", f"command:{file}"), ("diff", f"command:{file}", f"command:{file}")):
        result = CliRunner().invoke(main, args, color=True)
        assert "\x1b[31m\n" not in result.output
        assert "\x1b[2J" not in result.output


def test_a_device_is_read_up_to_a_bound() -> None:
    assert invoke("show", "command:/dev/zero").exit_code == 1


def diff(tmp_path: Path, left: str, right: str, *more: str) -> Result:
    (tmp_path / "a.sh").write_text(left)
    (tmp_path / "b.sh").write_text(right)
    return invoke("diff", f"command:{tmp_path}/a.sh", f"command:{tmp_path}/b.sh", *more)


@pytest.mark.parametrize(
    ("left", "right", "status", "end"),
    [
        ("vllm serve m -tp 2", "vllm serve m -tp=2", 0, "No difference."),
        ("vllm serve m", "vllm serve m -tp 2", 1, "1 difference."),
        ("vllm serve m", "vllm serve m --bogus", 1, "1 difference; not compared in full."),
        ("vllm serve m --bogus", "vllm serve m --bogus", 1, "Not compared in full."),
        ("vllm serve m", "echo", 1, "Not compared in full."),
    ],
)
def test_the_last_line_says_what_the_status_says(tmp_path: Path, left: str, right: str, status: int, end: str) -> None:
    result = diff(tmp_path, left, right)
    assert result.exit_code == status
    assert result.stdout.splitlines()[-1] == end
    assert result.stdout.count("no vLLM version is stated") == 1


def test_images_that_are_not_the_same_are_noted(tmp_path: Path) -> None:
    commands = [f"docker run vllm/vllm-openai:v0.{minor}.0 m" for minor in (25, 26)]
    said = "the images are not compared: vllm/vllm-openai:v0.25.0, then vllm/vllm-openai:v0.26.0"
    assert said in diff(tmp_path, *commands).stdout
    document = json.loads(diff(tmp_path, *commands, "--format", "json").stdout)
    assert (document["differences"], said in [note["message"] for note in document["notes"]]) == ([], True)
    assert "the images" not in diff(tmp_path, commands[0], commands[0]).stdout


def test_a_select_says_each_thing_once() -> None:
    result = invoke("show", "vllm-project:x?hardware=a&hardware=b")
    assert (result.exit_code, "hardware is given twice" in result.stderr) == (2, True)


def test_the_pages_of_rules_name_nothing_that_a_reader_cannot_open() -> None:
    for rule in RULES:
        page = invoke("rules", rule).stdout
        assert page.startswith("# ")
        assert not re.search(r"DESIGN|spec/|\bcases? [A-Z]\d", page), rule

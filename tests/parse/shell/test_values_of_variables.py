"""Whose value is known: variables that the text sets, sets to something unknowable, exports later, or never sets."""

from __future__ import annotations

import pytest

from recipediff.core.launch import Assignment
from recipediff.parse.formats.command import read_text
from recipediff.parse.shell.run import ShellOutcome, Started, follow
from recipediff.parse.shell.source import whole
from recipediff.parse.vllm.launch import read_version, understand


def outcome(text: str) -> ShellOutcome:
    return follow(whole(text, "f"))


def clean(text: str) -> Started:
    """The one server of a text that is wholly understood."""
    out = outcome(text)
    (one,) = out.started
    assert [*out.problems, *one.problems] == []
    return one


def argv(text: str) -> list[str]:
    return [word.text for word in clean(text).argv]


def env(text: str) -> dict[str, str | None]:
    return {one.name: one.value for one in clean(text).env}


def problems(text: str) -> list[str]:
    out = outcome(text)
    return [problem.message for problem in (*out.problems, *(p for one in out.started for p in one.problems))]


@pytest.mark.parametrize(
    ("before", "value", "named"),
    [
        ("P=a.x; ", '"${P%.x}"', "${P%.x}"),
        ("P=a.x; ", '"${P/a/b}"', "${P/a/b}"),
        ("P=aB; ", '"${P,,}"', "${P,,}"),
        ("P=a; ", '"${P:+b}"', "${P:+b}"),
        ("P=$(cat x); ", '"$P"', "$P"),
        ("P=$(cat x); Q=$P; ", '"$Q"', "$Q"),
        ("P=a; read -r P; ", '"$P"', "$P"),
        ("P=a; mapfile -t P; ", '"${P[@]}"', "${P[@]}"),
        ("P=a; printf -v P b; ", '"$P"', "$P"),
        ("P=1; let P=2; ", '"$P"', "$P"),
        ("P=1; (( P += 1 )); ", '"$P"', "$P"),
        ("P=1; ((--P)); ", '"$P"', "$P"),
        ("P=1; x=$(( P++ )); ", '"$P"', "$P"),
        ("set -- 2; P=${1:-1}; ", '"$P"', "$P"),
        ("shift; P=${1:-1}; ", '"$P"', "$P"),
        ("IFS=,; P='a b'; ", "$P", "$P"),
        ("IFS=$(cat x); P='a b'; ", "$P", "$P"),
    ],
)
def test_a_result_that_the_shell_computes_is_never_kept_by_its_name(before: str, value: str, named: str) -> None:
    (problem,) = problems(f"{before}vllm serve m --host {value}")
    assert problem == f"the result of {named} is only known to a shell"


@pytest.mark.parametrize(
    ("before", "value", "expected"),
    [
        ("P=a; ", "${P:?needed}", "a"),
        ("P=a; ", "${P?}", "a"),
        (": ${P:=a}; ", "$P", "a"),
        ("P=; : ${P:=a}; ", "$P", "a"),
        ("P=b; : ${P:=a}; ", "$P", "b"),
        ("P=${1:-a}; ", "$P", "a"),
        ("set -euo pipefail; P=${1:-a}; ", "$P", "a"),
        ("P=a; echo b | read P; ", "$P", "a"),
        ("P=a; (( P == 1 )); ", "$P", "a"),
        ("P=a; (read P); ", "$P", "a"),
        ("IFS=$'\\n\\t'; P=a; ", "$P", "a"),
        ("IFS=,; P='a b'; ", '"$P"', "a b"),
        ("", "$P", "$P"),
        ("", "${P}", "$P"),
    ],
)
def test_a_value_that_the_text_gives_is_known(before: str, value: str, expected: str) -> None:
    assert argv(f"{before}vllm serve m --host {value}") == ["m", "--host", expected]


def test_a_default_that_is_taken_is_said() -> None:
    for text in ("vllm serve m --host ${P:=a}", "P=${1:-a}; vllm serve m --host $P"):
        assert any("is taken as its default" in note.message for note in outcome(text).notes)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("export X; X=1; vllm serve m", {"X": "1"}),
        ("export X; : ${X:=1}; vllm serve m", {"X": "1"}),
        ("declare -x X; X=1; vllm serve m", {"X": "1"}),
        ("export X; export -n X; X=1; vllm serve m", {}),
        ("export X; unset X; X=1; vllm serve m", {}),
        ("(export X); X=1; vllm serve m", {}),
        ("export X; vllm serve m", {}),
    ],
)
def test_a_name_exported_first_is_inherited_once_it_is_set(text: str, expected: dict[str, str]) -> None:
    assert env(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("eval vllm serve m --port 1", ["m", "--port", "1"]),
        ("eval vllm serve m --x '{\"a\":1}'", ["m", "--x", "{a:1}"]),
        ("C='vllm serve m --x \"a b\"'; eval $C", ["m", "--x", "a b"]),
        ('C=\'vllm serve m --x "a  b"\'; eval "$C"', ["m", "--x", "a  b"]),
        ("P=1; eval 'vllm serve m --port $P'", ["m", "--port", "1"]),
        ('P=abcd; bash -c "vllm serve m --host ${P}"', ["m", "--host", "abcd"]),
        ('P=ab; bash -c "vllm serve m --host $P"', ["m", "--host", "ab"]),
    ],
)
def test_a_script_is_read_with_what_was_put_into_it(text: str, expected: list[str]) -> None:
    assert argv(text) == expected


def test_words_handed_to_a_script_are_not_its_defaults() -> None:
    assert argv("bash -c 'vllm serve m --port ${1:-1}'") == ["m", "--port", "1"]
    assert problems("bash -c 'vllm serve m --port ${1:-1}' x 5") == ["the result of ${1:-1} is only known to a shell"]


def test_an_export_in_a_script_inside_is_still_that_scripts() -> None:
    assert outcome("eval export X=1; vllm serve m").problems != []
    assert clean("X=1 eval vllm serve m").env == (Assignment("X", "1", clean("X=1 vllm serve m").env[0].place),)


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("vllm serve m --port $P", False),
        ("vllm serve m --port=$P", False),
        ("vllm serve m --hf-overrides '{\"a\": '\"$P\"'}'", False),
        ("vllm serve m --port x", True),
        ("vllm serve m --bogus=$P", True),
        ("vllm serve m --enable-prefix-caching=$P", True),
    ],
)
def test_the_parser_has_no_opinion_on_the_name_of_a_value(text: str, refused: bool) -> None:
    (invocation,) = read_text(text, "f").invocations
    assert bool(understand(invocation, read_version("0.32.0")).refused) is refused

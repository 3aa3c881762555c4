"""What a key inside a JSON value reads as, and an environment variable that only a shell could fill."""

from __future__ import annotations

from recipediff.core.compare import compare
from recipediff.core.launch import Assignment, Invocation, Word
from recipediff.core.place import Place
from recipediff.core.values import ABSENT, as_written
from recipediff.parse.vllm.launch import UNKNOWN, ReadVersion, understand
from tests.core.making import HERE, flag

VERSION = ReadVersion("0.32.0", True)


def started(*words: str, env: tuple[Assignment, ...] = ()) -> Invocation:
    argv = tuple(
        Word(text, Place(file="c", line=1, column=number + 1)) for number, text in enumerate(("org/m", *words))
    )
    return Invocation(role="serve", argv=argv, env=env)


def differences(
    left: tuple[str, ...], right: tuple[str, ...]
) -> list[tuple[str, str | None, str | None, tuple[tuple[str, str | None, str | None], ...]]]:
    found = compare(understand(started(*left), VERSION), understand(started(*right), VERSION))
    return [(d.setting, d.left, d.right, d.keys) for d in found]


def test_a_key_reads_as_it_is_written_not_as_the_engine_names_it() -> None:
    one = ("-cc.mode", "0")
    other = ("--compilation-config", '{"mode": 3, "cudagraph_mode": "NONE"}')
    assert differences(one, other) == [
        ("compilation_config.mode", "0", "3", ()),
        ("compilation_config.cudagraph_mode", None, "NONE", ()),
    ]
    assert differences(("--compilation-config", '{"mode": 0}'), other) == [
        (
            "compilation_config",
            '{"mode": 0}',
            '{"mode": 3, "cudagraph_mode": "NONE"}',
            (("cudagraph_mode", None, "NONE"), ("mode", "0", "3")),
        )
    ]


def test_a_number_keeps_its_digits() -> None:
    setting = flag("x", '{"a": 0.50, "b": {"c": 1e3}, "d": [1.50]}')
    assert as_written(setting, ("a",), 0.5) == "0.50"
    assert as_written(setting, ("b", "c"), 1000.0) == "1e3"
    assert as_written(setting, ("d",), [1.5]) == "[1.5]"


def test_a_key_that_is_not_written_reads_as_its_value() -> None:
    assert as_written(flag("x", '{"a-b": 1}'), ("a_b",), 1) == "1"
    assert as_written(flag("x", "{no json"), ("a",), True) == "true"
    assert as_written(None, ("a",), ABSENT) != ""


def test_a_variable_that_only_a_shell_knows_is_not_taken_for_an_empty_one() -> None:
    path = Assignment("PATH", None, HERE)
    with_path, without = (understand(started(env=env), VERSION) for env in ((path,), ()))
    assert compare(with_path, without) == ()
    assert compare(without, with_path) == ()
    assert compare(with_path, with_path) == ()


def test_an_unknown_value_against_a_known_one_is_a_difference() -> None:
    unknown, empty, known = (
        understand(started(env=(Assignment("PATH", value, HERE),)), VERSION) for value in (None, "", "/bin")
    )
    assert [(d.left, d.right, d.direction) for d in compare(unknown, known)] == [(UNKNOWN, "/bin", "changed")]
    assert [(d.left, d.right, d.direction) for d in compare(unknown, empty)] == [(UNKNOWN, '""', "changed")]

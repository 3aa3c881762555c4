"""`{placeholder}` is filled as `str.format` does it, and never does more than that."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recipediff.parse.shell.source import whole
from recipediff.parse.shell.template import MAX_CHARS, fill

VALUES = {"port": "8000", "spec": '{"a": {port}}', "tensor_parallel": "2", "a": "1"}


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("--port {port}", "--port 8000"),
        ("{port}{port}", "80008000"),
        ("'{{\"canvas_length\":256}}'", "'{\"canvas_length\":256}'"),
        ("'{{\"n\":{port}}}'", "'{\"n\":8000}'"),
        ("'{spec}' {{port}}", "'{\"a\": {port}}' {port}"),
        ("no placeholder", "no placeholder"),
        ("", ""),
    ],
)
def test_it_is_filled(template: str, text: str) -> None:
    filled = fill(whole(template, "f"), VALUES)
    assert filled.text.chars == text
    assert filled.problems == ()


@pytest.mark.parametrize(
    ("template", "message", "column"),
    [
        ("-pp {pipeline}", "placeholder {pipeline} has no default", 5),
        ("--x '{\"method\": 1}'", "single braces round JSON", 6),
        ("--x {0.__class__}", "asks for more than a value", 5),
        ("--x {a.__class__}", "asks for more than a value", 5),
        ("--x {a[0]}", "asks for more than a value", 5),
        ("--x {a!r}", "asks for more than a value", 5),
        ("--x {a:>10}", "asks for more than a value", 5),
        ("--x {}", "no placeholder with a name", 5),
        ("--x {0}", "no placeholder with a name", 5),
        ("--x { a }", "placeholder { a } has no default", 5),
        ("--x {a", "this brace is not closed", 5),
        ("--x a} b", "this brace closes nothing", 6),
    ],
)
def test_what_upstream_would_stop_at_is_a_problem(template: str, message: str, column: int) -> None:
    (problem, *_) = fill(whole(template, "f"), VALUES).problems
    assert message in problem.message
    assert (problem.place.line, problem.place.column) == (1, column)
    assert problem.hint


def test_a_misspelt_default_is_named() -> None:
    (problem,) = fill(whole("-pp {pipeline_parallel}", "f"), {"pipeline_parellel": "3"}).problems
    assert problem.hint == "defaults has pipeline_parellel"


def test_a_filled_character_stands_at_its_placeholder() -> None:
    filled = fill(whole("a\n  {port} {{x}}", "f"), VALUES)
    at = filled.text.chars.index("8000")
    place = filled.text.place(at, at + 4)
    assert (place.line, place.column, place.end_column) == (2, 3, 9)
    brace = filled.text.place(filled.text.chars.index("{"))
    assert (brace.line, brace.column, brace.end_column) == (2, 10, 12)


def test_used_names_are_told() -> None:
    assert fill(whole("{a} {port} {a}", "f"), VALUES).used == ("a", "port")


def test_filling_is_bounded() -> None:
    filled = fill(whole("{big}" * 1000, "f"), {"big": "x" * 1000})
    assert any("longer than" in problem.message for problem in filled.problems)
    assert len(filled.text) <= MAX_CHARS


@given(st.text(alphabet="{}ab:!.[ \"'\n", max_size=30))
def test_it_agrees_with_str_format(template: str) -> None:
    """Wherever Python fills a template with plain names, so do we, with the same text; else there is a problem."""
    values = {"a": "1", "b": "{a}", "ab": "x y"}
    filled = fill(whole(template, "f"), values)
    try:
        want = template.format(**values)
    except (ValueError, KeyError, IndexError, AttributeError, TypeError):
        assert filled.problems
    else:
        assert filled.problems or filled.text.chars == want
        assert not filled.problems or any(char in template for char in ":!.[")

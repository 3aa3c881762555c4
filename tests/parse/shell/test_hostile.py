"""Whatever stands in a command text, reading it ends soon and never raises."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recipediff.parse.formats.command import read_text
from recipediff.parse.formats.eugr.reader import read_recipe

PIECES = [
    "{", "}", "{a,", "{a,b}", "{1..9}", "{..}", "\\ ", "\\\n", '"', "'", "`", "$(", "${", "${a:-", "$", "$a", "(", ")", "#\n",
    "<<a\n", "$'", "\\", "a=1 ", "A=$A;", "A=$A$A;", "a=(", "\n", "\r", "*", "[", "~", '"$a"', "bash -c ", "env A=1 ",
    "docker run ", "export A=1\n", "export A=$A$A\n", "A+=x\n", "vllm serve m;", "${a[@]}", "<(", "2>", "if ", "$(`", "{a,{",
    "&&", "||", "|", ";", "\t", "é", "\u2028", "--x ", "python -m ", "sudo ", "exec -a ",
]  # fmt: skip


@pytest.mark.parametrize("piece", PIECES)
def test_a_long_text_of_one_kind_ends(piece: str) -> None:
    """40,000 characters each; anything quadratic would take minutes here."""
    reading = read_text("A=x; vllm serve m " + piece * (40_000 // len(piece)), "f")
    assert reading.invocations or reading.problems


def test_a_longer_text_is_refused() -> None:
    (problem,) = read_text("vllm serve m " + "x" * 200_000, "f").problems
    assert "more than the 131,072 that are read" in problem.message


@settings(deadline=None)
@given(st.lists(st.one_of(st.sampled_from([*PIECES, "vllm serve m "]), st.text(max_size=5)), max_size=25).map("".join))
def test_any_text_is_read_or_refused(text: str) -> None:
    reading = read_text(text, "f")
    assert reading.invocations or reading.problems
    for invocation in reading.invocations:
        for word in invocation.argv:
            assert word.place.line >= 1
            assert word.place.column >= 1


@settings(deadline=None)
@given(
    st.lists(st.one_of(st.sampled_from([*PIECES, "{a}", "{{", "}}", "{a.b}", "\n  "]), st.text(max_size=5)), max_size=25).map("".join),
    st.sampled_from(["|\n  vllm serve m ", ">\n  vllm serve m ", "vllm serve m ", "'", '"', ""]),
)  # fmt: skip
def test_any_recipe_is_read_or_refused(text: str, start: str) -> None:
    yaml = f'recipe_version: "1"\nname: n\ncontainer: c\ndefaults: {{a: 0.70}}\nenv: {{A: "{"$B"}"}}\ncommand: {start}{text}\n'
    reading = read_recipe(yaml.encode("utf-8", "surrogatepass"), "f.yaml")
    assert reading.invocations or reading.problems

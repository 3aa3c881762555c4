"""Help texts of the common layouts: what they declare is taken, what they mention is not."""

from __future__ import annotations

import argparse
import contextlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recipediff.core.place import Unreadable
from recipediff.core.sweep.surface import EngineSurface
from recipediff.parse.engine import surface_in, surface_of_help

CLICK = """\
Usage: serve [OPTIONS] MODEL

Options:
  -p, --port INTEGER              Where to listen. See --never.
  --mode [fast|slow]              How.
  --color / --no-color            Whether to use colour.
  --help                          Show this message and exit.
"""
CLAP = """\
Options:
  -p, --port <PORT>    Where to listen [default: 1]
      --quant <QUANT>
          Whether to quantise; --never needs it
          [possible values: awq, gptq]
  -h, --help           Print help
"""
GO = 'Usage of srv:\n  -addr string\n    \tlisten here (default "x"); -never\n  -max-model-len int\n    \tlength\n'
TABLE = """\
usage: server [options]
----- common -----
-h,    --help, --usage                  print usage and exit
-c,    --ctx-size N                     size of the context; was --never
-fa,   --flash-attn [on|off|auto]       attention
--mlock                                 keep it in memory
"""
USAGE = "usage: tiny [-h] [--port PORT] [--mode {fast,slow}]\n            [--fast] model\n"


def of(text: str) -> EngineSurface:
    return surface_of_help(text, "tiny", "a test")


@pytest.mark.parametrize(
    ("text", "wanted", "values"),
    [
        (CLICK, {"-p", "port", "mode", "color", "no_color", "help"}, {"mode": ("fast", "slow")}),
        (CLAP, {"-p", "port", "quant", "-h", "help"}, {"quant": ("awq", "gptq")}),
        (GO, {"-addr", "addr", "-max-model-len", "max_model_len"}, {}),
        (TABLE, {"-h", "help", "usage", "-c", "ctx_size", "-fa", "flash_attn", "mlock"},
         {"flash_attn": ("on", "off", "auto"), "-fa": ("on", "off", "auto")}),
        (USAGE, {"-h", "port", "mode", "fast"}, {}),
    ],
    ids=["click", "clap", "go", "table", "usage"],
)  # fmt: skip
def test_each_layout_gives_what_it_declares(text: str, wanted: set[str], values: dict[str, tuple[str, ...]]) -> None:
    surface = of(text)
    assert (set(surface.accepted), dict(surface.values)) == (wanted, values)
    assert surface.state("--never") == "aborts"


def parser(names: list[str], choices: list[str]) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="tiny")
    for name in names:
        made.add_argument(
            f"--{name}", help=f"Like --mentioned, but longer than a line so that it has to be wrapped. {name}"
        )
    made.add_argument("--axis", choices=choices)
    made.add_argument("--switch", action=argparse.BooleanOptionalAction)
    made.add_argument("--old", action="store_true", help="No-op, kept so that recipes start")
    return made


WORDS = st.from_regex(r"[a-z][a-z0-9]{0,12}(-[a-z0-9]{1,12}){0,3}", fullmatch=True)
OWN = {"help", "axis", "switch", "no-switch", "old", "mentioned"}


@given(
    st.lists(WORDS.filter(lambda word: word not in OWN), max_size=12, unique=True),
    st.lists(WORDS, min_size=2, max_size=12, unique=True),
)
def test_whatever_argparse_prints_is_understood(names: list[str], choices: list[str]) -> None:
    surface = of(parser(names, choices).format_help())
    assert {name.replace("-", "_") for name in names} <= surface.accepted
    assert surface.values["axis"] == tuple(choices)
    assert [surface.state(option) for option in ("--switch", "--no-switch", "--old", "--mentioned")] == [
        "accepted",
        "accepted",
        "inert",
        "aborts",
    ]


@pytest.mark.parametrize("text", ["", "Nothing here.\n", "see --port in the text\n", "x" * 3_000_000])
def test_a_text_without_options_is_refused_with_the_reason(text: str) -> None:
    with pytest.raises(Unreadable):
        of(text)


@pytest.mark.parametrize("piece", ["  --a", " -", "[", "{a,", "--a, ", "  --a {" + "a," * 400, "\x1b[0m"])
def test_hostile_text_costs_no_time(piece: str) -> None:
    started = time.perf_counter()
    try:
        of(piece * (400_000 // len(piece)))
        of((piece + "\n") * (100_000 // len(piece)))
    except Unreadable:
        pass
    assert time.perf_counter() - started < 10


@given(st.text(max_size=400))
def test_any_text_is_a_surface_or_unreadable(text: str) -> None:
    with contextlib.suppress(Unreadable):
        assert of(text).accepted | of(text).inert


def test_a_program_may_print_a_surface_file_or_its_help() -> None:
    assert surface_in(b"engine: tiny\nflags: {accepted: [port]}\n", "tiny", "asked").obtained == "asked"
    assert (
        surface_in(b'{"engine": "tiny", "flags": {"accepted": ["port"]}}', "tiny", "asked").state("--port")
        == "accepted"
    )
    assert surface_in(CLICK.encode(), "tiny", "asked").state("--mode") == "accepted"
    for answer in (b"", b"  \n", b"engine: tiny\nflags: 3\n", b"\xff"):
        with pytest.raises(Unreadable):
            surface_in(answer, "tiny", "asked")

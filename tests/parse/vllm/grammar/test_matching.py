"""Which word goes where: against Python's own argparse, fed with the options of one version."""

from __future__ import annotations

import argparse
import sys
from typing import NoReturn

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recipediff.parse.vllm.grammar.matching import match
from recipediff.parse.vllm.grammar.surface import Flag, load
from recipediff.parse.vllm.grammar.token import ArgumentToken

_NARGS: dict[str, str | int | None] = {"one": None, "many": "+", "optional": "?"}
_CHOSEN = ("port", "hf_token", "api_key", "enable_prefix_caching", "quantization", "quantization_config", "nnodes")
_SHORT = ("tensor_parallel_size", "enable_expert_parallel", "data_parallel_size", "compilation_config")


class _Refused(Exception):
    pass


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _Refused(message)


class _Record(argparse.Action):
    def __call__(self, parser: object, namespace: argparse.Namespace, values: object, option: object = None) -> None:
        words = values if isinstance(values, list) else [] if values is None else [values]
        namespace.seen.append((self.dest, words))


def _build(flags: list[Flag]) -> _Parser:
    parser = _Parser(add_help=False)
    parser.add_argument("model_tag", nargs="?", action=_Record)
    for flag in flags:
        nargs = 0 if flag.takes == "none" else _NARGS[flag.takes]
        parser.add_argument(*flag.options, dest=flag.name, nargs=nargs, action=_Record)
    return parser


def _theirs(parser: _Parser, argv: list[str]) -> list[tuple[str, list[str]]] | None:
    """The assignments that argparse makes; None where it refuses."""
    namespace = argparse.Namespace(seen=[])
    try:
        parser.parse_args(argv, namespace)
    except (_Refused, ValueError, argparse.ArgumentError):
        return None
    return [(name, words) for name, words in namespace.seen if name != "model_tag" or words]


def _ours(argv: list[str]) -> list[tuple[str, list[str]]] | None:
    matched = match([ArgumentToken(text=text, at=(i,)) for i, text in enumerate(argv)], load("0.32.0"))
    if matched.extras or any(use.fault or use.flag is None for use in matched.uses):
        return None
    found = [(use.flag.name, [token.text for token in use.values]) for use in matched.uses if use.flag]
    return found + ([("model_tag", [matched.model.text])] if matched.model else [])


_SURFACE = load("0.32.0")
_PARSER = _build([flag for flag in _SURFACE.flags.values() if flag.type != "help"])
_OPTIONS = [option for name in (*_CHOSEN, *_SHORT) for option in _SURFACE.flags[name].options]
_WORD = st.one_of(
    st.sampled_from(_OPTIONS),
    st.sampled_from(_OPTIONS).flatmap(lambda option: st.integers(2, len(option)).map(lambda n: option[:n])),
    st.sampled_from(_OPTIONS).flatmap(lambda option: st.sampled_from(["=v", "=", "v", "4", "=--"]).map(option.__add__)),
    st.sampled_from(["m", "a b", "-1", "-1.5", "--", "-", "", "-x y", "--nope", "-z", "false"]),
)


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="vLLM was measured on Python 3.11; argparse moved after that")
@settings(max_examples=600, deadline=None)
@given(st.lists(_WORD, max_size=7))
def test_words_go_where_argparse_puts_them(argv: list[str]) -> None:
    theirs, ours = _theirs(_PARSER, argv), _ours(argv)
    if theirs is None or ours is None:
        assert theirs == ours
    else:
        assert sorted(theirs) == sorted(ours)


def test_an_exact_name_wins_over_a_longer_neighbour() -> None:
    assert _ours(["--quantization", "fp8"]) == [("quantization", ["fp8"])]
    assert _ours(["--quant", "fp8"]) is None


def test_the_first_free_word_is_the_model() -> None:
    assert _ours(["--port", "1", "m"]) == [("port", ["1"]), ("model_tag", ["m"])]
    assert _ours(["--api-key", "k", "m"]) == [("api_key", ["k", "m"])]
    assert _ours(["m", "n"]) is None

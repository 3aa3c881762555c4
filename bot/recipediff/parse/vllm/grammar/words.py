"""What vLLM does to the words of a line before argparse sees them.

The model given by `--model` moves to the front; `_` becomes `-` in the names of long options; `-O3` becomes
`--optimization-level 3`; dotted keys are taken out, merged by their head as it is spelled, and put at the end as JSON.
Source of the rules: `rules[]` of the measured tables, by version (`ParserRules`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from recipediff.parse.vllm.grammar.dotted import collect
from recipediff.parse.vllm.grammar.surface import Surface
from recipediff.parse.vllm.grammar.token import ArgumentToken, ParseFault, Prepared

_MODEL = re.compile(r"--model(=.+|$)")
_MODEL_WORD = re.compile(r"--model$")
_SERVED = re.compile(r"--served[-_]model[-_]name(=.+|$)")
_CONFIG = re.compile(r"--config(=.+|$)")
_LEVELS = ("0", "1", "2", "3")
ConfigFiles = Mapping[str, Mapping[str, Any]]
"""`--config` files by name, as read from YAML."""


def prepare(words: Sequence[str], surface: Surface, files: ConfigFiles | None = None) -> Prepared:
    """The line as argparse gets it."""
    out = Prepared()
    line = [ArgumentToken(text=word, at=(i,)) for i, word in enumerate(words)]
    line = _move_model(line, surface, out)
    line = _take_config(line, surface, out, files or {})
    collect(_spell(line, surface), surface, out)
    return out


def _move_model(line: list[ArgumentToken], surface: Surface, out: Prepared) -> list[ArgumentToken]:
    """`--model X` is the same as X as the first word; refused in 0.11, where `--model=X` sets another field."""
    pattern = _MODEL if surface.rules.model_option else _MODEL_WORD
    i = next((i for i, token in enumerate(line) if pattern.match(token.text)), None)
    if i is not None:
        line = _moved(line, i, surface, out)
    if not surface.rules.model_first or not line or not line[0].text.startswith("-"):
        return line
    served = next((token for token in line if _SERVED.match(token.text)), None)
    if served is not None and not any(_CONFIG.match(token.text) for token in line):
        message = "with --served-model-name the model has to be the first word"
        out.faults.append(
            ParseFault(
                message=message,
                setting="served_model_name",
                at=served.at[0],
                hint="put the model in front of the options",
            )
        )
    return line


def _moved(line: list[ArgumentToken], i: int, surface: Surface, out: Prepared) -> list[ArgumentToken]:
    option = line[i]
    if not surface.rules.model_option:
        message = "--model is not accepted; the model is a word of its own"
        out.faults.append(
            ParseFault(message=message, setting="model", at=option.at[0], hint="write the model as the first word")
        )
    if option.text != "--model":
        model = ArgumentToken(text=option.text.removeprefix("--model="), at=option.at, model_option=True)
        return [model, *line[:i], *line[i + 1 :]]
    if i + 1 >= len(line) or line[i + 1].text.startswith("-"):
        out.faults.append(
            ParseFault(
                message="--model expects one value", setting="model", at=option.at[0], hint="name the model after it"
            )
        )
        return [*line[:i], *line[i + 1 :]]
    value = line[i + 1]
    model = ArgumentToken(text=value.text, at=(*option.at, *value.at), model_option=True)
    return [model, *line[:i], *line[i + 2 :]]


def _take_config(line: list[ArgumentToken], surface: Surface, out: Prepared, files: ConfigFiles) -> list[ArgumentToken]:
    """`--config FILE` puts the keys of a YAML file right after the model; `--config=FILE` reads nothing."""
    places = [i for i, token in enumerate(line) if token.text == "--config"]
    if not places:
        return line
    i = places[0]
    if len(places) > 1:
        out.faults.append(
            ParseFault(message="--config is given twice", setting="config", at=line[places[1]].at[0], hint="keep one")
        )
    rest = [token for n, token in enumerate(line) if n not in (i, i + 1) and token.text != "--config"]
    if i + 1 == len(line):
        out.faults.append(
            ParseFault(
                message="--config expects a file", setting="config", at=line[i].at[0], hint="name a .yaml file after it"
            )
        )
        return rest
    name = line[i + 1]
    out.config = (*line[i].at, *name.at)
    if name.text.rpartition(".")[2] not in ("yaml", "yml"):
        message = f"--config wants a .yaml or .yml file, not {name.text!r}"
        out.faults.append(ParseFault(message=message, setting="config", at=name.at[0]))
        return rest
    if name.text not in files:
        message = f"what --config {name.text} sets cannot be seen here"
        out.faults.append(
            ParseFault(
                message=message,
                setting="config",
                at=name.at[0],
                hint="write the settings of that file on the command line",
            )
        )
        return rest
    given = _file_arguments(files[name.text], surface, name.at)
    model_here = bool(rest) and not rest[0].text.startswith("-")
    if not model_here and not any(token.text == "--model" for token in given):
        message = "no model: neither on the command line nor in the file of --config"
        out.faults.append(
            ParseFault(message=message, setting="model", at=name.at[0], hint="name the model as the first word")
        )
    return [*rest[:model_here], *given, *rest[model_here:]]


def _file_arguments(file: Mapping[str, Any], surface: Surface, at: tuple[int, ...]) -> list[ArgumentToken]:
    """The keys of a --config file as arguments: true is the bare flag, false is dropped, lists are several words."""
    out: list[str] = []
    for key, value in file.items():
        if value is False or value == []:
            continue
        out.append(f"--{key}")
        if isinstance(value, list):
            out += map(str, value)
        elif isinstance(value, dict) and surface.rules.config_nested:
            out.append(json.dumps(value))
        elif value is not True:
            out.append(str(value))
    return [ArgumentToken(text=text, at=at) for text in out]


def dashed(text: str) -> str:
    """The name of a long option with `-` for `_`, up to the first dot or `=`."""
    name, equals, value = text.partition("=")
    head, dot, rest = name[2:].partition(".")
    return "--" + head.replace("_", "-") + dot + rest + equals + value


def _spell(line: list[ArgumentToken], surface: Surface) -> list[ArgumentToken]:
    out: list[ArgumentToken] = []
    for i, token in enumerate(line):
        text = token.text
        if text.startswith("--help="):
            out.append(ArgumentToken(text="--help", at=token.at))
        elif text.startswith("--"):
            out.append(ArgumentToken(text=dashed(text), at=token.at, model_option=token.model_option))
        elif surface.rules.o == "compilation":
            out.append(_compilation_level(token, line[i + 1].text if i + 1 < len(line) else ""))
        elif text.startswith("-O") and text != "-O":
            level = text[3:] if text[2] == "=" else text[2:]
            out += [ArgumentToken(text="--optimization-level", at=token.at), ArgumentToken(text=level, at=token.at)]
        elif text == "-O" and i + 1 < len(line) and line[i + 1].text in _LEVELS:
            out.append(ArgumentToken(text="--optimization-level", at=token.at))
        else:
            out.append(token)
    return out


def _compilation_level(token: ArgumentToken, after: str) -> ArgumentToken:
    """Up to 0.11 `-O3` was a key of --compilation-config."""
    text = token.text
    if text == "-O":
        return ArgumentToken(text="-O.level", at=token.at) if after in _LEVELS else token
    if not text.startswith("-O") or text[2] == ".":
        return token
    level = text[3:] if text[2] == "=" else text[2:]
    return ArgumentToken(text=f"-O.level={level}", at=token.at)

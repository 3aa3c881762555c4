"""From the words that a flag takes to its value."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from recipediff.core.setting import Json
from recipediff.parse.vllm.grammar.configs import check_object, encode, identical, read_object, restates_default, same
from recipediff.parse.vllm.grammar.scalars import human_int, human_int_or_auto, load_json, python_int
from recipediff.parse.vllm.grammar.shapes import Unfit, listed
from recipediff.parse.vllm.grammar.surface import Flag, Surface
from recipediff.parse.vllm.grammar.token import ArgumentToken

_OBJECT_TEXT = re.compile(r"\s*\{.*\}\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class FlagValue:
    """The value of one flag: `encoded` as the measured tables write it, `meaning` as plain JSON."""

    encoded: Json
    meaning: Json
    default: bool
    """It means what the flag means when left out."""
    bare: bool
    """The parser cannot tell it from the flag left out."""


def convert(flag: Flag, name: str, values: tuple[ArgumentToken, ...], surface: Surface) -> FlagValue:
    """The value of `flag`, given as `name` with these arguments. Raises `Unfit`."""
    try:
        return _convert(flag, name, values, surface)
    except RecursionError as error:
        msg = "JSON nested too deep"
        raise Unfit(msg) from error


def _convert(flag: Flag, name: str, values: tuple[ArgumentToken, ...], surface: Surface) -> FlagValue:
    if flag.type == "help":
        msg = "prints the help and stops"
        raise Unfit(msg)
    if flag.takes == "none":
        return _value(flag, name not in flag.sets_false)
    if flag.takes == "optional":
        return _value(flag, _scalar(flag, values[0].text) if values else flag.const)
    if flag.takes == "many":
        if flag.action == "LoRAParserAction":
            return _lora([token.text for token in values], surface)
        return _value(flag, [_scalar(flag, token.text) for token in values])
    if not values:
        # `--port=--`
        return _value(flag, [])
    token = values[0]
    if flag.json_class:
        return _object(flag, token, surface)
    if token.dotted and flag.type in ("json", "json_or_str"):
        return _value(flag, token.value)
    return _value(flag, _scalar(flag, token.text))


def _value(flag: Flag, value: Json) -> FlagValue:
    meaning = value
    encoded = spell_floats(value)
    default: Json = flag.default
    if flag.enum and isinstance(default, str):
        # the default is a member, written by its name; the given word stays text
        default = default.upper()
        return FlagValue(encoded, meaning, meaning_of(flag, value) == default, identical(value, default))
    return FlagValue(encoded, meaning, same(value, default), identical(value, default))


def meaning_of(flag: Flag, value: Json) -> Json:
    """What the engine makes of a word that names a member of an enumeration."""
    return value.upper() if flag.enum and isinstance(value, str) else value


def _object(flag: Flag, token: ArgumentToken, surface: Surface) -> FlagValue:
    if not token.dotted and flag.nullable and token.text in ("", "None"):
        return _value(flag, None)
    if token.dotted:
        given = check_object(token.value, flag.json_class, surface)
    else:
        given = read_object(token.text, flag.json_class, surface)
    encoded = encode(given, flag.json_class, surface)
    bare = len(encoded) == 1 and bool(flag.default_object)
    default = bool(flag.default_object) and restates_default(given, flag.json_class, surface)
    return FlagValue(spell_floats(encoded), given, default, bare)


def _lora(items: list[str], surface: Surface) -> FlagValue:
    """`name=path` or JSON, each of them one module."""
    fields = surface.rules.lora_fields
    modules: list[Json] = []
    for item in items:
        if item in ("", "None"):
            continue
        if "=" in item and "," not in item:
            parts = item.split("=")
            if len(parts) != 2:
                msg = f"{item!r} is no name=path"
                raise Unfit(msg)
            given: Json = dict(zip(("name", "path"), parts, strict=True))
        else:
            given = _json(item)
        if not isinstance(given, dict) or not {"name", "path"} <= given.keys() or given.keys() - set(fields):
            msg = f"{item!r} is no LoRA module: it wants name and path, and may have {', '.join(fields[2:])}"
            raise Unfit(msg)
        usual: dict[str, Json] = {"base_model_name": None, "is_3d_lora_weight": False}
        module: dict[str, Json] = {"__class__": "LoRAModulePath"}
        modules.append(module | {key: given.get(key, usual.get(key)) for key in fields})
    meaning: list[Json] = [
        {key: entry for key, entry in module.items() if key != "__class__"}
        for module in modules
        if isinstance(module, dict)
    ]
    return FlagValue(modules, meaning, default=False, bare=False)


def _scalar(flag: Flag, text: str) -> Json:
    """One word by the flag's type; closed lists are checked."""
    if flag.normalise.startswith("lower case"):
        text = text.lower().replace("-", "_")
    elif flag.normalise and text.lower() == "none":
        text = ""
    if flag.nullable and text in ("", "None"):
        value: Json = None
    else:
        value = _typed(flag, text)
    if flag.choices is not None and value not in flag.choices:
        msg = f"{text[:60]!r} is none of {listed(flag.choices)}"
        raise Unfit(msg)
    return value


def _typed(flag: Flag, text: str) -> Json:
    kind = flag.type
    try:
        if kind == "int":
            return python_int(text)
        if kind == "float":
            return float(text) if len(text) < 4300 else _unfit(text, "number")
        if kind == "human_int":
            return human_int(text)
        if kind == "human_int_or_auto":
            return human_int_or_auto(text)
    except ValueError as error:
        hint = f": {error}" if "fractions" in str(error) else ""
        return _unfit(text, ("number" if kind == "float" else "whole number") + hint)
    if kind == "json":
        return _json(text)
    if kind == "json_or_str":
        return _json(text) if _OBJECT_TEXT.fullmatch(text) else text
    if kind == "comma_list":
        return [int(part) if part.isdecimal() else part for part in text.split(",")]
    return text


def _unfit(text: str, wanted: str) -> Json:
    msg = f"{text[:60]!r} is no {wanted}"
    raise Unfit(msg)


def _json(text: str) -> Json:
    try:
        return load_json(text)
    except json.JSONDecodeError as error:
        msg = f"no JSON: {error.msg} at character {error.pos + 1}"
        raise Unfit(msg) from error
    except ValueError as error:
        raise Unfit(str(error)) from error


def spell_floats(value: Json) -> Json:
    """NaN and the infinities as `{"__float__": "nan"}`, so that the result is JSON."""
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return {"__float__": str(value)}
    if isinstance(value, dict):
        return {key: spell_floats(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [spell_floats(entry) for entry in value]
    return value

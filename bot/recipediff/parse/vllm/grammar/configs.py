"""JSON values of flags that have a config class: what the class takes, and what it makes of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from recipediff.core.setting import Json
from recipediff.parse.vllm.grammar import config_rules
from recipediff.parse.vllm.grammar.scalars import expand_suffixes, load_json
from recipediff.parse.vllm.grammar.shapes import Check, Unfit, any_of, compile_type, one_of, show, to_null
from recipediff.parse.vllm.grammar.surface import ClassField, Surface, load

MOST_FAULTS = 50
"""Of one value; nobody reads more."""


def read_object(text: str, owner: str, surface: Surface) -> dict[str, Json]:
    """The value of a flag with a config class from its text: the given keys (and what follows from them), each as the
    engine gets it. Raises `Unfit`."""
    try:
        value = load_json(expand_suffixes(text) if surface.rules.json_suffix else text)
    except json.JSONDecodeError as error:
        msg = f"no JSON: {error.msg} at character {error.pos + 1}"
        raise Unfit(msg) from error
    except RecursionError as error:
        msg = "JSON nested too deep"
        raise Unfit(msg) from error
    except ValueError as error:
        raise Unfit(str(error)) from error
    if "\\ud" in text.lower() and _has_lone_surrogate(value):
        # Python's JSON takes half a character, pydantic's does not
        msg = "a text in it is no Unicode: half of a surrogate pair"
        raise Unfit(msg)
    return check_object(value, owner, surface)


def _has_lone_surrogate(value: Json) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    except RecursionError:
        pass
    return False


def check_object(value: Json, owner: str, surface: Surface) -> dict[str, Json]:
    """The same for a value that was read already. Raises `Unfit`."""
    try:
        result = class_check(surface.version, owner)(value)
    except RecursionError as error:
        msg = "JSON nested too deep"
        raise Unfit(msg) from error
    if not isinstance(result, dict):
        raise TypeError(owner)
    return result


@dataclass(frozen=True, slots=True)
class KeyFault:
    """One key of a config that the class does not take."""

    key: str
    value: Json
    unfit: Unfit


def check_keys(value: Mapping[str, Json], owner: str, surface: Surface) -> tuple[dict[str, Json], list[KeyFault]]:
    """Every key by itself: the good ones as the engine gets them, the others as they are, with what is wrong."""
    check = class_check(surface.version, owner, whole=False)
    out: dict[str, Json] = {}
    faults: list[KeyFault] = []
    for key, entry in value.items():
        out[key] = entry
        try:
            checked = check({key: entry})
        except Unfit as unfit:
            if len(faults) < MOST_FAULTS:
                faults.append(KeyFault(key, entry, unfit))
            continue
        if isinstance(checked, dict) and key in checked:
            out[key] = checked[key]
    return out, faults


@cache
def class_check(version: str, owner: str, *, whole: bool = True) -> Check:
    """The check of a config class; `whole` false looks at single keys, not at what is missing or goes together."""
    surface = load(version)
    fields = surface.classes[owner]
    checks = {name: _field_check(version, owner, field) for name, field in fields.items()}
    forbid = surface.rules.refuses_unknown_keys(owner)
    after = config_rules.AFTER.get(owner)
    required = tuple(name for name, field in fields.items() if field.required)

    def check(value: Json) -> Json:
        if not isinstance(value, dict):
            msg = f"{show(value)} is no object"
            raise Unfit(msg)
        out: dict[str, Json] = {}
        for key, entry in value.items():
            if (field_check := checks.get(key)) is None:
                if forbid:
                    msg = f"{owner} has no key {key!r}"
                    raise Unfit(msg, (key,))
                continue
            try:
                out[key] = field_check(config_rules.before(owner, key, entry))
            except Unfit as unfit:
                raise unfit.under(key) from None
        for name in required if whole else ():
            if name not in out:
                msg = f"{name} is missing"
                raise Unfit(msg)
        if after is not None and whole:
            after(out, fields)
        return out

    return check


def _field_check(version: str, owner: str, field: ClassField) -> Check:
    check = compile_type(field.type, lambda name: _named(version, name))
    least = config_rules.AT_LEAST.get((owner, field.name))
    if least is not None and load(version).rules.unknown_keys == "refused":
        # bounds came with the same change as the refusal of unknown keys
        check = _at_least(check, least)
    if owner in config_rules.NULL_MEANS_LATER and field.default is None and not field.default_object:
        return any_of((to_null, check))
    return check


def _at_least(check: Check, least: int) -> Check:
    def bounded(value: Json) -> Json:
        result = check(value)
        if isinstance(result, int | float) and result < least:
            msg = f"{show(value)} is below {least}"
            raise Unfit(msg)
        return result

    return bounded


@cache
def _named(version: str, name: str) -> Check | None:
    surface = load(version)
    if name == "QuantKey":
        return config_rules.quant_key
    if name in surface.classes:
        return class_check(version, name)
    if name in ("CompilationMode", "CUDAGraphMode"):
        list_name = {"CompilationMode": "compilation_modes", "CUDAGraphMode": "cudagraph_modes"}[name]
        return config_rules.enum_member(surface.enums.get(list_name) or {})
    if name == "AttentionBackendEnum":
        return config_rules.enum_member(dict.fromkeys(surface.attention_backends), auto=surface.rules.backend_auto)
    if name == "MLAPrefillBackendEnum":
        return config_rules.enum_member(dict.fromkeys(config_rules.MLA_PREFILL), auto=True)
    if name == "DynamicShapesType":
        values = one_of(("backed", "unbacked", "backed_size_oblivious"))
        return lambda value: str(values(value)).upper()
    return None


def encode(value: Mapping[str, Json], owner: str, surface: Surface) -> dict[str, Json]:
    """An object as the measured tables write it: its class, and what differs from the object with all defaults."""
    out: dict[str, Json] = {"__class__": owner}
    for key, entry in value.items():
        field = surface.classes[owner][key]
        if owner == "PassConfig" and key in config_rules.OFF_ON_CPU and entry is True:
            entry = False
        if field.json_class and isinstance(entry, dict) and field.json_class != "QuantKey":
            nested = encode(entry, field.json_class, surface)
            if len(nested) > 1 or not field.default_object:
                out[key] = nested
        elif not identical(entry, default_of(owner, field)):
            out[key] = entry
    return out


def default_of(owner: str, field: ClassField) -> Json:
    """The value of a key in an object with all defaults."""
    if field.name == "inductor_compile_config":
        return {"enable_auto_functionalized_v2": False}
    stated = field.default
    built = config_rules.DEFAULTS.get((owner, field.name))
    if built is None:
        return stated
    # an older version may declare another default outright
    open_default = stated is None or stated == "" or (isinstance(stated, str) and stated.upper() == built)
    return built if open_default else stated


def restates_default(value: Mapping[str, Json], owner: str, surface: Surface) -> bool:
    """Whether every stated key has the value that it would have anyway."""
    for key, entry in value.items():
        field = surface.classes[owner][key]
        if field.json_class and isinstance(entry, dict) and field.default_object:
            if not restates_default(entry, field.json_class, surface):
                return False
        elif not same(entry, default_of(owner, field)):
            return False
    return True


def same(left: Json, right: Json) -> bool:
    """Equal as values: 1 is 1.0, but not true."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    return left == right


def identical(left: Json, right: Json) -> bool:
    """Equal as JSON text: 1 is not 1.0."""
    if type(left) is not type(right):
        return False
    if isinstance(left, list | dict):
        return left == right and json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)
    return left == right

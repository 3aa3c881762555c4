"""Dotted keys (`-cc.mode 3`): taken out of the line, merged by their head as it is spelled, put at its end as JSON."""

from __future__ import annotations

import json
from typing import Any

from recipediff.core.setting import Json
from recipediff.parse.vllm.grammar.scalars import human_int, load_json
from recipediff.parse.vllm.grammar.surface import Surface
from recipediff.parse.vllm.grammar.token import ArgumentToken, Dotted, ParseFault, Prepared

DEEPEST = 100
"""More levels than any config has; deeper JSON is refused here."""


def collect(line: list[ArgumentToken], surface: Surface, out: Prepared) -> None:
    """Fill `out.tokens`: the plain arguments, then option and JSON of each group in the order in which the groups began."""
    groups: dict[str, dict[str, Any]] = {}
    members: dict[str, dict[tuple[str, ...], list[Dotted]]] = {}
    i = 0
    while i < len(line):
        token = line[i]
        i += 1
        name, equals, text = token.text.partition("=")
        if not name.startswith("-") or "." not in name:
            out.tokens.append(token)
            continue
        at = token.at
        if not equals:
            if i == len(line):
                hint = "a word that begins with - and has a dot is taken for a dotted key; write it after ="
                out.faults.append(
                    ParseFault(message=f"{token.text} expects a value", setting=setting_name(name), at=at[0], hint=hint)
                )
                continue
            text = line[i].text
            at = (*at, *line[i].at)
            i += 1
        try:
            dotted = _read(name, text, at, surface)
        except (ValueError, RecursionError) as error:
            out.faults.append(ParseFault(message=f"{name[:60]}: {error}", setting=setting_name(name)[:60], at=at[0]))
            continue
        nested: Any = dotted.value
        for key in reversed(dotted.keys):
            nested = {key: nested}
        _merge(groups.setdefault(dotted.head, {}), nested)
        _remember(members.setdefault(dotted.head, {}), dotted, out)
    for head, value in groups.items():
        group = tuple(dotted for same in members[head].values() for dotted in same)
        at = tuple(number for dotted in group for number in dotted.at)
        out.tokens.append(ArgumentToken(text=head, at=at, dotted=group))
        out.tokens.append(ArgumentToken(text=_json_text(value), at=at, dotted=group, value=value))


def _json_text(value: dict[str, Any]) -> str:
    try:
        return json.dumps(value)
    except RecursionError:
        return "{…}"


def setting_name(name: str) -> str:
    """`--speculative-config.num_tokens` as a setting is named: only the head gets underscores."""
    head, _, keys = name.lstrip("-").partition(".")
    return head.replace("-", "_") + "." + keys


def _read(name: str, text: str, at: tuple[int, ...], surface: Surface) -> Dotted:
    """Raises `ValueError` for what cannot be read at all (it crashes vLLM too)."""
    head, *keys = name.removesuffix("+").split(".")
    if len(keys) > DEEPEST:
        msg = f"more than {DEEPEST} levels"
        raise ValueError(msg)
    value: Json = list(text.split(",")) if name.endswith("+") else _value(text, surface)
    return Dotted(head=head, keys=tuple(keys), text=text, value=value, written=name, at=at)


def _value(text: str, surface: Surface) -> Json:
    """JSON; else a number with a suffix, where the version takes those here; else the text itself."""
    try:
        return load_json(text)
    except json.JSONDecodeError:
        pass
    except RecursionError as error:
        msg = "JSON nested too deep"
        raise ValueError(msg) from error
    if surface.rules.dotted_suffix:
        try:
            return human_int(text)
        except ValueError:
            pass
    return text


def _merge(into: dict[str, Any], update: dict[str, Any]) -> None:
    """Mappings merge, lists join, anything else replaces."""
    for key, value in update.items():
        there = into.get(key)
        if isinstance(value, dict) and isinstance(there, dict):
            _merge(there, value)
        elif isinstance(value, list) and isinstance(there, list):
            there.extend(value)
        else:
            into[key] = value.copy() if isinstance(value, dict | list) else value


def _remember(members: dict[tuple[str, ...], list[Dotted]], new: Dotted, out: Prepared) -> None:
    same = members.setdefault(new.keys, [])
    joins = isinstance(new.value, list | dict) and bool(same) and type(same[-1].value) is type(new.value)
    if same and not joins:
        out.overridden.extend(same)
        same.clear()
    same.append(new)

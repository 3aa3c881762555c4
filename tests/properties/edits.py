"""Single edits of a line that change its meaning, each with the one difference that must be reported."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from recipediff.parse.vllm.launch import EMPTY, LAUNCHER_FLAGS
from tests.properties.lines import SURFACE, Item, Line
from tests.properties.rewrites import _object

_SAME_WORDS = ({"half", "float16"}, {"float", "float32"})
"""Choices that mean one thing to the engine (the measured table's equivalences)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """The one difference: kind, setting, both sides' text, and the keys inside a JSON value."""

    kind: str
    setting: str
    left: str | None
    right: str | None
    keys: tuple[tuple[str, str | None, str | None], ...] | None = None
    """None where the keys are not looked at."""


Edit = Callable[[Line, Random], tuple[Line, Expected] | None]


def _places(line: Line, fits: Callable[[Item], bool]) -> list[int]:
    """Items that are the only ones to speak of their flag and that are compared at all."""
    return [
        at
        for at, item in enumerate(line.items)
        if item.option and item.flag is not None and item.flag.name not in LAUNCHER_FLAGS and item.head != "-O"
        and sum(other.flag is item.flag and other.keys == item.keys for other in line.items) == 1 and fits(item)
    ]  # fmt: skip


def _name(item: Item) -> str:
    assert item.flag is not None
    return item.flag.setting + (f".{item.keys}" if item.keys else "")


def _text(item: Item) -> str:
    """The value of an item as a difference shows it."""
    assert item.flag is not None
    if not item.values:
        return "false" if item.head in item.flag.sets_false else "true"
    return (item.values[0] if len(item.values) == 1 else shlex.join(item.values)) or EMPTY


def value(line: Line, random: Random) -> tuple[Line, Expected] | None:
    """Another value."""
    found = [
        (at, new) for at in _places(line, lambda item: _object(item) is None) if (new := _other(line.items[at], random))
    ]
    if not found:
        return None
    at, new = random.choice(found)
    item = line.items[at]
    return line.replaced(at, new), Expected(kind="flag", setting=_name(item), left=_text(item), right=_text(new))


def _other(item: Item, random: Random) -> Item | None:
    flag = item.flag
    assert flag is not None
    if flag.takes == "none" and flag.sets_false and not item.keys:
        other = [option for option in flag.options if (option in flag.sets_false) != (item.head in flag.sets_false)]
        return replace(item, option=random.choice(other)) if other else None
    if flag.takes == "many" and not item.keys:
        return replace(item, values=(*item.values, item.values[-1] + "1"))
    if len(item.values) != 1:
        return None
    new = _value_unlike(item, random)
    return replace(item, values=(new,)) if new is not None else None


def _value_unlike(item: Item, random: Random) -> str | None:
    flag, old = item.flag, item.values[0]
    assert flag is not None
    if re.fullmatch(r"\d{1,9}", old):
        return str(int(old) + random.randint(1, 9))
    if re.fullmatch(r"\d\.\d+", old):
        return f"{float(old) + random.randint(1, 9) / 64}"
    if flag.choices is not None and not item.keys:
        words = [word for word in flag.choices if isinstance(word, str) and _apart(word, old)]
        return random.choice(words) if words else None
    if flag.type == "str" or (item.keys and old not in ("true", "false")):
        return old + "x"
    return None


def _apart(one: str, other: str) -> bool:
    return one.casefold() != other.casefold() and {one, other} not in _SAME_WORDS and one not in ("", "None")


def drop(line: Line, random: Random) -> tuple[Line, Expected] | None:
    """One option less."""
    places = _places(line, lambda _: True)
    if not places:
        return None
    at = random.choice(places)
    return line.replaced(at), Expected(
        kind="flag", setting=_name(line.items[at]), left=_text(line.items[at]), right=None
    )


def add(line: Line, random: Random) -> tuple[Line, Expected] | None:
    """One option more, out of the table."""
    there = {item.flag.name for item in line.items if item.flag is not None}
    candidates = [
        flag
        for flag in SURFACE.flags.values()
        if flag.name not in there | LAUNCHER_FLAGS | {"config", "model", "model_tag"} and flag.type != "help"
        and flag.takes in ("none", "one") and not flag.type.startswith(("json", "bool_"))
    ]  # fmt: skip
    flag = random.choice(candidates)
    new = Item(random.choice([option for option in flag.options if option not in flag.sets_false]))
    if flag.takes == "one":
        words = [word for word in flag.choices or () if isinstance(word, str) and word]
        text = {"int": "7", "float": "0.5"}.get(flag.type, "4096" if flag.type.startswith("human_int") else "zz")
        new = replace(new, values=(random.choice(words) if words else text,))
    return line.with_items((*line.items, new)), Expected(kind="flag", setting=flag.setting, left=None, right=_text(new))


def inner_key(line: Line, random: Random) -> tuple[Line, Expected] | None:
    """One key inside a JSON value: another value, one key more, one less."""
    places = _places(line, lambda item: bool(_object(item)))
    if not places:
        return None
    at = random.choice(places)
    item = line.items[at]
    whole = json.loads(item.values[0])
    path = random.choice(_leaves(whole))
    owner: Any = whole
    for key in path[:-1]:
        owner = owner[key]
    old: Any = owner[path[-1]]
    left: str | None = _shown(old)
    right: str | None = None
    what = random.choice(("change", "add", "drop" if len(owner) > 1 else "change"))
    if what == "add":
        path, left, right = (*path[:-1], "zz_more"), None, "1"
        owner["zz_more"] = 1
    elif what == "drop":
        del owner[path[-1]]
    else:
        owner[path[-1]] = _unlike(old)
        right = _shown(owner[path[-1]])
    new = replace(item, values=(json.dumps(whole),))
    keys = ((".".join(path), left, right),)
    return line.replaced(at, new), Expected(
        kind="flag", setting=_name(item), left=item.values[0], right=new.values[0], keys=keys
    )


def _leaves(value: Mapping[str, Any], path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    found = []
    for key, inner in value.items():
        found += _leaves(inner, (*path, key)) if isinstance(inner, dict) and inner else [(*path, key)]
    return found


def _unlike(old: Any) -> Any:
    if isinstance(old, bool):
        return not old
    if isinstance(old, int | float):
        return old + 1
    if isinstance(old, list):
        return [*old, old[-1] if old else 1]
    return f"{old}x" if isinstance(old, str) else 1


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def model(line: Line, random: Random) -> tuple[Line, Expected] | None:
    """Another model."""
    del random
    old = line.items[0].values[0]
    return line.replaced(0, Item("", (old + "x",))), Expected(kind="flag", setting="model", left=old, right=old + "x")


def variable(line: Line, random: Random) -> tuple[Line, Expected] | None:
    """One environment variable more, less, or with another value."""
    if not line.env or random.random() < 0.3:
        return replace(line, env={**line.env, "ZZ_MORE": "1"}), Expected(
            kind="env", setting="ZZ_MORE", left=None, right="1"
        )
    name = random.choice(list(line.env))
    if random.random() < 0.5:
        rest = {key: text for key, text in line.env.items() if key != name}
        return replace(line, env=rest), Expected(kind="env", setting=name, left=line.env[name] or EMPTY, right=None)
    new = line.env[name] + "1"
    return replace(line, env={**line.env, name: new}), Expected(
        kind="env", setting=name, left=line.env[name] or EMPTY, right=new
    )


def mod(line: Line, random: Random) -> tuple[Line, Expected] | None:
    """One mod more or less."""
    if not line.mods or random.random() < 0.5:
        return replace(line, mods=(*line.mods, "mods/zz")), Expected(
            kind="mod", setting="mods/zz", left=None, right="mods/zz"
        )
    gone = random.choice(line.mods)
    rest = tuple(path for path in line.mods if path != gone)
    return replace(line, mods=rest), Expected(kind="mod", setting=gone, left=gone, right=None)


EDITS: dict[str, Edit] = {
    "value": value,
    "drop": drop,
    "add": add,
    "inner key": inner_key,
    "model": model,
    "variable": variable,
    "mod": mod,
}

"""Rewrites of a line that keep its meaning. What an option may be turned into is taken from the surface table."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random
from typing import Any

from tests.properties.lines import SURFACE, Item, Line

Rewrite = Callable[[Line, Random], Line]
_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def _pick(line: Line, random: Random, fits: Callable[[Item], bool]) -> int | None:
    """The place of one item that fits, or None."""
    found = [at for at, item in enumerate(line.items) if item.option and fits(item)]
    return random.choice(found) if found else None


def alias(line: Line, random: Random) -> Line:
    """Another option string of the same flag and the same sense."""
    at = _pick(line, random, lambda item: len(_aliases(item)) > 0)
    if at is None:
        return line
    item = line.items[at]
    if item.keys:  # the prefix is part of which dotted keys belong together, so all of them change
        head, new = item.head, random.choice(_aliases(item))
        moved = [replace(i, option=f"{new}.{i.keys}") if i.keys and i.head == head else i for i in line.items]
        return line.with_items(moved)
    return line.replaced(at, replace(item, option=random.choice(_aliases(item))))


def _aliases(item: Item) -> list[str]:
    flag = item.flag
    if flag is None:
        return []
    negative = item.head in flag.sets_false
    return [
        option
        for option in flag.options
        if option != item.head and (option in flag.sets_false) == negative and option != "-O"
    ]


def order(line: Line, random: Random) -> Line:
    """Another order. Of options that speak of one flag the order stays, and the model stays in front."""
    groups: dict[str, list[Item]] = {}
    for item in line.items[1:]:
        groups.setdefault(item.flag.name if item.flag else item.head, []).append(item)
    names = [name for name, items in groups.items() for _ in items]
    random.shuffle(names)
    return line.with_items([line.items[0], *(groups[name].pop(0) for name in names)])


def spelling(line: Line, random: Random) -> Line:
    """Dashes and underscores in the name of a long option, up to its first dot."""

    def respelt(item: Item) -> Item:
        if not item.option.startswith("--"):
            return item
        head, dot, keys = item.option[2:].partition(".")
        return replace(item, option="--" + re.sub("[-_]", lambda _: random.choice("-_"), head) + dot + keys)

    return line.with_items([respelt(item) for item in line.items])


def joined(line: Line, random: Random) -> Line:
    """`--flag value` against `--flag=value`."""
    at = _pick(line, random, lambda item: len(item.values) == 1 and not _open_ended(item))
    if at is None:
        return line
    item = line.items[at]
    if item.joined and (item.values[0].startswith("-") or item.head == "-O"):
        return line
    return line.replaced(at, replace(item, joined=not item.joined))


def _open_ended(item: Item) -> bool:
    return item.flag is None or (item.flag.takes == "many" and not item.keys)


def abbreviation(line: Line, random: Random) -> Line:
    """A long option cut short, as long as no other option begins so."""
    at = _pick(line, random, lambda item: item.option.startswith("--") and not item.keys)
    if at is None:
        return line
    item = line.items[at]
    short = [item.head[:end] for end in range(4, len(item.head)) if _unique(item.head[:end])]
    return line.replaced(at, replace(item, option=random.choice(short))) if short else line


def _unique(start: str) -> bool:
    return sum(option.startswith(start) for option in SURFACE.options) == 1


def json_text(line: Line, random: Random) -> Line:
    """Another order of keys, other blanks, other escapes in a JSON value."""
    at = _pick(line, random, lambda item: _object(item) is not None)
    if at is None:
        return line
    item = line.items[at]
    separators = random.choice([(",", ":"), (", ", ": "), (" , ", " : ")])
    text = json.dumps(
        _shuffled(_object(item), random), separators=separators, ensure_ascii=random.random() < 0.5,
        indent=random.choice([None, None, 1]),
    )  # fmt: skip
    return line.replaced(at, replace(item, values=(text,)))


def _shuffled(value: Any, random: Random) -> Any:
    if isinstance(value, list):
        return [_shuffled(item, random) for item in value]
    if not isinstance(value, dict):
        return value
    keys = list(value)
    random.shuffle(keys)
    return {key: _shuffled(value[key], random) for key in keys}


def _object(item: Item) -> Mapping[str, Any] | None:
    """The JSON object that an option of a JSON flag is given; None for anything else."""
    flag = item.flag
    if flag is None or flag.type not in ("json", "json_or_str") or item.keys or len(item.values) != 1:
        return None
    try:
        value = json.loads(item.values[0])
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def dotted(line: Line, random: Random) -> Line:
    """A JSON object as dotted keys."""

    def fits(item: Item) -> bool:
        value = _object(item)
        alone = sum(other.flag is item.flag for other in line.items) == 1
        return bool(value) and alone and all(map(_KEY.fullmatch, _names(value)))

    at = _pick(line, random, fits)
    if at is None:
        return line
    item = line.items[at]
    pairs = _pairs(_object(item) or {}, random)
    return line.replaced(at, *(Item(f"{item.option}.{key}", (text,), random.random() < 0.5) for key, text in pairs))


def _names(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [*value, *(name for inner in value.values() for name in _names(inner))]
    return []


def _pairs(value: Mapping[str, Any], random: Random) -> list[tuple[str, str]]:
    pairs = []
    for key, inner in value.items():
        if isinstance(inner, dict) and inner and random.random() < 0.5:
            pairs += [(f"{key}.{rest}", text) for rest, text in _pairs(inner, random)]
        else:
            pairs.append((key, _dotted_text(inner)))
    return pairs


def _dotted_text(value: Any) -> str:
    """The word that a dotted key needs for this value: text that would be read as JSON goes in quotes."""
    if not isinstance(value, str):
        return json.dumps(value)
    try:
        json.loads(value)
    except ValueError:
        return json.dumps(value) if not value or value.startswith("-") else value
    return json.dumps(value)


def folded(line: Line, random: Random) -> Line:
    """Dotted keys of one prefix as one JSON object, where all are written under one prefix."""
    at = _pick(line, random, lambda item: bool(item.keys) and _one_prefix(line, item) and "-" not in item.keys)
    if at is None:
        return line
    flag = line.items[at].flag
    whole: dict[str, Any] = {}
    for item in line.items:
        if item.flag is flag:
            _put(whole, item.keys.split("."), item.values[0])
    rest = [item for item in line.items if item.flag is not flag]
    head = line.items[at].head
    return line.with_items([*rest, Item(head, (json.dumps(whole),))])


def _one_prefix(line: Line, item: Item) -> bool:
    group = [other for other in line.items if other.flag is item.flag]
    paths = [other.keys for other in group]
    return all(other.keys and other.head == item.head for other in group) and len(set(paths)) == len(paths)


def _put(whole: dict[str, Any], keys: list[str], text: str) -> None:
    for key in keys[:-1]:
        whole = whole.setdefault(key, {})
    try:
        whole[keys[-1]] = json.loads(text)
    except ValueError:
        whole[keys[-1]] = text


def suffix(line: Line, random: Random) -> Line:
    """`32000` against `32k`, `32768` against `32K`, only for flags that take suffixes."""
    at = _pick(
        line, random, lambda item: item.flag is not None and item.flag.type.startswith("human_int") and _count(item) > 0
    )
    if at is None:
        return line
    item = line.items[at]
    number = _count(item)
    texts = [str(number)]
    texts += [
        f"{number // unit}{letter}"
        for letter, unit in (("k", 1000), ("m", 10**6), ("K", 1024), ("M", 1024**2))
        if number % unit == 0
    ]
    return line.replaced(at, replace(item, values=(random.choice(texts),)))


def _count(item: Item) -> int:
    match = re.fullmatch(r"(\d{1,12})([kKmM]?)", item.values[0]) if item.values else None
    return int(match[1]) * {"": 1, "k": 1000, "m": 10**6, "K": 1024, "M": 1024**2}[match[2]] if match else 0


REWRITES: dict[str, Rewrite] = {
    "alias": alias,
    "order": order,
    "spelling": spelling,
    "joined": joined,
    "abbreviation": abbreviation,
    "json text": json_text,
    "dotted": dotted,
    "folded": folded,
    "suffix": suffix,
}  # fmt: skip


def chain(line: Line, random: Random, most: int = 8) -> tuple[Line, list[str]]:
    """One to `most` rewrites after each other, and their names."""
    names = random.choices(list(REWRITES), k=random.randint(1, most))
    for name in names:
        line = REWRITES[name](line, random)
    return line, names

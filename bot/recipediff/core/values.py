"""The values of settings: which are the same, what lies at a key inside one, and how one reads."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping

from recipediff.core.setting import Json, Setting

ABSENT = object()
"""What lies at a key that is not there."""


def at(value: Json | object, path: tuple[str, ...]) -> Json | object:
    """What lies at `path` inside a JSON value; `ABSENT` where nothing does."""
    for key in path:
        if not isinstance(value, Mapping) or key not in value:
            return ABSENT
        value = value[key]
    return value


def leaves(value: Json | object, path: tuple[str, ...] = ()) -> dict[tuple[str, ...], Json | object]:
    """Every value inside an object that is not an object with keys of its own, by its path."""
    if isinstance(value, dict) and value:
        found: dict[tuple[str, ...], Json | object] = {}
        for key, item in value.items():
            found.update(leaves(item, (*path, key)))
        return found
    return {path: value} if path else {}


def without(
    value: Json | object,
    paths: Iterable[tuple[str, ...]],
    read: Callable[[tuple[str, ...], Json | object], Json | object] = lambda _, leaf: leaf,
) -> dict[str, Json]:
    """A copy of an object without the values at `paths`, each value as `read` gives it; objects that become empty go too."""
    paths = tuple(paths)
    rest: dict[str, Json] = {}
    for path, leaf in leaves(value).items():
        if not any(path[: len(done)] == done for done in paths):
            inner = rest
            for key in path[:-1]:
                inner = inner.setdefault(key, {})  # type: ignore[assignment]
            inner[path[-1]] = read(path, leaf)  # type: ignore[assignment]
    return rest


def as_written_key(setting: Setting | None, value: Json | object) -> Json | object:
    """The value of a dotted key as its word would stand in JSON; `value` where no such key is written."""
    if setting is None:
        return value
    try:
        written: Json = json.loads(setting.value)
    except (ValueError, RecursionError):
        return setting.value
    return written


def shown(value: Json | object, settings: Mapping[tuple[str, ...], Setting]) -> str:
    """How a config reads under its one name, each key as it is written: by a word of its own, or in the JSON at `()`."""
    whole = settings.get(())
    try:
        written: Json = json.loads(whole.value) if whole is not None else None
    except (ValueError, RecursionError):
        written = None

    def leaf(path: tuple[str, ...], stated: Json | object) -> Json | object:
        if path in settings:
            return as_written_key(settings[path], stated)
        found = at(written, path)
        return stated if found is ABSENT else found

    return compact(without(value, (), leaf) or value)


def changed_keys(
    left: dict[str, Json], right: dict[str, Json], theirs: Setting | None = None, ours: Setting | None = None
) -> tuple[tuple[str, str | None, str | None], ...]:
    """The dotted paths at which two JSON objects differ, with both sides' text: as the settings write it, where they do."""
    a, b = leaves(left), leaves(right)
    rows = []
    for path in sorted({*a, *b}):
        one, other = a.get(path, ABSENT), b.get(path, ABSENT)
        if not same(one, other):
            texts = (
                None if value is ABSENT else as_written(setting, path, value)
                for setting, value in ((theirs, one), (ours, other))
            )
            rows.append((".".join(path), *texts))
    return tuple(rows)  # type: ignore[arg-type]


def as_written(setting: Setting | None, path: tuple[str, ...], value: Json | object) -> str:
    """The text of a key inside a setting's JSON value, as it stands there: the grammar may have put another word in its
    place (a mode's name for its number). `value` in one short text where it does not stand there."""
    if setting is None or not setting.value.startswith("{"):
        return compact(value)
    try:
        found = at(json.loads(setting.value, parse_float=str, parse_int=str), path)
    except (ValueError, RecursionError):
        return compact(value)
    return compact(value if found is ABSENT or isinstance(found, dict | list) else found)


def same(left: object, right: object) -> bool:
    """Whether two meanings are the same value: numbers by value but true and 1 apart, objects by keys, lists in order."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(same(a, b) for a, b in zip(left, right, strict=True))
    if isinstance(left, float) and isinstance(right, float) and left != left and right != right:
        return True
    if isinstance(left, int | float) and isinstance(right, int | float):
        return left == right and type(left) is type(right)
    return type(left) is type(right) and left == right


def compact(value: object) -> str:
    """A JSON value as one short text."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=False, default=str)

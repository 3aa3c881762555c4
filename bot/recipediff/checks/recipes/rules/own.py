"""What a recipe itself says about one setting, whichever way it is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from recipediff.core.compare import second_way
from recipediff.core.finding import Finding, Fix, Severity
from recipediff.core.place import Place
from recipediff.core.recipe import TestedRecipe
from recipediff.core.rules import RULES
from recipediff.core.setting import Json, Setting, SettingKind
from recipediff.core.values import as_written, shown
from recipediff.parse.vllm.grammar.routes import ROUTES

ABSENT = object()


def path_of(setting: Setting) -> tuple[str, ...]:
    """Where the engine keeps a flag: its field, then the keys inside it."""
    if setting.route:
        return setting.route
    first, *keys = setting.name.split(".")
    return (setting.field or first, *keys)


def tree(settings: Iterable[Setting]) -> dict[str, Json]:
    """The flags as one nested object, by the fields of the engine; a later flag is laid over an earlier one."""
    root: dict[str, Json] = {}
    for setting in settings:
        if setting.kind != "flag":
            continue
        *outer, last = path_of(setting)
        level = root
        for key in outer:
            inner = level.get(key)
            if not isinstance(inner, dict):
                inner = level[key] = {}
            level = inner
        level[last] = dict(setting.meaning) if isinstance(setting.meaning, dict) else setting.meaning
    return root


def at(value: Json, path: Iterable[str]) -> Json | object:
    """What stands under `path` in a nested object; `ABSENT` where nothing does."""
    found: Json = value
    for key in path:
        if not isinstance(found, Mapping) or key not in found:
            return ABSENT
        found = found[key]
    return found


def holder(settings: Iterable[Setting], path: tuple[str, ...]) -> Setting | None:
    """The last flag that speaks of `path`: that very key, or an object around it."""
    found = None
    for setting in settings:
        if setting.kind == "flag" and path[: len(own := path_of(setting))] == own:
            found = setting
    return found


def readings(
    kind: SettingKind, name: str, recipe: TestedRecipe, settings: tuple[Setting, ...]
) -> tuple[str | None, ...]:
    """The recipe's value of a setting as it is written, None for absent; the plainest reading first.

    There is more than one where it depends on upstream's way of writing: an object of which the recipe writes only keys
    is there as a whole (compact JSON, with or without the flags that are its keys by another route), and is not.
    """
    exact = [setting for setting in settings if setting.kind == kind and setting.name == name]
    if exact or kind != "flag":
        return (exact[-1].value if exact else None,)
    if name == "model":
        return (recipe.model.text,)
    path = next(((route.config, route.key) for route in ROUTES if route.flag == name), tuple(name.split(".")))
    near = [setting for setting in settings if setting.kind == "flag" and _meets(path_of(setting), path)]
    if not near:
        return (None,)
    alike = [setting for setting in near if path_of(setting) == path]
    if alike:
        return (alike[-1].value,)
    named = tuple(setting for setting in settings if not setting.route)
    texts = [_text(at(tree(group), path), path, group) for group in (named, settings)]
    whole = holder(settings, path) is not None
    return tuple(dict.fromkeys(texts if whole or len(texts) == texts.count(None) else [*texts, None]))


def _meets(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether one path is the other, or leads to it."""
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]


def _text(value: Json | object, path: tuple[str, ...], settings: tuple[Setting, ...]) -> str | None:
    """How the value at `path` reads, each part as the words that make it are written."""
    if value is ABSENT:
        return None
    parts = {
        path_of(one)[len(path) :]: one
        for one in settings
        if one.kind == "flag" and path_of(one)[: len(path)] == path and not second_way(one)
    }
    around = holder(settings, path)
    if not parts and around is not None and not isinstance(value, dict):
        return as_written(around, path[len(path_of(around)) :], value)
    return shown(value, parts)


def say(
    recipe: TestedRecipe,
    rule: str,
    message: str,
    place: Place,
    fix: str = "",
    *,
    key: str = "",
    setting: Setting | None = None,
    severity: Severity | None = None,
) -> Finding:
    """One finding about a recipe by itself."""
    return Finding(
        rule=rule,
        severity=severity or RULES[rule].severity,
        recipe=recipe.id,
        message=message,
        place=place,
        kind=setting.kind if setting else None,
        setting=setting.name if setting else "",
        ours=setting.value if setting else None,
        fix=Fix(fix) if fix else None,
        key=key,
    )


def unread(recipe: TestedRecipe, *parts: str) -> bool:
    """Whether one of these parts, or something inside or around it, could not be read, so that it cannot be judged."""
    return any(
        lost == part or not lost or lost.startswith((f"{part}.", f"{part}[")) or part.startswith(f"{lost}.")
        for part in parts
        for lost in recipe.unread
    )

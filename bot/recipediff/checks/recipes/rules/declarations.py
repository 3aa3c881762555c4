"""A declaration held against the recipe that carries it. What needs upstream's side is judged in `recipediff.core.declare`.

The rules are those of spec/recipes.md, Declared deviations: a declaration must be falsifiable.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from recipediff.checks.recipes.rules.own import readings, say, unread
from recipediff.core.finding import Finding
from recipediff.core.launch import Launch
from recipediff.core.recipe import Deviation, TestedRecipe
from recipediff.core.setting import Setting
from recipediff.parse.tested.shape import cut

_PLACEHOLDERS = frozenset(
    {
        *("todo", "to_do", "tbd", "tba", "tbc", "fixme", "xxx", "wip", "na", "none", "null", "nil", "unknown"),
        *("later", "pending", "why", "because", "reason", "placeholder", "test", "asdf", "foo", "bar", "ditto"),
        *("see_above", "same", "same_as_above", "not_applicable", "to_be_done", "to_be_determined", "to_be_defined"),
        *("to_be_decided", "fill_in", "fill_me_in", "add_reason", "reason_here", "no_reason", "some_reason"),
    }
)
_OPENERS = re.compile(r"(?:todo|tbd|fixme|xxx)\b", re.IGNORECASE)
_ENV = re.compile(r"[A-Z_][A-Z0-9_]*")
_FLAG = re.compile(r"[a-z0-9][a-z0-9_]*(?:\.[^\s/]+)?")


@dataclass(frozen=True, slots=True)
class Misfit:
    """Why a declaration is false: the reason, the part of it that is wrong, and what to do."""

    reason: str
    field: str
    fix: str


def judge_entry(deviation: Deviation, recipe: TestedRecipe, settings: tuple[Setting, ...]) -> Misfit | None:
    """What is false about `deviation` as far as the recipe alone can tell; None where nothing is.

    `settings` are what the recipe's args (and env and mods) were parsed to: `Launch.settings`.
    """
    return _name(deviation) or _reason(deviation.why) or _sides(deviation) or _ours(deviation, recipe, settings)


def declarations(recipe: TestedRecipe, launch: Launch) -> Iterator[Finding]:
    """Every declaration that is false by the recipe alone, and every setting that is declared twice."""
    if recipe.source is None:
        return
    seen: set[tuple[str, str]] = set()
    for deviation in recipe.source.deviations:
        misfit = judge_entry(deviation, recipe, launch.settings)
        if misfit is None and (deviation.kind, deviation.setting) in seen:
            misfit = Misfit("this setting is declared twice", "setting", "keep one declaration")
        seen.add((deviation.kind, deviation.setting))
        if misfit is not None:
            place = deviation.places.get(misfit.field, deviation.place)
            key = f"{deviation.kind}:{deviation.setting}:{misfit.reason}"
            yield say(recipe, "misdeclared", f"{cut(deviation.setting)}: {misfit.reason}", place, misfit.fix, key=key)


def _name(deviation: Deviation) -> Misfit | None:
    """The shape that a kind implies: a mod path has a slash, an environment key is upper case, a flag is neither."""
    name, kind = deviation.setting, deviation.kind
    if kind == "mod":
        fits, shape = "/" in name, "a mod is named by its path, which has a slash"
    elif kind == "env":
        fits, shape = _ENV.fullmatch(name) is not None, "an environment key is upper case"
    else:
        fits = _FLAG.fullmatch(name) is not None
        shape = "a flag is named without its dashes, with underscores, in lower case, and has no slash"
    if fits:
        return None
    if kind == "flag" and "/" not in name and "-" in name.split(".")[0]:
        first, dot, rest = name.lstrip("-").partition(".")
        return Misfit(shape, "setting", f"write {cut(first.replace('-', '_') + dot + rest)}")
    likely = "mod" if "/" in name else "env" if _ENV.fullmatch(name) else "flag" if _FLAG.fullmatch(name) else ""
    fix = f"declare it as kind: {likely}" if likely and likely != kind else "write the name as upstream has it"
    return Misfit(shape, "kind" if likely and likely != kind else "setting", fix)


def is_placeholder(why: str) -> bool:
    """Whether a reason says nothing: no letter and no digit, or a word that stands for a reason that nobody has given."""
    text = why.strip()
    bare = re.sub(r"[\W_]+", "_", text.casefold().replace("n/a", "na")).strip("_")
    if not bare:
        return True
    return (
        not _PLACEHOLDERS.isdisjoint((bare, bare.replace("_", "")))
        or _OPENERS.match(text.lstrip("#<([{*- ")) is not None
    )


def _reason(why: str) -> Misfit | None:
    fix = "write the measurement, or the code that proves it; a reason that nobody has is not invented"
    if not why.strip():
        return Misfit("why is empty", "why", fix)
    if is_placeholder(why):
        return Misfit(f"why is a placeholder: “{cut(why.strip(), 40)}”", "why", fix)
    return None


def _sides(deviation: Deviation) -> Misfit | None:
    if not deviation.ours and not deviation.upstream:
        return Misfit(
            "both sides are empty, so it declares nothing", "ours", "write the value of each side that has one"
        )
    if deviation.ours == deviation.upstream:
        return Misfit("both sides are the same, so it declares no difference", "ours", "remove the declaration")
    return None


def _ours(deviation: Deviation, recipe: TestedRecipe, settings: tuple[Setting, ...]) -> Misfit | None:
    """`ours` is the recipe's own value, exactly as it is written there; empty means that the recipe does not have it."""
    section = {"flag": "args", "env": "env", "mod": "mods"}[deviation.kind]
    if unread(recipe, section):
        return None  # what the recipe says is not wholly known
    found = readings(deviation.kind, deviation.setting, recipe, settings)
    if (deviation.ours or None) in found:
        return None
    present = next((text for text in found if text is not None), None)
    if present is None:
        reason = f"ours says “{cut(deviation.ours)}”, but {section} of the recipe do not have the setting"
        return Misfit(reason, "ours", 'write "" if it was dropped, or name the setting that is meant')
    written = json.dumps(cut(present), ensure_ascii=False)
    if not deviation.ours:
        reason = f"it declares a drop, but the recipe has the setting with the value “{cut(present)}”"
        return Misfit(reason, "ours", f"write ours: {written}, or take the setting out of {section}")
    reason = f"ours says “{cut(deviation.ours)}”, the recipe has “{cut(present)}”"
    return Misfit(reason, "ours", f"write ours: {written}, exactly as it is written in {section}")

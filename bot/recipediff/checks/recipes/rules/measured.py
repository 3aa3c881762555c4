"""The numbers belong to the command that was measured (DESIGN.md, the rules of comparison, 5)."""

from __future__ import annotations

from collections.abc import Iterator

from recipediff.checks.recipes.rules.own import say, unread
from recipediff.core.finding import Finding
from recipediff.core.fingerprint import fingerprint
from recipediff.core.launch import Launch
from recipediff.core.recipe import TestedRecipe
from recipediff.parse.schema.fields import FINGERPRINT_TEXT
from recipediff.parse.tested.shape import cut

_LAUNCH_PARTS = ("model", "image", "args", "env", "mods", "topology.nodes")


def context(recipe: TestedRecipe, launch: Launch) -> Iterator[Finding]:
    """`--max-model-len` is there and means `verified.context`: `256K` is 262144, `256k` and `auto` are not."""
    verified = recipe.verified
    if verified is None or verified.context is None or unread(recipe, "args", "verified.context"):
        return
    rule, key, wanted = "context-mismatch", "max_model_len", verified.context
    found = next((s for s in launch.settings if s.kind == "flag" and s.name == "max_model_len"), None)
    if found is None:
        if launch.problems or launch.refused:
            return  # it may stand in what was not understood
        place = recipe.places.get("args", recipe.place)
        message = f"args give no --max-model-len, so nothing holds the server to the measured {wanted}"
        yield say(recipe, rule, message, place, f"add --max-model-len and {wanted} to args", key=key)
        return
    meaning: object = found.meaning
    if not found.known and found.value.isdecimal() and len(found.value) < 20:
        meaning = int(found.value)
    if meaning == wanted and not isinstance(meaning, bool):
        return
    shown = f"--max-model-len is {cut(found.value)}"
    if isinstance(meaning, int) and str(meaning) != found.value and meaning > 0:
        shown += f", which is {meaning}"
    elif found.value.lower() == "auto" or meaning == -1:
        shown += ", which is settled only at start"
    message = f"{shown}; verified.context is {wanted}"
    fix = f"write {wanted} in args, or measure again and change verified"
    yield say(recipe, rule, message, found.place, fix, key=key, setting=found)


def stale(recipe: TestedRecipe, _launch: Launch) -> Iterator[Finding]:
    """`verified.fingerprint` is that of the launch that stands in the recipe."""
    verified = recipe.verified
    if verified is None or unread(recipe, *_LAUNCH_PARTS, "verified.fingerprint"):
        return
    present, stated = fingerprint(recipe), verified.fingerprint
    if stated == present:
        return
    place = verified.places.get("fingerprint", verified.place)
    fix = f"if the numbers were measured on this launch, write fingerprint: {present}; if not, measure again first"
    if not stated:
        message = "verified has no fingerprint, so nothing ties its numbers to this launch"
    elif not FINGERPRINT_TEXT.fits(stated):
        message = f"the fingerprint “{cut(stated)}” is not {FINGERPRINT_TEXT.wants}"
    else:
        message = "model, image, args, env, mods or nodes changed since the numbers in verified were measured"
    yield say(recipe, "stale-measurement", message, place, fix, key="verified.fingerprint")

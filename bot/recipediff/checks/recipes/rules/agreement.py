"""What a recipe says twice, it says alike: the model, and the port."""

from __future__ import annotations

from collections.abc import Iterator

from recipediff.checks.recipes.rules.own import say, unread
from recipediff.core.finding import Finding
from recipediff.core.launch import Launch
from recipediff.core.recipe import TestedRecipe
from recipediff.parse.tested.shape import cut

_VLLM_PORT = 8000  # where the server listens without --port, in every measured version


def agreement(recipe: TestedRecipe, launch: Launch) -> Iterator[Finding]:
    """`model` is what args serve, `port` is what `--port` says, and args do not begin with the program."""
    if unread(recipe, "args"):
        return
    if recipe.args and recipe.args[0].text in ("vllm", "serve"):
        fix = "begin with the first word after `vllm serve MODEL`"
        yield say(
            recipe, "malformed-recipe", "args begin with the program's name", recipe.args[0].place, fix, key="args[0]"
        )
        return
    yield from _model(recipe, launch)
    if recipe.port is not None:
        yield from _port(recipe, recipe.port, launch)


def _model(recipe: TestedRecipe, launch: Launch) -> Iterator[Finding]:
    served = launch.model
    if served is None or not recipe.model.text or served.meaning == recipe.model.text:
        return
    message = f"args serve {cut(served.value)}, but model is {cut(recipe.model.text)}"
    fix = "take the model out of args; it is served from `model`"
    yield say(recipe, "malformed-recipe", message, served.place, fix, key="model")


def _port(recipe: TestedRecipe, port: int, launch: Launch) -> Iterator[Finding]:
    flag = next((s for s in launch.settings if s.kind == "flag" and s.name == "port"), None)
    listens = _VLLM_PORT if flag is None else flag.meaning
    if listens == port or (flag is None and (launch.problems or launch.refused)):
        return
    place = recipe.places.get("port", recipe.place)
    where = (
        f"args say --port {cut(flag.value)}" if flag else f"args give no --port, so the server listens on {_VLLM_PORT}"
    )
    yield say(
        recipe, "malformed-recipe", f"port is {port}, but {where}", place, "write the same port in both", key="port"
    )

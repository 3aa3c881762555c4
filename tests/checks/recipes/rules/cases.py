"""One tested recipe in YAML and the launch that its own args make, for the tests of the entry rules."""

from __future__ import annotations

import json
from dataclasses import dataclass

from recipediff.checks.recipes import rules as entry
from recipediff.core.finding import Finding
from recipediff.core.fingerprint import fingerprint
from recipediff.core.launch import Launch
from recipediff.core.place import Place
from recipediff.core.recipe import Deviation, TestedRecipe
from recipediff.core.setting import Json, Setting, SettingKind
from recipediff.parse.tested.read import read_recipes
from tests.parse.tested.examples import broken, full

HERE = Place(file="recipes/x.yaml", line=1, column=1)


@dataclass(frozen=True)
class Case:
    """A recipe with the settings of its launch."""

    recipe: TestedRecipe
    launch: Launch

    def findings(self, rule: str) -> list[Finding]:
        """What one rule says."""
        return list(entry.RULES[rule](self.recipe, self.launch))


def flag(name: str, value: str, meaning: Json = None, *, route: tuple[str, ...] = (), known: bool = True) -> Setting:
    """A flag as the grammar would give it; without a meaning, what the text says as JSON, else the text."""
    if meaning is None:
        meaning = json.loads(value) if value[:1] == "{" or value.isdigit() else value
    return Setting(
        kind="flag",
        name=name,
        value=value,
        meaning=meaning,
        place=HERE,
        field=name.split(".")[0],
        known=known,
        route=route,
    )


def launch(*settings: Setting, model: str = "") -> Launch:
    """A launch of these settings."""
    served = (
        Setting(kind="flag", name="model", value=model, meaning=model, place=HERE, field="model_tag") if model else None
    )
    return Launch(role="serve", settings=settings, model=served, image=None, version="0.32.0")


def recipe(*edits: tuple[str, str]) -> TestedRecipe:
    """The good recipe of the reader's tests with pieces of its text replaced."""
    return read_recipes(broken(*edits), "recipes/some-model-2spark.yaml").recipes[0]


def case(*settings: Setting, edits: tuple[tuple[str, str], ...] = (), model: str = "") -> Case:
    """The good recipe, edited, with a launch of these settings."""
    return Case(recipe(*edits), launch(*settings, model=model))


def declared(
    kind: SettingKind, setting: str, upstream: str = "a", ours: str = "b", why: str = "measured: 5 % faster"
) -> Deviation:
    """One declaration."""
    return Deviation(kind=kind, setting=setting, upstream=upstream, ours=ours, why=why, place=HERE)


def stamped() -> TestedRecipe:
    """The full example with the fingerprint of its own launch."""
    data = full()
    found = read_recipes(json.dumps([data]).encode(), "tested.json").recipes[0]
    data["verified"]["fingerprint"] = fingerprint(found)
    return read_recipes(json.dumps([data]).encode(), "tested.json").recipes[0]

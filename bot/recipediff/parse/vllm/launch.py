"""An invocation's words, read by vLLM's grammar of one version, become a launch."""

from __future__ import annotations

from dataclasses import dataclass, replace

from recipediff.core.launch import Assignment, Invocation, Launch
from recipediff.core.recipe import TestedRecipe
from recipediff.core.setting import Setting
from recipediff.parse.documents.recent import Recent
from recipediff.parse.vllm.grammar import surface
from recipediff.parse.vllm.grammar.parse import parse

LAUNCHER_FLAGS = frozenset({"nnodes", "node_rank", "master_addr", "headless", "distributed_executor_backend"})
"""Flags that a launcher supplies for its own topology (DESIGN.md, the rules of comparison, 1)."""

EMPTY = '""'
"""How an empty value reads, so that it cannot be taken for a setting that is not there."""

UNKNOWN = "(only a shell knows)"
"""How a value reads that an environment variable gets from outside the text."""


@dataclass(frozen=True, slots=True)
class ReadVersion:
    """The vLLM version whose table reads a recipe."""

    table: str
    stated: bool
    note: str = ""


def read_version(stated: str) -> ReadVersion:
    """The table for a stated version: that version's, else the nearest measured one below; without one, the newest."""
    if not stated:
        newest = surface.newest()
        return ReadVersion(
            newest, False, f"no vLLM version is stated, so the grammar of {newest}, the newest known, was used"
        )
    table = surface.nearest(stated)
    named = stated.lstrip("vV")
    note = "" if table in (named, f"{named}.0") else f"vLLM {stated} was not measured; the grammar of {table} was used"
    return ReadVersion(table, True, note)


def recipe_invocation(recipe: TestedRecipe) -> Invocation:
    """What a tested recipe starts: its model, then its args, unless these begin with the model themselves."""
    leads = bool(recipe.args) and not recipe.args[0].text.startswith("-")
    argv = recipe.args if leads else (recipe.model, *recipe.args)
    return Invocation(role="serve", argv=argv, env=recipe.env, mods=recipe.mods, image=recipe.image, model=recipe.model)


_RECENT = Recent(1024 * 1024)


def understand(invocation: Invocation, version: ReadVersion) -> Launch:
    """The settings of one invocation. Nothing of it is dropped: every word ends in a setting, a refusal or a problem."""
    key = (id(invocation), version)  # upstream's one invocation is asked for again by every recipe that follows it
    kept, launch = _RECENT.get(key, len(invocation.argv) * 64, lambda: (invocation, _understand(invocation, version)))
    return launch if kept is invocation else _understand(invocation, version)


def _understand(invocation: Invocation, version: ReadVersion) -> Launch:
    line = parse(invocation.argv, surface.load(version.table))
    flags = [_shown(setting) for setting in line.settings]
    model = next((s for s in flags if s.name == "model"), None)
    if model is None and invocation.model is not None:
        word = invocation.model
        model = Setting(
            kind="flag", name="model", value=word.text, meaning=word.text, place=word.place, field="model_tag"
        )
    env = {a.name: _variable(a) for a in invocation.env}
    mods = {
        w.text: Setting(kind="mod", name=w.text, value=w.text, meaning=w.text, place=w.place) for w in invocation.mods
    }
    # Of a value that only a shell knows, the parser's opinion on its name says nothing.
    known = surface.load(version.table).flags
    given = {s.place: s.value for s in flags if s.field in known and known[s.field].takes != "none"}
    unknown = [w for w in invocation.argv if w.unknown]
    open_values = {
        w.place for w in unknown if not w.text.startswith("-") or given.get(w.place) == w.text.partition("=")[2]
    }
    return Launch(
        role=invocation.role,
        settings=(
            *(s for s in flags if s.name != "model" and s.field not in LAUNCHER_FLAGS),
            *env.values(),
            *mods.values(),
        ),
        model=model,
        image=invocation.image,
        version=version.table,
        fields=line.fields,
        launcher=tuple(s for s in flags if s.field in LAUNCHER_FLAGS),
        refused=tuple(refusal for refusal in line.refusals if refusal.place not in open_values),
        problems=invocation.problems,
        notes=(*invocation.notes, *line.notes),
        advisory=invocation.advisory,
        program=invocation.program,
    )


def _variable(one: Assignment) -> Setting:
    if one.value is None:
        return Setting(kind="env", name=one.name, value=UNKNOWN, meaning=None, place=one.place, known=False)
    return Setting(kind="env", name=one.name, value=one.value or EMPTY, meaning=one.value, place=one.place)


def _shown(setting: Setting) -> Setting:
    if setting.value:
        return setting
    return replace(setting, value=EMPTY)

"""What of a recipe is counted: each rule by its name, each recipe as blocks of words that are judged one by one.

`published`   base arguments and the features' own, as upstream's pages show them in prose; of the environment the base's
              and the strategies' own (`model.base_args`, `features.*.args`, `model.base_env`, `strategy_overrides.*.env`)
`everything`  every list of arguments and every environment that a recipe states, wherever it stands
`launches`    every launch that upstream publishes: each variant, hardware profile and strategy, resolved
`hardware:ID` the recommended launch of each recipe on one hardware profile, resolved
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from recipediff.core.launch import Assignment, Invocation, Select, Word
from recipediff.core.place import Place, Problem
from recipediff.core.upstream import UpstreamFiles
from recipediff.parse.formats import FORMATS
from recipediff.parse.formats.vllm_project import VLLM_PROJECT
from recipediff.parse.formats.vllm_project.fields import Args
from recipediff.parse.formats.vllm_project.statements import Statement, statements

RULES = {
    "published": "base arguments and the features' own, as upstream's pages show them",
    "everything": "every list of arguments that a recipe states, wherever it stands",
    "launches": "every launch that upstream publishes, resolved",
    "hardware": "each recipe's recommended launch on one hardware profile, resolved",
}


class BadCount(ValueError):
    """There is no such counting rule, or it does not fit the upstream's format; the text says what does."""


@dataclass(frozen=True, slots=True)
class WordGroup:
    """Words that are judged together. `optional`: a recipe without them is still the recipe."""

    name: str
    words: tuple[Word, ...]
    env: tuple[Assignment, ...] = ()
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Counted:
    """One recipe under a counting rule. Without blocks `problems` say why there is nothing to judge."""

    recipe: str
    """Its path."""
    model: str
    blocks: tuple[WordGroup, ...]
    problems: tuple[Problem, ...] = ()


def described(rule: str) -> str:
    """A counting rule in words. Raises `BadCount`."""
    name, colon, argument = rule.partition(":")
    if name not in RULES or (name == "hardware") != bool(colon and argument):
        known = ", ".join(f"{one}:ID" if one == "hardware" else one for one in RULES)
        raise BadCount(f"there is no counting rule “{rule[:60]}”; there are {known}")
    return RULES[name].replace("one hardware profile", argument)


def counted(form: str, files: UpstreamFiles, path: str, rule: str) -> Counted:
    """The recipe at `path` under `rule`. Raises `BadCount` for a rule that the format does not have."""
    described(rule)
    if form == VLLM_PROJECT.name:
        return _vllm_project(files, path, rule)
    if rule.startswith("hardware:"):
        raise BadCount(
            f"recipes of the format {form} name no hardware profiles; count published, everything or launches"
        )
    reading = FORMATS[form].read(files, path, Select())
    model = next((one.model.text for one in reading.invocations if one.model is not None), "")
    return Counted(
        path, model, tuple(map(_whole, reading.invocations)), _problems(reading.problems, reading.invocations)
    )


def _vllm_project(files: UpstreamFiles, path: str, rule: str) -> Counted:
    recipe, all_problems = VLLM_PROJECT.recipe(files, path)
    # What is wrong with shared files concerns launches; statements stand in the recipe alone.
    problems = tuple(problem for problem in all_problems if problem.place.file == path)
    if recipe is None:
        return Counted(path, "", (), problems)
    model = recipe.model_id
    if rule in ("published", "everything"):
        chosen = _as_published if rule == "published" else _anything
        stated = [one for one in statements(path, files.blobs[path]) if chosen(one)]
        if (
            "omni" in recipe.tasks
        ):  # what stops `vllm serve` is said; that nothing does says little about another program
            problems = (*problems, _other_program(recipe.place))
        return Counted(path, model.text, tuple(_stated(stated, model)), problems)
    if rule == "launches":
        selects = [offer.select for name in recipe.variants for offer in VLLM_PROJECT.offers(files, path, name)]
    else:
        selects = _recommended(files, path, rule.partition(":")[2])
    blocks, more = _resolved(files, path, selects)
    if not blocks and not more:
        more = (_not_offered(path, rule, "omni" in recipe.tasks, recipe.place),)
    return Counted(path, model.text, blocks, more)


def _not_offered(path: str, rule: str, omni: bool, place: Place) -> Problem:
    if omni:
        return _other_program(place)
    where = rule.partition(":")[2]
    return Problem(
        f"upstream offers no launch of {path} on {where}" if where else f"upstream offers no launch of {path}", place
    )


def _other_program(place: Place) -> Problem:
    return Problem("upstream publishes no `vllm serve` command for a recipe with the task omni", place)


def _recommended(files: UpstreamFiles, path: str, hardware: str) -> list[Select]:
    offers = VLLM_PROJECT.offers(files, path)
    return [offer.select for offer in offers if offer.default and offer.select.hardware == hardware]


def _resolved(
    files: UpstreamFiles, path: str, selects: list[Select]
) -> tuple[tuple[WordGroup, ...], tuple[Problem, ...]]:
    """Each launch once, however many selects lead to the same words."""
    blocks: dict[tuple[str, ...], WordGroup] = {}
    problems: dict[str, Problem] = {}
    for select in selects:
        reading = VLLM_PROJECT.read(files, path, select)
        problems.update((problem.message, problem) for problem in reading.problems)
        for one in reading.invocations:
            problems.update((problem.message, problem) for problem in one.problems)
            name = "/".join(part for part in (select.variant, select.hardware, select.strategy, one.role) if part)
            blocks.setdefault(
                tuple(word.text for word in one.argv), WordGroup(name, one.argv, one.env, len(selects) > 1)
            )
    return tuple(blocks.values()), tuple(problems.values())


def _whole(one: Invocation) -> WordGroup:
    return WordGroup(one.role, one.argv, one.env)


def _problems(first: tuple[Problem, ...], invocations: tuple[Invocation, ...]) -> tuple[Problem, ...]:
    return (*first, *(problem for one in invocations for problem in one.problems))


def _anything(statement: Statement) -> bool:
    del statement
    return True


def _as_published(statement: Statement) -> bool:
    match statement.path:
        case ("model", "base_args" | "base_env") | ("features", _, "args") | ("strategy_overrides", _, "env"):
            return True
        case _:
            return False


def _stated(stated: list[Statement], model: Word) -> Iterator[WordGroup]:
    """Each statement as a block, behind the model's id: every word of it stands for itself."""
    base = next((one for one in stated if one.path == ("model", "base_args")), None)
    if base is None:
        yield WordGroup("base arguments", (model,))
    for one in stated:
        env_only = bool(one.env) or one.path[-1].endswith("env")
        if env_only:
            yield WordGroup(".".join(one.path), (), one.env, one.path[0] != "model")
        elif one is base:
            yield WordGroup("base arguments", (model, *_flat(one.args)))
        else:
            yield WordGroup(".".join(one.path[:-1]), (model, *_flat(one.args)), (), True)


def _flat(args: Args) -> tuple[Word, ...]:
    return tuple(word for _, words in args for word in words)

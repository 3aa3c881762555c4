"""Combinations that are known to abort or to misbehave: a table of facts, each with its reason and where it is from.

Rows are data. A path names a setting as the engine keeps it (`attention_config.backend`), so that every way of writing
it is met. A row speaks only where everything that it needs is stated in the recipe.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from recipediff.checks.recipes.rules.own import at, holder, say, tree, unread
from recipediff.core.finding import Finding, Severity
from recipediff.core.launch import Launch
from recipediff.core.recipe import TestedRecipe
from recipediff.core.setting import Json


@dataclass(frozen=True, slots=True)
class When:
    """The recipes that a row is about; an empty field is any."""

    model: str = ""
    """The model's name, without its owner."""
    path: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForbiddenValue:
    """A value that is rejected, at any of several paths."""

    id: str
    paths: tuple[str, ...]
    value: str
    reason: str
    fix: str
    source: str
    when: When = When()
    severity: Severity = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Multiple:
    """A number that must be a multiple of another."""

    id: str
    paths: tuple[str, ...]
    of: int
    reason: str
    source: str
    when: When = When()
    severity: Severity = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """A number that must be `left` times (`right` + `plus`), where all three are stated."""

    id: str
    paths: tuple[str, ...]
    left: str
    right: str
    plus: int
    reason: str
    source: str
    when: When = When()
    severity: Severity = "warning"


ForbiddenRow = ForbiddenValue | Multiple | Product

_SPEC = "spec/recipes.md"
_DSPARK_0731 = When("DeepSeek-V4-Flash-0731", "speculative_config.method", "dspark")

FORBIDDEN: tuple[ForbiddenRow, ...] = (
    ForbiddenValue(
        id="b12x-mla-sparse",
        paths=("attention_config.backend", "attention_backend", "speculative_config.attention_backend"),
        value="B12X_MLA_SPARSE",
        reason="the image has no attention backend of this name and aborts at start",
        fix="write B12X, the name that the image's own recipes use",
        source=f"{_SPEC}, Source authority",
    ),
    Multiple(
        id="dspark-block",
        paths=("speculative_config.num_speculative_tokens",),
        of=5,
        reason="dspark_block_size of this checkpoint is 5: a smaller number truncates the block, another is rejected at boot",
        source=f"{_SPEC}, Worked example",
        when=_DSPARK_0731,
    ),
    Product(
        id="dspark-capture",
        paths=("compilation_config.max_cudagraph_capture_size", "max_cudagraph_capture_size"),
        left="max_num_seqs",
        right="speculative_config.num_speculative_tokens",
        plus=1,
        reason="under speculation the capture size is max_num_seqs x (num_speculative_tokens + 1)",
        source=f"{_SPEC}, Worked example",
        when=_DSPARK_0731,
    ),
)


def combinations(recipe: TestedRecipe, launch: Launch) -> Iterator[Finding]:
    """Every row of the table that this recipe breaks."""
    if unread(recipe, "args", "model"):
        return
    stated = tree(launch.settings)
    for row in FORBIDDEN:
        if _applies(row.when, recipe, stated):
            yield from _judge(row, recipe, launch, stated)


def _applies(when: When, recipe: TestedRecipe, stated: dict[str, Json]) -> bool:
    if when.model and recipe.model.text.rsplit("/", 1)[-1].lower() != when.model.lower():
        return False
    return not when.path or _is(at(stated, when.path.split(".")), when.value)


def _is(value: object, word: str) -> bool:
    return isinstance(value, str) and value.upper() == word.upper()


def _whole(stated: dict[str, Json], path: str) -> int | None:
    found = at(stated, path.split("."))
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def _judge(row: ForbiddenRow, recipe: TestedRecipe, launch: Launch, stated: dict[str, Json]) -> Iterator[Finding]:
    for path in row.paths:
        found = at(stated, path.split("."))
        if isinstance(row, ForbiddenValue):
            message, fix = (f"{row.value}: {row.reason}", row.fix) if _is(found, row.value) else ("", "")
        elif isinstance(found, int) and not isinstance(found, bool):
            name = path.rsplit(".", 1)[-1]
            wrong = _multiple(row, found) if isinstance(row, Multiple) else _product(row, found, stated)
            message, fix = (f"{name} is {found}, {wrong[0]}: {row.reason}", wrong[1]) if wrong else ("", "")
        else:
            continue
        if message:
            yield _finding(row, path, message, fix, recipe, launch)


def _multiple(row: Multiple, number: int) -> tuple[str, str] | None:
    if number > 0 and number % row.of == 0:
        return None
    return f"not a multiple of {row.of}", f"write a multiple of {row.of}"


def _product(row: Product, number: int, stated: dict[str, Json]) -> tuple[str, str] | None:
    left, right = _whole(stated, row.left), _whole(stated, row.right)
    if left is None or right is None or number == left * (right + row.plus):
        return None
    return f"not {left} x ({right} + {row.plus})", f"write {left * (right + row.plus)}"


def _finding(row: ForbiddenRow, path: str, message: str, fix: str, recipe: TestedRecipe, launch: Launch) -> Finding:
    setting = holder(launch.settings, tuple(path.split(".")))
    place = setting.place if setting is not None else recipe.places.get("args", recipe.place)
    return say(recipe, "forbidden-combination", f"{message} ({row.source})", place, fix,
               key=f"{row.id}:{path}", setting=setting, severity=row.severity)  # fmt: skip

"""The declaration that a difference would need, written where it belongs. The reason is always left to a person."""

from __future__ import annotations

import json

from recipediff.core.compare import Difference
from recipediff.core.finding import Fix
from recipediff.core.place import Place
from recipediff.core.recipe import Deviation, Source, TestedRecipe

SUMMARY = "follow upstream, or declare it under source.deviations with its reason"
_DEEPEST = 80
"""Columns; a declaration further to the right is not one that somebody has laid out."""


def declaration(difference: Difference, recipe: TestedRecipe) -> Fix:
    """The edit that declares `difference` with an empty `why`, which keeps failing until somebody fills it."""
    values = {
        "kind": difference.kind,
        "setting": difference.setting,
        "upstream": difference.left or "",
        "ours": difference.right or "",
        "why": "",
    }
    source = recipe.source
    if source is not None and source.last is not None:
        return _bracketed(values, source, source.last)
    if recipe.file.endswith(".json"):
        return Fix(SUMMARY, None, json.dumps(values, ensure_ascii=False))
    return _yaml(values, source)


def _yaml(values: dict[str, str], source: Source | None) -> Fix:
    lines = [f"{key}: {_scalar(key, value)}" for key, value in values.items()]
    item = [("- " if index == 0 else "  ") + line for index, line in enumerate(lines)]
    if source is None:
        return Fix(SUMMARY, None, "\n".join(item))
    if source.deviations:
        last = source.deviations[-1]
        indent = " " * max(last.place.column - 3, 0)
        return Fix(
            SUMMARY, Place(file=last.place.file, line=_last_line(last)), "\n".join(indent + line for line in item)
        )
    licence = source.places.get("license")
    if source.flow or licence is None or licence.line <= source.place.line or "deviations" in source.places:
        return Fix(SUMMARY, None, "\n".join(item))
    indent = " " * (source.place.column - 1)
    text = [f"{indent}deviations:", *(f"{indent}  {line}" for line in item)]
    return Fix(SUMMARY, Place(file=licence.file, line=licence.line), "\n".join(text))


def _last_line(deviation: Deviation) -> int:
    """The last line that a declaration takes. A block scalar ends where the next thing begins, so its own end is one too far."""
    ends = [place.end_line - 1 if place.end_column == 1 else place.end_line for place in deviation.places.values()]
    flow = deviation.place.end_line if deviation.place.end_column > 1 else 0
    return max([*ends, deviation.place.line, *([flow] if not ends else [])])


def _bracketed(values: dict[str, str], source: Source, last: Place) -> Fix:
    """Behind the last declaration: on a line of its own where that has one. Braces of JSON are braces of YAML too."""
    text = json.dumps(values, ensure_ascii=False)
    first = source.places.get("deviations", source.place)
    lead = f",\n{' ' * (last.column - 1)}" if last.line > first.line and last.column <= _DEEPEST else ", "
    return Fix(
        SUMMARY,
        Place(
            file=last.file,
            line=last.end_line,
            column=last.end_column,
            end_line=last.end_line,
            end_column=last.end_column,
        ),
        f"{lead}{text}",
    )


def _scalar(key: str, value: str) -> str:
    plain = key in ("kind", "setting") and value and not any(c in value for c in " :#{}[],&*!|>'\"%@`")
    return value if plain else json.dumps(value, ensure_ascii=False)

"""Tested recipes read from a file: `recipes/<id>.yaml` with one recipe, or a JSON list (`tested.json`) with many.

As much as can be read is read: a broken field does not hide the others. Every violation of the shape is a finding, and
a recipe with a part that could not be read says so in `unread`, so that nobody takes it for the whole recipe.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from recipediff.core.finding import Finding, Fix
from recipediff.core.place import Place, Problem, Unreadable
from recipediff.core.recipe import TestedRecipe
from recipediff.parse.documents.document import (
    MAX_BYTES,
    Document,
    MappingNode,
    Node,
    ScalarNode,
    SequenceNode,
    read,
    walk,
)
from recipediff.parse.documents.recent import Recent
from recipediff.parse.schema.fields import ENTRY, LIST, RECIPE
from recipediff.parse.schema.shapes import MALFORMED
from recipediff.parse.tested.build import build, text
from recipediff.parse.tested.shape import Sink, cut, record, start


@dataclass(frozen=True, slots=True)
class RecipeFile:
    """What a file of tested recipes holds, and every violation of its shape."""

    file: str
    recipes: tuple[TestedRecipe, ...]
    findings: tuple[Finding, ...]
    lines: tuple[str, ...] = ()
    """The lines of the file, for reports that show them."""


_RECENT = Recent(8 * 1024 * 1024)


def read_recipes(data: bytes, file: str) -> RecipeFile:
    """The recipes in `data`: a JSON list where `file` ends in `.json`, else one recipe in YAML. Never raises for bad input."""
    return _RECENT.get((file, data), len(data), lambda: _read(data, file))


def _read(data: bytes, file: str) -> RecipeFile:
    stem = PurePosixPath(file).stem
    try:
        document = _text(read(data, file))
    except Unreadable as error:
        return _unreadable(data, file, stem, error.problem)
    sink = Sink(file=file, lines=document.lines, recipe=stem)
    recipes = _list(document, sink) if file.endswith(".json") else _single(document, stem, sink)
    return RecipeFile(file, recipes, sink.done(), document.lines)


_HALF = re.compile("[\ud800-\udfff]")


def _text(document: Document) -> Document:
    """The document, if all of it is text: JSON can spell half a character (`\\ud800`), which nothing could print."""
    for node in walk(document.root) if document.file.endswith(".json") else ():
        keys = node.keys.values() if isinstance(node, MappingNode) else ()
        for scalar in (node, *keys):
            if isinstance(scalar, ScalarNode) and _HALF.search(scalar.text):
                raise Unreadable(
                    Problem("half of a surrogate pair is no text", scalar.place, "write the whole character")
                )
    return document


def _unreadable(data: bytes, file: str, stem: str, problem: Problem) -> RecipeFile:
    lines = tuple(data.decode("utf-8", "replace").split("\n")) if len(data) <= MAX_BYTES else ()
    place, fix = problem.place, Fix(problem.hint) if problem.hint else None
    line = lines[place.line - 1] if 0 < place.line <= len(lines) else ""
    finding = Finding(
        rule=MALFORMED,
        severity="error",
        recipe=stem,
        message=problem.message,
        place=place,
        fix=fix,
        key="file",
        line=line,
    )
    return RecipeFile(file, (), (finding,), lines)


def _single(document: Document, stem: str, sink: Sink) -> tuple[TestedRecipe, ...]:
    root = document.root
    if root is None:
        sink.add(MALFORMED, "", "the file is empty", Place(file=document.file), Fix(f"write {RECIPE.wants}"))
        return ()
    if isinstance(root, SequenceNode):
        fix = Fix("write one recipe a file, named by its id; a list of recipes is kept in a .json file")
        sink.add(MALFORMED, "", "the file holds a list where one recipe is expected", start(root.place), fix)
        return ()
    name = RECIPE.field("id")
    if name is not None and not name.shape.fits(stem):  # type: ignore[union-attr]
        sink.add(MALFORMED, "id", f"the file's name “{cut(stem)}” is not an id", Place(file=document.file),
                 Fix("name the file by the recipe's id: letters, digits, dots, dashes and underscores"))  # fmt: skip
    record(root, RECIPE, "", sink)
    if not isinstance(root, MappingNode):
        return ()
    _same_id(root, stem, sink)
    return (replace(build(root, stem, document.file), unread=tuple(sink.unread)),)


def _same_id(root: MappingNode, stem: str, sink: Sink) -> None:
    node = root.get("id")
    stated = text(node)
    if node is None or not stated or stated == stem:
        return
    fix = sink.replaced(f"write {stem}, take the line out, or rename the file", node.place, stem)
    sink.add(MALFORMED, "id", f"the id is “{cut(stated)}”, but the file is named “{stem}”", node.place, fix)


def _list(document: Document, sink: Sink) -> tuple[TestedRecipe, ...]:
    root, items = document.root, _items(document, sink)
    if root is None or not items:
        return ()
    recipes = []
    for index, item in enumerate(items):
        fallback = f"{sink.recipe}[{index}]"
        name = (text(item.get("id")) if isinstance(item, MappingNode) else "") or fallback
        own = Sink(file=sink.file, lines=sink.lines, recipe=name, findings=sink.findings, unread=[], more=sink.more)
        record(item, ENTRY, "", own)
        sink.more = own.more
        if isinstance(item, MappingNode):
            recipes.append(replace(build(item, name, document.file), unread=tuple(own.unread)))
    return tuple(recipes)


def _items(document: Document, sink: Sink) -> tuple[Node, ...]:
    root = document.root
    if isinstance(root, SequenceNode):
        return root.items
    if isinstance(root, MappingNode):
        sink.add(MALFORMED, "", "the file holds one mapping where a list of recipes is expected", start(root.place),
                 Fix("put the recipe in [ ]; a file with one recipe is written in YAML"))  # fmt: skip
        return (root,) if "model" in root else ()
    where = Place(file=document.file) if root is None else start(root.place)
    what = "the file is empty" if root is None else "the file holds no list"
    sink.add(MALFORMED, "", what, where, Fix(f"write {LIST.wants}: [ … ], or [] for none"))
    return ()

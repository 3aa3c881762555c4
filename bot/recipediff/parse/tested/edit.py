"""The edit of a pin: exactly the scalar `source.commit` (and `source.path` after a rename) of a recipe's text.

Every other byte stays: comments, quotes, order, line ends, a byte order mark, a missing last line break. The result is
parsed again before it is offered, and must say the same but for the pin.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from recipediff.core.git import is_object_id
from recipediff.core.place import Place, Problem, Unreadable
from recipediff.parse.documents.document import (
    Document,
    MappingNode,
    Node,
    Plain,
    ScalarNode,
    SequenceNode,
    plain,
    read,
)

_PLAIN = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_./+-]*")
"""Text that YAML takes as it is in every place where a scalar may stand."""
_NOT_TEXT = re.compile(r"(?i)[-+.\d_ex]+|null|true|false|yes|no|on|off|y|n")


@dataclass(frozen=True, slots=True)
class Repin:
    """What the pin of one recipe is to become. An empty `path` leaves the path."""

    recipe: str
    commit: str
    path: str = ""


class CannotEdit(Exception):
    """The pin cannot be rewritten in this text; carries the one `Problem` that says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


def repin(data: bytes, file: str, *moves: Repin) -> bytes:
    """`data` with the pins rewritten. Raises `CannotEdit` where that is not possible without touching anything else."""
    try:
        document = read(data, file)
    except Unreadable as error:
        raise CannotEdit(error.problem) from error
    edits: dict[tuple[int, int], str] = {}
    starts = _line_starts(document)
    for move in moves:
        if not is_object_id(move.commit):
            raise _cannot(f"{move.commit[:80]!r} is not a full commit id", Place(file=file), "name all 40 hex digits")
        source = _source(document, move.recipe)
        for name, value in (("commit", move.commit), ("path", move.path)):
            if value:
                node = _scalar(source, name, file)
                if node.text != value:
                    edits[_span(node, document.text, starts)] = _written(node, value, file)
    after = _applied(document.text, edits)
    encoded = _bom(data) + after.encode("utf-8")
    _same_but(document, encoded, moves)
    return encoded


def _cannot(message: str, place: Place, hint: str) -> CannotEdit:
    return CannotEdit(Problem(message, place, hint))


def _bom(data: bytes) -> bytes:
    return b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""


def _entries(document: Document) -> Iterator[tuple[str, Node]]:
    """The recipes of a file by id: one in YAML, named by the file; each item of a JSON list."""
    root = document.root
    if document.file.endswith(".json"):
        items = root.items if isinstance(root, SequenceNode) else (root,) if root is not None else ()
        for item in items:
            name = item.get("id") if isinstance(item, MappingNode) else None
            yield name.text if isinstance(name, ScalarNode) else "", item
    elif root is not None:
        yield "", root


def _source(document: Document, recipe: str) -> MappingNode:
    found = [node for name, node in _entries(document) if not document.file.endswith(".json") or name == recipe]
    if not found:
        raise _cannot(f"there is no recipe “{recipe}” in this file", Place(file=document.file), "check the id")
    if len(found) > 1:
        raise _cannot(f"two entries have the id “{recipe}”", found[1].place, "give each an id of its own")
    entry = found[0]
    source = entry.get("source") if isinstance(entry, MappingNode) else None
    if not isinstance(source, MappingNode):
        raise _cannot(f"{recipe} has no source to move", entry.place, "write source: with repo, path and commit")
    for later, _ in (*entry.repeated, *source.repeated) if isinstance(entry, MappingNode) else ():
        if later.text in ("source", "commit", "path"):
            raise _cannot(
                f"“{later.text}” is given twice", later.place, "take one out; readers disagree on which counts"
            )
    return source


def _scalar(source: MappingNode, name: str, file: str) -> ScalarNode:
    node = source.get(name)
    if not isinstance(node, ScalarNode):
        raise _cannot(f"source.{name} is not text", node.place if node else source.place, "write it by hand once")
    key = source.keys[name].place
    # An alias stands for a scalar of elsewhere, which other recipes may use too.
    if (node.place.line, node.place.column) < (key.line, key.column) or not node.place.line or node.place.file != file:
        raise _cannot(f"source.{name} is an alias", key, "write the value itself, so that one pin can move alone")
    if node.mark in ("|", ">"):
        raise _cannot(f"source.{name} is a block of lines", node.place, "write it on one line")
    return node


_YAML_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_JSON_BREAK = re.compile("\n")


def _line_starts(document: Document) -> list[int]:
    """Where each line begins, as the reader of that kind of file counts lines."""
    breaks = _JSON_BREAK if document.file.endswith(".json") else _YAML_BREAK
    return [0, *(match.end() for match in breaks.finditer(document.text))]


def _span(node: ScalarNode, text: str, starts: list[int]) -> tuple[int, int]:
    """Where the scalar stands in `text`, its quotes included and its anchor or tag left out."""
    place = node.place
    start, end = starts[place.line - 1] + place.column - 1, starts[place.end_line - 1] + place.end_column - 1
    written = text[start:end]
    lead = re.match(r"(?:[&!][^\s,\[\]{}]*\s+)*", written)
    start += lead.end() if lead else 0
    if not node.mark:
        end = start + len(text[start:end].rstrip())
    return start, end


def _written(node: ScalarNode, value: str, file: str) -> str:
    """The new value in the quotes of the old one; quotes are added only where it would read as something else."""
    if node.mark == "'":
        return "'" + value.replace("'", "''") + "'"
    if node.mark == '"' or file.endswith(".json") or not _PLAIN.fullmatch(value) or _NOT_TEXT.fullmatch(value):
        return json.dumps(value, ensure_ascii=False)
    return value


def _applied(text: str, edits: Mapping[tuple[int, int], str]) -> str:
    for (start, end), written in sorted(edits.items(), reverse=True):
        text = text[:start] + written + text[end:]
    return text


def _same_but(document: Document, data: bytes, moves: tuple[Repin, ...]) -> None:
    """Raises unless the edited text reads as the old one but for the pins, and the pins as asked."""
    try:
        after = read(data, document.file)
    except Unreadable as error:
        raise _cannot("the edited file could not be read again", error.problem.place, "move the pin by hand") from error
    wanted = _expected(document, moves)
    if not _alike(plain(after.root), wanted):
        raise _cannot(
            "the edit would change more than the pin",
            Place(file=document.file),
            "write source.commit on a line of its own",
        )


def _expected(document: Document, moves: tuple[Repin, ...]) -> Plain:
    """The values of the document with the pins as they should be."""
    values = plain(document.root)
    listed = document.file.endswith(".json") and isinstance(values, list)
    for move in moves:
        for entry in values if listed and isinstance(values, list) else [values]:
            if isinstance(entry, dict) and (not document.file.endswith(".json") or entry.get("id") == move.recipe):
                source = entry["source"]
                if isinstance(source, dict):
                    source["commit"] = move.commit
                    if move.path:
                        source["path"] = move.path
    return values


def _alike(one: Plain, other: Plain) -> bool:
    """Equality that tells true from 1 and takes a number that is none for itself."""
    return json.dumps(one) == json.dumps(other)

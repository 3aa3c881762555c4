"""YAML and JSON read into one tree of nodes that know their places, within bounds.

Both kinds of file come from outside, so size, depth and the number of nodes after alias expansion are bounded, and
nothing is ever constructed from a tag. YAML is resolved by the core schema of YAML 1.2 plus what its 1.1 readers do
with the numbers and words that recipes hold; every scalar keeps its text, so a reader may resolve it otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from recipediff.core.place import Place, Problem, Unreadable
from recipediff.parse.documents import json_text, yaml_text
from recipediff.parse.documents.nodes import (
    MAX_DEPTH,
    MAX_NODES,
    MappingNode,
    Node,
    Plain,
    PlainValue,
    ScalarNode,
    SequenceNode,
    Style,
)

__all__ = [
    "MAX_BYTES",
    "MAX_DEPTH",
    "MAX_NODES",
    "Document",
    "MappingNode",
    "Node",
    "Plain",
    "PlainValue",
    "ScalarNode",
    "SequenceNode",
    "Style",
    "decode",
    "plain",
    "read",
    "walk",
]

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
MAX_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Document:
    """A file's text and its root node (None for an empty file)."""

    file: str
    text: str
    root: Node | None
    lines: tuple[str, ...] = field(repr=False)


def plain(node: Node | None) -> Plain:
    """The node as ordinary Python values, keys as text."""
    if node is None:
        return None
    if isinstance(node, ScalarNode):
        return node.value
    if isinstance(node, SequenceNode):
        return [plain(item) for item in node.items]
    return {key: plain(value) for key, value in node.entries.items()}


def walk(node: Node | None) -> Iterator[Node]:
    """Every node from the top down; an aliased node comes once for each use."""
    if node is None:
        return
    yield node
    if isinstance(node, SequenceNode):
        for item in node.items:
            yield from walk(item)
    elif isinstance(node, MappingNode):
        for value in node.entries.values():
            yield from walk(value)


def decode(data: bytes, file: str, limit: int = MAX_BYTES) -> str:
    """UTF-8 text of `data`, a byte order mark taken off.

    Raises `Unreadable` for too many bytes, bytes that are not UTF-8, NUL and other control characters.
    """
    if len(data) > limit:
        raise Unreadable(
            Problem(
                f"the file has {len(data):,} bytes, more than the {limit:,} that are read",
                Place(file=file),
                "split it, or keep measurements and logs in files of their own",
            )
        )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8", "replace")
        place = Place(file=file, line=before.count("\n") + 1, column=len(before) - (before.rfind("\n") + 1) + 1)
        raise Unreadable(
            Problem(f"byte 0x{data[error.start]:02x} is not UTF-8", place, "save the file as UTF-8")
        ) from None
    text = text.removeprefix("\ufeff")
    if found := _CONTROL.search(text):
        index = found.start()
        place = Place(
            file=file, line=text.count("\n", 0, index) + 1, column=index - (text.rfind("\n", 0, index) + 1) + 1
        )
        raise Unreadable(Problem(f"control character U+{ord(found[0]):04X}", place, "take the character out"))
    return text


def read(data: bytes, file: str) -> Document:
    """The document in `data`, JSON where `file` ends in `.json`, else YAML. Raises `Unreadable`."""
    text = decode(data, file)
    reader = json_text.compose if file.endswith(".json") else yaml_text.compose
    return Document(file, text, reader(text, file), tuple(text.split("\n")))

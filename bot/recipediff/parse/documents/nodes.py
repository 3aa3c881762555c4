"""The nodes that YAML and JSON are read into: each knows its place, and each scalar keeps its text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from recipediff.core.place import Place

MAX_DEPTH = 60
MAX_NODES = 50_000

PlainValue = str | int | float | bool | None
Plain = PlainValue | list["Plain"] | dict[str, "Plain"]
Style = Literal["plain", "quoted", "block"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalarNode:
    """One scalar. `value` is resolved, `text` is as written (quotes and folding undone)."""

    value: PlainValue
    text: str
    place: Place
    style: Style = "plain"
    mark: str = ""
    """`'`, `"`, `|` or `>` where the scalar carries one."""


@dataclass(frozen=True, slots=True)
class SequenceNode:
    """A list, in order."""

    items: tuple[Node, ...]
    place: Place
    flow: bool = False
    """Written in brackets, as JSON is."""

    def __iter__(self) -> Iterator[Node]:
        return iter(self.items)


@dataclass(frozen=True, slots=True, kw_only=True)
class MappingNode:
    """A mapping in the order of the file. Of a key given twice the last wins; each repeat is in `repeated`."""

    entries: Mapping[str, Node]
    keys: Mapping[str, ScalarNode]
    place: Place
    repeated: tuple[tuple[ScalarNode, Place], ...] = ()
    """The later key, and the place of the earlier one."""
    flow: bool = False
    """Written in braces, as JSON is."""

    def get(self, key: str) -> Node | None:
        """The value under `key`, or None where there is none."""
        return self.entries.get(key)

    def __contains__(self, key: object) -> bool:
        return key in self.entries


Node = ScalarNode | SequenceNode | MappingNode

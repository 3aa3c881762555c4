"""Every list of arguments and every environment that one `models/**/*.yaml` states, by where it stands.

What of it reaches a launch is decided elsewhere; this is what a count of upstream's statements is made from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from recipediff.core.launch import Assignment
from recipediff.core.place import Unreadable
from recipediff.parse.documents import document
from recipediff.parse.documents.document import MappingNode, Node, SequenceNode
from recipediff.parse.formats.vllm_project.fields import Args, FieldReader, keys

_ARGS = keys("base_args args extra_args vllm_args")
_ENV = keys("base_env env extra_env")
_BLOCKS = keys("model features variants hardware_overrides strategy_overrides")


@dataclass(frozen=True, slots=True)
class Statement:
    """One list of arguments, or one environment; `path` are the keys that lead to it (`features`, `reasoning`, `args`)."""

    path: tuple[str, ...]
    args: Args = ()
    env: tuple[Assignment, ...] = ()


@lru_cache(maxsize=1024)
def statements(path: str, data: bytes) -> tuple[Statement, ...]:
    """The statements of one recipe, in the order of the file; none where it cannot be read, which its reader reports."""
    try:
        root = document.read(data, path).root
    except Unreadable:
        return ()
    if not isinstance(root, MappingNode):
        return ()
    fields = FieldReader(path)
    blocks = [(name, node) for name, node in root.entries.items() if name in _BLOCKS]
    return tuple(found for name, node in blocks for found in _walk(node, (name,), fields))


def _walk(node: Node, path: tuple[str, ...], fields: FieldReader) -> Iterator[Statement]:
    if isinstance(node, SequenceNode):
        for item in node.items:
            yield from _walk(item, path, fields)
        return
    if not isinstance(node, MappingNode):
        return
    for key, value in node.entries.items():
        here = (*path, key)
        if key in _ARGS and isinstance(value, SequenceNode):
            yield Statement(here, args=fields.args(value, ".".join(here)))
        elif key in _ENV and isinstance(value, MappingNode):
            yield Statement(here, env=fields.env(value, ".".join(here)))
        else:
            yield from _walk(value, here, fields)

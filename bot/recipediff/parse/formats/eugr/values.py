"""YAML values as eugr's runner turns them into text: loaded by a YAML 1.1 reader, then Python's `str()`."""

from __future__ import annotations

import re

from recipediff.core.launch import Note
from recipediff.core.place import Place, Problem
from recipediff.parse.documents.document import MappingNode, Node, Plain, PlainValue, ScalarNode
from recipediff.parse.documents.yaml_text import resolve
from recipediff.parse.shell.expand import expand
from recipediff.parse.shell.lexer import lex
from recipediff.parse.shell.source import whole

_TIME = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}.*")
_SPECIAL = re.compile(r"[\"\\$`]")


class NoText(Exception):
    """A value whose text cannot be told."""


def load(node: Node | None) -> Plain:
    """The node as the runner's YAML reader loads it. Raises `NoText` for points in time."""
    if node is None:
        return None
    if isinstance(node, ScalarNode):
        return _scalar(node)
    if isinstance(node, MappingNode):
        return {key: load(value) for key, value in node.entries.items()}
    return [load(item) for item in node.items]


def _scalar(node: ScalarNode) -> PlainValue:
    if node.style != "plain":
        return node.value
    if isinstance(node.value, str) and not isinstance(resolve(node.text), str):
        return node.text  # tagged as text
    if _TIME.fullmatch(node.text):
        raise NoText("YAML reads this as a point in time")
    return resolve(node.text, yaml11=True)


def text(node: Node | None) -> str:
    """`str()` of what the runner loads: 0.70 is 0.7, true is True, nothing is None. Raises `NoText`."""
    return str(load(node))


def shown(node: Node) -> str:
    """`text`, or what is written where that cannot be told."""
    try:
        return text(node)
    except NoText:
        return node.text if isinstance(node, ScalarNode) else ""


def exported(name: str, written: str, place: Place) -> tuple[str | None, list[Note], list[Problem]]:
    """What `export NAME="<written>"` sets in bash, as far as that can be known.

    Double quotes that stand bare in the value are kept, since they are meant; a note says that the runner's own line
    loses them. None where the value comes from a variable or command.
    """
    if not _SPECIAL.search(written):
        return written, [], []
    guarded = re.sub(r'(\\.)|"', lambda match: match[1] or '\\"', written, flags=re.DOTALL)
    notes = []
    if guarded != written:
        message = f"{name} holds double quotes; the runner exports it in double quotes, where they are lost"
        notes.append(Note(message, place))
    lexed = lex(whole(f'"{guarded}"', place.file))
    words = [token for token in lexed.tokens if not token.op]
    if lexed.problems or len(words) != 1 or len(lexed.tokens) != 1:
        hint = "check its quotes, dollar signs and backticks"
        return None, notes, [Problem(f"{name}: the runner's export line is not closed by this value", place, hint)]
    fields = expand(words[0].atoms, lexed.text, {}, split=False)
    if fields[0].unknown:
        return None, notes, []
    if any(atom.kind == "variable" for atom in words[0].atoms):
        notes.append(Note(f"{name}: {written[:60]} is taken as its default; whoever launches may set it", place))
    return fields[0].text, notes, []

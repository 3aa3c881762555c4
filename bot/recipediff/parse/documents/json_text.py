"""JSON text to nodes with places, within bounds. The standard library's reader keeps no positions, so this one does."""

from __future__ import annotations

import json
import re
from bisect import bisect_right

from recipediff.core.place import Place, Problem, Unreadable
from recipediff.parse.documents.nodes import MAX_DEPTH, MappingNode, Node, PlainValue, ScalarNode, SequenceNode

MAX_VALUES = 100_000
"""More than YAML may hold: a list of many recipes is kept as JSON, and reading it costs half."""

_SPACE = re.compile(r"[ \t\n\r]*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"')
_SURROGATE = re.compile("[\ud800-\udfff]")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORDS: dict[str, PlainValue] = {"true": True, "false": False, "null": None}
_MAX_DIGITS = 400


def compose(text: str, file: str) -> Node | None:
    """The root node of `text`; None where it is empty or blank. Raises `Unreadable`."""
    return _Reader(text, file).run()


class _Reader:
    def __init__(self, text: str, file: str) -> None:
        self.text, self.file = text, file
        self.starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self.count = 0

    def run(self) -> Node | None:
        at = self._skip(0)
        if at == len(self.text):
            return None
        node, at = self._value(at, 0)
        at = self._skip(at)
        if at != len(self.text):
            raise self._fail("something follows the end of the JSON value", at, "keep one value in a file")
        return node

    def _skip(self, at: int) -> int:
        match = _SPACE.match(self.text, at)
        return match.end() if match else at

    def _place(self, start: int, end: int) -> Place:
        row, last = bisect_right(self.starts, start), bisect_right(self.starts, end)
        return Place(
            file=self.file,
            line=row,
            column=start - self.starts[row - 1] + 1,
            end_line=last,
            end_column=end - self.starts[last - 1] + 1,
        )

    def _fail(self, message: str, at: int, hint: str = "check quotes, commas and brackets there") -> Unreadable:
        return Unreadable(Problem(f"not JSON: {message}", self._place(at, at), hint))

    def _value(self, at: int, depth: int) -> tuple[Node, int]:
        self.count += 1
        if self.count > MAX_VALUES:
            raise self._fail(f"more than {MAX_VALUES:,} values", at, "split the file")
        if depth > MAX_DEPTH:
            raise self._fail(f"nested deeper than {MAX_DEPTH} levels", at, "flatten it")
        char = self.text[at : at + 1]
        if char == "{":
            return self._object(at, depth)
        if char == "[":
            return self._array(at, depth)
        return self._scalar(at)

    def _scalar(self, at: int) -> tuple[ScalarNode, int]:
        text = self.text
        if text[at : at + 1] == '"':
            match = _STRING.match(text, at)
            if match is None:
                raise self._fail("this text is not closed, or holds a raw line break or a bad escape", at)
            value = json.loads(match[0])
            if _SURROGATE.search(value):
                raise self._fail("this text holds half of a surrogate pair", at, "write the character itself")
            return ScalarNode(
                value=value, text=value, place=self._place(at, match.end()), style="quoted", mark='"'
            ), match.end()
        for word, meaning in _WORDS.items():
            if text.startswith(word, at):
                end = at + len(word)
                return ScalarNode(value=meaning, text=word, place=self._place(at, end)), end
        number = _NUMBER.match(text, at)
        if number is None or number.end() - at > _MAX_DIGITS:
            raise self._fail("a value was expected here", at)
        literal = number[0]
        numeric: PlainValue = float(literal) if number[1] or number[2] else int(literal)
        return ScalarNode(value=numeric, text=literal, place=self._place(at, number.end())), number.end()

    def _array(self, start: int, depth: int) -> tuple[SequenceNode, int]:
        items: list[Node] = []
        at = self._skip(start + 1)
        if self.text[at : at + 1] == "]":
            return SequenceNode((), self._place(start, at + 1), flow=True), at + 1
        while True:
            item, at = self._value(at, depth + 1)
            items.append(item)
            at = self._skip(at)
            char = self.text[at : at + 1]
            if char == "]":
                return SequenceNode(tuple(items), self._place(start, at + 1), flow=True), at + 1
            if char != ",":
                raise self._fail("a comma or ] was expected here", at)
            at = self._skip(at + 1)

    def _object(self, start: int, depth: int) -> tuple[MappingNode, int]:
        entries: dict[str, Node] = {}
        keys: dict[str, ScalarNode] = {}
        repeated: list[tuple[ScalarNode, Place]] = []
        at = self._skip(start + 1)
        if self.text[at : at + 1] == "}":
            return MappingNode(entries={}, keys={}, place=self._place(start, at + 1), flow=True), at + 1
        while True:
            if self.text[at : at + 1] != '"':
                raise self._fail("a key in double quotes was expected here", at)
            key, at = self._scalar(at)
            at = self._skip(at)
            if self.text[at : at + 1] != ":":
                raise self._fail("a colon was expected here", at)
            value, at = self._value(self._skip(at + 1), depth + 1)
            if key.text in keys:
                repeated.append((key, keys[key.text].place))
            keys[key.text], entries[key.text] = key, value
            at = self._skip(at)
            char = self.text[at : at + 1]
            if char == "}":
                return MappingNode(
                    entries=entries, keys=keys, place=self._place(start, at + 1), repeated=tuple(repeated), flow=True
                ), at + 1
            if char != ",":
                raise self._fail("a comma or } was expected here", at)
            at = self._skip(at + 1)

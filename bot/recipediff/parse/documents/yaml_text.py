"""YAML text to nodes, from the parser's events: no recursion, no construction, every bound checked on the way."""

from __future__ import annotations

import re
from typing import Any

from ruamel.yaml import events
from ruamel.yaml.cyaml import CParser  # type: ignore[attr-defined]  # re-exported from the C library
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from recipediff.core.place import Place, Problem, Unreadable
from recipediff.parse.documents.nodes import (
    MAX_DEPTH,
    MAX_NODES,
    MappingNode,
    Node,
    PlainValue,
    ScalarNode,
    SequenceNode,
    Style,
)

# YAML 1.1 readers (the upstream launchers use one) also take yes/no/on/off for booleans; see `resolve`.
_NULL = {"", "~", "null", "Null", "NULL"}
_TRUE = {"true", "True", "TRUE"}
_FALSE = {"false", "False", "FALSE"}
_TRUE_11 = {"yes", "Yes", "YES", "on", "On", "ON"}
_FALSE_11 = {"no", "No", "NO", "off", "Off", "OFF"}
_INT = re.compile(r"[-+]?[0-9]+")
_HEX = re.compile(r"0x[0-9a-fA-F]+|0o[0-7]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_SPECIAL = {".inf": float("inf"), "+.inf": float("inf"), "-.inf": float("-inf"), ".nan": float("nan")}
_MAX_DIGITS = 400
_TAGS = {"int", "float", "bool", "null", "timestamp"}
"""The tags of YAML's core that a scalar may carry beside `!!str`; any other asks for something to be made."""


def resolve(text: str, *, yaml11: bool = False) -> PlainValue:
    """A plain scalar's value. With `yaml11`, as PyYAML resolves it: yes/no/on/off, octal by a leading 0, `_` in numbers,
    and floats only with a dot."""
    if text in _NULL:
        return None
    if text in _TRUE or (yaml11 and text in _TRUE_11):
        return True
    if text in _FALSE or (yaml11 and text in _FALSE_11):
        return False
    if not text or text[0] not in "+-.0123456789" or len(text) > _MAX_DIGITS:
        return text
    if yaml11:
        return _resolve_11(text)
    if _INT.fullmatch(text):
        return int(text)
    if _HEX.fullmatch(text):
        return int(text, 0)
    if _FLOAT.fullmatch(text):
        return float(text)
    return _SPECIAL.get(text.lower(), text)


_INT_11 = re.compile(r"[-+]?(0b[01_]+|0x[0-9a-fA-F_]+|0[0-7_]+|0|[1-9][0-9_]*)")
_FLOAT_11 = re.compile(r"[-+]?([0-9][0-9_]*\.[0-9_]*([eE][-+][0-9]+)?|\.[0-9][0-9_]*([eE][-+][0-9]+)?)")
_SIXTIES = re.compile(r"[-+]?[1-9][0-9_]*(:[0-5]?[0-9])+")


def _resolve_11(text: str) -> PlainValue:
    if _INT_11.fullmatch(text):
        digits = text.replace("_", "")
        sign = -1 if digits[0] == "-" else 1
        digits = digits.lstrip("+-")
        if digits.startswith(("0b", "0x")):
            return sign * int(digits, 0)
        return sign * (int(digits, 8) if digits.startswith("0") and digits != "0" else int(digits))
    if _FLOAT_11.fullmatch(text):
        return float(text.replace("_", ""))
    if _SIXTIES.fullmatch(text):
        total = 0
        for part in text.replace("_", "").lstrip("+-").split(":"):
            total = total * 60 + int(part)
        return -total if text[0] == "-" else total
    return _SPECIAL.get(text.lower(), text)


def compose(text: str, file: str) -> Node | None:
    """The root node of the one document in `text`; None where it is empty. Raises `Unreadable`."""
    try:
        return _Composer(text, file).run()
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Place(file=file, line=mark.line + 1, column=mark.column + 1) if mark else Place(file=file)
        message = " ".join(str(part) for part in (error.problem, error.context) if part)
        raise Unreadable(Problem(f"not YAML: {message}", place, _hint(text, place))) from None
    except YAMLError as error:
        raise Unreadable(Problem(f"not YAML: {str(error).splitlines()[0]}", Place(file=file))) from None
    except (RecursionError, ValueError, OverflowError) as error:
        raise Unreadable(Problem(f"not YAML that can be read: {error}", Place(file=file))) from None


def _hint(text: str, place: Place) -> str:
    lines = text.split("\n")
    line = lines[place.line - 1] if 0 < place.line <= len(lines) else ""
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return "indent with blanks; YAML allows no tabs there"
    return "check quotes, brackets and indentation there"


class _Open:
    """A collection that is being filled."""

    __slots__ = ("anchor", "flow", "is_map", "items", "key", "keys", "place", "repeated", "values")

    def __init__(self, is_map: bool, place: Place, anchor: str | None, flow: bool) -> None:
        self.is_map, self.place, self.anchor, self.flow = is_map, place, anchor, flow
        self.items: list[Node] = []
        self.key: ScalarNode | None = None
        self.keys: dict[str, ScalarNode] = {}
        self.values: dict[str, Node] = {}
        self.repeated: list[tuple[ScalarNode, Place]] = []


class _Composer:
    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.text = text
        self.stack: list[_Open] = []
        self.anchors: dict[str, tuple[Node, int]] = {}
        self.sizes: dict[int, int] = {}
        self.root: Node | None = None
        self.documents = 0
        self.nodes = 0

    def run(self) -> Node | None:
        parser = CParser(self.text)
        handlers: dict[type[Any], Any] = {
            events.ScalarEvent: self._scalar,
            events.MappingStartEvent: self._start,
            events.SequenceStartEvent: self._start,
            events.MappingEndEvent: self._end,
            events.SequenceEndEvent: self._end,
            events.AliasEvent: self._alias,
            events.DocumentStartEvent: self._document,
        }
        following, handler_of = parser.get_event, handlers.get
        while (event := following()) is not None:
            kind = type(event)
            handler = handler_of(kind)
            if handler is not None:
                handler(event)
            elif kind is events.StreamEndEvent:
                break
        return self.root

    def _place(self, event: Any) -> Place:
        start, end = event.start_mark, event.end_mark
        return Place(
            file=self.file,
            line=start.line + 1,
            column=start.column + 1,
            end_line=end.line + 1,
            end_column=end.column + 1,
        )

    def _fail(self, message: str, place: Place, hint: str) -> Unreadable:
        return Unreadable(Problem(message, place, hint))

    def _document(self, event: Any) -> None:
        self.documents += 1
        if self.documents > 1:
            raise self._fail("a second YAML document begins", self._place(event), "keep one document in a file")

    def _count(self, by: int, place: Place) -> None:
        self.nodes += by
        if self.nodes > MAX_NODES:
            raise self._fail(
                f"more than {MAX_NODES:,} values once aliases are expanded", place, "write less, without aliases"
            )

    def _scalar(self, event: Any) -> None:
        start, end = event.start_mark, event.end_mark
        place = Place(
            file=self.file,
            line=start.line + 1,
            column=start.column + 1,
            end_line=end.line + 1,
            end_column=end.column + 1,
        )
        self._count(1, place)
        mark = event.style or ""
        style: Style = "plain" if not mark else "block" if mark in "|>" else "quoted"
        text: str = event.value
        tag: str = event.tag or ""
        value: PlainValue = text
        if tag and tag not in ("!", "tag:yaml.org,2002:str"):
            if tag.removeprefix("tag:yaml.org,2002:") not in _TAGS:
                raise self._fail(f"tag {tag} is not allowed", place, "write a plain value")
            value = resolve(text)
        elif style == "plain" and not tag:
            value = resolve(text)
        node = ScalarNode(value=value, text=text, place=place, style=style, mark=mark)
        self._add(node, event.anchor, 1)

    def _start(self, event: Any) -> None:
        place = self._place(event)
        self._count(1, place)
        if event.tag and str(event.tag) not in ("!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"):
            raise self._fail(f"tag {event.tag} is not allowed", place, "write a plain mapping or list")
        if len(self.stack) >= MAX_DEPTH:
            raise self._fail(f"nested deeper than {MAX_DEPTH} levels", place, "flatten it")
        is_map = type(event).__name__ == "MappingStartEvent"
        self.stack.append(_Open(is_map, place, event.anchor, bool(event.flow_style)))
        self.sizes[len(self.stack)] = self.nodes

    def _end(self, event: Any) -> None:
        size = self.nodes - self.sizes[len(self.stack)] + 1
        done = self.stack.pop()
        end = event.end_mark
        start = done.place
        place = Place(
            file=self.file, line=start.line, column=start.column, end_line=end.line + 1, end_column=end.column + 1
        )
        node: Node = (
            MappingNode(entries=done.values, keys=done.keys, place=place, repeated=tuple(done.repeated), flow=done.flow)
            if done.is_map
            else SequenceNode(tuple(done.items), place, done.flow)
        )
        self._add(node, done.anchor, size)

    def _alias(self, event: Any) -> None:
        place = self._place(event)
        found = self.anchors.get(event.anchor)
        if found is None:
            raise self._fail(f"alias *{event.anchor} names no anchor above it", place, "define the anchor first")
        self._count(found[1], place)
        self._add(found[0], None, found[1])

    def _add(self, node: Node, anchor: str | None, size: int) -> None:
        if anchor:
            self.anchors[anchor] = (node, size)
        if not self.stack:
            self.root = None if isinstance(node, ScalarNode) and node.value is None and not node.mark else node
            return
        top = self.stack[-1]
        if not top.is_map:
            top.items.append(node)
        elif top.key is None:
            if not isinstance(node, ScalarNode):
                raise self._fail("a list or mapping is used as a key", node.place, "use a plain word as the key")
            top.key = node
        else:
            key, top.key = top.key, None
            if key.text == "<<" and key.style == "plain":
                self._merge(top, node, key)
                return
            if key.text in top.keys:
                top.repeated.append((key, top.keys[key.text].place))
            top.keys[key.text] = key
            top.values[key.text] = node

    def _merge(self, top: _Open, node: Node, key: ScalarNode) -> None:
        """`<<: *other`, as YAML 1.1 readers take it: keys that stand here win over merged ones."""
        sources = node.items if isinstance(node, SequenceNode) else (node,)
        for source in sources:
            if not isinstance(source, MappingNode):
                raise self._fail("<< merges something that is not a mapping", key.place, "merge a mapping")
            for name, value in source.entries.items():
                if name not in top.values:
                    top.values[name] = value
                    top.keys[name] = source.keys[name]

"""The text of a YAML scalar with the place of every character, whatever style it was written in."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator

from recipediff.parse.documents.document import Document, ScalarNode
from recipediff.parse.shell.source import MappedText, SourceText

_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_WIDTHS = {"x": 2, "u": 4, "U": 8}
_BLANKS = " \t"

_Line = tuple[str, list[int], list[int]]
"""The characters that one source line gives, and the offsets between which each stood."""


def scalar_text(document: Document, node: ScalarNode, source: SourceText | None = None) -> MappedText:
    """`node.text`, placed. Where the lines do not lead to the text, every character stands where the scalar starts."""
    source = source or SourceText(document.file, document.text)
    lines = _block(document, node, source) if node.style == "block" else _flow(document, node, source)
    return _align(node.text, lines, source) or _fallback(node, source)


def _fallback(node: ScalarNode, source: SourceText) -> MappedText:
    at = source.offset(node.place.line, node.place.column)
    size = len(node.text)
    return MappedText(node.text, array("Q", [at] * size), array("Q", [at + 1] * size), source)


def _align(text: str, lines: Iterator[_Line], source: SourceText) -> MappedText | None:
    """Lay each line's characters over `text`; what lies between is the blank or the line breaks of folding."""
    starts, ends = array("Q"), array("Q")
    at, last = 0, 0
    for chars, begins, stops in lines:
        if not chars:
            continue
        while not text.startswith(chars, at):
            if at >= len(text) or text[at] not in " \n":
                return None
            starts.append(last or begins[0])
            ends.append((last or begins[0]) + 1)
            at += 1
        starts.extend(begins)
        ends.extend(stops)
        at, last = at + len(chars), stops[-1]
    if text[at:].strip(" \n"):
        return None
    rest = len(text) - at
    starts.extend([last] * rest)
    ends.extend([last + 1] * rest)
    return MappedText(text, starts, ends, source)


def _block(document: Document, node: ScalarNode, source: SourceText) -> Iterator[_Line]:
    """The lines under `|` or `>` without their indentation, which is what the first of them has more than the text."""
    first = re.search(r"^( *)[^ \n]", node.text, re.MULTILINE)
    row = node.place.line  # the header's line, counted from 1: the index of the line after it
    while row < len(document.lines) and not document.lines[row].strip(" \r"):
        row += 1
    if first is None or row >= len(document.lines):
        return
    line = document.lines[row]
    indent = len(line) - len(line.lstrip(" ")) - len(first[1])
    for index in range(row, min(len(document.lines), node.place.end_line or len(document.lines))):
        line = document.lines[index].rstrip("\r")
        if line.strip(" ") and len(line) - len(line.lstrip(" ")) < indent:
            return
        content = line[indent:]
        at = source.offset(index + 1, indent + 1)
        yield content, list(range(at, at + len(content))), list(range(at + 1, at + len(content) + 1))


def _flow(document: Document, node: ScalarNode, source: SourceText) -> Iterator[_Line]:
    """The lines of a plain or quoted scalar, trimmed, their escapes undone."""
    start = source.offset(node.place.line, node.place.column)
    end = source.offset(node.place.end_line, node.place.end_column)
    raw = document.text[start:end]
    if node.mark and raw.startswith(node.mark):
        raw, start = raw[1:].removesuffix(node.mark), start + 1
    rows = raw.split("\n")
    joined = False
    for index, row in enumerate(rows):
        body = row.rstrip("\r")
        left = len(body) - len(body.lstrip(_BLANKS)) if index else 0
        stop = len(body)
        if index < len(rows) - 1:
            stop = _right(body, node.mark)
        chars, begins, stops, joined = _decode(body[left:stop], start + left, node.mark)
        if joined:  # an escaped line break: nothing comes between this line and the next
            chars, begins, stops = chars[:-1], begins[:-1], stops[:-1]
        yield chars, begins, stops
        start += len(row) + 1


def _right(body: str, mark: str) -> int:
    """Where the line ends when trailing blanks are folded away; an escaped blank stays."""
    stop = len(body.rstrip(_BLANKS))
    if mark != '"' or stop == len(body):
        return stop
    slashes = stop - len(body[:stop].rstrip("\\"))
    return stop + 1 if slashes % 2 else stop


def _decode(body: str, at: int, mark: str) -> tuple[str, list[int], list[int], bool]:
    if mark not in ("'", '"'):
        return body, list(range(at, at + len(body))), list(range(at + 1, at + len(body) + 1)), False
    chars: list[str] = []
    begins: list[int] = []
    stops: list[int] = []
    index, joined = 0, False
    while index < len(body):
        char, width = body[index], 1
        if mark == "'" and body.startswith("''", index):
            width = 2
        elif mark == '"' and char == "\\":
            char, width = _escape(body, index)
            joined = index + 1 >= len(body)
        chars.append(char)
        begins.append(at + index)
        stops.append(at + index + width)
        index += width
    return "".join(chars), begins, stops, joined


def _escape(body: str, index: int) -> tuple[str, int]:
    kind = body[index + 1 : index + 2]
    if kind in _WIDTHS:
        digits = body[index + 2 : index + 2 + _WIDTHS[kind]]
        try:
            return chr(int(digits, 16)), 2 + len(digits)
        except (ValueError, OverflowError):
            return "\\", 1
    return _ESCAPES.get(kind, "\\"), 2 if kind else 1

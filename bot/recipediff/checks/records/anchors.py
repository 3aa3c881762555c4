"""`path:line` in the text of a file: what it names, and the words that are said to stand there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from recipediff.parse.markdown import Inline, Piece

Range = tuple[int, int]

MAX_PATH = 400
_PATH = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+@~")
# `:12`, `:12-20`, `:12,30-31`; a column behind a line (`:12:4`) is read over.
_LINES = re.compile(r":(\d{1,9}(?:[-–]\d{1,9})?(?:,\d{1,9}(?:[-–]\d{1,9})?)*)(?!\d)(?::\d+)?", re.ASCII)
# `README lines 186-198`, `README.md, line 12`
_WORDS = re.compile(r",? lines? (\d{1,9}(?:[-–]\d{1,9})?)(?!\d)", re.ASCII)
_QUOTED = re.compile('["“]([^"“”\n]{1,400})["”]')
_FRAGMENT = re.compile(r"L(\d{1,9})(?:C\d+)?(?:-L?(\d{1,9})(?:C\d+)?)?", re.ASCII)

# What may stand between an anchor and the words that it is said to hold.
_AFTER = frozenset({"", ":", "(", "—", "–", "-", "=", "is", "holds", "has", "says", "reads", "defines"})
_BEFORE = frozenset({"", "(", "at", "in", "—", "–", "-", "@", "from"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """One anchor: `content[start:end]` of its block. Each of `quotes` is said to stand within one of `ranges`."""

    path: str
    ranges: tuple[Range, ...]
    start: int
    end: int
    quotes: tuple[str, ...] = ()
    words: bool = False
    """Written as words (`README lines 3-5`): the path may lack its ending."""


@dataclass(frozen=True, slots=True)
class _Quote:
    text: str
    start: int
    end: int


_Unit = Anchor | _Quote


def find_anchors(inline: Inline) -> Iterator[Anchor]:
    """The anchors in the text and the code spans of a block, each with the quote right before or behind it."""
    units: list[_Unit] = []
    gaps: list[str] = [""]
    ends = {link.last for link in inline.links}
    for number, piece in enumerate(inline.pieces):
        if piece.kind == "code":
            gaps.extend([""] * _add_code(piece, units))
        elif piece.kind == "text" and piece.end - piece.start == len(piece.text):
            _add_text(piece, units, gaps)
        elif piece.kind != "html":
            gaps[-1] += " "
        if number + 1 in ends:
            gaps[-1] += " "
    for number, unit in enumerate(units):
        if isinstance(unit, Anchor):
            yield _with_quote(unit, number, units, gaps)


def line_ranges(fragment: str) -> tuple[Range, ...]:
    """The lines of a link's fragment such as `L10-L20`; empty where it names none."""
    match = _FRAGMENT.fullmatch(fragment)
    if match is None:
        return ()
    return ((int(match[1]), int(match[2] or match[1])),)


def is_anchor(text: str) -> bool:
    """Whether a text is nothing but one anchor."""
    found = list(_in_text(text, 0))
    return len(found) == 1 and (found[0].start, found[0].end) == (0, len(text.strip()))


def _with_quote(anchor: Anchor, number: int, units: list[_Unit], gaps: list[str]) -> Anchor:
    behind = units[number + 1] if number + 1 < len(units) else None
    before = units[number - 1] if number else None
    taken: str | None = None
    if isinstance(behind, _Quote) and gaps[number + 1].strip() in _AFTER:
        taken = behind.text
    elif isinstance(before, _Quote) and gaps[number].strip() in _BEFORE:
        taken = before.text
    quotes = () if taken is None else (taken,)
    return Anchor(
        path=anchor.path, ranges=anchor.ranges, start=anchor.start, end=anchor.end, quotes=quotes, words=anchor.words
    )


def _add_code(piece: Piece, units: list[_Unit]) -> int:
    found = list(_in_text(piece.text, piece.start))
    units.extend(found or [_Quote(piece.text, piece.start, piece.end)])
    return max(1, len(found))


def _add_text(piece: Piece, units: list[_Unit], gaps: list[str]) -> None:
    """Anchors and quoted words of a run of text; what stands between them goes to `gaps`."""
    quotes = [_Quote(match[1], *match.span()) for match in _QUOTED.finditer(piece.text)]
    found: list[_Unit] = sorted((*quotes, *_in_text(piece.text, 0)), key=lambda unit: unit.start)
    position = 0
    for unit in found:
        if unit.start < position:
            continue  # an anchor within quotation marks
        gaps[-1] += piece.text[position : unit.start]
        gaps.append("")
        position = unit.end
        units.append(_moved(unit, piece.start))
    gaps[-1] += piece.text[position:]


def _moved(unit: _Unit, by: int) -> _Unit:
    if isinstance(unit, _Quote):
        return _Quote(unit.text, unit.start + by, unit.end + by)
    return Anchor(
        path=unit.path, ranges=unit.ranges, start=unit.start + by, end=unit.end + by, quotes=(), words=unit.words
    )


def _in_text(text: str, offset: int) -> Iterator[Anchor]:
    for pattern, words in ((_LINES, False), (_WORDS, True)):
        for match in pattern.finditer(text):
            start = match.start()
            while start > 0 and text[start - 1] in _PATH and match.start() - start < MAX_PATH:
                start -= 1
            path = text[start : match.start()]
            if (words or "." in path or "/" in path) and any(char.isalpha() for char in path):
                yield Anchor(
                    path=path,
                    ranges=_ranges(match[1]),
                    start=offset + start,
                    end=offset + match.end(),
                    quotes=(),
                    words=words,
                )


def _ranges(text: str) -> tuple[Range, ...]:
    ranges = []
    for part in text.replace("–", "-").split(","):
        first, _, last = part.partition("-")
        ranges.append((int(first), int(last or first)))
    return tuple(ranges)

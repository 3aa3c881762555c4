"""Text that remembers where each of its characters stood in a file."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from recipediff.core.place import Place

Offsets = Sequence[int]


class SourceText:
    """A file's text; turns offsets into places."""

    __slots__ = ("_starts", "file", "text")

    def __init__(self, file: str, text: str) -> None:
        self.file, self.text = file, text
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and column that count from 1."""
        line = min(max(line, 1), len(self._starts))
        return min(self._starts[line - 1] + max(column, 1) - 1, len(self.text))

    def place(self, start: int, end: int | None = None) -> Place:
        """The span from `start` up to `end`, which is not part of it."""
        stop = start if end is None else max(end, start)
        row, last = bisect_right(self._starts, start), bisect_right(self._starts, stop)
        return Place(
            file=self.file,
            line=row,
            column=start - self._starts[row - 1] + 1,
            end_line=last,
            end_column=stop - self._starts[last - 1] + 1,
        )


@dataclass(frozen=True, slots=True)
class MappedText:
    """`chars` and, for each character, the offsets in `source` between which it stood."""

    chars: str
    starts: Offsets
    ends: Offsets
    source: SourceText

    def __len__(self) -> int:
        return len(self.chars)

    def place(self, start: int, end: int | None = None) -> Place:
        """The place of the characters from index `start` up to `end` (by default one)."""
        if not self.chars:
            return self.source.place(0)
        if start >= len(self.chars):
            return self.source.place(self.ends[-1])
        last = start if end is None else max(start, min(end, len(self.chars)) - 1)
        return self.source.place(self.starts[start], self.ends[last])

    def cut(self, start: int, end: int) -> MappedText:
        """The characters from `start` up to `end`."""
        return MappedText(self.chars[start:end], self.starts[start:end], self.ends[start:end], self.source)


def whole(text: str, file: str) -> MappedText:
    """A file's text, every character at its own place."""
    return MappedText(text, range(len(text)), range(1, len(text) + 1), SourceText(file, text))


class Builder:
    """Puts a `MappedText` together, piece by piece."""

    def __init__(self, source: SourceText) -> None:
        self._source = source
        self._chars: list[str] = []
        self._starts = array("Q")
        self._ends = array("Q")

    def take(self, text: MappedText, start: int, end: int) -> None:
        """Append the characters of `text` from `start` up to `end`, each at its place."""
        self._chars.append(text.chars[start:end])
        self._starts.extend(text.starts[start:end])
        self._ends.extend(text.ends[start:end])

    def put(self, chars: str, start: int, end: int) -> None:
        """Append `chars`, all of which come from the offsets `start` up to `end`."""
        self._chars.append(chars)
        self._starts.extend(_repeat(start, len(chars)))
        self._ends.extend(_repeat(end, len(chars)))

    def build(self) -> MappedText:
        """The text so far."""
        return MappedText("".join(self._chars), self._starts, self._ends, self._source)


def _repeat(value: int, times: int) -> Iterable[int]:
    return [value] * times

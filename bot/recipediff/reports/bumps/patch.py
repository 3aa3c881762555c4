"""Fixes put together as one patch of a file, ready for `git apply`."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import replace

from recipediff.core.finding import Fix

_CONTEXT = 2


def patched(text: str, fixes: Iterable[Fix]) -> str:
    """`text` with every fix that names an edit. Of two that overlap the first wins; line ends stay as they are."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    edits: list[tuple[int, int, int, str]] = []
    headed: set[tuple[int, str]] = set()
    for order, fix in enumerate(fixes):
        span = _span(fix, lines, starts)
        if span is not None and fix.replacement is not None:
            taken = any(span[0] < end and start < span[1] for start, end, _, _ in edits)
            if not taken:
                edits.append((*span, order, _inserted(_headless(fix, headed), text)))
    for start, end, _, replacement in sorted(edits, key=lambda edit: (edit[0], edit[2]), reverse=True):
        text = text[:start] + replacement + text[end:]
    return text


def patch(file: str, text: str, fixes: Iterable[Fix]) -> str:
    """The unified diff of those fixes; empty where none names an edit. Each line ends in a line break."""
    after = patched(text, fixes)
    if after == text:
        return ""
    rows = difflib.unified_diff(_lines(text), _lines(after), f"a/{file}", f"b/{file}", n=_CONTEXT)
    return "".join(row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n" for row in rows)


def _lines(text: str) -> list[str]:
    """The lines as git counts them, each with its line feed; a carriage return before it does not survive a comment."""
    *lines, last = text.split("\n")
    return [f"{line.removesuffix(chr(13))}\n" for line in lines] + ([last] if last else [])


def _span(fix: Fix, lines: list[str], starts: list[int]) -> tuple[int, int] | None:
    place = fix.place
    if place is None or not 0 < place.line <= len(lines):
        return None
    if not place.column:
        end = starts[place.line - 1] + len(lines[place.line - 1].rstrip("\r"))
        return end, end
    last = place.end_line or place.line
    if last > len(lines):
        return None
    return starts[place.line - 1] + place.column - 1, starts[last - 1] + max(place.end_column - 1, 0)


def _headless(fix: Fix, headed: set[tuple[int, str]]) -> Fix:
    """Lines under a key of their own, without the key where another fix has put it at the same place already."""
    head, _, rest = (fix.replacement or "").partition("\n")
    if fix.place is None or fix.place.column or not rest or not head.endswith(":"):
        return fix
    if (fix.place.line, head) in headed:
        return replace(fix, replacement=rest)
    headed.add((fix.place.line, head))
    return fix


def _inserted(fix: Fix, text: str) -> str:
    """Whole lines after a line, with the file's own line ends; any other replacement as it is."""
    replacement = fix.replacement or ""
    if fix.place is not None and not fix.place.column:
        ending = "\r\n" if "\r\n" in text else "\n"
        return "".join(ending + line for line in replacement.split("\n"))
    return replacement

"""What the author of a YAML file wrote in a comment on a line, or in the lines right above it."""

from __future__ import annotations

import re

from recipediff.core.place import Place

_HASH = re.compile(r"(?:^|(?<=\s))#+[ \t]?(.*)$")
_QUOTED = re.compile(r"""'(?:[^']|'')*'|"(?:[^"\\]|\\.)*\"""")
_PLACEHOLDER = re.compile(r"(?<!\{)\{([A-Za-z_]\w{0,60})\}")
MOST = 240
"""Characters of a comment that are quoted."""


class Remarks:
    """The comments of one file, by the line that they belong to."""

    def __init__(self, file: str, data: bytes) -> None:
        self.file = file
        self._lines = data.decode("utf-8", "replace").removeprefix("\ufeff").split("\n")

    def at(self, place: Place) -> str:
        """The comment behind the line at `place`, else the comment lines right above it, else those of the default that fills
        the line's placeholder; empty where there is none."""
        if place.file != self.file or not 0 < place.line <= len(self._lines):
            return ""
        line = self._lines[place.line - 1]
        filled = _PLACEHOLDER.search(line, max(place.column - 1, 0))
        return _short(_behind(line) or self._above(place.line - 1) or (self._of_default(filled[1]) if filled else ""))

    def _of_default(self, name: str) -> str:
        """The comment on the line that fills a placeholder of a command."""
        key = re.compile(rf"\s+{re.escape(name)}\s*:")
        index = next((number for number, line in enumerate(self._lines) if key.match(line)), None)
        return "" if index is None else _behind(self._lines[index]) or self._above(index)

    def _above(self, index: int) -> str:
        """Whole comment lines above, of the same indentation, at most four; a blank line or a value ends them."""
        line = self._lines[index]
        indent = len(line) - len(line.lstrip())
        found: list[str] = []
        while index and len(found) < 4:
            index -= 1
            above = self._lines[index]
            if not above.lstrip().startswith("#") or len(above) - len(above.lstrip()) != indent:
                break
            found.append(above.strip().lstrip("#").strip())
        return " ".join(reversed([text for text in found if text]))


def _behind(line: str) -> str:
    if line.lstrip().startswith("#"):
        return ""
    match = _HASH.search(_QUOTED.sub(lambda quoted: "_" * len(quoted[0]), line.rstrip("\r")))
    return line[match.start(1) :].strip() if match else ""


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= MOST else text[: MOST - 1] + "…"

"""What a program answered when it was asked for its surface: a surface file, or its help text."""

from __future__ import annotations

import re

from recipediff.core.place import Place, Problem, Unreadable
from recipediff.core.sweep.surface import EngineSurface
from recipediff.parse.documents.document import decode
from recipediff.parse.engine.file import read_surface
from recipediff.parse.engine.help_text import surface_of_help

_FILE = re.compile(r"^(?:engine|flags)\s{0,10}:", re.MULTILINE)


def surface_in(answer: bytes, name: str, obtained: str) -> EngineSurface:
    """The surface in the output of the program called `name`. Raises `Unreadable` with the first thing that is wrong."""
    text = decode(answer, name)
    looks = text.lstrip()
    if looks.startswith("{") or (_FILE.search(text[:100_000]) and "flags:" in text):
        file = f"{name}.json" if looks.startswith("{") else name
        surface, findings = read_surface(answer, file, obtained)
        if surface is None:
            first = findings[0]
            raise Unreadable(Problem(first.message, first.place, first.fix.summary if first.fix else ""))
        return surface
    if not looks:
        hint = "it should print a surface file (YAML or JSON), or its help text"
        raise Unreadable(Problem("the program printed nothing", Place(file=name), hint))
    return surface_of_help(text, name, obtained)

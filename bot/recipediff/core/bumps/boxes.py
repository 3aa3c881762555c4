"""The boxes of the overview issue: how one is written, and which are ticked in a text."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

MARKER = "<!-- recipediff:overview -->"
"""The first line of the overview issue."""
_ASK = re.compile(r"^[ \t]{0,3}[-*] \[([ xX])\] <!-- recipediff:ask=([^ >]{1,600}) -->", re.MULTILINE)


def asked(body: str) -> frozenset[str]:
    """The recipes whose box is ticked."""
    return frozenset(unquote(name) for mark, name in _ASK.findall(body) if mark != " ")


def box(recipe: str) -> str:
    """The beginning of a line with a box to tick for `recipe`. Nothing in it can end the comment."""
    name = quote(recipe, safe="").replace("-", "%2D")
    return f"- [ ] <!-- recipediff:ask={name} -->"

"""GitHub's fragment names of headings."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable


def slug(text: str) -> str:
    """The fragment of one heading: lower case, punctuation dropped, each space a hyphen.

    As html-pipeline's `TableOfContentsFilter`: what is left are Unicode letters, marks, decimal digits, connecting
    punctuation (the underscore), hyphens and spaces.
    """
    kept = (char for char in text.strip().lower() if char in "- " or _is_word(char))
    return "".join(kept).replace(" ", "-")


def slugs(headings: Iterable[str]) -> set[str]:
    """The fragments of a file's headings in order: a repeat gets `-1`, the next `-2`."""
    seen: dict[str, int] = {}
    found = set()
    for heading in headings:
        name = slug(heading)
        count = seen.get(name, 0)
        seen[name] = count + 1
        found.add(f"{name}-{count}" if count else name)
    return found


def _is_word(char: str) -> bool:
    category = unicodedata.category(char)
    return category[0] in "LM" or category in {"Nd", "Nl", "Pc"}

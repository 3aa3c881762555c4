"""`{placeholder}` filled from a recipe's defaults, as `str.format` does it in eugr's runner; nothing is evaluated."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from recipediff.core.place import Problem
from recipediff.parse.shell.source import Builder, MappedText

_BRACE = re.compile(r"[{}]")
MAX_CHARS = 128 * 1024
"""The longest command text that is looked at. Linux starts no program with a longer argument, so no shell either."""
MAX_PROBLEMS = 20


@dataclass(frozen=True, slots=True)
class Filled:
    """The text with its placeholders filled, and the names that were used, in order."""

    text: MappedText
    used: tuple[str, ...]
    problems: tuple[Problem, ...]


def fill(template: MappedText, values: Mapping[str, str]) -> Filled:
    """`template` with `{name}` taken from `values` and `{{`, `}}` made single.

    A filled character stands where its placeholder stood. Values are not searched for placeholders again. A
    placeholder that cannot be filled stays as it was written, with a problem.
    """
    chars, at, size = template.chars, 0, len(template)
    out = Builder(template.source)
    used: dict[str, None] = {}
    problems: list[Problem] = []
    while brace := _BRACE.search(chars, at):
        start = brace.start()
        out.take(template, at, start)
        if chars.startswith(brace[0] * 2, start):
            out.put(brace[0], template.starts[start], template.ends[start + 1])
            at = start + 2
            continue
        end = chars.find("}", start) + 1 if brace[0] == "{" else 0
        name = chars[start + 1 : end - 1]
        problem = _problem(template, start, end, name, values)
        if problem:
            problems.append(problem)
            if not end or len(problems) >= MAX_PROBLEMS:
                return Filled(out.build(), tuple(used), tuple(problems))
            out.take(template, start, end)
        else:
            used[name] = None
            size += len(values[name])
            if size > MAX_CHARS:
                message = f"the filled command is longer than {MAX_CHARS:,} characters"
                problems.append(Problem(message, template.place(start, end), "shorten the defaults"))
                return Filled(out.build(), tuple(used), tuple(problems))
            out.put(values[name], template.starts[start], template.ends[end - 1])
        at = end
    out.take(template, at, len(chars))
    return Filled(out.build(), tuple(used), tuple(problems))


def _problem(template: MappedText, start: int, end: int, name: str, values: Mapping[str, str]) -> Problem | None:
    if not end:
        kind = "is not closed" if template.chars[start] == "{" else "closes nothing"
        message = f"this brace {kind}, so upstream's runner stops here"
        return Problem(message, template.place(start), "write {{ or }} for a brace of the command itself")
    place = template.place(start, end)
    if name in values and not re.search(r"[.\[!:{]", name):
        return None
    if re.match(r"\s*[\"']", name):
        message = "single braces round JSON are read as a placeholder, so upstream's runner stops here"
        return Problem(message, place, "write {{ and }} for the braces of JSON")
    if "{" in name or not name or name.isdigit():
        return Problem(f"{{{_short(name)}}} is no placeholder with a name", place, "name a key of defaults")
    if re.search(r"[.\[!:]", name):
        message = f"placeholder {{{_short(name)}}} asks for more than a value (attribute, index, conversion or format)"
        return Problem(message, place, "use the plain name of a key of defaults")
    return Problem(f"placeholder {{{_short(name)}}} has no default", place, _nearest(name, values))


def _short(name: str) -> str:
    name = name.replace("\n", " ")
    return name if len(name) <= 40 else name[:39] + "…"


def _nearest(name: str, values: Mapping[str, str]) -> str:
    """A key that reads like `name`, for a misspelling; none is looked for among very many."""
    from difflib import get_close_matches

    close = get_close_matches(name[:80], [key[:80] for key in list(values)[:200]], 1, 0.75)
    return f"defaults has {close[0]}" if close else "add it under defaults"

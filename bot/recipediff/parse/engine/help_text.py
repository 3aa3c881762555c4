"""A `--help` text as an engine's surface: the options that it declares, not those that its sentences mention.

Common layouts are read: argparse and click (Python), clap (Rust), cobra and flag (Go), gflags and hand-written tables (C++).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from recipediff.core.place import Place, Problem, Unreadable
from recipediff.core.sweep.surface import EngineSurface, setting_name

MAX_CHARS = 2_000_000
MAX_OPTIONS = 5_000
_LINE = 2_000
"""Characters of one line that are looked at."""

_NAME = r"--?(?:\[no-?\])?[A-Za-z?][A-Za-z0-9_.-]*"
_DECLARES = re.compile(rf"\s{{0,40}}(?P<option>{_NAME})(?=[\s,=/<\[(:|]|$)")
_FOLLOWS = re.compile(rf"\s{{0,3}}(?:,|/|\||\s)\s{{0,12}}(?P<option>{_NAME})(?=[\s,=/<\[(:|]|$)")
_VALUE = re.compile(
    r"[ =]?(?:<[^<>]{1,80}>|\{[^{}]{1,1500}\}|\[[^\[\]]{1,1500}\]|\([^()]{1,80}\)|[A-Z][A-Z0-9_:,|-]{0,60}(?: \.\.\.)?(?=\s|,|$)"
    r"|(?:string|int|uint|float|duration|strings|ints|path|file|N|n)(?=\s|$))"
)
_CHOICES = re.compile(
    r"\{([^{}\s][^{}]{0,1500})\}|\[([A-Za-z0-9_.-]+(?:\|[A-Za-z0-9_.-]+){1,100})\]|<([A-Za-z0-9_.-]+(?:\|[A-Za-z0-9_.-]+){1,100})>"
)
_POSSIBLE = re.compile(r"\[possible values: ([^\[\]]{1,1500})\]")
_INERT = re.compile(
    r"\bno-?op\b|\bhas no effect\b|\bdoes nothing\b|\b(?:accepted|ignored) (?:only )?for compatibility\b", re.IGNORECASE
)
_USAGE = re.compile(rf"(?:\[|\s)(?P<option>{_NAME})(?=[\s\]=|])")
_WORD = re.compile(r"[A-Za-z0-9_./:+-]{1,100}")


@dataclass(slots=True)
class _Option:
    names: list[str]
    text: str = ""
    """Everything that stands with it, its continuation lines included."""
    declared: str = ""
    """The declaration alone, up to the description."""
    lines: int = 0


@dataclass(slots=True)
class _Found:
    accepted: set[str] = field(default_factory=set)
    inert: set[str] = field(default_factory=set)
    values: dict[str, tuple[str, ...]] = field(default_factory=dict)


def surface_of_help(text: str, engine: str, obtained: str, release: str = "") -> EngineSurface:
    """The surface that a help text declares. Raises `Unreadable` where it declares no option, or is too long to be one."""
    if len(text) > MAX_CHARS:
        message = f"the help text has {len(text):,} characters, more than the {MAX_CHARS:,} that are read"
        raise Unreadable(Problem(message, Place(file=engine), "give the help of the serving command alone"))
    found = _Found()
    for option in _options(text):
        _keep(option, found)
    usage = ""
    if not found.accepted and not found.inert:
        found.accepted.update(_from_usage(text))
        usage = "; it lists no options, so those of its usage line were taken"
    if not found.accepted and not found.inert:
        hint = "a line declares an option when it begins with one, such as `  --port PORT   where to listen`"
        raise Unreadable(Problem("no option is declared in the help text", Place(file=engine), hint))
    return EngineSurface(
        engine=engine,
        release=release,
        obtained=obtained + usage,
        accepted=frozenset(found.accepted - found.inert),
        inert=frozenset(found.inert),
        values=found.values,
    )


def _options(text: str) -> Iterator[_Option]:
    """The declarations of a help text, each with its continuation lines."""
    current: _Option | None = None
    count, margin = 0, 12
    for line in text.splitlines():
        line = re.sub(r"\x1b\[[0-9;]{0,20}[A-Za-z]", "", line[:_LINE])
        indent = len(line) - len(line.lstrip())
        names, rest = _declaration(line) if indent <= margin else ([], 0)
        if names:
            margin = min(margin, indent + 6)  # further in stands a description that happens to begin with an option
            if current is not None:
                yield current
            count += 1
            if count > MAX_OPTIONS:
                return
            current = _Option(names, line, _heading(line, rest))
        elif current is not None and line.strip() and line[:1] in " \t" and current.lines < 60:
            current.lines += 1
            if current.declared.count("{") > current.declared.count("}"):  # a long list of choices goes on
                current.declared += " " + line.strip()
            current.text += " " + line.strip()
        elif current is not None and line.strip():
            yield current
            current = None
    if current is not None:
        yield current


def _declaration(line: str) -> tuple[list[str], int]:
    """The options that a line declares, and where its declaration ends. A line of prose that begins otherwise has none."""
    first = _DECLARES.match(line)
    if first is None:
        return [], 0
    names, at = [first["option"]], first.end()
    while len(names) < 20:
        value = _VALUE.match(line, at)
        after = value.end() if value is not None else at
        more = _FOLLOWS.match(line, after)
        if more is None or _two_blanks(line, after, more.start("option")):
            return names, after
        names.append(more["option"])
        at = more.end()
    return names, at


def _two_blanks(line: str, start: int, end: int) -> bool:
    """Whether a description begins between two names: a gap without a comma, bar or slash in it."""
    gap = line[start:end]
    return not gap.strip() and len(gap) > 1


def _heading(line: str, rest: int) -> str:
    """The declaration up to the gap before its description."""
    gap = re.compile(r"\s{2,}|\t").search(line, rest)
    return line[: gap.start()] if gap is not None and gap.start() > 0 else line


def _keep(option: _Option, found: _Found) -> None:
    names: set[str] = set()
    for written in option.names:
        for name in _spelled(written):
            names.add(setting_name(name))
            if name.startswith("-") and not name.startswith("--") and len(name) > 3:
                names.add(setting_name("-" + name))  # Go and gflags print one dash and take two
    (found.inert if _INERT.search(option.text) else found.accepted).update(names)
    choices = _choices(option)
    if choices:
        for name in names:
            found.values[name] = choices


def _spelled(written: str) -> tuple[str, ...]:
    """`--[no-]color` is two options."""
    plain = re.sub(r"\[no-?\]", "", written)
    return (plain,) if plain == written else (plain, "--no-" + plain.lstrip("-"))


def _choices(option: _Option) -> tuple[str, ...]:
    possible = _POSSIBLE.search(option.text)
    if possible is not None:
        return _split(possible[1], ",")
    found = _CHOICES.search(option.declared)
    if found is None:
        return ()
    return _split(found[1], ",") if found[1] else _split(found[2] or found[3], "|")


def _split(text: str, by: str) -> tuple[str, ...]:
    """Names of a list; nothing where some of it is no name, or where it is cut short."""
    parts = [part.strip().strip("'\"") for part in text.split(by)]
    if len(parts) < 2 or any(_WORD.fullmatch(part) is None or part == "..." for part in parts):
        return ()
    return tuple(dict.fromkeys(parts))


def _from_usage(text: str) -> Iterator[str]:
    """The options of a usage line, which ends at the first empty line."""
    start = re.search(r"^\s{0,20}usage:?", text[:20_000], re.IGNORECASE | re.MULTILINE)
    if start is None:
        return
    usage = text[start.end() : start.end() + 100_000].split("\n\n", 1)[0]
    for found in _USAGE.finditer(usage):
        for name in _spelled(found["option"]):
            yield setting_name(name)

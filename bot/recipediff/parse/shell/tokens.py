"""The parts of shell text: words as runs of quoted and unquoted characters, operators, comments."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from recipediff.core.launch import Note
from recipediff.core.place import Problem
from recipediff.parse.shell.source import MappedText

WordKind = Literal["bare", "quoted", "variable", "unknown"]


class Atom(NamedTuple):
    """A run of a word. `start` and `end` are indices into the text; where their distance is the length of `chars`,
    character `k` stood at `start + k`. `quoted` holds for what stands in quotes or behind a backslash."""

    kind: WordKind
    chars: str
    start: int
    end: int
    quoted: bool = False
    default: str | None = None
    """Of a variable: what `${NAME:-default}` falls back on."""
    empty: bool = False
    """Whether it does so for an empty value too, as `:-` does and `-` does not."""
    assigns: bool = False
    """Whether the default is kept as the variable's value, as `:=` does."""
    missing: bool = False
    """Of an unknown: a variable that nothing in the text sets, so that its name may stand for its value."""


class ShellToken(NamedTuple):
    """A word (`op` empty), or an operator: control, redirection, line break."""

    op: str
    atoms: tuple[Atom, ...]
    start: int
    end: int


class ShellComment(NamedTuple):
    """A comment from its `#` to the end of the line; `inside` where a continued line leads into it."""

    start: int
    end: int
    inside: bool


@dataclass(slots=True, kw_only=True)
class Lexed:
    """The tokens up to the end, or up to the first thing that stops a shell."""

    text: MappedText
    tokens: list[ShellToken] = field(default_factory=list)
    comments: list[ShellComment] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

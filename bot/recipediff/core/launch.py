"""A launch: first as words (`Invocation`), then as settings (`Launch`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from recipediff.core.place import Place, Problem
from recipediff.core.setting import Json, Refusal, Setting


@dataclass(frozen=True, slots=True)
class Word:
    """One argument as the program gets it, and where it came from."""

    text: str
    place: Place
    unknown: bool = False
    """A part of `text` stands for something that only a shell would know."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """One environment variable; `value` is None where it is set to something that only a shell would know."""

    name: str
    value: str | None
    place: Place


@dataclass(frozen=True, slots=True)
class Note:
    """A fact that a reader should see beside the settings; it is not a finding."""

    message: str
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """What one process is started with, before the grammar has looked at it. Formats make these; nothing is executed.

    `argv` are the words after `vllm serve`. `problems` are what could not be understood: where there is one, the
    launch must not pass for compared.
    """

    role: str
    """`serve`, `head`, `worker-1`, `prefill`, `decode`, …"""
    argv: tuple[Word, ...]
    env: tuple[Assignment, ...] = ()
    mods: tuple[Word, ...] = ()
    image: Word | None = None
    model: Word | None = None
    """The model that the file declares beside the command, where it does."""
    program: tuple[str, ...] = ("vllm", "serve")
    advisory: tuple[tuple[str, str, Place], ...] = ()
    """Facts that do not reach a digest-pinned launch: container, build arguments."""
    problems: tuple[Problem, ...] = ()
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """The settings of one side after parsing: what would be passed to `vllm serve`, the environment, the mods."""

    role: str
    settings: tuple[Setting, ...]
    """What is in force, in the order in which it was written; of a repeat only the winner."""
    model: Setting | None
    image: Word | None
    version: str
    """The version of the vLLM table that read it."""
    fields: Mapping[str, Json] = field(default_factory=dict)
    """Flag fields as the engine will see them: two routes to one setting folded into one, ready for comparison."""
    launcher: tuple[Setting, ...] = ()
    """Flags that a launcher supplies for its own topology; shown apart, never findings."""
    refused: tuple[Refusal, ...] = ()
    problems: tuple[Problem, ...] = ()
    notes: tuple[Note, ...] = ()
    advisory: tuple[tuple[str, str, Place], ...] = ()
    program: tuple[str, ...] = ("vllm", "serve")


@dataclass(frozen=True, slots=True, kw_only=True)
class Select:
    """Which of the launches that one upstream file describes is meant. Empty fields leave the choice to upstream's defaults."""

    hardware: str = ""
    variant: str = ""
    strategy: str = ""
    features: tuple[str, ...] | None = None
    """None: upstream's default selection. Otherwise exactly these."""
    nodes: int = 0
    role: str = ""

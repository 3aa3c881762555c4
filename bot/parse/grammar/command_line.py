"""What vLLM's parser makes of one command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.core.launch import Note
from bot.core.setting import Json, Refusal, Setting


@dataclass(frozen=True, slots=True)
class CommandLine:
    """One command line as the stated vLLM version reads it.

    Every word of the line is in a setting, the model, a refusal or a note. Two accepted lines of one version mean the same
    to the parser if and only if their `values` are equal; to the engine if their `fields` are.
    """

    version: str
    """The measured version whose table read it."""
    ok: bool
    """False where this version would abort at start."""
    error: str
    """The first refusal, for a person; empty where `ok`."""
    values: Mapping[str, Json]
    """Fields that differ from bare `vllm serve`, with config objects as `{"__class__": C, …}`. Only what could be read, where
    not `ok`."""
    explicit: frozenset[str]
    """Every field that some word of the line wrote to."""
    fields: Mapping[str, Json] = field(default_factory=dict)
    """The explicit fields as the engine will see them, two routes to one setting folded into one; see `routes.fold`. Keys are
    field names, or `field.key` for one key of a config object. A stated default is there with its value."""
    settings: tuple[Setting, ...] = ()
    """What is in force, in the order in which it was written, the model left out."""
    model: Setting | None = None
    """The model (`model`, field `model_tag`), from the word or from `--model`."""
    refusals: tuple[Refusal, ...] = ()
    """Everything at which this version would abort, each at its place."""
    notes: tuple[Note, ...] = ()
    """What a reader should know: repeats, dotted keys that replace a JSON value, swallowed words."""

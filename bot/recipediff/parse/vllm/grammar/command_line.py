"""What vLLM's parser makes of one command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from recipediff.core.launch import Note
from recipediff.core.setting import Json, Refusal, Setting


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandLine:
    """One command line as one measured vLLM version reads it.

    Every word of the line is in a setting, a refusal or a note. Two accepted lines of one version mean the same to the
    parser if and only if their `values` are equal; to the engine, as far as that was measured, if their `fields` are.
    """

    version: str
    """The measured version whose table read it."""
    ok: bool
    """False where this version's parser refuses the line. The engine may refuse more: see `refusals`."""
    error: str
    """The parser's first refusal, for a person; empty where `ok`."""
    values: Mapping[str, Json]
    """Fields that differ from bare `vllm serve`, written as the measured tables do: config objects as
    `{"__class__": C, ...}` with what differs from the object of all defaults. Of a refused line only what could be read."""
    explicit: frozenset[str]
    """Every field that some word of the line wrote to."""
    fields: Mapping[str, Json] = field(default_factory=dict)
    """The stated fields as the engine will see them (`routes.fold`): two routes to one setting are one field, words of equal
    meaning one word, a config object the keys that are stated. A stated default is there with its value; the model is not."""
    settings: tuple[Setting, ...] = ()
    """What is in force, the model among them, in the order in which it was written; of a repeat only the winner."""
    model: Setting | None = None
    """The model among the settings (name `model`), from the word or from `--model`."""
    refusals: tuple[Refusal, ...] = ()
    """Everything at which this version would abort, parser and engine, each at its place."""
    notes: tuple[Note, ...] = ()
    """What a reader should know: repeats, dotted keys that replace a JSON value, swallowed words, deprecation."""

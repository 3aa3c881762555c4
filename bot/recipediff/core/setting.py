"""One setting of a launch: a flag, an environment variable or a mod, with what its words mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from recipediff.core.place import Place

SettingKind = Literal["flag", "env", "mod"]
Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One `(kind, name)` with a value.

    `name` is how upstream would name it: a flag's long option without dashes and with underscores (`max_model_len`), or
    the dotted name where dotted keys were written (`default_chat_template_kwargs.thinking`); an environment key; a mod path.
    `value` is the text as written; `true` or `false` for a switch; several words joined as a shell would need them.
    `meaning` is what the parser makes of it; `field` is the parser's field, the part of a flag's name before the first dot.
    """

    kind: SettingKind
    name: str
    value: str
    meaning: Json
    place: Place
    field: str = ""
    written: str = ""
    """The option as it was written (`-tp`, `--max_model-len`); empty for env and mod."""
    known: bool = True
    """False for a flag that the grammar's version does not have; it compares by its text."""
    route: tuple[str, ...] = ()
    """Where the engine keeps it when that is not `field` itself: `("attention_config", "backend")` for `attention_backend`."""
    default: bool = False
    """True where the value restates the default of the grammar's version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A word, value or key at which the stated vLLM version would abort at start."""

    message: str
    setting: str
    """The setting's name as far as it is known, else the word itself."""
    place: Place
    version: str
    accepted_by: tuple[str, ...] = ()
    """The measured versions that take it; empty where none does."""
    hint: str = ""

"""An engine's surface: what its command line takes and what it can run, as plain data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

FlagState = Literal["accepted", "inert", "aborts"]

_NUMBER = re.compile(r"-\d+|-\d*\.\d+")
_RAN_TOGETHER = re.compile(r"(?P<option>-{1,2}[^\s=\d.-][^\s=]*)\s+(?P<value>\S.*)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSurface:
    """What one engine at one version accepts.

    Flags are setting names (`max_model_len`), one-dash names keep their dash (`-tp`); `kernel_config.*` stands for every
    dotted key below it. `inert` ones are taken and change nothing. `values` are the names that resolve, by flag; a flag
    that is not in it takes any value. None (architectures, env): the surface does not say.
    """

    engine: str
    release: str = ""
    """Its version or commit."""
    obtained: str = ""
    """How it was found out what the engine accepts."""
    accepted: frozenset[str] = frozenset()
    inert: frozenset[str] = frozenset()
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    open_values: frozenset[str] = frozenset()
    """Flags whose listed values are those known, while the parser takes any word (a plug-in may add some)."""
    architectures: frozenset[str] | None = None
    env: frozenset[str] | None = None
    hardware: tuple[str, ...] = ()
    notes: str = ""
    grammar: str = ""
    """The measured vLLM version whose parser reads whole lines for this surface; empty for any other engine."""

    @property
    def title(self) -> str:
        """The engine and its release, for a headline."""
        return f"{self.engine} {self.release}".strip()

    def state(self, option: str) -> FlagState:
        """What happens at an option as it is written on a line (`--max-model-len`, `--max_model_len=32k`, `-tp`)."""
        name = setting_name(option)
        for known, state in ((self.inert, "inert"), (self.accepted, "accepted")):
            if name in known or any(f"{head}.*" in known for head in _heads(name)):
                return "inert" if state == "inert" else "accepted"
        return "aborts"

    def resolves(self, setting: str, name: str) -> bool:
        """Whether `name` is one of the listed values of `setting`. vLLM takes names of a list in any case and with dashes."""
        listed = self.values.get(setting, ())
        return name in listed or (bool(self.grammar) and _loose(name) in {_loose(one) for one in listed})


def _loose(name: str) -> str:
    return name.lower().replace("-", "_")


def _heads(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]


def setting_name(option: str) -> str:
    """The setting of an option as written: no dashes before it, no `=value`, underscores in it; keys after a dot as they are.

    A one-dash name keeps its dash: an engine that has `--tensor-parallel-size` need not have `-tp`.
    """
    name = option.partition("=")[0].strip()
    if name.startswith("-") and not name.startswith("--"):
        return name
    head, dot, keys = name.lstrip("-").partition(".")
    return head.replace("-", "_") + dot + keys


def is_option(word: str) -> bool:
    """Whether a word of a command line begins an option; a negative number and a bare dash or two do not."""
    return word.startswith("-") and word not in ("-", "--") and _NUMBER.fullmatch(word) is None


def ran_together(word: str) -> tuple[str, str] | None:
    """The option and the value of a word that holds both with a blank between them (`--max-model-len auto`), else None.

    A program gets such a word as it is and knows no option of that name; only a shell would have split it.
    """
    found = _RAN_TOGETHER.fullmatch(word)
    return (found["option"], found["value"]) if found else None

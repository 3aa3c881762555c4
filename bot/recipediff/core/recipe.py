"""A tested recipe, as data. `recipediff.parse.tested.read` reads them; the place of every part is kept beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from recipediff.core.launch import Assignment, Select, Word
from recipediff.core.place import Place
from recipediff.core.setting import SettingKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Deviation:
    """A declared difference. Empty `ours`: dropped. Empty `upstream`: added."""

    kind: SettingKind
    setting: str
    upstream: str
    ours: str
    why: str
    place: Place
    places: Mapping[str, Place] = field(default_factory=dict)
    """The place of each field's value that is written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The upstream file that the recipe was derived from, pinned."""

    repo: str
    path: str
    commit: str
    license: str
    select: Select
    deviations: tuple[Deviation, ...]
    place: Place
    places: Mapping[str, Place] = field(default_factory=dict)
    flow: bool = False
    """Written in braces, as JSON is: lines of block style cannot be added to it."""
    last: Place | None = None
    """Of declarations that stand in brackets: the last one, whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """The numbers, and the fingerprint of the launch that they were measured on. Tokens are tokens, times are seconds."""

    context: int | None
    fingerprint: str
    place: Place
    places: Mapping[str, Place] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class TestedRecipe:
    """One tested recipe. Every tuple keeps the order of the file."""

    __test__ = False

    id: str
    model: Word
    image: Word
    hardware: str
    nodes: int
    args: tuple[Word, ...]
    env: tuple[Assignment, ...]
    mods: tuple[Word, ...]
    source: Source | None
    verified: Verified | None
    vllm: str
    place: Place
    file: str
    places: Mapping[str, Place] = field(default_factory=dict)
    notes: str = ""
    port: int | None = None
    unread: tuple[str, ...] = ()
    """Paths of parts (`env.FOO`, `args[2]`) that could not be read; where there is one, this is not the whole recipe."""

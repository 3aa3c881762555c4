"""What a sweep came to, as plain data in a fixed order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from recipediff.core.place import Place
from recipediff.core.sweep.gaps import GapOwner
from recipediff.core.sweep.models import ModelAnswer
from recipediff.core.sweep.surface import EngineSurface, FlagState

LaunchOutcome = Literal["starts", "stops", "not judged"]
EnvState = Literal["read", "not read", "not the engine's own", "unknown"]

BLIND_SPOT = (
    "This is a floor: an architecture that no recipe names, or whose config could not be read, is invisible to a sweep "
    "that starts from recipes."
)
FAIL_OPEN = "upstream's fail-open default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """A word at which the engine stops."""

    word: str
    setting: str
    message: str
    place: Place
    block: str
    """Which part of the recipe it stands in: `base arguments`, `features.reasoning`, a launch."""
    kind: Literal["flag", "value", "run together"] = "flag"
    accepted_by: tuple[str, ...] = ()
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeOutcome:
    """One recipe: whether it starts, and where it stops first."""

    recipe: str
    model: str
    outcome: LaunchOutcome
    stops: tuple[Stop, ...] = ()
    base_starts: bool = False
    """It stops, but only in parts that can be left out (`without`)."""
    without: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    """Names that the parser takes and the engine is not known to resolve."""
    reasons: tuple[str, ...] = ()
    """Why it was not judged."""
    judged: int = 0
    """Blocks or launches that were judged."""

    @property
    def first(self) -> Stop | None:
        """The first word at which it stops, the words that cannot be left out before the others."""
        return self.stops[0] if self.stops else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """A flag as recipes spell it, and what the engine makes of it."""

    name: str
    """As written, without a value."""
    setting: str
    recipes: tuple[str, ...]
    state: FlagState
    run_together: bool = False
    """One list item holds an option and its value: no flag of any engine."""
    value_stops: tuple[str, ...] = ()
    """Recipes that stop at its value."""

    @property
    def uses(self) -> int:
        """How many recipes use it."""
        return len(self.recipes)


@dataclass(frozen=True, slots=True)
class EnvDemand:
    """An environment variable. One that the engine does not read never stops it."""

    name: str
    recipes: tuple[str, ...]
    state: EnvState


@dataclass(frozen=True, slots=True)
class AxisValue:
    """One name on an axis, with the recipes that use it."""

    name: str
    recipes: tuple[str, ...]
    resolves: bool | None
    """None: the surface does not list this axis."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """A flag whose values name something that the engine must resolve; the values by demand."""

    setting: str
    values: tuple[AxisValue, ...]
    uses: int
    """Recipes that use the flag."""
    served: int | None
    """Of these, recipes all of whose names resolve; None where the surface does not list the axis."""
    listed: bool
    checked: bool
    """Whether the engine's parser stops at a name that does not resolve."""


@dataclass(frozen=True, slots=True)
class ArchitectureRow:
    """One architecture, with the recipes that need it."""

    name: str
    recipes: tuple[str, ...]
    registered: bool | None
    """None: the surface has no table of architectures."""


@dataclass(frozen=True, slots=True)
class Architectures:
    """The architectures behind the recipes. `unverified` are recipes whose config could not be read, with the reason."""

    rows: tuple[ArchitectureRow, ...]
    verified: int
    unverified: tuple[tuple[str, str, ModelAnswer], ...]
    """Recipe, model, answer."""


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """A hardware profile: recipes by what upstream states of them on it; all others are its fail-open default."""

    profile: str
    restricted: bool
    mine: bool
    stated: Mapping[str, tuple[str, ...]]
    """`verified`, `supported`, `unsupported` to recipes that list the profile."""

    @property
    def listed(self) -> tuple[str, ...]:
        """Every recipe that lists the profile, whatever it says."""
        return tuple(sorted(recipe for recipes in self.stated.values() for recipe in recipes))


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Something that recipes need and the engine lacks, and who works on it. `owners` is None where nobody looked."""

    kind: Literal["flag", "value", "architecture"]
    name: str
    setting: str
    recipes: tuple[str, ...]
    owners: tuple[GapOwner, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepResult:
    """Everything that a report shows."""

    upstream: str
    format: str
    commit: str
    rule: str
    rule_text: str
    surface: EngineSurface
    recipes: tuple[RecipeOutcome, ...]
    flags: tuple[Demand, ...]
    env: tuple[EnvDemand, ...]
    axes: tuple[Axis, ...]
    architectures: Architectures | None
    hardware: tuple[ProfileRow, ...]
    gaps: tuple[Gap, ...]
    notes: tuple[str, ...] = ()
    history: tuple[HistoryPoint, ...] = field(default=())

    def having(self, outcome: LaunchOutcome) -> tuple[RecipeOutcome, ...]:
        """The recipes with one outcome."""
        return tuple(one for one in self.recipes if one.outcome == outcome)

    def flags_in(self, state: FlagState) -> tuple[Demand, ...]:
        """The flags in one state, most wanted first."""
        return tuple(one for one in self.flags if one.state == state)


@dataclass(frozen=True, slots=True)
class HistoryPoint:
    """One commit of upstream: how many recipes it had, and how many of them start."""

    commit: str
    date: str
    recipes: int
    starts: int

"""What a model's repository says of itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ModelState = Literal["known", "gated", "missing", "pipeline", "no architectures", "unreachable", "not looked up"]


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What a model's repository says of its architecture. `revision` is the commit that was read."""

    state: ModelState
    architectures: tuple[str, ...] = ()
    revision: str = ""
    detail: str = ""

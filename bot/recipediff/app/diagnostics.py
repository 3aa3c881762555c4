"""What `recipediff doctor` says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One thing looked at. `hint` says what to do where it is not good."""

    state: Literal["good", "warning", "bad"]
    text: str
    hint: str = ""

"""What a check run shows, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """A message on lines of a file. Columns count from 1, 0 is none, and need `line == end_line`."""

    path: str
    line: int
    end_line: int
    level: Literal["notice", "warning", "failure"]
    message: str
    title: str = ""
    column: int = 0
    end_column: int = 0
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Button:
    """A button on a check run: at most three, `label` and `identifier` of 20 characters, `description` of 40."""

    label: str
    description: str
    identifier: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """What a check run shows. The report has cut it to GitHub's sizes (65,535 characters for summary and text each)."""

    title: str
    summary: str
    text: str = ""
    annotations: tuple[Annotation, ...] = ()
    actions: tuple[Button, ...] = ()

"""The one shape of an upstream format: files at one commit, a path and a select go in; invocations or a reason come out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from recipediff.core.launch import Invocation, Select
from recipediff.core.place import Problem
from recipediff.core.upstream import UpstreamFiles


@dataclass(frozen=True, slots=True)
class FormatReading:
    """What a format made of a file. No invocation without a problem that says why."""

    invocations: tuple[Invocation, ...]
    problems: tuple[Problem, ...] = ()


__all__ = ["Format", "FormatReading", "UpstreamFiles"]


class Format(Protocol):
    """An upstream format. It never raises for bad input: what cannot be read is a `Problem` with its place."""

    name: str

    def companions(self, path: str) -> tuple[str, ...]:
        """Glob patterns (`strategies/*.yaml`) of further files that reading `path` needs, from the tree's root."""

    def read(self, files: UpstreamFiles, path: str, select: Select) -> FormatReading:
        """The invocations that the file at `path` describes under `select`."""

    def selects(self, files: UpstreamFiles, path: str, model: str, hardware: str) -> tuple[Select, ...]:
        """The selects under which the file at `path` speaks about `model`, on `hardware` where it names one so called."""

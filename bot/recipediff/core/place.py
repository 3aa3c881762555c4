"""Where something stands, and what could not be read there."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True, kw_only=True)
class Place:
    """A position in a file. `line` and `column` count from 1, in characters; 0 means "the file as a whole".

    `end_line` and `end_column` close the span (the column after the last character) where it is known, else 0.
    """

    file: str
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0

    def __str__(self) -> str:
        if not self.line:
            return self.file
        return f"{self.file}:{self.line}:{self.column}" if self.column else f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that could not be understood: what it is, where it stands, and what a person can do about it."""

    message: str
    place: Place
    hint: str = ""

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" + (f" ({self.hint})" if self.hint else "")


class Unreadable(Exception):
    """Raised by readers for input that cannot be used at all; carries the one `Problem` that says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem

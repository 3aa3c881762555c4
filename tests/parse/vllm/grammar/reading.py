"""Lines for the grammar's tests, each word with a place of its own."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from recipediff.core.launch import Word
from recipediff.core.place import Place
from recipediff.core.setting import Json, Setting
from recipediff.parse.vllm.grammar.command_line import CommandLine
from recipediff.parse.vllm.grammar.parse import parse
from recipediff.parse.vllm.grammar.surface import load


def words(argv: Sequence[str]) -> list[Word]:
    """The n-th word stands in column n."""
    return [Word(text, Place(file="line", line=1, column=column)) for column, text in enumerate(argv, 1)]


def line(text: str, version: str = "0.32.0") -> CommandLine:
    """A line as a shell would split it, read by one version."""
    return parse(words(shlex.split(text)), load(version))


def value(text: str, field: str, version: str = "0.32.0") -> Json:
    """What a line that has to be accepted sets a field to; the field's default where the line changes nothing."""
    read = line(text, version)
    assert read.ok, read.error
    return read.values.get(field, "(as without)")


def setting(read: CommandLine, name: str) -> Setting:
    """The one setting of that name."""
    (found,) = [one for one in read.settings if one.name == name]
    return found


def messages(read: CommandLine) -> list[str]:
    """The texts of the notes."""
    return [note.message for note in read.notes]

"""A plain command line: a script, or a JSON list of its words."""

from __future__ import annotations

from collections.abc import Sequence

from bot.core.launch import Assignment, Invocation, Note, Select
from bot.core.place import Place, Problem, Unreadable
from bot.parse import json_text
from bot.parse.document import ScalarNode, SequenceNode, decode
from bot.parse.formats.shape import Reading, UpstreamFiles
from bot.parse.shell import server
from bot.parse.shell.expand import Field
from bot.parse.shell.lexer import Atom
from bot.parse.shell.run import Started, follow
from bot.parse.shell.source import Builder, Text, whole
from bot.parse.shell.template import MAX_CHARS

_AS_ARGUMENTS = "no program is named; the words are taken as the arguments of `vllm serve`"


class Command:
    """The format `command`: a file that holds one command line."""

    name = "command"

    def companions(self, path: str) -> tuple[str, ...]:
        """None."""
        return ()

    def read(self, files: UpstreamFiles, path: str, select: Select) -> Reading:
        """The servers that the file's command line starts. Never raises for bad input."""
        data = files.blobs.get(path)
        if data is None:
            return Reading((), (Problem("the file is not there", Place(path), "check the path"),))
        try:
            return read_text(decode(data, path), path)
        except Unreadable as error:
            return Reading((), (error.problem,))


def read_text(text: str, file: str) -> Reading:
    """The servers that a command line starts, or a JSON list of words. Never raises for bad input."""
    if len(text) > MAX_CHARS:
        message = f"the command has {len(text):,} characters, more than the {MAX_CHARS:,} that are read"
        return Reading((), (Problem(message, Place(file), "give one command line"),))
    if text.lstrip().startswith("["):
        return _listed(text, file)
    first = text.split(maxsplit=1)[:1]
    if first and first[0].startswith("-"):
        return _bare(text, file)
    outcome = follow(whole(text, file))
    if not outcome.started:
        return Reading((), tuple(outcome.problems))
    return Reading(tuple(_invocation(one, tuple(outcome.notes), tuple(outcome.problems)) for one in outcome.started))


def _invocation(one: Started, notes: tuple[Note, ...], problems: tuple[Problem, ...]) -> Invocation:
    return Invocation(
        "serve",
        one.argv,
        one.env,
        image=one.image,
        program=one.program,
        problems=(*problems, *one.problems),
        notes=(*notes, *one.notes),
    )


def _bare(text: str, file: str) -> Reading:
    """Arguments alone: read as if `vllm serve` stood before them."""
    plain = whole(text, file)
    out = Builder(plain.source)
    out.put("vllm serve ", 0, 0)
    out.take(plain, len(text) - len(text.lstrip()), len(text))
    outcome = follow(out.build())
    note = Note(_AS_ARGUMENTS, plain.place(0))
    if not outcome.started:
        return Reading((), tuple(outcome.problems))
    return Reading(tuple(_invocation(one, (note, *outcome.notes), tuple(outcome.problems)) for one in outcome.started))


def _listed(text: str, file: str) -> Reading:
    """`["vllm", "serve", …]`: words as they are, nothing expanded."""
    try:
        root = json_text.compose(text, file)
    except Unreadable as error:
        return Reading((), (error.problem,))
    if not isinstance(root, SequenceNode):
        return Reading((), (Problem("a list of words was expected", Place(file, 1, 1), 'write ["vllm", "serve", …]'),))
    for item in root.items:
        if not isinstance(item, ScalarNode) or not isinstance(item.value, str):
            return Reading((), (Problem("this is not a word in double quotes", item.place, "quote it"),))
    words = [item for item in root.items if isinstance(item, ScalarNode)]
    source = whole(text, file)
    fields = [_field(item, source) for item in words]
    found = server.locate(fields)
    if found is None:
        return _unnamed(fields, root.place)
    if found.script is not None:
        outcome = follow(found.script.script())
        return Reading(
            tuple(_invocation(one, tuple(outcome.notes), tuple(outcome.problems)) for one in outcome.started),
            tuple(outcome.problems) if not outcome.started else (),
        )
    return Reading((_found(found),))


def _found(found: server.Found) -> Invocation:
    argv, problems, notes = server.arguments(found)
    if found.wrapper:
        line = " ".join(word.text for word in found.wrapper)[:80]
        notes = [
            Note(f"the server is started through `{line}`, a difference of launch", found.wrapper[0].place),
            *notes,
        ]
    env = {name: Assignment(name, value, where.place) for name, value, where in found.env}
    return Invocation(
        "serve",
        argv,
        tuple(env.values()),
        image=found.image,
        program=found.program,
        problems=(*found.problems, *problems),
        notes=tuple(notes),
    )


def _unnamed(fields: Sequence[Field], place: Place) -> Reading:
    if (fields and fields[0].text.startswith("-")) or _is_model(fields):
        return Reading((Invocation("serve", tuple(one.word for one in fields), notes=(Note(_AS_ARGUMENTS, place),)),))
    return Reading((), (Problem("no `vllm serve` was found in this list", place, "name the program first"),))


def _is_model(fields: Sequence[Field]) -> bool:
    """Whether the first word reads as a model and not as a program: `org/name`, then options."""
    first = fields[0].text if fields else ""
    return (
        first.count("/") == 1 and not first.startswith(("/", ".")) and all(f.text.startswith("-") for f in fields[1:2])
    )


def _field(item: ScalarNode, source: Text) -> Field:
    start = source.source.offset(item.place.line, item.place.column)
    end = source.source.offset(item.place.end_line, item.place.end_column)
    return Field(item.text, (Atom("quoted", item.text, start, end, True),), source)


COMMAND = Command()

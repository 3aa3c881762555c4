"""A plain command line: a script, or a JSON list of its words."""

from __future__ import annotations

from collections.abc import Sequence

from recipediff.core.launch import Invocation, Note, Select
from recipediff.core.place import Place, Problem, Unreadable
from recipediff.parse.documents import json_text
from recipediff.parse.documents.document import ScalarNode, SequenceNode, decode
from recipediff.parse.formats.format import FormatReading, UpstreamFiles
from recipediff.parse.shell.expand import ExpandedWord
from recipediff.parse.shell.run import ShellOutcome, follow, follow_words
from recipediff.parse.shell.source import Builder, MappedText, whole
from recipediff.parse.shell.template import MAX_CHARS
from recipediff.parse.shell.tokens import Atom

_AS_ARGUMENTS = "no program is named; the words are taken as the arguments of `vllm serve`"


class CommandFormat:
    """The format `command`: a file that holds one command line."""

    name = "command"

    def companions(self, path: str) -> tuple[str, ...]:
        """None."""
        return ()

    def read(self, files: UpstreamFiles, path: str, select: Select) -> FormatReading:
        """The servers that the file's command line starts. Never raises for bad input."""
        data = files.blobs.get(path)
        if data is None:
            return FormatReading((), (Problem("the file is not there", Place(file=path), "check the path"),))
        try:
            return read_text(decode(data, path), path)
        except Unreadable as error:
            return FormatReading((), (error.problem,))


def read_text(text: str, file: str) -> FormatReading:
    """The servers that a command line starts, or a JSON list of words. Never raises for bad input."""
    if len(text) > MAX_CHARS:
        message = f"the command has {len(text):,} characters, more than the {MAX_CHARS:,} that are read"
        return FormatReading((), (Problem(message, Place(file=file), "give one command line"),))
    if text.lstrip().startswith("["):
        return _listed(text, file)
    first = text.split(maxsplit=1)[:1]
    if first and first[0].startswith("-"):
        return _bare(text, file)
    return _reading(follow(whole(text, file)))


def _reading(outcome: ShellOutcome, *before: Note) -> FormatReading:
    if not outcome.started:
        return FormatReading((), tuple(outcome.problems))
    return FormatReading(
        tuple(
            Invocation(
                role="serve",
                argv=one.argv,
                env=one.env,
                image=one.image,
                program=one.program,
                problems=(*outcome.problems, *one.problems),
                notes=(*before, *outcome.notes, *one.notes),
            )
            for one in outcome.started
        )
    )


def _bare(text: str, file: str) -> FormatReading:
    """Arguments alone: read as if `vllm serve` stood before them."""
    plain = whole(text, file)
    out = Builder(plain.source)
    out.put("vllm serve ", 0, 0)
    out.take(plain, len(text) - len(text.lstrip()), len(text))
    return _reading(follow(out.build()), Note(_AS_ARGUMENTS, plain.place(0)))


def _listed(text: str, file: str) -> FormatReading:
    """`["vllm", "serve", …]`: words as they are, nothing expanded."""
    try:
        root = json_text.compose(text, file)
    except Unreadable as error:
        if text.lstrip().startswith(("[ ", "[[")):  # a shell's test
            return _reading(follow(whole(text, file)))
        return FormatReading((), (error.problem,))
    if not isinstance(root, SequenceNode):
        return FormatReading(
            (),
            (
                Problem(
                    "a list of words was expected", Place(file=file, line=1, column=1), 'write ["vllm", "serve", …]'
                ),
            ),
        )
    for item in root.items:
        if not isinstance(item, ScalarNode) or not isinstance(item.value, str):
            return FormatReading((), (Problem("this is not a word in double quotes", item.place, "quote it"),))
    words = [item for item in root.items if isinstance(item, ScalarNode)]
    source = whole(text, file)
    fields = [_field(item, source) for item in words]
    if _arguments_alone(fields):
        argv = tuple(one.word for one in fields)
        return FormatReading((Invocation(role="serve", argv=argv, notes=(Note(_AS_ARGUMENTS, root.place),)),))
    return _reading(follow_words(fields, source))


def _arguments_alone(fields: Sequence[ExpandedWord]) -> bool:
    """Whether the list starts with an option, or with `org/name` and then an option, so that it names no program."""
    if not fields or fields[0].text.startswith("-"):
        return bool(fields)
    first, second = fields[0].text, fields[1].text if len(fields) > 1 else "-"
    return first.count("/") == 1 and not first.startswith(("/", ".")) and second.startswith("-")


def _field(item: ScalarNode, source: MappedText) -> ExpandedWord:
    start = source.source.offset(item.place.line, item.place.column)
    end = source.source.offset(item.place.end_line, item.place.end_column)
    return ExpandedWord(text=item.text, atoms=(Atom("quoted", item.text, start, end, True),), source=source)


COMMAND = CommandFormat()

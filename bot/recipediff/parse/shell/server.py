"""Where in a command's fields the server is: `vllm serve`, its module, a wrapper, or a script handed to a shell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from recipediff.core.launch import Note, Word
from recipediff.core.place import Problem
from recipediff.parse.shell.expand import ExpandedWord
from recipediff.parse.shell.programs import CONTAINERS, MENTION, ONE_WORD, OTHER_ENGINES, SHELLS, TRANSPARENT
from recipediff.parse.shell.tokens import Atom

_MODULES = re.compile(r"vllm\.entrypoints\.(?:openai\.api_server|cli\.main)|vllm")
_NAMED = re.compile(r"([A-Za-z_][A-Za-z_0-9]*)=(.*)", re.DOTALL)


@dataclass(slots=True, kw_only=True)
class FoundServer:
    """A server: its program, the words after it, and what stood before it on the line."""

    program: tuple[str, ...]
    args: Sequence[ExpandedWord]
    wrapper: Sequence[ExpandedWord] = ()
    env: list[tuple[str, str | None, ExpandedWord]] = field(default_factory=list)
    unset: list[str] = field(default_factory=list)
    cleared: bool = False
    script: ExpandedWord | None = None
    """A script that a shell is handed (`bash -c '…'`), in which the server has to be looked for."""
    module: bool = False
    image: Word | None = None
    problems: list[Problem] = field(default_factory=list)


def base(field_: ExpandedWord) -> str:
    """A program's name without its folder."""
    return field_.text.rsplit("/", 1)[-1]


def locate(fields: Sequence[ExpandedWord]) -> FoundServer | None:
    """The server that these fields start, if they start one."""
    from recipediff.parse.shell import container

    at = _step_over(fields)
    if at >= len(fields) or (base(fields[at]) in MENTION and at + 1 < len(fields)):
        return None
    if fields[at].text == "eval":
        known = at + 1 < len(fields) and not any(one.unknown for one in fields[at:])
        return FoundServer(program=("eval",), args=(), script=_joined(fields[at + 1 :])) if known else None
    if base(fields[at]) in CONTAINERS:
        return container.locate(fields[at:])
    for index in range(at, len(fields)):
        found = _server_at(fields, index)
        if found:
            _wrapped(found, fields[at:index])
            return found
    if at + 1 < len(fields) and fields[at + 1].text == "serve" and base(fields[at]) not in OTHER_ENGINES:
        return FoundServer(program=(fields[at].text, "serve"), args=fields[at + 2 :], wrapper=fields[at : at + 1])
    return None


def _joined(fields: Sequence[ExpandedWord]) -> ExpandedWord:
    """The words of `eval`, which reads them once more as one text."""
    atoms = list(fields[0].atoms)
    for one in fields[1:]:
        atoms += [Atom("quoted", " ", max(0, atoms[-1].end - 1), atoms[-1].end), *one.atoms]
    return ExpandedWord(text="".join(atom.chars for atom in atoms), atoms=tuple(atoms), source=fields[0].source)


def _step_over(fields: Sequence[ExpandedWord]) -> int:
    """The index after `exec` and the like, which start what follows in their own place."""
    at = 0
    while at < len(fields) and (fields[at].text in TRANSPARENT or _sudo_container(fields, at)):
        at += 1
        while at < len(fields) and re.fullmatch(r"-[A-Za-z]+", fields[at].text):
            at += 2 if fields[at - 1].text == "exec" and fields[at].text.endswith("a") else 1
    return at


def _sudo_container(fields: Sequence[ExpandedWord], at: int) -> bool:
    """`sudo docker …`: what the container gets does not depend on who starts it."""
    if base(fields[at]) != "sudo":
        return False
    after = next((one for one in fields[at + 1 :] if not one.text.startswith("-")), None)
    return after is not None and base(after) in CONTAINERS


def _server_at(fields: Sequence[ExpandedWord], index: int) -> FoundServer | None:
    name = base(fields[index])
    after = fields[index + 1].text if index + 1 < len(fields) else ""
    if name == "vllm" and after == "serve":
        return FoundServer(program=("vllm", "serve"), args=fields[index + 2 :])
    if name.startswith("python") or name == "torchrun":
        return _module(fields, index)
    if name in SHELLS:
        for at in range(index + 1, len(fields)):
            option = fields[at].text
            if not option.startswith("-"):
                return None
            if re.fullmatch(r"-[a-zA-Z]*c[a-zA-Z]*", option) and at + 1 < len(fields):
                return FoundServer(program=(name, option), args=fields[at + 2 :], script=fields[at + 1])
    return None


def _module(fields: Sequence[ExpandedWord], index: int) -> FoundServer | None:
    for at in range(index + 1, min(index + 8, len(fields) - 1)):
        name = fields[at + 1].text
        if fields[at].text == "-m" and _MODULES.fullmatch(name):
            rest = fields[at + 2 :]
            if name.endswith("api_server"):
                return FoundServer(program=(base(fields[index]), "-m", name), args=rest, module=True)
            return FoundServer(program=("vllm", "serve"), args=rest[1:]) if rest and rest[0].text == "serve" else None
    return None


def _wrapped(found: FoundServer, before: Sequence[ExpandedWord]) -> None:
    """Take in what stands before the server: `env`'s assignments, and the wrapper."""
    names, rest, at = False, [], 0
    while at < len(before):
        word = before[at]
        named = _NAMED.fullmatch(word.text) if names else None
        if named:
            found.env.append((named[1], None if word.unknown else named[2], word))
        elif base(word) == "env":
            names = True
        elif names and word.text in ("-i", "-", "--ignore-environment"):
            found.cleared = True
        elif names and word.text in ("-u", "--unset") and at + 1 < len(before):
            at += 1
            found.unset.append(before[at].text)
        elif names and word.text.startswith("-") and word.text != "--":
            hint = "write the variables before the command"
            found.problems.append(Problem(f"env's option {word.text[:40]} is not understood", word.place, hint))
        elif not (names and word.text == "--"):
            names = False
            rest.append(word)
            if word.unknown:
                message = f"what {word.text[:60]} stands for before the server is only known to the shell"
                found.problems.append(Problem(message, word.place, "write it out"))
        at += 1
    found.wrapper = rest


def arguments(found: FoundServer) -> tuple[tuple[Word, ...], list[Problem], list[Note]]:
    """The words after the server, as `vllm serve` would get them, and what a shell alone knows about them."""
    problems: list[Problem] = []
    notes: list[Note] = []
    for index, one in enumerate(found.args):
        if one.unknown:
            before = found.args[index - 1].text if index else ""
            _unknown(one, before, index == 0, problems, notes)
        if one.pattern:
            notes.append(Note(f"{_short(one.text)} is a file pattern that is not quoted; taken as written", one.place))
        if one.home:
            notes.append(Note(f"~ in {_short(one.text)} depends on who launches; taken as written", one.place))
    words = tuple(one.word for one in found.args)
    return (_model_first(words) if found.module else words), problems[:20], notes[:20]


def _unknown(one: ExpandedWord, before: str, first: bool, problems: list[Problem], notes: list[Note]) -> None:
    raw = ", ".join(_short(text) for text in (one.computed or one.unknown)[:3])
    if one.computed:
        message = f"the result of {raw} is only known to a shell"
        problems.append(Problem(message, one.place, "write the value, or quote it where it is meant as written"))
    elif one.loose and before not in ONE_WORD:
        message = f"{raw} is not set in this text; it may stand for any number of words"
        problems.append(Problem(message, one.place, "write the words, or quote it if it is one value"))
    elif first and not one.text.startswith("-"):
        problems.append(
            Problem(f"{raw} is not set in this text, so the model is not known", one.place, "write the model")
        )
    elif one.text.startswith("$") and (not before.startswith("-") or "=" in before):
        message = f"{raw} is not set in this text; it may stand for an option"
        problems.append(Problem(message, one.place, "write the words"))
    else:
        notes.append(Note(f"{raw} is not set in this text; its name is kept as the value", one.place))


def _model_first(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The module takes its model by `--model`; `vllm serve` takes it as the first word."""
    model: Word | None = None
    rest: list[Word] = []
    at = 0
    while at < len(words):
        word = words[at]
        if word.text == "--model" and at + 1 < len(words):
            at += 1
            model = words[at]
        elif word.text.startswith("--model="):
            model = Word(word.text.partition("=")[2], word.place)
        else:
            rest.append(word)
        at += 1
    return (model, *rest) if model else tuple(rest)


def _short(text: str) -> str:
    text = text.replace("\n", " ")
    return text if len(text) <= 60 else text[:59] + "…"

"""`docker run … IMAGE …` and `docker exec … NAME …`: the environment, the image and the command inside."""

from __future__ import annotations

import re
from collections.abc import Sequence

from recipediff.core.place import Problem
from recipediff.parse.shell.expand import ExpandedWord
from recipediff.parse.shell.programs import CONTAINER_SWITCHES
from recipediff.parse.shell.server import FoundServer
from recipediff.parse.shell.server import locate as locate_inside

_SHORT_SWITCHES = frozenset("ditPq")
_SERVES = re.compile(r"(?:.*/)?vllm-openai(?:-[a-z0-9]+)?(?:[:@].*)?")
"""Images whose entrypoint is the server (the official image and its platform builds)."""


def locate(fields: Sequence[ExpandedWord]) -> FoundServer | None:
    """The server in a container's command line; `fields` start with the program."""
    at = 1
    if at < len(fields) and fields[at].text == "container":
        at += 1
    verb = fields[at].text if at < len(fields) else ""
    if verb not in ("run", "exec", "create"):
        return None
    options = FoundServer(program=(), args=())
    at, entrypoint = _options(fields, at + 1, options)
    if at >= len(fields):
        return None
    name, inside = fields[at], fields[at + 1 :]
    if entrypoint is not None:
        inside = [entrypoint, *inside] if entrypoint.text else inside
    found = _inside(name, inside, verb, entrypoint is not None)
    if found is None:
        return None
    # What the image is told comes first; what `env` and the command set inside wins over it.
    found.env = options.env + found.env
    found.cleared = True  # a container does not inherit the environment of who starts it
    found.problems = options.problems + found.problems
    found.image = name.word if verb != "exec" else None
    if name.unknown:
        found.image = None
    return found


def _inside(image: ExpandedWord, inside: Sequence[ExpandedWord], verb: str, replaced: bool) -> FoundServer | None:
    started = locate_inside(inside) if inside else None
    serves = verb != "exec" and not replaced and _SERVES.fullmatch(image.text) is not None
    if not serves:
        return started
    found = FoundServer(program=("vllm", "serve"), args=inside)
    if started is not None:
        message = "this image's entrypoint is the server already, so this command would be read as its arguments"
        found.problems.append(Problem(message, inside[0].place, "give the arguments alone, or set --entrypoint"))
    return found


def _options(fields: Sequence[ExpandedWord], at: int, found: FoundServer) -> tuple[int, ExpandedWord | None]:
    """Step over the options; gather the environment. The index of the image or name, and the entrypoint if given."""
    entrypoint: ExpandedWord | None = None
    while at < len(fields) and fields[at].text.startswith("-") and fields[at].text != "-":
        holder = fields[at]
        at += 1
        if holder.text == "--":
            break
        option, value = _option(holder.text)
        if option and value is None:
            if at >= len(fields):
                break
            holder, value = fields[at], fields[at].text
            at += 1
        if option in ("-e", "--env") and value is not None:
            name, equal, text = value.partition("=")
            found.env.append((name, text if equal and not holder.unknown else None, holder))
        elif option == "--env-file":
            message = "what stands in this file of variables is not known here"
            found.problems.append(Problem(message, holder.place, "give the variables with --env"))
        elif option == "--entrypoint" and value is not None:
            entrypoint = ExpandedWord(text=value, atoms=holder.atoms, source=holder.source, unknown=holder.unknown)
    return at, entrypoint


def _option(text: str) -> tuple[str, str | None]:
    """An option that takes a value, and the value where it is joined to it; nothing for switches."""
    if text.startswith("--"):
        option, equals, value = text.partition("=")
        return ("", None) if option in CONTAINER_SWITCHES else (option, value if equals else None)
    letters = text[1:].lstrip("".join(_SHORT_SWITCHES))
    return (f"-{letters[0]}", letters[1:].removeprefix("=") or None) if letters else ("", None)

"""Chat commands: `@recipediff recheck`, `explain RULE`, `help`, for people who may write. For everybody else nothing happens."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from recipediff.core.rules import RULES
from recipediff.ports.forge import Home
from recipediff.reports.escape import code
from recipediff.reports.pages import page

_RULES_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Said:
    """A comment that is addressed to the bot. `text` is its first line."""

    number: int
    comment: int
    user: str
    text: str


@dataclass(frozen=True, slots=True)
class ChatCommand:
    """What a comment asks for. `unknown` keeps the word that nobody knows."""

    name: Literal["recheck", "explain", "help", "unknown"]
    argument: str = ""


@dataclass(frozen=True, slots=True)
class Obeyed:
    """What came of it. `recheck`: the pull request is to be reviewed again."""

    done: str
    recheck: bool = False


def parse(text: str) -> ChatCommand:
    """The command in a line that begins with the bot's name."""
    _, *words = text.split()
    if not words:
        return ChatCommand("help")
    name, rest = words[0].lower().rstrip(".!,:"), " ".join(words[1:])
    if name in ("recheck", "explain", "help"):
        return ChatCommand(name, rest)  # type: ignore[arg-type]
    return ChatCommand("unknown", words[0])


async def obey(home: Home, said: Said, author: str) -> Obeyed:
    """Do what `said` asks. Doing it twice changes nothing: an answer carries the comment's id, and reactions do not add up.

    `author` is the account that the bot writes under. The reaction comes last: it is the receipt.
    """
    if await home.access.permission(said.user) not in ("admin", "write"):
        return Obeyed("not allowed")
    command = parse(said.text)
    if command.name == "recheck":
        await home.comments.react(said.comment, "+1")
        return Obeyed("recheck", recheck=True)
    await _answer(home, said, author, _words(command, "@" + author.removesuffix("[bot]")))
    await home.comments.react(said.comment, "confused" if command.name == "unknown" else "+1")
    return Obeyed(command.name)


async def _answer(home: Home, said: Said, author: str, text: str) -> None:
    marker = f"<!-- recipediff:answer:{said.comment} -->"
    if await home.comments.find(said.number, marker, author) is None:
        await home.comments.create(said.number, f"{marker}\n{text}")


def _words(command: ChatCommand, name: str) -> str:
    if command.name == "explain":
        return explain(command.argument, name)
    if command.name == "unknown":
        return f"There is no command {code(command.argument, 40)}.\n\n{_help(name)}"
    return _help(name)


def explain(wanted: str, name: str) -> str:
    """A rule's page; where there is no such rule, those that look like it."""
    rule = re.sub(r"[\s_]+", "-", wanted.strip().strip("`\"'").lower()).strip(".-")
    if rule in RULES:
        return page(rule)
    if not rule:
        listed = ", ".join(code(known) for known in list(RULES)[:_RULES_SHOWN])
        return f"Which rule? `{name} explain RULE`, with one of {listed}."
    close = get_close_matches(rule[:60], RULES, 3)
    hint = f" Did you mean {' or '.join(code(known) for known in close)}?" if close else ""
    return f"There is no rule {code(wanted, 40)}.{hint} `{name} explain` lists them all."


def _help(name: str) -> str:
    return (
        "| comment | what happens |\n|---|---|\n"
        f"| `{name} recheck` | the pull request is compared with upstream again |\n"
        f"| `{name} explain RULE` | what a rule means, with an example |\n"
        f"| `{name} help` | this list |\n\n"
        "People with write permission are heard.\n"
    )

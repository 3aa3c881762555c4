"""Tokens to simple commands, in the order of the text, with what joins them. Control structures are not followed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from recipediff.core.place import Problem
from recipediff.parse.shell.programs import CONTROL
from recipediff.parse.shell.tokens import Atom, Lexed, ShellToken

_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z_0-9]*)(\+?)=")
_ARITHMETIC = re.compile(r"\b([A-Za-z_]\w*)\s*(?:(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--)|(?:\+\+|--)\s*([A-Za-z_]\w*)")
_JOINERS = frozenset({"\n", ";", "&", "&&", "||", "|", "|&", ";;", ";&", ";;&"})


class Assigned(NamedTuple):
    """`NAME=value` or `NAME+=value`, before any expansion; `items` where the value is an array's."""

    name: str
    atoms: tuple[Atom, ...]
    start: int
    end: int
    append: bool = False
    items: tuple[ShellToken, ...] | None = None


@dataclass(slots=True, kw_only=True)
class SimpleCommand:
    """One simple command. `before` and `after` are the operators that join it to its neighbours."""

    before: str
    sequence: int
    """The number of its and-or list: commands joined by `&&`, `||` and pipes have the same."""
    assignments: list[Assigned] = field(default_factory=list)
    words: list[ShellToken] = field(default_factory=list)
    redirections: list[tuple[ShellToken, ShellToken | None]] = field(default_factory=list)
    after: str = ""

    @property
    def empty(self) -> bool:
        """True where nothing of it is written."""
        return not (self.assignments or self.words or self.redirections)

    @property
    def start(self) -> int:
        """The index at which it starts."""
        starts = [a.start for a in self.assignments] + [w.start for w in self.words]
        return min(starts + [op.start for op, _ in self.redirections])

    @property
    def piped(self) -> bool:
        """Whether it runs in a shell of its own: part of a pipeline, or in the background."""
        return self.before in ("|", "|&") or self.after in ("|", "|&", "&")


class Subshell(NamedTuple):
    """`(` or `)`."""

    op: str


ShellStep = SimpleCommand | Subshell


def parse(lexed: Lexed) -> tuple[list[ShellStep], list[Problem]]:
    """The steps of the text, and what in it cannot be followed."""
    parser = _Parser(lexed)
    parser.run()
    return parser.steps, parser.problems


def bare(token: ShellToken) -> str:
    """The token's text where nothing in it is quoted or expanded, else nothing."""
    return "".join(a.chars for a in token.atoms) if all(a.kind == "bare" for a in token.atoms) else ""


def set_by_arithmetic(text: str) -> tuple[str, ...]:
    """The names that the arithmetic `text` sets."""
    return tuple(dict.fromkeys(name for found in _ARITHMETIC.findall(text) for name in found if name))


def assigned(token: ShellToken) -> Assigned | None:
    """The assignment that a word is, if it is one."""
    head, count = "", 0
    for atom in token.atoms:
        if atom.kind != "bare" or len(head) > 200:
            break
        head += atom.chars
        count += 1
        if "=" in atom.chars:
            break
    match = _ASSIGNMENT.match(head)
    if match is None:
        return None
    rest = list(token.atoms[count:])
    if match.end() < len(head):
        last = token.atoms[count - 1]
        left = len(head) - match.end()
        rest.insert(0, last._replace(chars=last.chars[-left:], start=last.end - left))
    return Assigned(match[1], tuple(rest), token.start, token.end, bool(match[2]))


class _Parser:
    def __init__(self, lexed: Lexed) -> None:
        self.text, self.tokens = lexed.text, lexed.tokens
        self.steps: list[ShellStep] = []
        self.problems: list[Problem] = []
        self.sequence = 0
        self.now = SimpleCommand(before="", sequence=0)
        self.depth = 0
        self.control = False

    def run(self) -> None:
        at = 0
        while at < len(self.tokens):
            token = self.tokens[at]
            if not token.op:
                at = self._word(at)
            elif token.op in _JOINERS:
                self._end(token.op)
                at += 1
            elif token.op in "()":
                at = self._paren(at)
            else:
                target = self.tokens[at + 1] if at + 1 < len(self.tokens) else None
                if target is None or target.op:
                    self._problem("this redirection names no target", token, "name a file after it")
                    target = None
                self.now.redirections.append((token, target))
                at += 1 if target is None else 2
        self._end("")
        if self.depth:
            self._problem("this bracket is not closed", self.tokens[-1], "close the ( above")

    def _word(self, at: int) -> int:
        token, now = self.tokens[at], self.now
        if not now.words:
            word = bare(token)
            if word in CONTROL:
                if not self.control:
                    hint = "write the launch as plain commands; which branch runs is not known here"
                    self._problem(f"`{word}`: control structures are not followed", token, hint)
                self.control = True
                return at + 1
            if word in ("{", "}", "!", "time") and not now.assignments:
                return at + 1
            if word == "[[":
                return self._test(at)
            found = assigned(token)
            if found and not found.atoms and self._follows(at, "("):
                return self._array(at, found)
            if found:
                now.assignments.append(found)
                return at + 1
        now.words.append(token)
        return at + 1

    def _follows(self, at: int, op: str) -> bool:
        after = self.tokens[at + 1] if at + 1 < len(self.tokens) else None
        return after is not None and after.op == op and after.start == self.tokens[at].end

    def _array(self, at: int, found: Assigned) -> int:
        items: list[ShellToken] = []
        end = at + 2
        while end < len(self.tokens) and self.tokens[end].op != ")":
            token = self.tokens[end]
            if token.op not in ("", "\n"):
                self._problem("this does not belong in an array", token, "quote it")
            if not token.op:
                items.append(token)
            end += 1
        if end >= len(self.tokens):
            self._problem("this array is not closed", self.tokens[at], "close it with )")
        self.now.assignments.append(found._replace(items=tuple(items)))
        return end + 1

    def _test(self, at: int) -> int:
        """`[[ … ]]` is one command whatever stands inside."""
        while at < len(self.tokens):
            token = self.tokens[at]
            self.now.words.append(token)
            at += 1
            if bare(token) == "]]" or token.op == "\n":
                break
        return at

    def _arithmetic(self, at: int) -> int:
        """`((…))` is one command. What it sets is only known to a shell, as with `let`."""
        start, end = self.tokens[at].start, at + 2
        while end < len(self.tokens) and not (self.tokens[end - 1].op == ")" and self._follows(end - 1, ")")):
            end += 1
        stop = self.tokens[min(end, len(self.tokens) - 1)].end
        if end >= len(self.tokens):
            self._problem("this arithmetic is not closed", self.tokens[at], "close it with ))")
        names = set_by_arithmetic(self.text.chars[start:stop])
        words = ["let", *names] if names else [":"]
        self.now.words = [ShellToken("", (Atom("quoted", word, start, stop, True),), start, stop) for word in words]
        return end + 1

    def _paren(self, at: int) -> int:
        token = self.tokens[at]
        if token.op == "(" and self._follows(at, "(") and not (self.now.words or self.now.assignments):
            return self._arithmetic(at)
        if token.op == "(":
            if self.now.words or self.now.assignments:
                self._problem("a bracket stands here that a shell does not understand", token, "quote it")
            self.depth += 1
            before = self.now.before
            self.steps.append(Subshell("("))
            self.now = SimpleCommand(before=before, sequence=self.sequence)
        else:
            self._end("")
            if not self.depth:
                self._problem("this bracket closes nothing", token, "take it out, or quote it")
            else:
                self.depth -= 1
                self.steps.append(Subshell(")"))
        return at + 1

    def _end(self, op: str) -> None:
        self.now.after = op
        if not self.now.empty:
            self.steps.append(self.now)
        elif op == "\n" and self.now.before in ("&&", "||", "|", "|&"):
            return  # a line break after && does not end the list
        if op not in ("&&", "||", "|", "|&"):
            self.sequence += 1
        self.now = SimpleCommand(before=op, sequence=self.sequence)

    def _problem(self, message: str, token: ShellToken, hint: str) -> None:
        if len(self.problems) < 20:
            self.problems.append(Problem(message, self.text.place(token.start, token.end), hint))

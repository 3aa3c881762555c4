"""What a command text starts, without starting it: bash's rules for sequence, environment and words, followed on paper."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from recipediff.core.launch import Assignment, Note, Word
from recipediff.core.place import Problem
from recipediff.parse.shell import programs, server
from recipediff.parse.shell.commands import ShellStep, SimpleCommand, Subshell, parse
from recipediff.parse.shell.expand import ExpandedWord, TooMany
from recipediff.parse.shell.lexer import lex
from recipediff.parse.shell.source import MappedText
from recipediff.parse.shell.state import ShellState
from recipediff.parse.shell.tokens import Lexed, ShellComment, ShellToken

MAX_SCRIPTS = 4
_ACTIVATE = re.compile(r"(?:.*/)?activate(?:\.sh)?|(?:.*/)?conda\.sh")
_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_LOST = re.compile(r"-|[{\[\"']|[0-9.]+$")


@dataclass(slots=True, kw_only=True)
class Started:
    """One server that the text starts."""

    program: tuple[str, ...]
    argv: tuple[Word, ...]
    env: tuple[Assignment, ...]
    image: Word | None
    notes: list[Note] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


@dataclass(slots=True)
class ShellOutcome:
    """Every server, and what was noticed or not understood in the text as a whole."""

    started: list[Started]
    notes: list[Note]
    problems: list[Problem]


def follow(text: MappedText, env: Iterable[Assignment] = ()) -> ShellOutcome:
    """What `text` starts when `env` is exported before it. Never raises."""
    runner = _Runner(text, ShellState.of(env), 0)
    runner.run()
    return _settled(runner)


def follow_words(words: Sequence[ExpandedWord], text: MappedText) -> ShellOutcome:
    """What a program called with these words starts; nothing in them is expanded again."""
    runner = _Runner(text, ShellState(), 0)
    tokens = [ShellToken("", one.atoms, one.atoms[0].start, one.atoms[-1].end) for one in words]
    runner.walk([SimpleCommand(before="", sequence=0, words=tokens)], Lexed(text=text))
    return _settled(runner)


def _settled(runner: _Runner) -> ShellOutcome:
    out, text = runner.outcome, runner.text
    out.notes.extend(runner.state.notes)
    out.problems.extend(runner.state.problems)
    if len(out.started) > 1:
        second = out.started[1].argv[0].place if out.started[1].argv else text.place(0, len(text))
        hint = "keep one server in a file, or compare each by itself"
        out.problems.append(Problem(f"{len(out.started)} servers are started here", second, hint))
    if not out.started and not out.problems:
        what = f"; it starts {runner.other}" if runner.other else ""
        place = text.place(0, len(text))
        out.problems.append(Problem(f"no `vllm serve` was found{what}", place, "check the command"))
    out.problems = sorted(dict.fromkeys(out.problems), key=lambda problem: problem.place)[:50]
    out.notes = list(dict.fromkeys(out.notes))[:50]
    return out


class _Runner:
    def __init__(self, text: MappedText, state: ShellState, depth: int) -> None:
        self.text, self.state, self.depth = text, state, depth
        self.outcome = ShellOutcome([], [], [])
        self.stack: list[ShellState] = []
        self.conditional: list[tuple[int, bool, Problem]] = []
        self.sequence, self.certain, self.either = -1, True, False
        self.servers: set[int] = set()
        self.ended: SimpleCommand | None = None
        self.other = ""

    def run(self) -> None:
        lexed = lex(self.text)
        steps, problems = parse(lexed)
        self.outcome.notes.extend(lexed.notes)
        self.outcome.problems.extend([*lexed.problems, *problems])
        self.walk(steps, lexed)

    def walk(self, steps: Sequence[ShellStep], lexed: Lexed) -> None:
        """Follow the steps in their order."""
        try:
            for step in steps:
                self._step(step, lexed)
        except TooMany:
            place = self.text.place(0, len(self.text))
            self.outcome.problems.append(Problem("its words expand to more than is read", place, "write it shorter"))
        for sequence, either, problem in self.conditional:
            if either or sequence not in self.servers:
                self.outcome.problems.append(problem)

    def _step(self, step: ShellStep, lexed: Lexed) -> None:
        if isinstance(step, Subshell):
            if step.op == "(":
                self.stack.append(self.state)
                self.state = self.state.copy()
            elif self.stack:
                self.state = self.stack.pop()
            return
        if step.sequence != self.sequence:
            self.sequence, self.certain, self.either = step.sequence, True, False
        self.either = self.either or step.before == "||"
        fields = self.state.fields(step.words, self.text)
        if (not step.words and step.assignments) or (fields and fields[0].text in programs.DECLARE):
            self._assign(step)
        elif fields:
            self._command(step, fields, lexed)
            self.certain = False

    def _changes(self, step: SimpleCommand) -> None:
        """A change of the environment counts only if it is certain to be made."""
        if self.servers or (self.certain and not self.either):
            return
        place = self.text.place(step.start)
        message = "whether this is set depends on another command"
        self.conditional.append((step.sequence, self.either, Problem(message, place, "set it unconditionally")))

    def _assign(self, step: SimpleCommand) -> None:
        """Assignments and declarations; those of a pipeline or in the background are lost with their shell."""
        self._changes(step)
        state = self.state.copy() if step.piped else self.state
        if step.words:
            state.declare(step, self.text)
        for one in step.assignments:
            state.assign(one, self.text)

    def _command(self, step: SimpleCommand, fields: list[ExpandedWord], lexed: Lexed) -> None:
        verb = fields[0].text
        found = server.locate(fields)
        if found is not None and (found.script is None or self._script(found, step)):
            if found.script is None:
                self._server(found, step, lexed)
            self.ended = step
            self.servers.add(step.sequence)
        elif self.ended is not None:
            self._after(step, fields, lexed)
        elif verb in programs.SETTERS or (verb == "printf" and any(one.text == "-v" for one in fields[1:])):
            self._covers(step, fields)
        elif verb in programs.UNFOLLOWED:
            self._itself(fields)
        elif verb == "unset":
            for one in fields[1:]:
                self.state.forget(one.text)
        elif verb in ("set", "shift"):
            self.state.switch([one.text for one in fields])
        elif verb not in programs.QUIET:
            self._before(fields)

    def _covers(self, step: SimpleCommand, fields: list[ExpandedWord]) -> None:
        """`read NAME` and its like; in a pipeline the name is set in a shell of its own."""
        for one in fields[1:] if not step.piped else ():
            if name := _NAME.match(one.text):
                self.state.cover(name[0], one.place)

    def _itself(self, fields: list[ExpandedWord]) -> None:
        verb, what = fields[0].text, fields[1].text if len(fields) > 1 else ""
        if verb in ("source", ".") and _ACTIVATE.fullmatch(what):
            self._note(f"{verb} {what[:60]}: an environment is activated; what else it sets is not known", fields[0])
        else:
            message = f"what `{verb} {what[:40]}` changes is not known here"
            self.outcome.problems.append(Problem(message, fields[0].place, "write what it does in its place"))

    def _before(self, fields: list[ExpandedWord]) -> None:
        line = " ".join(one.text for one in fields[:4])[:60]
        self.other = self.other or f"`{line}`"
        self._note(f"`{line}` runs before the server; what it does is not compared", fields[0])

    def _after(self, step: SimpleCommand, fields: list[ExpandedWord], lexed: Lexed) -> None:
        first = fields[0]
        if not _LOST.match(first.text) or first.unknown:
            line = " ".join(one.text for one in fields[:4])[:60]
            self._note(f"`{line}` follows the server's command; what it does is not compared", first)
            return
        message, hint = (
            f"{first.text[:60]} never reaches the server: its command ended above",
            "end each line but the last with a backslash",
        )
        comment = self._comment(lexed.comments, step)
        if comment is not None:
            row = self.text.place(comment.start).line
            message = f"{first.text[:60]} never reaches the server: the comment in line {row} ends the command"
            hint = f"move the comment of line {row} above the command"
        self.outcome.problems.append(Problem(message, first.place, hint))

    def _comment(self, comments: list[ShellComment], step: SimpleCommand) -> ShellComment | None:
        ended = self.ended.start if self.ended else 0
        inside = [c for c in comments if c.inside and ended < c.start < step.start]
        return inside[-1] if inside else None

    def _note(self, message: str, where: ExpandedWord) -> None:
        if len(self.outcome.notes) < 50:
            self.outcome.notes.append(Note(message, where.place))

    def _script(self, found: server.FoundServer, step: SimpleCommand) -> bool:
        """Follow `bash -c '…'`. Whether a server was found in it."""
        script = found.script
        if script is None:
            return False
        if script.unknown or self.depth >= MAX_SCRIPTS:
            message = (
                "a part of this script is only known to the shell"
                if script.unknown
                else "scripts are nested too deeply"
            )
            self.outcome.problems.append(Problem(message, script.place, "write the command itself"))
            return True
        env = self._environment(found, step)
        state = ShellState.of(env, self.state.extended)
        if found.program == ("eval",):
            state = self.state.inside(env)
        elif found.args:
            state.hide_positions()
        inner = _Runner(script.script(), state, self.depth + 1)
        inner.run()
        quiet = not inner.outcome.started and not inner.outcome.problems
        self.outcome.problems.extend([*inner.outcome.problems, *inner.state.problems])
        self.outcome.notes.extend([*inner.outcome.notes, *inner.state.notes])
        if found.image:
            inner.outcome.started = [replace(one, image=found.image) for one in inner.outcome.started]
        for one in inner.outcome.started:
            one.notes.insert(0, Note(f"started through `{' '.join(found.program)} '…'`", script.place))
            self._launch(one, found, step)
        self.other = self.other or inner.other
        return not quiet

    def _server(self, found: server.FoundServer, step: SimpleCommand, lexed: Lexed) -> None:
        argv, problems, notes = server.arguments(found)
        env = tuple(self._environment(found, step))
        self._launch(
            Started(program=found.program, argv=argv, env=env, image=found.image, notes=notes, problems=problems),
            found,
            step,
        )

    def _launch(self, one: Started, found: server.FoundServer, step: SimpleCommand) -> None:
        one.problems.extend(found.problems)
        if found.wrapper:
            line = " ".join(word.text for word in found.wrapper)[:80]
            one.notes.insert(
                0, Note(f"the server is started through `{line}`, a difference of launch", found.wrapper[0].place)
            )
        if found.module:
            one.notes.append(
                Note(
                    f"started as {' '.join(found.program)}; the model is taken from --model",
                    self.text.place(step.start),
                )
            )
        for op, target in step.redirections[:5]:
            aim = self.text.chars[target.start : target.end][:40] if target else ""
            one.notes.append(Note(f"redirected: {op.op} {aim}", self.text.place(op.start, op.end)))
        if step.before == "||":
            message = "this server starts only if the command before fails"
            one.problems.append(Problem(message, self.text.place(step.start), "write the launch by itself"))
        self.outcome.started.append(one)

    def _environment(self, found: server.FoundServer, step: SimpleCommand) -> list[Assignment]:
        """What the server inherits: exports, then `NAME=value` before the command, then what `env` sets."""
        env: dict[str, Assignment] = {} if found.cleared else dict(self.state.exported)
        prefix = self.state.copy()
        for one in step.assignments:
            value, place = prefix.value(one, self.text)
            prefix.variables[one.name] = value
            if not found.cleared:
                env[one.name] = Assignment(one.name, value, place)
        for name in found.unset:
            env.pop(name, None)
        if env and any(server.base(word) in ("sudo", "ssh") for word in found.wrapper):
            message = "whether the variables that are set before reach the server through this program is not known"
            found.problems.append(Problem(message, found.wrapper[0].place, "set them with env on its other side"))
        for name, value, where in found.env:
            held = self.state.exported.get(name)
            if value is None and held is not None and where.text.endswith(name):
                value = held.value  # `docker run -e NAME` hands on what is exported
            env[name] = Assignment(name, value, where.place)
        prefix.settle(env)
        return list(env.values())

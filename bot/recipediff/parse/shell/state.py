"""What a shell would know at a point of the text: variables, and which of them the commands it starts inherit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from recipediff.core.launch import Assignment, Note
from recipediff.core.place import Place, Problem
from recipediff.parse.shell.commands import Assigned, SimpleCommand, assigned, set_by_arithmetic
from recipediff.parse.shell.expand import ExpandedWord, KnownValue, TooMany, expand
from recipediff.parse.shell.programs import SEARCH_PATHS
from recipediff.parse.shell.source import MappedText
from recipediff.parse.shell.tokens import Atom, ShellToken

MAX_WORDS = 20_000
MAX_CHARS = 4_000_000
"""All that the words and values of one text may expand to, taken together."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")


@dataclass(slots=True, kw_only=True)
class ShellState:
    """Variables by name (None: known to be set, to what only a shell would know), and the exported ones."""

    variables: dict[str, KnownValue | tuple[ExpandedWord, ...]] = field(default_factory=dict)
    exported: dict[str, Assignment] = field(default_factory=dict)
    marked: set[str] = field(default_factory=set)
    """Names that are exported as soon as something sets them."""
    extended: set[str] = field(default_factory=set)
    """Variables that were set to their own earlier value and something more."""
    export_all: bool = False
    notes: list[Note] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    spent: list[int] = field(default_factory=lambda: [0])

    @classmethod
    def of(cls, env: Iterable[Assignment], extended: Iterable[str] = ()) -> ShellState:
        """A state in which `env` is exported already."""
        known = {one.name: one for one in env}
        return cls(variables={name: one.value for name, one in known.items()}, exported=known, extended=set(extended))

    def copy(self) -> ShellState:
        """A state of its own, as a subshell gets it; notes and problems stay shared."""
        return ShellState(
            variables=dict(self.variables),
            exported=dict(self.exported),
            marked=set(self.marked),
            extended=set(self.extended),
            export_all=self.export_all,
            notes=self.notes,
            problems=self.problems,
            spent=self.spent,
        )

    def fields(self, words: Sequence[ShellToken], text: MappedText) -> list[ExpandedWord]:
        """The words as the command gets them. Raises `TooMany`."""
        out: list[ExpandedWord] = []
        for word in words:
            self._defaults(word.atoms, text)
            found = expand(word.atoms, text, self.variables)
            self._spend(sum(len(one.text) for one in found))
            out.extend(found)
            if len(out) > MAX_WORDS:
                raise TooMany
        return out

    def value(self, one: Assigned, text: MappedText) -> tuple[KnownValue, Place]:
        """What an assignment sets, and where it stands."""
        place = text.place(one.start, one.end)
        value: KnownValue = ""
        if one.atoms:
            result = expand(one.atoms, text, self.variables, split=False)[0]
            self._spend(len(result.text))
            self._defaults(one.atoms, text)
            value = None if result.unknown else result.text
        before = self.variables.get(one.name) if one.append else ""
        value = before + value if isinstance(before, str) and value is not None else None
        self._spend(len(value or "") if one.append else 0)
        itself = any(atom.kind == "variable" and atom.chars == one.name for atom in one.atoms)
        (self.extended.add if itself or one.append else self.extended.discard)(one.name)
        return value, place

    def assign(self, one: Assigned, text: MappedText) -> None:
        """`NAME=value` on a line of its own; it reaches the server only if the name is exported."""
        if one.items is not None:
            items = self.fields(one.items, text)
            before = self.variables.get(f"{one.name}[@]") if one.append else None
            self.variables[f"{one.name}[@]"] = (*(before if isinstance(before, tuple) else ()), *items)
            return
        value, place = self.value(one, text)
        self.put(Assignment(one.name, value, place))

    def put(self, one: Assignment) -> None:
        """Set, and export where the name is exported already."""
        if self.export_all or one.name in self.exported or one.name in self.marked:
            self.export(one)
        else:
            self.variables[one.name] = one.value

    def cover(self, name: str, place: Place) -> None:
        """Set to something that only a shell would know, as a value and as an array."""
        self.put(Assignment(name, None, place))
        self.variables[f"{name}[@]"] = None

    def export(self, one: Assignment) -> None:
        """Set and export."""
        self.variables[one.name] = one.value
        self.exported[one.name] = one

    def forget(self, name: str) -> None:
        """Unset."""
        self.variables.pop(name, None)
        self.exported.pop(name, None)
        self.marked.discard(name)

    def hide_positions(self) -> None:
        """`$1` and its like are set to something that is not followed."""
        self.variables.update(dict.fromkeys("123456789"))

    def inside(self, env: Iterable[Assignment]) -> ShellState:
        """The state of a text that this very shell reads next, with `env` before it."""
        state = self.copy()
        for one in env:
            state.export(one)
        return state

    def switch(self, words: Sequence[str]) -> None:
        """`set` and `shift`: the option `allexport`, and new positions."""
        options = 1
        while options < len(words) and re.match(r"[-+][A-Za-z]", words[options]):
            word = words[options]
            named = word in ("-o", "+o") and words[options + 1 : options + 2] == ["allexport"]
            if named or "a" in word:
                self.export_all = word[0] == "-"
            options += 2 if word.endswith("o") else 1
        if words[0] == "shift" or words[options:]:
            self.hide_positions()

    def declare(self, command: SimpleCommand, text: MappedText) -> None:
        """`export`, `declare`, `readonly` and their like."""
        verb = self.fields(command.words[:1], text)[0].text
        options = "".join(f.text[1:] for f in self.fields(command.words[1:], text) if f.text.startswith("-"))
        exports = (verb == "export" and "n" not in options) or (verb != "export" and "x" in options)
        for token in command.words[1:]:
            one = assigned(token)
            if one is None:
                for item in self.fields([token], text):
                    self._name(item, exports, "n" in options)
            elif exports:
                value, place = self.value(one, text)
                self.export(Assignment(one.name, value, place))
            else:
                self.assign(one, text)

    def _name(self, item: ExpandedWord, exports: bool, hide: bool) -> None:
        """`export NAME`, or `export "NAME=value"`."""
        name, equals, text = item.text.partition("=")
        if item.text.startswith("-"):
            return
        if not _NAME.fullmatch(name):
            message = f"{item.text[:40]} is no name that a shell can set"
            self.problems.append(Problem(message, item.place, "write NAME=value"))
        elif hide:
            self.exported.pop(name, None)
            self.marked.discard(name)
        elif exports and (equals or name in self.variables):
            held = self.variables.get(name)
            value = (None if item.unknown else text) if equals else held if isinstance(held, str) else None
            self.export(Assignment(name, value, item.place))
        elif exports:
            self.marked.add(name)

    def settle(self, env: Mapping[str, Assignment]) -> None:
        """Say which variables that reach a server are set to something that cannot be known here."""
        for one in env.values():
            if one.value is not None:
                continue
            message = f"{one.name} is set to something that only a shell would know"
            if one.name in SEARCH_PATHS or one.name in self.extended:
                self.notes.append(Note(message, one.place))
            else:
                self.problems.append(Problem(message, one.place, "write the value"))

    def _spend(self, chars: int) -> None:
        self.spent[0] += chars
        if self.spent[0] > MAX_CHARS:
            raise TooMany

    def _defaults(self, atoms: Sequence[Atom], text: MappedText) -> None:
        """Say where `${NAME:-default}` was taken as its default because nothing here sets NAME; `:=` keeps it as the value."""
        for atom in atoms:
            place = text.place(atom.start, atom.end)
            if atom.kind == "unknown" and atom.chars.startswith(("$((", "$[")):
                for name in set_by_arithmetic(atom.chars):
                    self.cover(name, place)
            if atom.kind != "variable" or atom.default is None:
                continue
            missing = atom.chars not in self.variables
            if missing and len(self.notes) <= 50:
                written = text.chars[atom.start : atom.end][:60]
                message = f"{written} is taken as its default; whoever launches may set {atom.chars}"
                self.notes.append(Note(message, place))
            if atom.assigns and (missing or (atom.empty and self.variables[atom.chars] == "")):
                self.put(Assignment(atom.chars, atom.default, place))

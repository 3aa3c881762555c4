"""Typed values out of YAML nodes. What does not fit becomes a `Problem` at its place, and reading goes on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from recipediff.core.launch import Assignment, Note, Word
from recipediff.core.place import Place, Problem
from recipediff.parse.documents.document import MappingNode, Node, ScalarNode, SequenceNode, walk

T = TypeVar("T")

FlagWords = tuple[str, tuple[Word, ...]]
"""An option with the words that follow it; the key is the option as written, without `=value`."""
Args = tuple[FlagWords, ...]

_NUMBER = re.compile(r"-[0-9.]")
_ENV_NAME = re.compile(r"[A-Z][A-Z0-9_]{2,}")
_LAUNCH_WORDS = re.compile(
    r"args?|env|flags?|tp|dp|pp|ep|nodes?|gpus?|overrides?|image|docker|parallel\w*|strateg\w+|hardware|modes?"
    r"|command|port|model|variants?|features?|version|install|router|connector|pool\w*|unsupported|supported"
)


@dataclass(frozen=True, slots=True)
class Count:
    """A whole number, and where it stands."""

    value: int
    place: Place


@dataclass(frozen=True, slots=True)
class Patch:
    """What one block adds to a launch."""

    args: Args = ()
    env: tuple[Assignment, ...] = ()
    image: Word | None = None


NOTHING = Patch()


MOST_ITEMS = 2_000
"""Words in one list, or variables in one mapping; real recipes stay below a hundred."""
MOST_PROBLEMS = 100
MOST_COUNT = 65_536


def shown(text: str) -> str:
    """A text from outside, quoted and short enough for a message."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


def _cut(message: str) -> str:
    return message if len(message) <= 300 else message[:297] + "..."


def shortlist(names: Iterable[str]) -> str:
    """Names for a hint, the first thirty of them."""
    found = list(names)
    more = f" and {len(found) - 30} more" if len(found) > 30 else ""
    return (", ".join(name[:60] for name in found[:30]) or "none") + more


def keys(text: str) -> frozenset[str]:
    """The keys that a block may have, written as one text."""
    return frozenset(text.split())


def scalar_text(node: ScalarNode) -> str:
    """A scalar as the upstream builder (JavaScript) would write it into a command line."""
    value = node.value
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    return str(value)


def group(words: Iterable[Word]) -> Args:
    """Words grouped by option. A word that starts no option and follows none stands for itself."""
    flags: list[tuple[str, list[Word]]] = []
    for word in words:
        text = word.text
        if text.startswith("-") and not _NUMBER.match(text):
            flags.append((text.split("=", 1)[0], [word]))
        elif flags:
            flags[-1][1].append(word)
        else:
            flags.append((text, [word]))
    return tuple((key, tuple(parts)) for key, parts in flags)


def _looks_launch_relevant(key: str, node: Node) -> bool:
    if any(_LAUNCH_WORDS.fullmatch(part) for part in re.split(r"[^a-z0-9]+", key.lower())):
        return True
    for inner in walk(node):
        if isinstance(inner, ScalarNode) and isinstance(inner.value, str) and inner.value.startswith("--"):
            return True
        if isinstance(inner, MappingNode) and any(_ENV_NAME.fullmatch(name) for name in inner.entries):
            return True
    return False


class FieldReader:
    """Reads the fields of one file and collects what was wrong with them."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self.notes: list[Note] = []

    def complain(self, message: str, place: Place, hint: str = "") -> None:
        """Record a problem; beyond a hundred only that there are more."""
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(Problem(_cut(message), place, hint))
        elif len(self.problems) == MOST_PROBLEMS:
            self.problems.append(Problem("more is wrong in this file", place, "mend the ones above first"))

    def mapping(self, node: Node | None, what: str) -> MappingNode | None:
        """The node as a mapping; None where it is absent, empty or something else (which is recorded)."""
        if node is None or (isinstance(node, ScalarNode) and node.value is None):
            return None
        if isinstance(node, MappingNode):
            for key, earlier in node.repeated:
                self.complain(f"{what}: key {shown(key.text)} is given twice (first on line {earlier.line})", key.place)
            return node
        self.complain(f"{what} should be a mapping", node.place, "write `key: value` lines below it")
        return None

    def items(self, node: Node | None, what: str) -> tuple[Node, ...]:
        """The items of a list; empty where it is absent or something else (which is recorded)."""
        if node is None or (isinstance(node, ScalarNode) and node.value is None):
            return ()
        if isinstance(node, SequenceNode):
            if len(node.items) > MOST_ITEMS:
                self.complain(f"{what} has {len(node.items):,} items, more than {MOST_ITEMS:,}", node.place)
            return node.items[:MOST_ITEMS]
        self.complain(f"{what} should be a list", node.place, "write one `- item` a line")
        return ()

    def scalar(self, node: Node | None, what: str) -> ScalarNode | None:
        """A scalar with a value; None where it is absent, null or something else (which is recorded)."""
        if node is None:
            return None
        if isinstance(node, ScalarNode):
            return None if node.value is None else node
        self.complain(f"{what} should be a single value", node.place)
        return None

    def text(self, node: Node | None, what: str) -> Word | None:
        """A scalar as a word with its place."""
        scalar = self.scalar(node, what)
        return None if scalar is None else Word(scalar_text(scalar), scalar.place)

    def words(self, node: Node | None, what: str) -> tuple[Word, ...]:
        """A list of scalars."""
        found = []
        for index, item in enumerate(self.items(node, what)):
            word = self.text(item, f"{what}, item {index + 1},")
            if word is not None:
                found.append(word)
            elif isinstance(item, ScalarNode):
                self.complain(f"{what}, item {index + 1}, is empty", item.place, "take it out or quote it")
        return tuple(found)

    def args(self, node: Node | None, what: str) -> Args:
        """A list of command-line words, grouped by option."""
        return group(self.words(node, what))

    def env(self, node: Node | None, what: str) -> tuple[Assignment, ...]:
        """A mapping of environment variables."""
        mapping = self.mapping(node, what)
        if mapping is None:
            return ()
        if len(mapping.entries) > MOST_ITEMS:
            self.complain(f"{what} has {len(mapping.entries):,} variables, more than {MOST_ITEMS:,}", mapping.place)
            return ()
        found = []
        for name, value in mapping.entries.items():
            scalar = self.scalar(value, f"{what}.{name}")
            if scalar is not None:
                found.append(Assignment(name, scalar_text(scalar), scalar.place))
            elif isinstance(value, ScalarNode):
                self.complain(f"{what}.{name} has no value", value.place, 'write `""` for an empty one')
        return tuple(found)

    def count(self, node: Node | None, what: str, least: int = 1) -> Count | None:
        """A whole number of at least `least`."""
        scalar = self.scalar(node, what)
        if scalar is None:
            return None
        value = scalar.value
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= MOST_COUNT:
            return Count(value, scalar.place)
        self.complain(f"{what} should be a whole number from {least}, not {shown(scalar.text)}", scalar.place)
        return None

    def amount(self, node: Node | None, what: str) -> float | None:
        """A number that is not negative."""
        scalar = self.scalar(node, what)
        if scalar is None:
            return None
        value = scalar.value
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e12:
            return float(value)
        self.complain(f"{what} should be a number, not {shown(scalar.text)}", scalar.place)
        return None

    def truth(self, node: Node | None, what: str, default: bool) -> bool:
        """true or false."""
        scalar = self.scalar(node, what)
        if scalar is None:
            return default
        if isinstance(scalar.value, bool):
            return scalar.value
        self.complain(f"{what} should be true or false, not {shown(scalar.text)}", scalar.place)
        return default

    def keyed(self, node: Node | None, what: str, read: Callable[[Node, str], T]) -> Mapping[str, T]:
        """A mapping whose values are all read by `read`; null values are left out."""
        mapping = self.mapping(node, what)
        if mapping is None:
            return {}
        return {
            key: read(value, f"{what}.{key}")
            for key, value in mapping.entries.items()
            if not (isinstance(value, ScalarNode) and value.value is None)
        }

    def unknown(self, mapping: MappingNode, known: frozenset[str], what: str) -> None:
        """Report the keys that nobody here understands: a problem where they look launch-relevant, else a note."""
        for key, value in mapping.entries.items():
            if key in known:
                continue
            place = mapping.keys[key].place
            if _looks_launch_relevant(key, value):
                self.complain(
                    f"{what} has a key {shown(key)} that is not understood, and it may change the launch",
                    place,
                    "compare this launch by hand, or update recipediff",
                )
            elif len(self.notes) < MOST_PROBLEMS:
                self.notes.append(Note(_cut(f"{what} has a key {shown(key)} that is not read"), place))

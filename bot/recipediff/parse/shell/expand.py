"""One word to the fields that a command gets: braces, variables, field splitting. Globs and `~` stay as written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from recipediff.core.launch import Word
from recipediff.core.place import Place
from recipediff.parse.shell.source import Builder, MappedText
from recipediff.parse.shell.tokens import Atom

MAX_FIELDS = 2_000
MAX_ATOMS = 400_000
MAX_CHARS = 1_000_000
_SEQUENCE = re.compile(r"(?:(-?[0-9]{1,6})\.\.(-?[0-9]{1,6})|([A-Za-z])\.\.([A-Za-z]))(?:\.\.(-?[0-9]{1,6}))?")
_IFS = re.compile(r"[ \t\n]+")

KnownValue = str | None
Variables = Mapping[str, "KnownValue | tuple[ExpandedWord, ...]"]
"""Known variables; None for one that is set to something that only a shell would know; a tuple for an array."""


class TooMany(Exception):
    """A word expands to more fields than anybody means."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpandedWord:
    """One argument. `unknown` are the expansions, as written, whose result only a shell would know; of these, `computed`
    are not plain variables that nothing in the text sets: equal text need not mean equal results."""

    text: str
    atoms: tuple[Atom, ...]
    source: MappedText
    unknown: tuple[str, ...] = ()
    computed: tuple[str, ...] = ()
    loose: bool = False
    """An unknown expansion stands unquoted and alone, so the field may be no word, or several."""
    pattern: bool = False
    home: bool = False

    @property
    def place(self) -> Place:
        """From the first character to the last, quotes left out."""
        filled = [atom for atom in self.atoms if atom.chars] or list(self.atoms)
        return self.source.place(filled[0].start, max(atom.end for atom in filled))

    @property
    def word(self) -> Word:
        """The argument and its place."""
        return Word(self.text, self.place, unknown=bool(self.unknown))

    def script(self) -> MappedText:
        """The field as text of its own, each character at its place."""
        out = Builder(self.source.source)
        for atom in self.atoms:
            if self.source.chars[atom.start : atom.end] == atom.chars:
                out.take(self.source, atom.start, atom.end)
            else:
                last = max(atom.start, atom.end - 1)
                out.put(atom.chars, self.source.starts[atom.start], self.source.ends[last])
        return out.build()


def expand(atoms: Sequence[Atom], text: MappedText, variables: Variables, *, split: bool = True) -> list[ExpandedWord]:
    """The fields of one word; none for an unquoted empty expansion. Raises `TooMany`.

    With `split` false the word is the value of an assignment: one field, no braces.
    """
    if not split:
        return _fields(atoms, text, variables, split=False) or [
            ExpandedWord(text="", atoms=tuple(atoms[:1]), source=text)
        ]
    out: list[ExpandedWord] = []
    alternatives = braces(list(atoms))
    if alternatives is None:
        start, end = atoms[0].start, atoms[-1].end
        raw = text.chars[start:end]
        return [
            ExpandedWord(
                text=raw,
                atoms=(Atom("unknown", raw, start, end),),
                source=text,
                unknown=(raw,),
                computed=(raw,),
                loose=True,
            )
        ]
    size = 0
    for alternative in alternatives:
        found = _fields(alternative, text, variables, split=True)
        size += sum(len(one.text) for one in found)
        out.extend(found)
        if len(out) > MAX_FIELDS or size > MAX_CHARS:
            raise TooMany
    return out


def braces(atoms: list[Atom]) -> list[list[Atom]] | None:
    """Brace expansion of one word, left to right, as bash does it before everything else. Raises `TooMany`.

    None for braces that are not closed, or that hold `..` without being a sequence: bash expands some of these, and
    by no rule that its manual gives.
    """
    if not any(atom.kind == "bare" and atom.chars in "{}" for atom in atoms):
        return [atoms]
    pairs, commas, dotted, loose = _pairs(atoms)
    sequences = {opener for opener in dotted if _sequence(atoms, opener, pairs.get(opener, 0))}
    separated = dotted or any(atom.kind == "bare" and atom.chars == "," for atom in atoms)
    if separated and (loose or any(opener not in sequences and opener not in commas for opener in dotted)):
        return None
    live = {opener: closer for opener, closer in pairs.items() if opener in commas or opener in sequences}
    return _alternatives(atoms, 0, len(atoms), live, commas, 0) if live else [atoms]


def _pairs(atoms: Sequence[Atom]) -> tuple[dict[int, int], dict[int, list[int]], list[int], bool]:
    """Which brace closes which, the commas directly in each pair, the pairs with `..`, and whether any is unmatched."""
    stack: list[int] = []
    pairs: dict[int, int] = {}
    commas: dict[int, list[int]] = {}
    dotted: dict[int, None] = {}
    unmatched = False
    for index, atom in enumerate(atoms):
        if atom.kind != "bare":
            continue
        if atom.chars == "{":
            stack.append(index)
        elif atom.chars == "}":
            unmatched = unmatched or not stack
            if stack:
                pairs[stack.pop()] = index
        elif stack and atom.chars == ",":
            commas.setdefault(stack[-1], []).append(index)
        elif stack and atom.chars == "." and atoms[index - 1][:2] == ("bare", "."):
            dotted[stack[-1]] = None
    return pairs, commas, list(dotted), unmatched or bool(stack)


def _sequence(atoms: Sequence[Atom], opener: int, closer: int) -> list[str]:
    if not 4 <= closer - opener - 1 <= 12:
        return []
    inner = atoms[opener + 1 : closer]
    if any(atom.kind != "bare" for atom in inner):
        return []
    match = _SEQUENCE.fullmatch("".join(atom.chars for atom in inner))
    if match is None:
        return []
    low, high, first, last, step = match.groups()
    begin, end = (int(low), int(high)) if low else (ord(first), ord(last))
    stride = abs(int(step or 1)) or 1
    if abs(end - begin) // stride > MAX_FIELDS:
        raise TooMany
    numbers = range(begin, end + 1, stride) if begin <= end else range(begin, end - 1, -stride)
    if first:
        return [chr(number) for number in numbers]
    padded = any(re.match(r"-?0[0-9]", number) for number in (low, high))
    width = max(len(low), len(high)) if padded else 0
    return [f"{number:0{width}d}" if width else str(number) for number in numbers]


def _alternatives(
    atoms: list[Atom], start: int, end: int, pairs: dict[int, int], commas: dict[int, list[int]], depth: int
) -> list[list[Atom]]:
    if depth > 40:
        raise TooMany
    out: list[list[Atom]] = [[]]
    at = start
    while at < end:
        closer = pairs.get(at)
        if closer is None or closer >= end:
            for one in out:
                one.append(atoms[at])
            at += 1
            continue
        options = _options(atoms, at, closer, pairs, commas, depth)
        if len(options) * len(out) > MAX_FIELDS or len(options) * len(out) * (end - start) > MAX_ATOMS:
            raise TooMany
        out = [[*one, *option] for one in out for option in options]
        at = closer + 1
    return out


def _options(
    atoms: list[Atom], opener: int, closer: int, pairs: dict[int, int], commas: dict[int, list[int]], depth: int
) -> list[list[Atom]]:
    cuts = commas.get(opener)
    if not cuts:
        span = atoms[opener].start, atoms[closer].end
        return [[Atom("bare", one, *span)] for one in _sequence(atoms, opener, closer)]
    edges = [opener, *cuts, closer]
    out: list[list[Atom]] = []
    for left, right in pairwise(edges):
        out.extend(_alternatives(atoms, left + 1, right, pairs, commas, depth + 1))
        if len(out) > MAX_FIELDS:
            raise TooMany
    return out


def _fields(atoms: Sequence[Atom], text: MappedText, variables: Variables, *, split: bool) -> list[ExpandedWord]:
    out: list[ExpandedWord] = []
    now: list[Atom] = []
    size = 0
    for atom in atoms:
        if atom.kind != "variable":
            now.append(atom)
            continue
        value = variables.get(atom.chars, atom.default)
        if value == "" and atom.empty and atom.default is not None:
            value = atom.default
        if isinstance(value, tuple) and not atom.quoted and any(_IFS.search(item.text) for item in value):
            value = None
        if isinstance(value, str) and split and not atom.quoted and _splits_otherwise(value, variables):
            value = None
        size += len(value) if isinstance(value, str) else sum(len(item.text) for item in value or ())
        if size > MAX_CHARS:
            raise TooMany
        if value is None:
            now.append(_unresolved(atom, text, atom.chars not in variables))
        elif isinstance(value, tuple):
            out, now = _spread(out, now, value, text)
        elif atom.quoted or not split:
            now.append(Atom("quoted", value, atom.start, atom.end, quoted=True))
        else:
            now = _split(out, now, value, atom, text)
    _finish(out, now, text)
    if len(out) > MAX_FIELDS:
        raise TooMany
    return out


def _splits_otherwise(value: str, variables: Variables) -> bool:
    """Whether the text has changed IFS so that this value parts into other words than at blanks."""
    if "IFS" not in variables:
        return False
    parts = variables["IFS"]
    return not isinstance(parts, str) or any((char in " \t\n") != (char in parts) for char in set(value))


def _unresolved(atom: Atom, text: MappedText, missing: bool) -> Atom:
    """A variable without a value that is known here, by its plain name where nothing sets it."""
    missing = missing and atom.default is None
    plain = missing and "[" not in atom.chars
    chars = f"${atom.chars}" if plain else text.chars[atom.start : atom.end]
    return atom._replace(kind="unknown", chars=chars, missing=missing)


def _spread(
    out: list[ExpandedWord], now: list[Atom], items: tuple[ExpandedWord, ...], text: MappedText
) -> tuple[list[ExpandedWord], list[Atom]]:
    """`"${NAME[@]}"`: one field an element; the first joins what stands before, the last what follows."""
    for index, item in enumerate(items):
        if index:
            _finish(out, now, text)
            now = []
        now.extend(item.atoms)
    return out, now


def _split(out: list[ExpandedWord], now: list[Atom], value: str, atom: Atom, text: MappedText) -> list[Atom]:
    """An unquoted value, split at blanks: it may end the open field and start others."""
    parts = _IFS.split(value)
    for index, part in enumerate(parts):
        if index:
            _finish(out, now, text)
            now = []
        if part:
            now.append(Atom("bare", part, atom.start, atom.end))
    return now


def _finish(out: list[ExpandedWord], atoms: Iterable[Atom], text: MappedText) -> None:
    kept = tuple(atoms)
    if not any(atom.chars or atom.quoted for atom in kept):
        return
    unknown = tuple(atom.chars for atom in kept if atom.kind == "unknown")
    computed = tuple(atom.chars for atom in kept if atom.kind == "unknown" and not atom.missing)
    spreads = any("[@]" in raw or raw in ("$@", "$*") for raw in unknown)
    solid = not unknown or any(atom.quoted or (atom.kind != "unknown" and atom.chars) for atom in kept)
    bare = "".join([atom.chars for atom in kept if atom.kind == "bare"])
    pattern = "*" in bare or "?" in bare or ("[" in bare and "]" in bare)
    home = kept[0].kind == "bare" and kept[0].chars.startswith("~")
    chars = "".join(atom.chars for atom in kept)
    out.append(
        ExpandedWord(
            text=chars,
            atoms=kept,
            source=text,
            unknown=unknown,
            computed=computed,
            loose=bool(unknown) and (spreads or not solid),
            pattern=pattern,
            home=home,
        )
    )

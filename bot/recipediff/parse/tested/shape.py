"""Nodes held against the declared shape of a tested recipe: every violation, at its place, with what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sized
from dataclasses import dataclass, field
from difflib import get_close_matches

from recipediff.core.finding import Finding, Fix
from recipediff.core.place import Place
from recipediff.core.rules import RULES
from recipediff.parse.documents.document import MappingNode, Node, ScalarNode, SequenceNode
from recipediff.parse.schema.shapes import MALFORMED, Field, ListOf, MapOf, Number, Record, Shape, Switch, Text

MAX_FINDINGS = 100
MAX_ITEMS = 10_000
"""Of one list or mapping; a command line is far shorter."""
_SHOWN = 60


@dataclass(slots=True, kw_only=True)
class Sink:
    """Findings of one file as they come up; past the bound they are counted, and the count is said."""

    file: str
    lines: tuple[str, ...]
    recipe: str
    findings: list[Finding] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    """Paths of what could not be read, of the recipe that is being read."""
    more: int = 0
    noun: str = "the recipe"
    """What the whole file is called in messages."""
    malformed: str = MALFORMED
    """The rule that speaks for a fault of shape."""

    def add(self, rule: str, path: str, message: str, place: Place, fix: Fix | None = None) -> None:
        """Keep one finding; `path` says in the recipe's own terms where it belongs."""
        if len(self.findings) >= MAX_FINDINGS:
            self.more += 1
            return
        rule = self.malformed if rule == MALFORMED else rule
        line = self.lines[place.line - 1] if 0 < place.line <= len(self.lines) else ""
        self.findings.append(
            Finding(
                rule=rule,
                severity=RULES[rule].severity,
                recipe=self.recipe,
                message=message,
                place=place,
                fix=fix,
                key=path or "file",
                line=line,
            )
        )

    def lost(self, path: str, message: str, place: Place, fix: Fix | None = None) -> None:
        """A finding about something that could not be read at all."""
        self.unread.append(path)
        self.add(MALFORMED, path, message, place, fix)

    def done(self) -> tuple[Finding, ...]:
        """All findings in the order of the file; where some were only counted, a last one says how many."""
        ordered = sorted(self.findings, key=lambda finding: (finding.place.line, finding.place.column))
        if not self.more:
            return tuple(ordered)
        message = f"{self.more:,} more faults in this file are not listed"
        last = Finding(
            rule=self.malformed,
            severity="error",
            recipe=self.recipe,
            message=message,
            place=Place(file=self.file),
            fix=Fix("mend the listed ones first"),
            key="more",
        )
        return (*ordered, last)

    def replaced(self, summary: str, place: Place, text: str) -> Fix:
        """A fix that puts `text` in place of what stands at `place`, as a whole line where that is on one line."""
        if place.line != place.end_line or not 0 < place.line <= len(self.lines):
            return Fix(summary)
        line = self.lines[place.line - 1]
        if len(line) > 1000:
            return Fix(summary)
        edited = line[: place.column - 1] + text + line[place.end_column - 1 :]
        return Fix(
            summary,
            Place(file=place.file, line=place.line, column=1, end_line=place.line, end_column=len(line) + 1),
            edited,
        )


def start(place: Place) -> Place:
    """The point at which something begins."""
    return Place(file=place.file, line=place.line, column=place.column)


def is_null(node: Node | None) -> bool:
    """Whether a key has no value: nothing after the colon, `null` or `~`."""
    return node is None or (isinstance(node, ScalarNode) and node.value is None)


def cut(text: str, shown: int = _SHOWN) -> str:
    """Text fit for a message: on one line, and short."""
    line = " ".join(text[: shown + 1].splitlines())
    return line if len(text) <= shown else line[: shown - 1] + "…"


def conform(node: Node, shape: Shape, path: str, sink: Sink, rule: str = MALFORMED) -> None:
    """Hold `node` against `shape`. Where `rule` is another than `malformed-recipe`, that rule judges the text itself."""
    if isinstance(shape, Text):
        _text(node, shape, path, sink, rule)
    elif isinstance(shape, Number):
        _number(node, shape, path, sink)
    elif isinstance(shape, Switch):
        _switch(node, shape, path, sink)
    elif isinstance(shape, ListOf):
        _list(node, shape, path, sink)
    elif isinstance(shape, MapOf):
        _map(node, shape, path, sink)
    else:
        record(node, shape, path, sink)


def _describe(node: Node) -> str:
    if isinstance(node, SequenceNode):
        return "a list"
    if isinstance(node, MappingNode):
        return "a mapping"
    if isinstance(node.value, bool):
        return f"the boolean {cut(node.text)}"
    if isinstance(node.value, int | float):
        return f"the number {cut(node.text)}"
    return "nothing" if node.value is None else f"the text “{cut(node.text)}”"


def _text(node: Node, shape: Text, path: str, sink: Sink, rule: str) -> None:
    if not isinstance(node, ScalarNode):
        advice = "write text"
        if isinstance(node, MappingNode):
            advice = "if this is JSON or holds a colon, put it in single quotes"
        sink.lost(path, f"`{path}` is {_describe(node)} where text is expected", start(node.place), Fix(advice))
    elif node.value is None:
        advice = (
            'write "" for the empty text, or take the line out'
            if shape.empty
            else "write a value, or take the line out"
        )
        sink.lost(path, f"`{path}` has no value", node.place, Fix(advice))
    elif not isinstance(node.value, str):
        fix = sink.replaced(f'put it in quotes: "{cut(node.text)}"', node.place, f'"{node.text}"')
        sink.add(MALFORMED, path, f"`{path}` is {_describe(node)} where text is expected", node.place, fix)
    elif rule == MALFORMED and not shape.fits(node.value):
        message = f"`{path}` is {_describe(node)}" if node.value else f"`{path}` is empty"
        if shape.values:  # what it would have said is not known, so neither is what hangs on it
            sink.unread.append(path)
        sink.add(MALFORMED, path, message, node.place, Fix(f"write {shape.wants}"))


def _number(node: Node, shape: Number, path: str, sink: Sink) -> None:
    value = node.value if isinstance(node, ScalarNode) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        place = node.place if isinstance(node, ScalarNode) else start(node.place)
        sink.lost(path, f"`{path}` is {_describe(node)} where a number is expected", place, _digits(node, shape, sink))
        return
    low = value <= shape.least if shape.above else value < shape.least
    if low or abs(value) == float("inf") or (shape.whole and value != int(value)):
        sink.lost(path, f"`{path}` is {_describe(node)}", node.place, Fix(f"write {shape.wants}"))


def _switch(node: Node, shape: Switch, path: str, sink: Sink) -> None:
    if isinstance(node, ScalarNode) and isinstance(node.value, bool):
        return
    place = node.place if isinstance(node, ScalarNode) else start(node.place)
    sink.lost(path, f"`{path}` is {_describe(node)}", place, Fix(f"write {shape.wants}"))


def _digits(node: Node, shape: Number, sink: Sink) -> Fix:
    """`664,817`, `2.53x`, `161 s` and `"2"` are near enough to say the number."""
    if isinstance(node, ScalarNode) and isinstance(node.value, str) and len(node.text) <= 30:
        bare = node.text.replace(",", "").replace("_", "").strip().rstrip("xs ").strip()
        digits = bare.replace(".", "", 0 if shape.whole else 1)
        if digits.isascii() and digits.isdigit():
            return sink.replaced(f"write {bare}", node.place, bare)
    return Fix(f"write {shape.wants}")


def _list(node: Node, shape: ListOf, path: str, sink: Sink) -> None:
    if not isinstance(node, SequenceNode):
        fix = Fix(f"write {shape.wants}, each item on a line of its own after a dash")
        sink.lost(path, f"`{path}` is {_describe(node)} where a list is expected", start(node.place), fix)
        return
    if _too_many(node.items, path, node.place, sink):
        return
    for index, item in enumerate(node.items):
        conform(item, shape.item, f"{path}[{index}]", sink)


def _too_many(parts: Sized, path: str, place: Place, sink: Sink) -> bool:
    if len(parts) <= MAX_ITEMS:
        return False
    message = f"`{path}` has {len(parts):,} items, more than the {MAX_ITEMS:,} that are read"
    sink.lost(path, message, start(place), Fix("take out what is not part of the launch"))
    return True


def _map(node: Node, shape: MapOf, path: str, sink: Sink) -> None:
    if not isinstance(node, MappingNode):
        fix = Fix(f'write {shape.wants}, one `NAME: "value"` a line')
        sink.lost(path, f"`{path}` is {_describe(node)} where a mapping is expected", start(node.place), fix)
        return
    if _too_many(node.entries, path, node.place, sink):
        return
    _repeats(node, path, sink)
    for name, value in node.entries.items():
        inner = f"{path}.{cut(name)}"
        if not shape.key.fits(name):
            sink.add(MALFORMED, inner, f"“{cut(name)}” is not {shape.key.wants}", node.keys[name].place,
                     Fix(f"write {shape.key.wants}"))  # fmt: skip
        conform(value, shape.value, inner, sink)


def record(node: Node, shape: Record, path: str, sink: Sink) -> None:
    """Hold a mapping against a record: unknown keys, keys given twice, missing fields, then every value."""
    what = f"`{path}`" if path else sink.noun
    if not isinstance(node, MappingNode):
        fix = Fix(f"write {shape.wants}")
        sink.lost(path, f"{what} is {_describe(node)} where a mapping is expected", start(node.place), fix)
        return
    _repeats(node, path, sink)
    for name in node.entries:
        if shape.field(name) is None:
            _unknown(node, name, shape, path, sink)
    for known in shape.fields:
        inner = f"{path}.{known.name}" if path else known.name
        value = node.get(known.name)
        if value is None or (is_null(value) and known.required):
            if known.required and known.rule == MALFORMED:
                here = start(node.place) if value is None else value.place
                message = f"{what} has no `{known.name}`" if value is None else f"`{inner}` has no value"
                sink.lost(inner, message, here, Fix(f"add {known.add}"))
        elif known.several and isinstance(value, SequenceNode):
            sink.unread.append(inner)
            fix = Fix("write one recipe, with an id of its own, for each topology")
            message = f"`{inner}` is a list; one entry describes one topology"
            sink.add(known.several, inner, message, start(value.place), fix)
        else:
            conform(value, known.shape, inner, sink, known.rule)


def _repeats(node: MappingNode, path: str, sink: Sink) -> None:
    for key, earlier in node.repeated:
        inner = f"{path}.{cut(key.text)}" if path else cut(key.text)
        message = f"`{cut(key.text)}` stands here a second time; the first is on line {earlier.line}"
        sink.add(
            "duplicate-key", inner, message, key.place, Fix("keep one of the two: readers disagree on which counts")
        )


def _unknown(node: MappingNode, name: str, shape: Record, path: str, sink: Sink) -> None:
    key = node.keys[name]
    inner = f"{path}.{cut(name)}" if path else cut(name)
    message = f"`{cut(name)}` is not a field of " + (f"`{path}`" if path else sink.noun)
    meant = _meant(name, shape, node)
    if meant is not None and meant not in node.entries:
        same_kind = get_close_matches(name[:64], [meant], 1, 0.6)
        fix = (
            sink.replaced(f"did you mean `{meant}`?", key.place, meant)
            if same_kind
            else Fix(f"did you mean `{meant}`?")
        )
    elif meant is not None:
        fix = Fix(f"take it out: `{meant}` is there already")
    else:
        home = next((f"{a.name}.{b.name}" for a, b in _inner(shape) if b.name == name), "")
        known = ", ".join(known.name for known in shape.fields)
        fix = Fix(f"it belongs under `{home.split('.')[0]}`" if home else f"take it out; the fields are {known}")
    sink.add(MALFORMED, inner, message, key.place, fix)


def _meant(name: str, shape: Record, node: MappingNode) -> str | None:
    """The field that an unknown key was probably meant for: what others call it, or the nearest spelling."""
    known = [known for known in shape.fields if name.lower() in known.also]
    free = [one.name for one in known if one.name not in node.entries] or [one.name for one in known]
    if free:
        return free[0]
    lowered = {one.name.lower(): one.name for one in shape.fields}
    near = get_close_matches(name[:64].lower().replace("-", "_"), lowered, 1, 0.7)
    return lowered[near[0]] if near else None


def _inner(shape: Record) -> Iterator[tuple[Field, Field]]:
    for outer in shape.fields:
        if isinstance(outer.shape, Record):
            for inner in outer.shape.fields:
                yield outer, inner

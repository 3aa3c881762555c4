"""Line anchors that an edit has shifted: out of range, or on lines that no longer hold the quoted words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from posixpath import dirname, join, normpath

from recipediff.checks.records.anchors import Anchor, find_anchors, is_anchor, line_ranges
from recipediff.checks.records.snapshot import FileContents
from recipediff.checks.records.tree import PathTree
from recipediff.core.finding import Finding, Fix
from recipediff.core.place import Place
from recipediff.parse.globs import matches
from recipediff.parse.markdown import Block, Cell, Inline, Markdown

MAX_COMPARED = 100_000_000
"""Characters compared with quotes in one check."""
_HINT = re.compile(r":\d|\blines? \d|#L\d", re.ASCII)


@dataclass(eq=False, kw_only=True)
class AnchorCheck:
    """Checks the anchors of one file after the other, and keeps what could not be looked at."""

    files: FileContents
    tree: PathTree
    roots: tuple[str, ...] = ()
    unfetched: set[str] = field(default_factory=set)
    elsewhere: int = 0
    """Anchors into files that this repository does not have."""
    budget: int = MAX_COMPARED
    """Characters that may still be compared; below zero the rest was not looked at."""
    _lines: dict[str, list[str]] = field(default_factory=dict)

    def check(self, document: Markdown) -> Iterator[Finding]:
        """The stale anchors of one file, from its top."""
        seen: dict[str, int] = {}
        for block in _blocks(document):
            inline = document.inline(block)
            for anchor in (*find_anchors(inline), *_links(inline)):
                path = self._resolve(anchor, document.file)
                if path is None:
                    continue
                problem = self._problem(anchor, path)
                if problem is None:
                    continue
                name = block.content[anchor.start : anchor.end]
                number = seen[name] = seen.get(name, 0) + 1
                place = block.place(document.file, anchor.start, anchor.end)
                yield _finding(document, anchor, place, problem, f"{name}#{number}" if number > 1 else name)

    def _resolve(self, anchor: Anchor, source: str) -> str | None:
        """The file that an anchor names: from the root, or from the folder of the file that names it.

        A path that does not exist is this repository's where it fits `roots` (or is another one's in other letters);
        else it is taken for a path of another repository, as such anchors mostly are.
        """
        candidates = [normpath(anchor.path), normpath(join(dirname(source), anchor.path))]
        if anchor.words:
            candidates.extend([f"{path}.md" for path in candidates])
        for path in candidates:
            if path in self.tree.files:
                return path
        spelled = [path for path in candidates if self.tree.spelled(path)]
        if not anchor.words and (spelled or matches(candidates[0], self.roots)):
            return (spelled or candidates)[0]
        self.elsewhere += not anchor.words
        return None

    def _problem(self, anchor: Anchor, path: str) -> tuple[str, str] | None:
        """What is wrong with an anchor, and what to do; None where it holds, or where nothing can be said."""
        if path not in self.tree.files:
            spelled = self.tree.spelled(path)
            if spelled:
                return f"“{path}” does not exist; “{spelled}” differs in letter case only", f"spell it “{spelled}”"
            return f"“{path}” does not exist", "correct the path, or remove the anchor"
        if path not in self.files:
            if path not in self.tree.opaque:
                self.unfetched.add(path)
            return None
        lines = self._text(path)
        for first, last in anchor.ranges:
            if not 1 <= first <= last <= len(lines):
                cited = f"line {first}" if first == last else f"lines {first} to {last}"
                return f"“{path}” has {len(lines)} lines, not {cited}", "correct the lines"
        for quote in anchor.quotes:
            if self.budget >= 0 and not any(self._holds(lines, span, quote) for span in anchor.ranges):
                return self._moved(lines, path, anchor, quote)
        return None

    def _holds(self, lines: list[str], span: tuple[int, int], quote: str) -> bool:
        text = " ".join(lines[span[0] - 1 : span[1]])
        self.budget -= len(text)
        return _wanted(quote) in _even(text)

    def _moved(self, lines: list[str], path: str, anchor: Anchor, quote: str) -> tuple[str, str]:
        cited = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in anchor.ranges)
        message = f"“{path}” at {cited} does not hold “{quote}”"
        self.budget -= sum(map(len, lines))
        wanted = _wanted(quote)
        found = [number for number, line in enumerate(lines, 1) if wanted in _even(line)]
        if len(found) == 1:
            return f"{message}; it stands at line {found[0]}", f"write {path}:{found[0]}"
        if found:
            return f"{message}; it stands at {len(found)} other lines, first at {found[0]}", "correct the line"
        return f"{message}, nor does any other line", "correct the text or the anchor"

    def _text(self, path: str) -> list[str]:
        if path not in self._lines:
            text = self.files[path].decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
            lines = text.split("\n")
            self._lines[path] = lines[:-1] if lines[-1] == "" else lines
        return self._lines[path]


def _blocks(document: Markdown) -> Iterator[Block | Cell]:
    """What may hold an anchor."""
    for text in document.texts:
        if _may_hold(text.content):
            yield text
    for table in document.tables:
        yield from document.cells_where(table, _may_hold)


def _may_hold(text: str) -> bool:
    return (":" in text or "#L" in text or " line" in text) and _HINT.search(text) is not None


def _links(inline: Inline) -> Iterator[Anchor]:
    """Links to lines, `[text](path#L12)`. A code span in the text is said to stand there."""
    for link in inline.links:
        path, _, fragment = link.href.partition("#")
        ranges = line_ranges(fragment)
        if ranges and path and "://" not in path:
            codes = [piece.text for piece in inline.pieces[link.first : link.last] if piece.kind == "code"]
            quotes = tuple(code for code in codes if not is_anchor(code) and "/" not in code)
            yield Anchor(path=path.partition("?")[0], ranges=ranges, start=link.start, end=link.end, quotes=quotes)


def _even(text: str) -> str:
    return " ".join(text.split())


def _wanted(quote: str) -> str:
    """What to look for: a name with empty parentheses stands for the name."""
    return _even(quote).removesuffix("()")


def _finding(document: Markdown, anchor: Anchor, place: Place, problem: tuple[str, str], name: str) -> Finding:
    message, fix = problem
    line = document.lines[place.line - 1]
    key = f"{document.file}:{name}"
    return Finding(
        rule="record-stale-anchor",
        severity="error",
        recipe="",
        message=message,
        place=place,
        fix=Fix(fix),
        key=key,
        line=line,
    )

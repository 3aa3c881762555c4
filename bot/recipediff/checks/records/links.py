"""Relative links and images that lead to no file, or to no heading of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import quote

from recipediff.checks.records.snapshot import FileContents, Library
from recipediff.checks.records.spelling import Spelling
from recipediff.checks.records.tree import PathTree, Target
from recipediff.core.finding import Finding, Fix
from recipediff.core.place import Place, Unreadable
from recipediff.parse.markdown import Block, Cell, Markdown, html_targets
from recipediff.parse.markdown.inline import tags

_HINT = re.compile(r"[\[<]")
MARKDOWN = (".md", ".markdown", ".mdown", ".mkd")


@dataclass(frozen=True, slots=True)
class Address:
    """An address as it is written, and where its link stands."""

    href: str
    place: Place


@dataclass(slots=True, kw_only=True)
class LinkCheck:
    """Checks the links of one file after the other, and keeps what could not be looked at."""

    files: FileContents
    tree: PathTree
    library: Library
    unfetched: set[str] = field(default_factory=set)
    """Files whose headings are linked to and whose contents are not in the snapshot."""
    outside: int = 0
    """Addresses above the root, behind a submodule or a symbolic link, or into a file that is not read for its size."""

    def check(self, document: Markdown) -> Iterator[Finding]:
        """The dangling links of one file, from its top."""
        seen: dict[str, int] = {}
        for address in sorted(addresses(document), key=lambda found: found.place):
            target = self.tree.resolve(address.href, document.file)
            if target is None:
                continue
            problem = self._problem(target, document)
            if problem is not None:
                number = seen[address.href] = seen.get(address.href, 0) + 1
                yield _finding(document, address, problem, number)

    def _problem(self, target: Target, document: Markdown) -> tuple[str, str] | None:
        """What is wrong with a link, and what to write in place of its address; None where it leads somewhere."""
        match target.outcome:
            case "missing" if target.spelled:
                message = f"“{target.path}” does not exist; “{target.spelled}” differs in letter case only"
                return message, f"spell the path as “{target.spelled}”"
            case "missing":
                return f"“{target.path}” does not exist", "correct the path, or remove the link"
            case "outside" | "unknown":
                self.outside += 1
                return None
            case "file" if target.fragment and target.path in self.tree.opaque:
                self.outside += 1  # nobody can say which headings it has
                return None
            case "file" if target.fragment and target.path.lower().endswith(MARKDOWN):
                return self._no_heading(target, document)
            case _:
                return None

    def _no_heading(self, target: Target, source: Markdown) -> tuple[str, str] | None:
        name = target.fragment.removeprefix("user-content-")
        if name == "top" or is_line_fragment(name):
            return None
        document: Markdown | Unreadable = source
        if target.path != source.file:
            if target.path not in self.files:
                self.unfetched.add(target.path)
                return None
            document = self.library.get(target.path, self.files[target.path])
        if isinstance(document, Unreadable):
            return f"“{target.path}” cannot be read, so that its headings are not known", document.problem.hint
        if name in document.anchors:
            return None
        where = "this file" if document is source else f"“{target.path}”"
        names = Spelling(document.anchors)
        other = names.same_but_case(name) or names.close(name)
        near = f"; “#{other}” is near" if other else ""
        message = f"{where} has no heading or anchor “#{name}”{near}"
        return message, f"write “#{quote(other)}”" if other else "correct the fragment, or drop it"


def is_line_fragment(fragment: str) -> bool:
    """Whether a fragment names lines, as in `#L10`, `#L10-L20` or `#L10C2-L12C3`."""
    return all(
        part.startswith("L") and all(number.isdigit() for number in part[1:].split("C", 1))
        for part in fragment.split("-", 1)
    )


def addresses(document: Markdown) -> Iterator[Address]:
    """Every link, image, and HTML `href` or `src` of a file."""
    for text in document.texts:
        yield from _in_block(document, text)
    for table in document.tables:
        for cell in document.cells_where(table, _HINT.search):
            yield from _in_block(document, cell)
    for block in document.html:
        for tag in tags(block.content):
            for href in html_targets(tag.text).hrefs:
                yield Address(href, block.place(document.file, tag.start, tag.end))


def _in_block(document: Markdown, block: Block | Cell) -> Iterator[Address]:
    if not _HINT.search(block.content):
        return
    inline = document.inline(block)
    for link in inline.links:
        yield Address(link.href, block.place(document.file, link.start, link.end))
    for piece in inline.pieces:
        if piece.kind == "html":
            for href in html_targets(piece.text).hrefs:
                yield Address(href, block.place(document.file, piece.start, piece.end))


def _finding(document: Markdown, address: Address, problem: tuple[str, str], number: int) -> Finding:
    message, fix = problem
    key = f"{document.file}:{address.href}" + (f"#{number}" if number > 1 else "")
    return Finding(
        rule="record-dangling-link",
        severity="error",
        recipe="",
        message=f"the link leads nowhere: {message}",
        place=address.place,
        fix=Fix(fix) if fix else None,
        key=key,
        line=document.lines[address.place.line - 1],
    )

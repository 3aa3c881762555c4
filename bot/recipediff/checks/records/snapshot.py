"""What the guard looks at: files at the head, and, where there are such, at the base and at the parents of a merge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from recipediff.core.finding import Finding
from recipediff.core.place import Unreadable
from recipediff.parse.markdown import Markdown, read_markdown

if TYPE_CHECKING:
    from recipediff.checks.records.rows import KeyedRow

FileContents = Mapping[str, bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Files by path. `head` holds the contents that were fetched, `paths` every path of the tree at the head.

    `base` are the tables at the tip of the branch that would be merged into, `fork` at the commit where the two
    parted: with both, keys that the branch has gained since are seen. `parents` are the tables at each parent where
    the head is a merge, or where `merged`, from which the head came, is one; `parted` are those at the commit where the
    parents parted (else `fork` stands for them). `opaque` are submodules and symbolic links, behind which nothing is
    known, and what is too large to be read: `large` gives the bytes of each such file.
    """

    head: FileContents
    paths: frozenset[str] = frozenset()
    base: FileContents | None = None
    fork: FileContents | None = None
    parents: tuple[FileContents, ...] = ()
    opaque: frozenset[str] = frozenset()
    merged: FileContents | None = None
    parted: FileContents | None = None
    large: Mapping[str, int] = field(default_factory=dict)

    @property
    def known(self) -> frozenset[str]:
        """Every path at the head."""
        return self.paths | frozenset(self.head)


@dataclass(eq=False, slots=True)
class Library:
    """Files read once: one bytes object at one path is parsed a single time, whatever tree it stands in."""

    rows: dict[tuple[Markdown, int, str, str], tuple[list[KeyedRow], list[Finding]]] = field(default_factory=dict)
    """What `read_rows` has read: by document, the table's line, the rule's key column and shape."""
    _read: dict[tuple[str, bytes], Markdown | Unreadable] = field(default_factory=dict)

    def get(self, path: str, data: bytes) -> Markdown | Unreadable:
        """The document, or why there is none."""
        key = (path, data)
        if key not in self._read:
            try:
                self._read[key] = read_markdown(data, path)
            except Unreadable as error:
                self._read[key] = error
        return self._read[key]

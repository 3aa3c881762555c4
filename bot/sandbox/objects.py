"""Git's objects, written and read as bytes: trees and commits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TreeItem:
    """One entry of a tree; `kind` is blob, tree or commit (a submodule)."""

    mode: str
    path: str
    sha: str

    @property
    def kind(self) -> str:
        return {"040000": "tree", "160000": "commit"}.get(self.mode, "blob")


@dataclass(frozen=True, slots=True)
class Person:
    """Who wrote a commit, and when (seconds since the epoch)."""

    name: str
    email: str
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitObject:
    """A commit as git stores it."""

    sha: str
    tree: str
    parents: tuple[str, ...]
    author: Person
    committer: Person
    message: str


def parse_tree(data: bytes) -> tuple[TreeItem, ...]:
    """The entries of a tree object."""
    at, found = 0, []
    while at < len(data):
        space, end = data.index(b" ", at), data.index(b"\0", at)
        mode, name = data[at:space].decode().zfill(6), data[space + 1 : end].decode("utf-8", "surrogateescape")
        found.append(TreeItem(mode, name, data[end + 1 : end + 21].hex()))
        at = end + 21
    return tuple(found)


def format_tree(entries: Mapping[str, tuple[str, str]]) -> bytes:
    """A tree object from name to (mode, sha), in git's order."""
    ordered = sorted(entries.items(), key=lambda item: _encode(item[0]) + (b"/" if item[1][0] == "040000" else b""))
    return b"".join(
        b"%s %s\0%s" % (mode.lstrip("0").encode(), _encode(name), bytes.fromhex(sha)) for name, (mode, sha) in ordered
    )


def parse_commit(sha: str, data: bytes) -> CommitObject:
    """A commit object."""
    head, _, message = data.decode("utf-8", "replace").partition("\n\n")
    fields: dict[str, list[str]] = {}
    for line in head.split("\n"):
        key, _, value = line.partition(" ")
        fields.setdefault(key, []).append(value)
    author, committer = (_person(fields[role][0]) for role in ("author", "committer"))
    return CommitObject(
        sha=sha,
        tree=fields["tree"][0],
        parents=tuple(fields.get("parent", ())),
        author=author,
        committer=committer,
        message=message.rstrip("\n"),
    )


def format_commit(tree: str, parents: Iterable[str], message: str, author: Person, committer: Person) -> bytes:
    """A commit object; the message is kept to the byte."""
    lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
    for role, person in (("author", author), ("committer", committer)):
        lines.append(f"{role} {_plain(person.name)} <{_plain(person.email)}> {person.at} +0000")
    return _encode("\n".join(lines) + "\n\n" + message)


def _encode(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def _plain(text: str) -> str:
    return re.sub(r"[<>\n\0]", "", text).strip()


def _person(line: str) -> Person:
    who, _, at = line.rpartition("> ")
    name, _, email = who.partition(" <")
    return Person(name, email, int(at.split()[0]))

"""Real bare git repositories, read and written object by object.

Objects are written as git's own loose objects, so that `git clone` and `git fsck` work on them, without a subprocess for
every answer. What git alone should decide (merges, diffs, histories) is asked of git and remembered, since objects never change.
The repositories of one fork network share one folder of objects, as they do at GitHub.
"""

from __future__ import annotations

import functools
import hashlib
import heapq
import os
import re
import subprocess
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from sandbox.objects import CommitObject, Person, TreeItem, format_commit, format_tree, parse_commit, parse_tree

HEX = re.compile(r"[0-9a-f]{40}\Z")
_REF = re.compile(r"refs/(?!.*(\.\.|//|@\{|\.lock(/|\Z)|[\x00-\x20~^:?*\[\\\x7f]))[^/.].*[^/.]\Z")


class NoObject(KeyError):
    """No object of that name and kind."""


class Conflict(Exception):
    """The two sides cannot be merged by git alone."""


def _environment(objects: Path) -> dict[str, str]:
    keep = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    return keep | {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_OBJECT_DIRECTORY": str(objects),
        "LC_ALL": "C",
    }


class GitRepository:
    """One bare repository at `path`. `objects` is the object folder of its fork network (its own, where it is not a fork)."""

    def __init__(self, path: Path, default_branch: str = "main", objects: Path | None = None) -> None:
        self.path = path
        subprocess.run(
            ["git", "init", "-q", "--bare", f"--initial-branch={default_branch}", str(path)],
            check=True,
            env=_environment(path / "objects"),
        )
        if objects is not None:
            (path / "objects" / "info" / "alternates").write_text(f"{objects}\n")
        self.objects = objects or path / "objects"
        self._known: dict[str, tuple[str, bytes]] = {}
        self._asked: dict[tuple[str, ...], bytes] = {}
        self.commit = functools.lru_cache(maxsize=50_000)(self._commit)
        self.tree = functools.lru_cache(maxsize=20_000)(self._tree)
        self.ancestors = functools.lru_cache(maxsize=64)(self._ancestors)

    # objects

    def write(self, kind: str, data: bytes) -> str:
        """Store one object; returns its name."""
        raw = b"%s %d\0%s" % (kind.encode(), len(data), data)
        sha = hashlib.sha1(raw, usedforsecurity=False).hexdigest()
        place = self.objects / sha[:2] / sha[2:]
        if not place.exists():
            place.parent.mkdir(exist_ok=True)
            part = place.with_suffix(".part")
            part.write_bytes(zlib.compress(raw, 1))
            part.replace(place)
        self._known[sha] = (kind, data)
        return sha

    def read(self, sha: str, kind: str | None = None) -> bytes:
        """The bytes of one object. Raises `NoObject`."""
        if not HEX.match(sha):
            raise NoObject(sha)
        found = self._known.get(sha) or self._load(sha)
        if kind is not None and found[0] != kind:
            raise NoObject(sha)
        return found[1]

    def kind(self, sha: str) -> str | None:
        """blob, tree, commit or tag; None where there is no such object."""
        try:
            self.read(sha)
        except NoObject:
            return None
        return self._known[sha][0]

    def _load(self, sha: str) -> tuple[str, bytes]:
        place = self.objects / sha[:2] / sha[2:]
        try:
            head, _, data = zlib.decompress(place.read_bytes()).partition(b"\0")
            kind = head.split()[0].decode()
        except FileNotFoundError:  # packed, after somebody pushed with git
            asked = self._git("cat-file", "--batch", stdin=sha.encode() + b"\n")
            head, _, data = asked.partition(b"\n")
            if head.endswith(b" missing"):
                raise NoObject(sha) from None
            kind, data = head.split()[1].decode(), data[:-1]
        self._known[sha] = (kind, data)
        return kind, data

    def _tree(self, sha: str) -> tuple[TreeItem, ...]:
        return parse_tree(self.read(sha, "tree"))

    def walk(self, sha: str, prefix: str = "", *, trees: bool = True) -> Iterator[TreeItem]:
        """Every entry below a tree, depth first, with full paths; folders too unless `trees` is false."""
        for entry in self.tree(sha):
            full = TreeItem(entry.mode, prefix + entry.path, entry.sha)
            if entry.kind != "tree":
                yield full
                continue
            if trees:
                yield full
            yield from self.walk(entry.sha, full.path + "/", trees=trees)

    def find(self, tree: str, path: str) -> TreeItem | None:
        """The entry at `path` below a tree; None where there is none."""
        entry = TreeItem("040000", "", tree)
        for part in filter(None, path.split("/")):
            if entry.kind != "tree":
                return None
            below = next((item for item in self.tree(entry.sha) if item.path == part), None)
            if below is None:
                return None
            entry = below
        return TreeItem(entry.mode, path.strip("/"), entry.sha)

    def write_tree(self, base: str | None, edits: Mapping[str, tuple[str, str] | None]) -> str:
        """A tree like `base` with `edits` (path to (mode, sha), or None to remove) put in; returns its name."""
        entries = {entry.path: (entry.mode, entry.sha) for entry in (self.tree(base) if base else ())}
        below: dict[str, dict[str, tuple[str, str] | None]] = {}
        for path, edit in edits.items():
            first, _, rest = path.partition("/")
            if rest:
                below.setdefault(first, {})[rest] = edit
            elif edit is None:
                entries.pop(first, None)
            else:
                entries[first] = edit
        empty = self.write("tree", b"")
        for name, inner in below.items():
            old = entries.get(name)
            sha = self.write_tree(old[1] if old and old[0] == "040000" else None, inner)
            if sha == empty:
                entries.pop(name, None)
            else:
                entries[name] = ("040000", sha)
        return self.write("tree", format_tree(entries))

    def write_commit(
        self, tree: str, parents: Iterable[str], message: str, author: Person, committer: Person | None = None
    ) -> str:
        """Store a commit; returns its name."""
        return self.write("commit", format_commit(tree, parents, message, author, committer or author))

    def _commit(self, sha: str) -> CommitObject:
        return parse_commit(sha, self.read(sha, "commit"))

    # refs

    def refs(self, prefix: str = "refs/") -> dict[str, str]:
        """Every ref whose full name starts with `prefix`, sorted."""
        found: dict[str, str] = {}
        packed = self.path / "packed-refs"
        if packed.exists():
            for line in packed.read_text().splitlines():
                if line[:1] not in ("#", "^"):
                    found[line[41:]] = line[:40]
        for folder, _, files in os.walk(self.path / "refs"):
            for name in files:
                place = Path(folder) / name
                found[place.relative_to(self.path).as_posix()] = place.read_text().strip()
        return {name: found[name] for name in sorted(found) if name.startswith(prefix)}

    def ref(self, name: str) -> str | None:
        """What a ref points to, by its full name."""
        if not _REF.match(name):
            return None
        place = self.path / name
        if place.is_file():
            return place.read_text().strip()
        return self.refs(name).get(name) if (self.path / "packed-refs").exists() else None

    def set_ref(self, name: str, sha: str | None) -> None:
        """Point a ref at `sha`, or delete it. Raises ValueError for a name that git does not allow, or that a folder stands in the way of."""
        if not _REF.match(name):
            raise ValueError(name)
        if sha is None:
            self._git("update-ref", "-d", name)
            return
        place = self.path / name
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            part = place.with_name(place.name + ".lock")
            part.write_text(sha + "\n")
            part.replace(place)
        except OSError as problem:
            raise ValueError(name) from problem

    def resolve(self, name: str) -> str | None:
        """The commit that a full hash, a branch, a tag or a full ref name means."""
        if HEX.match(name):
            return name if self.kind(name) == "commit" else None
        tries = [name] if name.startswith("refs/") else [f"refs/{name}", f"refs/heads/{name}", f"refs/tags/{name}"]
        return next((sha for sha in map(self.ref, tries) if sha), None)

    # what git is asked for

    def is_ancestor(self, old: str, new: str) -> bool:
        """Whether `new` can be reached from `old` by adding commits."""
        return old in self.ancestors(new)

    def merge_base(self, one: str, other: str) -> str | None:
        """The best common ancestor (the newest of several); None for unrelated histories."""
        common = self.ancestors(one) & self.ancestors(other)
        older = {parent for sha in common for parent in self.commit(sha).parents}
        return max(common - older, key=lambda sha: (self.commit(sha).committer.at, sha), default=None)

    def history(self, new: str, without: str | None = None) -> list[str]:
        """Commits reachable from `new` (and not from `without`), newest first, a child always before its parents."""
        wanted = self.ancestors(new) - (self.ancestors(without) if without else frozenset())
        children = Counter(parent for sha in wanted for parent in self.commit(sha).parents)
        heap = [(-self.commit(sha).committer.at, sha) for sha in wanted if not children[sha]]
        heapq.heapify(heap)
        found = []
        while heap:
            sha = heapq.heappop(heap)[1]
            found.append(sha)
            for parent in self.commit(sha).parents:
                children[parent] -= 1
                if not children[parent] and parent in wanted:
                    heapq.heappush(heap, (-self.commit(parent).committer.at, parent))
        return found

    def history_of(self, new: str, path: str) -> list[str]:
        """Commits reachable from `new` that touch `path`, newest first, as git simplifies the history."""
        return self._ask("rev-list", "--date-order", new, "--", path).decode().split()

    def _ancestors(self, sha: str) -> frozenset[str]:
        seen, queue = {sha}, [sha]
        while queue:
            fresh = [parent for parent in self.commit(queue.pop()).parents if parent not in seen]
            seen.update(fresh)
            queue.extend(fresh)
        return frozenset(seen)

    def changes(self, old: str | None, new: str) -> Iterator[tuple[str, str | None, str | None]]:
        """(path, blob before, blob after) for every file that differs between two trees."""
        before, after = ({item.path: item for item in (self.tree(sha) if sha else ())} for sha in (old, new))
        for name in sorted(before.keys() | after.keys()):
            yield from self._change(name, before.get(name), after.get(name))

    def _change(
        self, name: str, was: TreeItem | None, now: TreeItem | None
    ) -> Iterator[tuple[str, str | None, str | None]]:
        if was and now and (was.sha, was.mode) == (now.sha, now.mode):
            return
        empty = self.write("tree", b"")
        folders = [item.sha if item and item.kind == "tree" else None for item in (was, now)]
        files = [item.sha if item and item.kind != "tree" else None for item in (was, now)]
        if any(files):
            yield name, files[0], files[1]
        if any(folders):
            yield from (
                (f"{name}/{path}", one, other) for path, one, other in self.changes(folders[0], folders[1] or empty)
            )

    def merge(self, ours: str, theirs: str) -> str:
        """The tree of the merge of two commits. Raises `Conflict`."""
        answer = self._ask(
            "merge-tree", "--write-tree", "--allow-unrelated-histories", ours, theirs, codes=(0, 1)
        ).decode()
        tree = answer.split("\n", 1)[0]
        if answer.strip() != tree:
            raise Conflict(ours, theirs)
        return tree

    def diff(self, old: str | None, new: str, *options: str) -> bytes:
        """`git diff` between two commits or trees (None: against nothing), renames followed."""
        return self._ask(
            "diff", "--no-color", "--no-ext-diff", "--full-index", "-M", *options, old or self.write("tree", b""), new
        )

    def _ask(self, *arguments: str, codes: tuple[int, ...] = (0,)) -> bytes:
        if arguments not in self._asked:
            self._asked[arguments] = self._git(*arguments, codes=codes)
        return self._asked[arguments]

    def _git(self, *arguments: str, stdin: bytes = b"", codes: tuple[int, ...] = (0,)) -> bytes:
        done = subprocess.run(
            ["git", "--git-dir", str(self.path), *arguments],
            input=stdin,
            capture_output=True,
            env=_environment(self.objects),
            check=False,
        )
        if done.returncode not in codes:
            raise RuntimeError(f"git {' '.join(arguments)}: {done.stderr.decode(errors='replace').strip()}")
        return done.stdout

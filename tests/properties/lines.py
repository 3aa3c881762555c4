"""Real launches as words, and a line of words as items, by the surface table alone: the parser under test takes no part."""

from __future__ import annotations

import gzip
import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from recipediff.core.launch import Assignment, Invocation, Launch, Word
from recipediff.core.place import Place
from recipediff.parse.formats.eugr.reader import read_recipe
from recipediff.parse.tested.read import read_recipes
from recipediff.parse.vllm.grammar.surface import Flag, Surface, load
from recipediff.parse.vllm.launch import ReadVersion, recipe_invocation, understand
from tests.shared import ROOT, SHARED

VERSION = ReadVersion("0.32.0", True)
SURFACE: Surface = load(VERSION.table)
_PLACE = Place(file="line", line=1, column=1)


@dataclass(frozen=True, slots=True)
class Item:
    """One option with its values, or (with an empty option) the model. `joined`: written `--flag=value`."""

    option: str
    values: tuple[str, ...] = ()
    joined: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        if not self.option:
            return self.values
        return (f"{self.option}={self.values[0]}",) if self.joined else (self.option, *self.values)

    @property
    def head(self) -> str:
        """The option up to its first dot, dashes for underscores, as the table spells it."""
        head = self.option.partition(".")[0]
        return head.replace("_", "-") if head.startswith("--") else head

    @property
    def keys(self) -> str:
        """What stands behind the first dot; empty for an option without dots."""
        return self.option.partition(".")[2]

    @property
    def flag(self) -> Flag | None:
        """The flag of the table; None where it has no such option."""
        return SURFACE.options.get(self.head)


@dataclass(frozen=True, slots=True)
class Line:
    """One launch: its items, the model first, its environment and mods, and where it is from."""

    origin: str
    items: tuple[Item, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    mods: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(word for item in self.items for word in item.words)

    def with_items(self, items: Iterator[Item] | list[Item] | tuple[Item, ...]) -> Line:
        return replace(self, items=tuple(items))

    def replaced(self, at: int, *items: Item) -> Line:
        """With other items in place of one."""
        return self.with_items((*self.items[:at], *items, *self.items[at + 1 :]))

    def launch(self) -> Launch:
        """As the code under test reads it."""
        argv = tuple(Word(word, _PLACE) for word in self.words)
        env = tuple(Assignment(name, value, _PLACE) for name, value in self.env.items())
        mods = tuple(Word(path, _PLACE) for path in self.mods)
        return understand(Invocation(role="serve", argv=argv, env=env, mods=mods), VERSION)


def split(words: tuple[str, ...]) -> tuple[Item, ...]:
    """Items of a line whose first word is the model. Only lines that vLLM accepts are split rightly."""
    items = [Item("", words[:1])]
    at = 1
    while at < len(words):
        option, equals, value = words[at].partition("=")
        at += 1
        if equals:
            items.append(Item(option, (value,), joined=True))
            continue
        item = Item(option)
        most = _takes(item)
        end = at
        while end < len(words) and end - at < most and not _is_option(words[end]):
            end += 1
        items.append(replace(item, values=words[at:end]))
        at = end
    return tuple(items)


def _takes(item: Item) -> int:
    if item.keys or item.flag is None:
        return 1
    return {"none": 0, "one": 1, "optional": 1, "many": 1000}[item.flag.takes]


def _is_option(word: str) -> bool:
    return word.startswith("-") and not re.fullmatch(r"-\d+(\.\d+)?", word)


@cache
def real_lines() -> tuple[Line, ...]:
    """Every real command line that this machine has, each once, as far as the version accepts it."""
    seen: dict[tuple[str, ...], Line] = {}
    for line in (*_shipped(), *_eugr(), *_sparkrun(), *_vllm_project()):
        seen.setdefault(line.words, line)
    return tuple(line for line in seen.values() if not _troubled(line.launch()))


def _troubled(launch: Launch) -> bool:
    return bool(launch.refused or launch.problems)


def _of(origin: str, invocation: Invocation) -> Line:
    words = tuple(word.text for word in invocation.argv)
    env = {one.name: one.value for one in invocation.env if one.value is not None}
    return Line(origin, split(words), env, tuple(word.text for word in invocation.mods))


def _shipped() -> Iterator[Line]:
    for path in sorted((ROOT / "recipes").glob("*.yaml")):
        for recipe in read_recipes(path.read_bytes(), path.name).recipes:
            yield _of(f"shipped {path.name}", recipe_invocation(recipe))


def _eugr_files(origin: str, paths: Iterator[Path]) -> Iterator[Line]:
    for path in sorted(paths):
        reading = read_recipe(path.read_bytes(), path.name)
        for invocation in reading.invocations:
            if not invocation.problems:
                yield _of(f"{origin} {path.name}", invocation)


def _eugr() -> Iterator[Line]:
    folder = SHARED / "corpus" / "eugr-spark-vllm-docker"
    yield from _eugr_files("eugr", (folder / "blobs").glob("*.yaml"))
    yield from _eugr_files("eugr", (folder / "later").glob("*.yaml"))
    yield from _eugr_files("fixture", (ROOT / "tests" / "fixtures" / "upstream" / "eugr").rglob("*.yaml"))


def _sparkrun() -> Iterator[Line]:
    """Recipes of the other launcher, whose fields its own rules fill: `{name}` from the defaults and the model, once."""
    from recipediff.parse.documents.document import MappingNode, plain, read

    for path in sorted((SHARED / "corpus" / "sparkrun").rglob("*.yaml")):
        root = read(path.read_bytes(), path.name).root
        whole: Any = plain(root) if isinstance(root, MappingNode) else {}
        if whole.get("runtime") != "vllm" or not isinstance(whole.get("command"), str):
            continue
        fields = {**(whole.get("defaults") or {}), "model": whole["model"]}
        text = re.sub(r"\{(\w+)\}", lambda m: str(fields.get(m[1], m[0])), whole["command"])  # noqa: B023
        words = tuple(word for word in shlex.split(text.replace("\\\n", " ")) if word.strip())
        if words[:2] == ("vllm", "serve") and "{" not in words[2]:
            env = {name: str(value) for name, value in (whole.get("env") or {}).items()}
            yield Line(f"sparkrun {path.name}", split(words[2:]), env, tuple(whole.get("mods") or ()))


def _vllm_project() -> Iterator[Line]:
    seen: set[tuple[str, ...]] = set()
    for path in sorted((SHARED / "corpus" / "vllm-project-recipes").glob("*/oracle.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as rows:
            for text in rows:
                row = json.loads(text)
                for key in ("argv", "head_argv", "worker_argv", "vllm_argv"):
                    argv = tuple(row.get(key) or ())
                    if argv and argv not in seen:
                        seen.add(argv)
                        env = {name: str(value) for name, value in row["env"].items()}
                        yield Line(f"vllm-project {row['path']}", split(argv[2:]), env)

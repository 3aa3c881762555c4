"""What the commands share: files of this machine, upstreams by name, and failing with one line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

import click

from recipediff.app.specs import SpecFiles
from recipediff.cli.context import Workbench
from recipediff.core.config import CONFIG_PATH, Config, Upstream
from recipediff.core.place import Unreadable

MAX_FILE = 32 * 1024 * 1024


def fail(message: str) -> NoReturn:
    """One line to standard error, exit status 2."""
    click.echo(click.style("error", fg="red") + f": {message}", err=True)
    raise SystemExit(2)


def read_file(name: str) -> bytes:
    """The bytes of a file, or of standard input for `-`; fails with one line where they cannot be had."""
    if name == "-":
        return sys.stdin.buffer.read(MAX_FILE + 1)
    path = Path(name)
    try:
        if path.is_dir():
            fail(f"{name} is a folder; name a file in it")
        if path.stat().st_size > MAX_FILE:
            fail(f"{name} has {path.stat().st_size:,} bytes; at most {MAX_FILE:,} are read")
        with path.open("rb") as file:
            return file.read(MAX_FILE + 1)  # a device has no size
    except OSError as error:
        fail(f"cannot read {name}: {error.strerror}")


def local_files() -> SpecFiles:
    """The file system, as SPECs see it."""
    return SpecFiles(read_file, _beside)


_ROOT_MARKS = ("taxonomy.yaml", ".git", "mods")


def _beside(name: str) -> tuple[str, Mapping[str, Callable[[], bytes]]]:
    """The tree that a recipe file stands in: up to the folder that looks like an upstream's root, else its own folder."""
    path = Path(name)
    read_file(name)
    full = path.resolve()
    root = next((p for p in full.parents if any((p / mark).exists() for mark in _ROOT_MARKS)), full.parent)
    tree: dict[str, Callable[[], bytes]] = {}
    for folder in (root, *(root / sub for sub in ("strategies", "kv_store", "mods"))):
        for entry in _listed(folder):
            tree[entry.relative_to(root).as_posix()] = _reader(entry)
    relative = full.relative_to(root).as_posix()
    tree[relative] = _reader(full)
    return relative, tree


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir()) if folder.is_dir() else []
    except OSError as error:
        fail(f"cannot list {folder}: {error.strerror}")


def _reader(path: Path) -> Callable[[], bytes]:
    return lambda: read_file(str(path)) if path.is_file() else b""


def read_config(name: str | None) -> Config:
    """The configuration file named, else `.github/recipediff.yml` where there is one, else the defaults."""
    path = Path(name or CONFIG_PATH)
    if not path.is_file():
        if name is not None:
            fail(f"there is no configuration file {name}")
        return Config()
    from recipediff.parse.config.repository import read_config as parse

    try:
        config, findings = parse(read_file(str(path)), path.as_posix())
    except Unreadable as error:
        fail(str(error))
    if findings:
        first = findings[0]
        fail(f"{first.place}: {first.message}" + (f" ({first.fix.summary})" if first.fix else ""))
    return config


def locals_by_repo(pairs: tuple[str, ...], config: Config) -> dict[str, Path]:
    """`--upstream NAME=PATH` options by the repository that each one names."""
    found: dict[str, Path] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name or not text:
            fail(f"--upstream takes NAME=PATH, not “{pair}”")
        upstream = named_upstream(name, config)
        path = Path(text)
        if not path.is_dir():
            fail(f"--upstream {name}: there is no folder {text}")
        if upstream.repo.lower() in found:
            fail(f"--upstream names {upstream.repo} twice; one copy is read")
        found[upstream.repo.lower()] = path
    return found


def named_upstream(name: str, config: Config) -> Upstream:
    """The configured upstream called `name`: by `owner/name`, by its last part, or by its format."""
    for upstream in config.upstreams:
        if name.lower() in (upstream.repo.lower(), upstream.repo.lower().partition("/")[2], upstream.format):
            return upstream
    known = ", ".join(f"{u.repo} ({u.format})" for u in config.upstreams) or "none"
    fail(f"“{name}” is not a configured upstream; configured are: {known}")


def bench(ctx: click.Context) -> Workbench:
    """The workbench that `__main__` put into the context."""
    found: Any = ctx.find_object(Workbench)
    if found is None:
        fail("the command was started without its adapters")
    bench_: Workbench = found
    return bench_

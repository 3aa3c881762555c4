"""One launch of any kind, named by a SPEC: `recipe:FILE`, `eugr:FILE`, `vllm-project:FILE?hardware=…`, `command:FILE`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from urllib.parse import parse_qs

from recipediff.core.finding import Finding
from recipediff.core.launch import Invocation, Launch, Note, Select
from recipediff.core.place import Place, Problem
from recipediff.core.upstream import UpstreamFiles
from recipediff.parse.formats import FORMATS, command
from recipediff.parse.globs import matches
from recipediff.parse.tested.read import read_recipes
from recipediff.parse.vllm.launch import read_version, recipe_invocation, understand

_LAUNCHED = frozenset({"model", "image", "args", "env", "mods", "file"})
"""Fields of a tested recipe that reach the launch; `file` stands for all of it."""
SELECT_KEYS = ("hardware", "variant", "strategy", "features", "nodes", "role")


class BadSpec(Exception):
    """The SPEC cannot be used as it stands; the message says what to write instead."""


def images_apart(left: Launch, right: Launch) -> Note | None:
    """What to say of two images that are not the same: an image is no setting, so it is never a difference."""
    if left.image is None or right.image is None or left.image.text == right.image.text:
        return None
    return Note(f"the images are not compared: {left.image.text}, then {right.image.text}", right.image.place)


class SpecFiles:
    """What a SPEC may read: one file by name, and the names beside it. Satisfied by the file system in the command."""

    def __init__(
        self, read: Callable[[str], bytes], beside: Callable[[str], tuple[str, Mapping[str, Callable[[], bytes]]]]
    ) -> None:
        self.read = read
        self.beside = beside
        """For a file: its path from the root of its upstream tree, and every file of that tree."""


@dataclass(frozen=True, slots=True)
class Spec:
    """A parsed SPEC."""

    kind: str
    file: str
    select: Select = field(default_factory=Select)
    id: str = ""

    def __str__(self) -> str:
        return f"{self.kind}:{self.file}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One launch with its words, as they were before the grammar."""

    spec: Spec
    invocation: Invocation
    launch: Launch
    roles: tuple[str, ...] = ()
    version_note: str = ""


def parse_spec(text: str) -> Spec:
    """`KIND:FILE`, with `#ID` for one entry of a list and `?key=value&…` for a select. Raises `BadSpec`."""
    kinds = ("recipe", *FORMATS, "command")
    kind, colon, rest = text.partition(":")
    if not colon or kind not in kinds:
        raise BadSpec(f"“{text}” names no launch; write one of {', '.join(f'{k}:FILE' for k in kinds)}")
    file, query, entry = rest, "", ""
    if kind == "vllm-project":
        file, _, query = rest.partition("?")
    elif kind == "recipe":
        file, _, entry = rest.partition("#")
    if not file:
        raise BadSpec(f"“{text}” names no file; write {kind}:FILE")
    return Spec(kind, file, _select(text, query), entry)


def _select(text: str, query: str) -> Select:
    try:
        given = parse_qs(query, keep_blank_values=True, strict_parsing=bool(query))
    except ValueError:
        raise BadSpec(f"“{text}”: write a select as ?key=value&key=value") from None
    unknown = [key for key in given if key not in SELECT_KEYS]
    if unknown:
        raise BadSpec(f"“{text}”: no select key “{unknown[0]}”; there are {', '.join(SELECT_KEYS)}")
    twice = [key for key, values in given.items() if len(values) > 1]
    if twice:
        raise BadSpec(f"“{text}”: {twice[0]} is given twice")
    words = {key: values[-1] for key, values in given.items()}
    nodes = words.get("nodes", "0")
    if not nodes.isascii() or not nodes.isdigit() or len(nodes) > 6:
        raise BadSpec(f"“{text}”: nodes is a whole number, not “{nodes}”")
    features = words.get("features")
    return Select(
        hardware=words.get("hardware", ""),
        variant=words.get("variant", ""),
        strategy=words.get("strategy", ""),
        features=None if features is None else tuple(name for name in features.split(",") if name),
        nodes=int(nodes),
        role=words.get("role", ""),
    )


def read_launch(spec: Spec, files: SpecFiles, vllm: str = "") -> Shown | tuple[Problem, ...]:
    """The launch that `spec` names, or why it cannot be read. `vllm` overrides the version that a recipe states.

    Raises `BadSpec` for a `vllm` that is no version.
    """
    try:
        read_version(vllm)
    except ValueError as error:
        raise BadSpec(f"--vllm: {error}") from None
    if spec.kind == "recipe":
        return _recipe(spec, files.read(spec.file), vllm)
    if spec.kind == "command":
        reading = command.COMMAND.read(UpstreamFiles({spec.file: files.read(spec.file)}), spec.file, spec.select)
    else:
        path, tree = files.beside(spec.file)
        form = FORMATS[spec.kind]
        patterns = form.companions(path)
        blobs = {name: read() for name, read in tree.items() if name == path or matches(name, patterns)}
        whole = frozenset(tree) if any(name.startswith("mods/") for name in tree) else None
        reading = form.read(UpstreamFiles(blobs, whole, pinned=False), path, spec.select)
    if not reading.invocations:
        return reading.problems or (Problem("no launch was found", Place(file=spec.file)),)
    return _shown(spec, reading.invocations, reading.problems, vllm)


def _shown(
    spec: Spec, invocations: tuple[Invocation, ...], problems: tuple[Problem, ...], vllm: str
) -> Shown | tuple[Problem, ...]:
    roles = tuple(invocation.role for invocation in invocations)
    role = spec.select.role or roles[0]
    if role not in roles:
        return (Problem(f"no role “{role}”", Place(file=spec.file), f"its roles: {', '.join(roles)}"),)
    version = read_version(vllm)
    chosen = invocations[roles.index(role)]
    launch = understand(chosen, version)
    if problems:
        launch = replace(launch, problems=(*launch.problems, *problems))
    return Shown(spec=spec, invocation=chosen, launch=launch, roles=roles, version_note=version.note)


def _recipe(spec: Spec, data: bytes, vllm: str) -> Shown | tuple[Problem, ...]:
    name = PurePosixPath(spec.file).as_posix()
    read = read_recipes(data, name)
    ids = [recipe.id for recipe in read.recipes]
    if not read.recipes:
        return tuple(_problem(f) for f in read.findings)
    if spec.id and spec.id not in ids:
        return (Problem(f"no recipe “{spec.id}” in this file", Place(file=name), f"it has: {', '.join(ids)}"),)
    if not spec.id and len(ids) > 1:
        return (Problem(f"{len(ids)} recipes in this file", Place(file=name), f"name one: recipe:{name}#{ids[0]}"),)
    recipe = read.recipes[ids.index(spec.id) if spec.id else 0]
    version = read_version(vllm or recipe.vllm)
    invocation = recipe_invocation(recipe)
    said = [f for f in read.findings if f.recipe == recipe.id and re.split(r"[.\[]", f.key)[0] in _LAUNCHED]
    invocation = replace(
        invocation,
        problems=tuple(_problem(f) for f in said if f.key in recipe.unread),
        notes=tuple(Note(f.message, f.place) for f in said if f.key not in recipe.unread),
    )
    return Shown(
        spec=spec,
        invocation=invocation,
        launch=understand(invocation, version),
        roles=("serve",),
        version_note=version.note,
    )


def _problem(finding: Finding) -> Problem:
    return Problem(finding.message, finding.place, finding.fix.summary if finding.fix else "")

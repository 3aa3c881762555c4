"""The files of one upstream commit, read once and kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import PurePosixPath
from typing import TypeVar

from recipediff.core.place import Place, Problem, Unreadable
from recipediff.parse.documents import document
from recipediff.parse.formats.format import UpstreamFiles
from recipediff.parse.formats.vllm_project.choose import Shelf
from recipediff.parse.formats.vllm_project.fields import FieldReader
from recipediff.parse.formats.vllm_project.hardware import Profile, read_profiles
from recipediff.parse.formats.vllm_project.recipe import Recipe, read_recipe
from recipediff.parse.formats.vllm_project.strategies import Strategy, read_strategy

TAXONOMY = "taxonomy.yaml"
FOLDERS = ("strategies/", "kv_store/")
COMPANIONS = (TAXONOMY, "platforms.yaml", "strategies/*.yaml", "kv_store/*.yaml")

T = TypeVar("T")
Problems = tuple[Problem, ...]
Blob = tuple[str, bytes]


def shelf_of(files: UpstreamFiles) -> tuple[Shelf, Problems]:
    """The companions in `files`, and what was wrong in them."""
    wanted = [
        (path, files.blobs[path])
        for path in sorted(files.blobs)
        if path == TAXONOMY or (path.startswith(FOLDERS) and path.endswith(".yaml"))
    ]
    return _shelf(tuple(wanted))


@lru_cache(maxsize=16)
def _shelf(blobs: tuple[Blob, ...]) -> tuple[Shelf, Problems]:
    problems: list[Problem] = []
    profiles: Mapping[str, Profile] = {}
    wrong: dict[str, Problems] = {}
    strategies: dict[str, Strategy] = {}
    stores: dict[str, Strategy] = {}
    if not any(path == TAXONOMY for path, _ in blobs):
        problems.append(
            Problem("taxonomy.yaml is not there", Place(file=TAXONOMY), "the hardware profiles stand in it")
        )
    if not any(path != TAXONOMY for path, _ in blobs):
        problems.append(Problem("no strategies/*.yaml is there", Place(file="strategies"), "every launch follows one"))
    for path, data in blobs:
        if path == TAXONOMY:
            found, general = _read(path, data, read_profiles)
            profiles, of_profiles = found or ({}, {})
            problems += general
            wrong.update(of_profiles)
            continue
        strategy, own = _read(path, data, read_strategy)
        if strategy is not None:
            (stores if strategy.deploy_type == "kv_store_lb" else strategies)[strategy.name] = strategy
        if own:
            # Upstream names each file after its strategy.
            wrong[strategy.name if strategy else PurePosixPath(path).stem] = own
    return Shelf(profiles, strategies, stores, wrong), tuple(problems)


def _read(path: str, data: bytes, reader: Callable[[document.Document, FieldReader], T]) -> tuple[T | None, Problems]:
    fields = FieldReader(path)
    try:
        return reader(document.read(data, path), fields), tuple(fields.problems)
    except Unreadable as error:
        return None, (error.problem,)


@lru_cache(maxsize=512)
def recipe_of(path: str, data: bytes) -> tuple[Recipe | None, Problems]:
    """The recipe in `data`, and what was wrong in it."""
    try:
        return read_recipe(document.read(data, path))
    except Unreadable as error:
        return None, (error.problem,)

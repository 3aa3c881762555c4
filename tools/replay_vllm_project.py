"""Replays vllm-project/recipes between its two stored commits, each recipe pinned with a select for one kind of hardware.

    python -m tools.replay_vllm_project ../shared

A bump of its own is due only where the resolved launch differs. Upstream's own builder says where that is: the rows of
its output that differ between the two commits.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from recipediff.checks.moves import Versions, judge_move, same_launch
from recipediff.core.config import DEFAULT_UPSTREAMS
from recipediff.core.follow import candidates, follow
from recipediff.core.git import blob_id
from recipediff.core.launch import Assignment, Select, Word
from recipediff.core.place import Place
from recipediff.core.recipe import Source, TestedRecipe
from recipediff.core.upstream import UpstreamFiles
from recipediff.parse.formats import FORMATS
from recipediff.parse.globs import matches
from recipediff.parse.vllm.launch import read_version
from tools.oracle_recipes import CORPUS, Row, files_of, published, rows_of

OLDER, NEWER = "86c7777aa699482ef1ebd0c5da9fc540ccc00a40", "8959cf64189c71d36e11c6a30335f923f261b1f7"
HARDWARE = ("h200", "dgx_spark_gb10")
UPSTREAM = next(upstream for upstream in DEFAULT_UPSTREAMS if upstream.format == "vllm-project")
HERE = Place(file="recipe.yaml", line=1, column=1)


@dataclass
class Result:
    """One kind of hardware."""

    pinned: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    same_meaning: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def measure(shared: Path, hardware: str) -> Result:
    """Judge every recipe that upstream's builder renders for `hardware` at the older commit."""
    folders = [shared / CORPUS / commit for commit in (OLDER, NEWER)]
    old, new = (files_of(folder) for folder in folders)
    rows = [_rows(folder, hardware) for folder in folders]
    trees = [{path: blob_id(data) for path, data in files.blobs.items()} for files in (old, new)]
    result = Result()
    for name, before in rows[0].items():
        result.pinned += 1
        _judge(name, before, rows[1].get(name), (old, new), trees, result)
    return result


def _rows(folder: Path, hardware: str) -> dict[str, Row]:
    return {
        str(row["path"]): row
        for row in rows_of(folder)
        if row["kind"] == "hardware" and row["hardware"] == hardware
    }  # fmt: skip


def _judge(
    name: str,
    before: Row,
    after: Row | None,
    files: tuple[UpstreamFiles, UpstreamFiles],
    trees: list[dict[str, str]],
    result: Result,
) -> None:
    path = f"models/{before['derived_from'] or before['hf_id']}.yaml"
    read = {
        one: files[1].blobs[one]
        for one in candidates(path, trees[0], trees[1], lambda name: matches(name, UPSTREAM.recipes))
    }
    there = follow(path, files[0].blobs[path], trees[0], trees[1], read)
    recipe = _pinned(path, before)
    versions = Versions(old=files[0], new=files[1], new_path=there.path or path)
    source = recipe.source
    touched = trees[0][path] != trees[1].get(there.path)
    judged = judge_move(recipe, versions, UPSTREAM)
    moved = touched or (
        source is not None and not same_launch(FORMATS[UPSTREAM.format], versions, source, read_version(""))
    )
    result.counts["edited" if touched else "not edited"] += 1
    differs = after is None or published(before) != published(after)
    image = after is not None and before["docker_image"] != after["docker_image"]
    result.counts["rows that differ"] += differs or image
    result.counts["of these in argv or env"] += differs
    if moved and judged.relevant:
        result.counts["own"] += 1
        if not differs:
            result.wrong.append(f"{name}: a bump of its own, and upstream's rows are the same")
    elif moved:
        result.counts["quiet"] += 1
    if differs and not (moved and judged.relevant):
        meant = _as_sets(before) == _as_sets(after)
        (result.same_meaning if meant else result.wrong).append(
            f"{name}: upstream's rows differ, and no bump of its own"
        )


def _as_sets(row: Row | None) -> object:
    """A row without the order of its words."""
    return None if row is None else {role: (sorted(argv), env) for role, (argv, env) in published(row).items()}


def _pinned(path: str, row: Row) -> TestedRecipe:
    """A recipe that follows upstream's row word by word."""
    argv, env = next(iter(published(row).values()))
    select = Select(hardware=row["hardware"], variant=row["requested_variant"])
    source = Source(
        repo=UPSTREAM.repo, path=path, commit=OLDER, license="Apache-2.0", select=select, deviations=(), place=HERE
    )
    words = tuple(Word(text, HERE) for text in argv)
    image = Word("image@sha256:" + "0" * 64, HERE)
    return TestedRecipe(
        id="recipe",
        model=words[0],
        image=image,
        hardware=row["hardware"],
        nodes=1,
        args=words,
        env=_environment(env),
        mods=(),
        source=source,
        verified=None,
        vllm="",
        place=HERE,
        file="recipe.yaml",
    )


def _environment(env: Mapping[str, str]) -> tuple[Assignment, ...]:
    return tuple(Assignment(name, value, HERE) for name, value in env.items())


def report(hardware: str, result: Result) -> str:
    """The figures of one kind of hardware."""
    counts = result.counts
    alone = f"({counts['of these in argv or env']} of them in more than the image)"
    lines = [
        f"vllm-project/recipes {OLDER[:7]} to {NEWER[:7]}, {result.pinned} recipes pinned for {hardware}",
        f"  naive, every recipe whose file was edited      {counts['edited']:>5}",
        f"  upstream's own rows that differ                {counts['rows that differ']:>5} {alone}",
        f"  ours                                           {counts['own']:>5} on their own, {counts['quiet']} quiet",
    ]
    lines += [f"    only the order of words differs: {name}" for name in result.same_meaning]
    lines += [f"    wrong: {name}" for name in result.wrong]
    return "\n".join(lines)


def run(shared: Path) -> bool:
    """Judge and print. True where bumps of their own are exactly those whose launch differs."""
    if not (shared / CORPUS / OLDER / "oracle.jsonl.gz").is_file():
        print(f"no commits of vllm-project/recipes under {shared}")
        return False
    fine = True
    for hardware in HARDWARE:
        result = measure(shared, hardware)
        print(report(hardware, result))
        fine = fine and not result.wrong
    return fine


if __name__ == "__main__":
    raise SystemExit(0 if run(Path(sys.argv[1] if len(sys.argv) > 1 else "../shared")) else 1)

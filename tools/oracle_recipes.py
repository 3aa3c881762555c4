"""Resolves every command that upstream's own builder published, from the recipes alone, and counts what is the same.

    python -m tools.oracle_recipes ../shared

Prints `matched/total` by commit, deploy type and kind, and lists the rest with one example of each sort.
"""

from __future__ import annotations

import gzip
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from recipediff.core.launch import Invocation, Select
from recipediff.parse.formats.format import FormatReading, UpstreamFiles
from recipediff.parse.formats.vllm_project import VllmProject

CORPUS = Path("corpus") / "vllm-project-recipes"
Row = Mapping[str, Any]


@dataclass(kw_only=True)
class Tally:
    """What came of one commit's rows."""

    commit: str
    rows: int = 0
    seconds: float = 0.0
    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """(deploy type, kind, `matched` or `total`)"""
    misses: dict[tuple[str, str, str], list[str]] = field(default_factory=dict)
    """(deploy type, kind, what differs) -> paths"""
    moved: list[tuple[str, str]] = field(default_factory=list)
    """(deploy type, path) of rows whose default hardware the newer rule changes."""


def commits(shared: Path) -> list[Path]:
    """The folders that hold an oracle."""
    return sorted(path.parent for path in (shared / CORPUS).glob("*/oracle.jsonl.gz"))


def files_of(folder: Path) -> UpstreamFiles:
    """The recipes and their companions in one folder."""
    found = {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*.yaml"))}
    return UpstreamFiles(found, frozenset(found))


def rows_of(folder: Path) -> Iterator[Row]:
    """The rows of a folder's oracle, in its order."""
    with gzip.open(folder / "oracle.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def select_of(row: Row) -> Select:
    """The select that asks for a row. Rows of recommended commands leave the strategy open."""
    strategy = row["strategy"] if row["kind"].endswith("_alternative") else ""
    return Select(hardware=row["hardware"] or "", variant=row["requested_variant"], strategy=strategy)


def published(row: Row) -> dict[str, tuple[list[str], dict[str, str]]]:
    """The processes of a row: role -> words after `vllm serve`, environment."""
    kind = row["deploy_type"]
    if kind == "pd_cluster":
        return {role: (row[role]["argv"][2:], _texts(row[role]["env"])) for role in ("prefill", "decode")}
    env = _texts(row["env"])
    first = {"single_node": "argv", "multi_node": "head_argv", "kv_store_lb": "vllm_argv"}[kind]
    workers = row.get("worker_argvs") or row.get("vllm_worker_argvs") or []
    several = bool(workers)
    found = {"head" if several else "serve": (row[first][2:], env)}
    found |= {f"worker-{rank}": (argv[2:], env) for rank, argv in enumerate(workers, 1)}
    return found


def _texts(env: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(value) for name, value in env.items()}


def resolved(found: tuple[Invocation, ...]) -> dict[str, tuple[list[str], dict[str, str]]]:
    """The same of what was resolved."""
    return {
        one.role: ([word.text for word in one.argv], {item.name: item.value or "" for item in one.env}) for one in found
    }


def difference(row: Row, reading: FormatReading) -> str:
    """What differs between a row and what was resolved; empty where nothing does."""
    found = reading.invocations
    problems = [*reading.problems, *(problem for one in found for problem in one.problems)]
    if problems:
        return f"problem: {problems[0].message}"
    theirs, ours = published(row), resolved(found)
    if list(theirs) != list(ours):
        return f"roles {'+'.join(theirs)} against {'+'.join(ours)}"
    for role, (argv, env) in theirs.items():
        if argv != ours[role][0]:
            return f"{role} argv"
        if env != ours[role][1]:
            return f"{role} env"
    image = found[0].image
    return "" if image is not None and image.text == row["docker_image"] else "image"


def measure(folder: Path) -> Tally:
    """Resolve every row of one folder."""
    tally = Tally(commit=folder.name)
    rows = list(rows_of(folder))
    started = time.perf_counter()
    files = files_of(folder)
    upstream = VllmProject()
    readings = [upstream.read(files, _path(row), select_of(row)) for row in rows]
    tally.seconds = time.perf_counter() - started
    tally.rows = len(rows)
    for row, reading in zip(rows, readings, strict=True):
        kind, deploy = row["kind"], row["deploy_type"]
        tally.counts[deploy, kind, "total"] += 1
        what = difference(row, reading)
        if not what:
            tally.counts[deploy, kind, "matched"] += 1
            continue
        if _moved(upstream, files, row):
            tally.moved.append((deploy, row["path"]))
            continue
        tally.misses.setdefault((deploy, kind, what), []).append(row["path"])
    return tally


def _path(row: Row) -> str:
    return f"models/{row['derived_from'] or row['hf_id']}.yaml"


def _moved(upstream: VllmProject, files: UpstreamFiles, row: Row) -> bool:
    """Whether the row is what is resolved once its older default hardware is asked for, which the newer rule replaces."""
    if row["hardware"] is not None:
        return False
    select = select_of(row)
    older = Select(hardware=row["resolved_hardware"], variant=select.variant, strategy=select.strategy)
    recipe, _ = upstream.recipe(files, _path(row))
    stated = recipe.default_hardware if recipe else None
    if stated is None or stated.text == row["resolved_hardware"]:
        return False
    reading = upstream.read(files, _path(row), older)
    return not difference(row, reading)


def report(tally: Tally) -> str:
    """One commit's figures as text."""
    lines = [f"vllm-project/recipes {tally.commit[:7]}: {tally.rows:,} rows in {tally.seconds:.2f} s"]
    deploys = ("single_node", "multi_node", "pd_cluster", "kv_store_lb")
    for deploy in deploys:
        kinds = sorted(kind for (one, kind, what) in tally.counts if one == deploy and what == "total")
        for kind in kinds:
            done, total = tally.counts[deploy, kind, "matched"], tally.counts[deploy, kind, "total"]
            lines.append(f"  {deploy:<12} {kind:<21} {done}/{total}")
    for name, group in (("single_node and multi_node", deploys[:2]), ("pd_cluster and kv_store_lb", deploys[2:])):
        moved = sum(1 for deploy, _ in tally.moved if deploy in group)
        rest = f", and {moved} that the newer default-hardware rule explains" if moved else ""
        lines.append(f"  {name}: {_sum(tally, group, 'matched')}/{_sum(tally, group, 'total')}{rest}")
    if tally.moved:
        lines.append(f"  explained by the newer default-hardware rule: {len(tally.moved)}")
        lines += [f"    {path}" for _, path in tally.moved]
    for (deploy, kind, what), paths in sorted(tally.misses.items()):
        lines.append(f"  not the same: {deploy} {kind}, {what}: {len(paths)}, for example {paths[0]}")
    return "\n".join(lines)


def _sum(tally: Tally, deploys: tuple[str, ...], what: str) -> int:
    return sum(count for (deploy, _, one), count in tally.counts.items() if deploy in deploys and one == what)


def run(shared: Path) -> bool:
    """Measure and print every commit under `shared`. True where every row is the same or explained."""
    folders = commits(shared)
    if not folders:
        print(f"no oracle of vllm-project/recipes under {shared}")
        return False
    fine = True
    for folder in folders:
        tally = measure(folder)
        print(report(tally))
        fine = fine and not tally.misses
    return fine


if __name__ == "__main__":
    raise SystemExit(0 if run(Path(sys.argv[1] if len(sys.argv) > 1 else "../shared")) else 1)

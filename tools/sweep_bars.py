"""The published audit reproduced, and the table of recipes that start on each engine. Needs `../shared` beside the project."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from recipediff.checks.sweep.counting import counted
from recipediff.checks.sweep.judge import stops
from recipediff.checks.sweep.run import SweepSnapshot, sweep
from recipediff.core.sweep.result import SweepResult
from recipediff.core.sweep.surface import EngineSurface
from recipediff.core.upstream import UpstreamFiles
from recipediff.parse.engine import surface_of_vllm
from recipediff.parse.engine.file import read_surface
from recipediff.reports.sweep.summary import stopping

SHARED = Path(os.environ.get("RECIPEDIFF_SHARED", Path(__file__).resolve().parents[2] / "shared"))
AUDITED = "86c7777aa699482ef1ebd0c5da9fc540ccc00a40"
LATER = "8959cf64189c71d36e11c6a30335f923f261b1f7"
VERSIONS = ("0.20.2", "0.28.0", "0.32.0", "0.33.0")
REPO, FORMAT = "vllm-project/recipes", "vllm-project"


def upstream(commit: str) -> tuple[UpstreamFiles, tuple[str, ...]]:
    """The files of one commit, and the paths of its recipes."""
    root = SHARED / "corpus" / "vllm-project-recipes" / commit
    blobs = {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*.yaml"))}
    return UpstreamFiles(blobs, frozenset(blobs)), tuple(path for path in blobs if path.startswith("models/"))


def engine() -> EngineSurface:
    """The hand-written surface of the audited engine."""
    surface, findings = read_surface(
        (SHARED / "corpus/vllm.cpp/engine-surface.yaml").read_bytes(), "engine-surface.yaml"
    )
    if surface is None:
        raise ValueError(str(findings[0]))
    return surface


def swept(commit: str, surface: EngineSurface, rule: str = "published") -> SweepResult:
    """One sweep of the corpus."""
    files, paths = upstream(commit)
    return sweep(
        SweepSnapshot(upstream=REPO, format=FORMAT, commit=commit, files=files, paths=paths, surface=surface, rule=rule)
    )


def audit() -> dict[str, int]:
    """The figures of the published audit."""
    result = swept(AUDITED, engine())
    uses = {flag.name: flag.uses for flag in result.flags}
    flags = ("--enable-auto-tool-choice", "--trust-remote-code", "--reasoning-parser", "--tool-call-parser")
    return {
        "recipes": len(result.recipes),
        "flags": len(result.flags),
        **{flag: uses[flag] for flag in flags},
        "variables": len(result.env),
        "dgx_spark_gb10": next(len(row.listed) for row in result.hardware if row.profile == "dgx_spark_gb10"),
        "run together": sum(flag.run_together for flag in result.flags),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Lines of the oracle that are among upstream's launches, and on how many of them the sweep says the same."""

    seen: int
    agree: int
    refused: int
    left: int
    """Oracle lines that no launch of either commit has."""
    wrong: tuple[str, ...]


def agreement(version: str = "0.32.0") -> Agreement:
    """Every published line that the real parser was given: refused there, and does the sweep stop here?"""
    lines = dict(_oracle(version))
    surface = surface_of_vllm(version)
    seen = agree = refused = 0
    wrong = []
    for commit in (AUDITED, LATER):
        files, paths = upstream(commit)
        for path in paths:
            for block in counted(FORMAT, files, path, "launches").blocks:
                ok = lines.pop(tuple(word.text for word in block.words), None)
                if ok is None:
                    continue
                found = stops(block, surface)
                seen, refused = seen + 1, refused + (not ok)
                agree += bool(found) is not ok
                if bool(found) is ok:
                    wrong.append(f"{path} {block.name}: {found[0].message if found else 'starts'}")
    return Agreement(seen=seen, agree=agree, refused=refused, left=len(lines), wrong=tuple(wrong))


def _oracle(version: str) -> Iterator[tuple[tuple[str, ...], bool]]:
    with gzip.open(SHARED / "data" / f"grammar-oracle-{version}.jsonl.gz", "rt", encoding="utf-8") as rows:
        for text in rows:
            row: Mapping[str, object] = json.loads(text)
            words = row["argv"]
            if row["origin"] == "real" and row["source"] == "recipes" and isinstance(words, list):
                yield tuple(words), bool(row["ok"])


def main() -> None:
    """Print everything."""
    print(f"The audit at {AUDITED[:8]}, counted as published:")
    for name, figure in audit().items():
        print(f"  {figure:>4}  {name}")
    for rule in ("published", "launches"):
        print(f"\nRecipes that start, counted as {rule}:")
        for surface in (engine(), *map(surface_of_vllm, VERSIONS)):
            result = swept(AUDITED, surface, rule)
            counts = [len(result.having(outcome)) for outcome in ("starts", "stops", "not judged")]
            partly = sum(one.base_starts for one in result.recipes)
            doubt = sum(bool(one.doubts) for one in result.having("starts"))
            where = ", ".join(f"{count} at {word}" for word, count, _, _ in stopping(result)[:6])
            print(
                f"  {surface.title:<20} {counts[0]:>4} start ({doubt} in doubt), {counts[1]} stop ({partly} only in part), {counts[2]} not judged; {where}"
            )
    same = agreement()
    print(
        f"\nvLLM 0.32.0 against its real parser: {same.agree} of {same.seen} published lines agree; {same.refused} are refused there."
    )
    for line in same.wrong:
        print(f"  {line}")


if __name__ == "__main__":
    main()

"""How long the core's work takes, and how much memory: `python -m tests.bench.core`, a section of `make bench`.

Upstream's published rows and measured command lines are read where they stand beside the project; without them those two
figures are left out, which is said.
"""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.cases.asking import commit
from tests.shared import ROOT, SHARED
from tools import oracle_grammar, oracle_recipes

RECIPES = 1_000
CHECK_SECONDS = 5.0
HELP_SECONDS = 0.3
SHIPPED = ("deepseek-v4-flash-2spark", "deepseek-v4-flash-vision-2spark")
UPSTREAM = ROOT / "tests" / "fixtures" / "upstream" / "eugr"
COMMAND = Path(sys.executable).with_name("recipediff")


@dataclass(frozen=True, slots=True)
class Spent:
    """One run: seconds by the clock, seconds of processor, peak memory in MB. On a machine that does nothing else, the two
    are alike; the bar is held against the second."""

    clock: float
    processor: float
    peak: float

    def __str__(self) -> str:
        return f"{self.clock:.2f} s by the clock, {self.peak:.0f} MB"


def main() -> int:
    """Measure; 1 where a bar is missed."""
    fine = True
    for part in (_rows, _lines, _check, _help):
        fine = part() and fine
    print(f"{'peak of this process':<44} {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:8.0f} MB")
    return 0 if fine else 1


def _said(what: str, seconds: float, more: str = "", bar: float = 0.0) -> bool:
    met = not bar or seconds < bar
    verdict = f"  bar {bar:g} s: {'met' if met else 'MISSED'}" if bar else ""
    print(f"{what:<44} {seconds:8.2f} s{f'  {more}' if more else ''}{verdict}")
    return met


def _rows() -> bool:
    """Every row of one commit of vllm-project/recipes. Upstream's builder is not among the material, so no ratio is given."""
    folders = oracle_recipes.commits(SHARED)
    if not folders:
        print("rows of vllm-project/recipes: not measured, the material is not beside the project")
        return True
    for folder in folders:
        tally = oracle_recipes.measure(folder)
        rate = f"{tally.rows / tally.seconds:,.0f} rows/s"
        _said(f"{tally.rows:,} rows of vllm-project/recipes {folder.name[:7]}", tally.seconds, rate)
    print("  upstream's own builder (scripts/build-recipes-api.mjs) is not here, so the ratio to it is not measured")
    return True


def _lines() -> bool:
    """Every measured command line of the newest version that has them."""
    found = oracle_grammar.measured(SHARED)
    if not found:
        print("measured command lines: not measured, the material is not beside the project")
        return True
    version, path = next(iter(found.items()))
    alone, _ = oracle_grammar.lines(version, path)
    total = sum(count for (_, what), count in alone.counts.items() if what == "total")
    return _said(f"{total:,} command lines, vLLM {version}", alone.seconds, f"{total / alone.seconds:,.0f} lines/s")


def _check() -> bool:
    """`recipediff check` of many recipes against a local git checkout and against a plain folder."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = {p.relative_to(UPSTREAM).as_posix(): p.read_text("utf-8") for p in sorted(UPSTREAM.rglob("*.yaml"))}
        pin = commit(folder / "upstream", files)
        write_recipes(folder / "recipes", pin, RECIPES)
        (folder / "plain").mkdir()
        for path, text in files.items():
            (folder / "plain" / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / "plain" / path).write_text(text, "utf-8")
        fine = True
        for kind, upstream in (("git checkout", "upstream"), ("plain folder", "plain")):
            spent, printed = _timed(["check", "recipes", "--upstream", f"eugr={upstream}", "--format", "json"], folder)
            found = [row["rule"] for row in json.loads(printed)["findings"]].count("undeclared")
            assert found == 2 * RECIPES, found
            what = f"check of {RECIPES:,} recipes, {kind}"
            fine = _said(what, spent.processor, str(spent), CHECK_SECONDS) and fine
    return fine


def write_recipes(folder: Path, pin: str, count: int) -> None:
    """`count` recipes after the shipped ones, each with an id and a port of its own."""
    folder.mkdir(parents=True)
    sources = [(ROOT / "recipes" / f"{name}.yaml").read_text("utf-8") for name in SHIPPED]
    for number in range(count):
        text = re.sub(r"commit: [0-9a-f]{40}", f"commit: {pin}", sources[number % len(sources)])
        (folder / f"copy-{number:04}-2spark.yaml").write_text(f"# copy {number}\n{text}", "utf-8")


def _help() -> bool:
    """The best of five, since the first one writes byte code."""
    best = min((_timed(["--help"], ROOT)[0] for _ in range(5)), key=lambda spent: spent.processor)
    return _said("recipediff --help", best.processor, str(best), HELP_SECONDS)


_LAUNCH = """
import json, resource, subprocess, sys, time
began = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
sys.stderr.write(json.dumps([time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))
sys.stdout.buffer.write(done.stdout)
"""


def _timed(arguments: list[str], folder: Path) -> tuple[Spent, str]:
    """What one run of the command cost, and its output. A small process of its own starts it, so that the peak is its own."""
    done = subprocess.run(
        [sys.executable, "-c", _LAUNCH, COMMAND, *arguments], cwd=folder, capture_output=True, check=True
    )
    return Spent(*json.loads(done.stderr.decode().splitlines()[-1])), done.stdout.decode()


if __name__ == "__main__":
    sys.exit(main())

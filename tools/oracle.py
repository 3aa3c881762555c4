"""Upstream's own published commands, eugr's whole history and vLLM's own parser, against ours: `make oracle`.

    python -m tools.oracle [--shared PATH]

Prints every figure as matched/total and lists what is not the same. Exit status 0 only where nothing is unexplained.
The parts run side by side, as many as there are processors; they are printed in one order.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from tools import eugr_history, oracle_grammar, oracle_pairs, oracle_recipes

Part = tuple[str, Path, str]
"""What is measured (`recipes`, `history`, `lines`, `pairs`, `rules`), where, and of which version."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one part printed, and whether nothing is left unexplained."""

    text: str
    fine: bool


def parts(shared: Path) -> list[Part]:
    """Every part that can be measured under `shared`, in the order in which they are printed."""
    found: list[Part] = [("recipes", folder, "") for folder in oracle_recipes.commits(shared)]
    if (shared / eugr_history.CORPUS / "history.jsonl").is_file():
        found.append(("history", shared, ""))
    measured = oracle_grammar.measured(shared)
    found += [(what, path, version) for version, path in measured.items() for what in ("lines", "pairs")]
    if measured:
        found.append(("rules", shared, ""))
    return found


def measure(part: Part) -> Outcome:
    """One part; runs in a process of its own."""
    what, path, version = part
    if what == "recipes":
        tally = oracle_recipes.measure(path)
        return Outcome(oracle_recipes.report(tally), not tally.misses)
    if what == "history":
        printed = io.StringIO()
        with redirect_stdout(printed):
            fine = eugr_history.run(path)
        return Outcome(printed.getvalue().rstrip("\n"), fine)
    if what == "pairs":
        compared = oracle_pairs.pairs(version, path)
        return Outcome(oracle_pairs.report(compared), not compared.misses)
    tallies = oracle_grammar.lines(version, path) if what == "lines" else oracle_grammar.examples(path)
    return Outcome("\n".join(map(oracle_grammar.report, tallies)), not any(tally.misses for tally in tallies))


def missing(shared: Path) -> str:
    """What is not there to be measured; empty where everything is."""
    if not shared.is_dir():
        return f"there is no folder {shared}; name the one that holds corpus/ and data/ with --shared PATH"
    found = {what for what, _, _ in parts(shared)}
    places = {
        "recipes": f"{oracle_recipes.CORPUS}/*/oracle.jsonl.gz",
        "history": f"{eugr_history.CORPUS}/history.jsonl",
        "lines": f"{oracle_grammar.DATA}/grammar-oracle-*.jsonl.gz",
    }
    gone = [place for what, place in places.items() if what not in found]
    return f"{shared} has no {', no '.join(gone)}; nothing is measured of it" if gone else ""


def run(shared: Path, say: Callable[[str], None] = print) -> bool:
    """Measure and print everything under `shared`. True where it is all there and nothing is unexplained."""
    gone = missing(shared)
    if gone:
        say(f"error: {gone}")
    todo = parts(shared) if shared.is_dir() else []
    started = time.perf_counter()
    fine = not gone
    if todo:
        with ProcessPoolExecutor(max_workers=min(len(todo), os.cpu_count() or 1)) as pool:
            for outcome in pool.map(measure, todo):
                say(outcome.text)
                fine = fine and outcome.fine
        say(
            f"{'nothing is unexplained' if fine else 'NOT everything is explained'}, {time.perf_counter() - started:.1f} s"
        )
    return fine


def main(arguments: list[str] | None = None) -> int:
    """The command; its exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.oracle", description=(__doc__ or "").split("\n")[0])
    default = os.environ.get("RECIPEDIFF_SHARED", Path(__file__).resolve().parents[2] / "shared")
    parser.add_argument("--shared", type=Path, default=Path(default), help="the folder that holds corpus/ and data/")
    return 0 if run(parser.parse_args(arguments).shared, lambda text: print(text, flush=True)) else 1


if __name__ == "__main__":
    sys.exit(main())

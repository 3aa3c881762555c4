"""Reads every measured command line with our grammar, and counts where vLLM's own parser made the same of it.

    python -m tools.oracle_grammar ../shared

Prints `matched/total` by version and origin, then the pairs and the rules' own examples, and lists the rest by kind.
A line matches if both accept or both refuse it and, where accepted, the fields that differ from bare `vllm serve` and the
fields that the line wrote to are the same.
"""

from __future__ import annotations

import gzip
import json
import re
import shlex
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from recipediff.core.launch import Word
from recipediff.core.place import Place
from recipediff.parse.documents.document import plain, read
from recipediff.parse.vllm.grammar.command_line import CommandLine
from recipediff.parse.vllm.grammar.parse import parse
from recipediff.parse.vllm.grammar.surface import load, versions

DATA = Path("data")
ORIGINS = ("real", "rewrite", "random", "invalid")
Row = Mapping[str, Any]
_LINE = Place(file="command")


@dataclass(kw_only=True)
class Tally:
    """What came of one version's lines (or of its rules' examples)."""

    version: str
    what: str
    seconds: float = 0.0
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(origin, `matched` or `total`)"""
    misses: dict[str, list[str]] = field(default_factory=dict)
    """What differs -> lines"""

    def add(self, origin: str, difference: str, line: str) -> None:
        """Count one line."""
        self.counts[origin, "total"] += 1
        if difference:
            self.misses.setdefault(difference, []).append(line)
        else:
            self.counts[origin, "matched"] += 1

    def ratio(self, *origins: str) -> str:
        """`matched/total` of these origins, or of all."""
        chosen = origins or tuple({origin for origin, _ in self.counts})
        matched, total = (sum(self.counts[origin, what] for origin in chosen) for what in ("matched", "total"))
        return f"{matched}/{total}"


def words(argv: Sequence[str]) -> list[Word]:
    """A line without places."""
    return [Word(text, _LINE) for text in argv]


def measured(shared: Path) -> dict[str, Path]:
    """The oracle files by version, newest first."""
    found = {}
    for path in (shared / DATA).glob("grammar-oracle-*.jsonl.gz"):
        if match := re.fullmatch(r"grammar-oracle-(.+)\.jsonl\.gz", path.name):
            found[match[1]] = path
    order = versions()
    return dict(sorted(found.items(), key=lambda item: -order.index(item[0])))


def difference(row: Row, line: CommandLine) -> str:
    """What differs between a measured line and ours; empty where nothing does."""
    if row["ok"] != line.ok:
        return "we accept what vLLM refuses" if line.ok else "we refuse what vLLM accepts"
    if not line.ok:
        return ""
    theirs, ours = row["set"], line.values
    for name in sorted({*theirs, *ours}):
        if _text(theirs.get(name)) != _text(ours.get(name)) or (name in theirs) != (name in ours):
            return f"value of {name}"
    fields = set(row["explicit"]) ^ line.explicit
    return f"fields written to: {', '.join(sorted(fields))}" if fields else ""


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def lines(version: str, path: Path) -> tuple[Tally, Tally]:
    """Every line of one file, and every pair in it (same to us if and only if same to vLLM)."""
    surface = load(version)
    with gzip.open(path, "rt", encoding="utf-8") as text:
        rows = [json.loads(row) for row in text]
    started = time.perf_counter()
    parsed = {row["id"]: parse(words(row["argv"]), surface) for row in rows}
    alone, pairs = (
        Tally(version=version, what="lines", seconds=time.perf_counter() - started),
        Tally(version=version, what="pairs"),
    )
    for row in rows:
        ours = parsed[row["id"]]
        alone.add(row["origin"], difference(row, ours), f"{row['id']}: {shlex.join(row['argv'])}")
        if "same" in row:
            other = parsed[row["of"]]
            same = ours.ok and other.ok and _text(ours.values) == _text(other.values)
            pairs.add("pairs", "" if same == row["same"] else "a pair", f"{row['of']} and {row['id']}")
    return alone, pairs


def examples(shared: Path) -> list[Tally]:
    """The examples of the measured rules, for every version. Where they state a default as another kind of number, the
    measurement took it for the default."""
    tallies = []
    for version in versions():
        path = shared / DATA / f"vllm-surface-{version}.json"
        tally = Tally(version=version, what="rules")
        for rule in json.loads(path.read_text("utf-8"))["rules"] if path.is_file() else ():
            tally.add("rules", example(version, rule), f"{rule['id']}: {rule['example']}")
        tallies.append(tally)
    return tallies


def example(version: str, rule: Row) -> str:
    """What differs in one rule's example."""
    files: dict[str, Any] = {
        name: plain(read(text.encode(), name).root) for name, text in rule.get("files", {}).items()
    }
    line = parse(words(shlex.split(rule["example"])[2:]), load(version), files)
    observed = rule["observed"]
    if line.ok != ("set" in observed):
        return "accepted" if line.ok else f"refused: {line.error}"
    if not line.ok:
        return ""
    flags = load(version).flags
    ours = {
        name: value
        for name, value in line.values.items()
        if not (name == "model_tag" and value == "org/model") and not (name in flags and value == flags[name].default)
    }
    theirs = {name: value for name, value in observed["set"].items() if name != "model_tag" or value is not None}
    return "" if _text(_classless(ours)) == _text(_classless(theirs)) else f"{_text(ours)} for {_text(theirs)}"


def _classless(value: Any) -> Any:
    """The examples leave out the class of a config."""
    if isinstance(value, dict):
        return {key: _classless(entry) for key, entry in value.items() if key != "__class__"}
    return [_classless(entry) for entry in value] if isinstance(value, list) else value


def report(tally: Tally) -> str:
    """One tally as text."""
    total = sum(count for (_, what), count in tally.counts.items() if what == "total")
    seconds = f" in {tally.seconds:.2f} s" if tally.seconds else ""
    out = [f"vLLM {tally.version}: {tally.what} {tally.ratio()}{seconds}"]
    if tally.what == "lines":
        out += [f"  {origin:<8} {tally.ratio(origin)}" for origin in ORIGINS if tally.counts[origin, "total"]]
    for what, found in sorted(tally.misses.items(), key=lambda item: (-len(item[1]), item[0])):
        out.append(f"  not the same: {what}: {len(found)} of {total}, for example {found[0][:160]}")
    return "\n".join(out)


def measure(shared: Path) -> list[Tally]:
    """Every tally there is under `shared`: lines and pairs by version, then the rules' examples."""
    tallies = [tally for version, path in measured(shared).items() for tally in lines(version, path)]
    return tallies + examples(shared)


def run(shared: Path) -> bool:
    """Measure and print. True where everything is the same."""
    if not measured(shared):
        print(f"no measured command lines under {shared}")
        return False
    tallies = measure(shared)
    for tally in tallies:
        print(report(tally))
    return not any(tally.misses for tally in tallies)


if __name__ == "__main__":
    raise SystemExit(0 if run(Path(sys.argv[1] if len(sys.argv) > 1 else "../shared")) else 1)

"""Compares every pair of command lines that vLLM's own parser has read, and counts where our differences are its own.

    python -m tools.oracle_pairs ../shared

Two accepted lines must differ, for us, in exactly the fields whose values differ for vLLM's parser, and in those that only
one line states, with their default. Pairs in which a setting was written by its other route (`--attention-backend X` for
`-ac.backend X`) are one setting to the engine and two to the parser; they are counted apart.
"""

from __future__ import annotations

import gzip
import json
import shlex
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from recipediff.core.compare import compare
from recipediff.core.launch import Invocation, Launch
from recipediff.core.setting import Setting
from recipediff.core.values import same
from recipediff.parse.vllm.grammar.routes import ROUTES
from recipediff.parse.vllm.grammar.surface import load
from recipediff.parse.vllm.launch import ReadVersion, understand
from tools.oracle_grammar import measured, words

Row = Mapping[str, Any]


@dataclass
class Tally:
    """What came of one version's pairs."""

    version: str
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(kind of pair, `matched` or `total`)"""
    misses: dict[str, list[str]] = field(default_factory=dict)
    """What is not as expected -> pairs"""

    def ratio(self, kind: str) -> str:
        """`matched/total` of one kind."""
        return f"{self.counts[kind, 'matched']}/{self.counts[kind, 'total']}"


def launch_of(row: Row, version: str) -> Launch:
    """One line as the comparison sees it."""
    return understand(Invocation(role="serve", argv=tuple(words(row["argv"]))), ReadVersion(version, True))


def expected(one: Row, other: Row) -> dict[str, bool]:
    """The fields in which vLLM's parser sees a difference; true where it is only that a default is stated or not."""
    a, b = one["set"], other["set"]
    found = {name: False for name in {*a, *b} if (name in a) != (name in b) or _text(a.get(name)) != _text(b.get(name))}
    stated = set(one["explicit"]) ^ set(other["explicit"])
    found = {**dict.fromkeys(stated, True), **found}
    for row in (one, other):
        if "model" in row["set"] and row["set"]["model"] == row["set"].get("model_tag"):
            found.pop("model", None)  # the model a second time
    return found


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def seen(one: Launch, other: Launch) -> dict[str, bool]:
    """The fields in which we report a difference, those of the launcher among them; true where marked as a default."""
    found: dict[str, bool] = {}
    for difference in compare(one, other):
        setting = difference.left_setting or difference.right_setting
        name = setting.field if setting is not None and setting.field else difference.setting
        nothing = difference.default or _ignored(setting, one.version)
        found[name] = found.get(name, True) and nothing
    a, b = ({s.field: s for s in launch.launcher} for launch in (one, other))
    for name in {*a, *b}:
        if name not in a or name not in b:
            found[name] = (a.get(name) or b[name]).default
        elif not same(a[name].meaning, b[name].meaning):
            found[name] = False
    return found


def _ignored(setting: Setting | None, version: str) -> bool:
    """Whether it is a dotted key that the version's config class does not have and passes over."""
    surface = load(version)
    flag = surface.flags.get(setting.field) if setting is not None else None
    if setting is None or flag is None or surface.rules.refuses_unknown_keys(flag.json_class):
        return False
    key = setting.name.partition(".")[2]
    return bool(key) and key not in surface.classes.get(flag.json_class, {})


def kind_of(row: Row, wanted: Mapping[str, bool]) -> str:
    """Which sort of pair this is."""
    if "other-route" in row["edits"]:
        return "written by the other route"
    if not wanted:
        return "same"
    return "same but for a stated default" if all(wanted.values()) else "different"


def difference(row: Row, wanted: Mapping[str, bool], found: Mapping[str, bool]) -> str:
    """What is not as expected; empty where all is. A default that is stated inside a JSON value shows in our differences
    alone, and two routes to one setting in the parser's alone."""
    routes = {name for route in ROUTES for name in (route.flag, route.config)} if "other-route" in row["edits"] else ()
    inside = {name for name, default in found.items() if default and name in row["explicit"]}
    parts = [f"missed {name}" for name in sorted(set(wanted) - set(found) - set(routes))]
    parts += [f"invented {name}" for name in sorted(set(found) - set(wanted) - inside - set(routes))]
    parts += [f"default {name}" for name in sorted(set(found) & set(wanted)) if wanted[name] and not found[name]]
    return ", ".join(parts)


def pairs(version: str, path: Path) -> Tally:
    """Every pair of one file whose lines are both accepted."""
    tally = Tally(version)
    with gzip.open(path, "rt", encoding="utf-8") as text:
        rows = {row["id"]: row for row in map(json.loads, text)}
    launches: dict[int, Launch] = {}
    for row in rows.values():
        if "of" not in row or not row["ok"] or not rows[row["of"]]["ok"]:
            continue
        other = rows[row["of"]]
        wanted = expected(other, row)
        for one in (other, row):
            if one["id"] not in launches:
                launches[one["id"]] = launch_of(one, version)
        found = seen(launches[other["id"]], launches[row["id"]])
        kind, what = kind_of(row, wanted), difference(row, wanted, found)
        tally.counts[kind, "total"] += 1
        tally.counts[kind, "matched"] += not what
        if what:
            line = f"{shlex.join(other['argv'])} AND {shlex.join(row['argv'])}"
            tally.misses.setdefault(f"{kind}: {what}", []).append(f"{other['id']} and {row['id']}: {line}")
    return tally


KINDS = ("same", "same but for a stated default", "different", "written by the other route")


def report(tally: Tally) -> str:
    """One version's figures as text."""
    lines = [f"vLLM {tally.version}: pairs compared, our differences against its own"]
    lines += [f"  {kind:<30} {tally.ratio(kind)}" for kind in KINDS if tally.counts[kind, "total"]]
    for what, found in sorted(tally.misses.items(), key=lambda item: (-len(item[1]), item[0])):
        lines.append(f"  not the same: {what}: {len(found)}, for example {found[0][:600]}")
    return "\n".join(lines)


def run(shared: Path) -> bool:
    """Measure and print. True where everything is as expected."""
    found = [pairs(version, path) for version, path in measured(shared).items()]
    for tally in found:
        print(report(tally))
    return bool(found) and not any(tally.misses for tally in found)


if __name__ == "__main__":
    raise SystemExit(0 if run(Path(sys.argv[1] if len(sys.argv) > 1 else "../shared")) else 1)

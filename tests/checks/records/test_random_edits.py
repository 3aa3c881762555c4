"""Tables edited at random: no duplicate is missed, none is invented. The generator knows which keys it wrote."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recipediff.checks.records import OpenPull, RecordsConfig, Snapshot, TableRule, check, cross_pulls
from recipediff.core.finding import Finding
from tests.checks.records import real
from tests.shared import needs_shared

# Ways to write one key; what is written must read as the key.
_WRITTEN = (
    "{}", "`{}`", "**{}**", "  {} ", "_{}_", "`` {} ``", "[{}](https://example.org/a\\|b)", "[`{}`](# 'a title')", "<b>{}</b>",
    "~~{}~~", "***{}***", "<a id='x'></a>{}", "\t{}\t", "`{}`<!-- a \\| b -->",
)  # fmt: skip
_CELLS = (
    "a",
    "",
    "`x\\|y`",
    "\\|",
    "大きい 🙂",
    "[l](x.md)",
    "<br>",
    "**b**",
    "—",
    "`KEY-0`",
    "KEY-1",
    "\\`",
    "`` ` ``",
    "&#124;",
    "a\\\\b",
    "> q",
)
_NAMES = ("KEY-{}", "模型-{}", "A.B:{}", "K {} x", "k{}")
_BETWEEN = (
    "",
    "text",
    "```\n| ID | V |\n|--|--|\n| KEY-0 | a |\n| KEY-0 | a |\n```",
    "- list\n  - list",
    "<!--\n| KEY-0 | x |\n-->",
    "## Other\n\n| Nr | V |\n|--|--|\n| KEY-0 | a |\n| KEY-0 | b |\n\n## More",
)


@dataclass
class Written:
    """A file, and the line of each key in it."""

    lines: list[str] = field(default_factory=list)
    keys: list[tuple[str, int]] = field(default_factory=list)

    def table(self, random: Random, keys: list[str]) -> None:
        """One table, bare, quoted or in a list, its key column anywhere."""
        prefix, rest = random.choice(
            [("", ""), ("", ""), ("> ", "> "), ("- ", "  "), ("> 1. ", ">    "), ("   ", "   ")]
        )
        columns = random.randint(1, 4)
        place = random.randrange(columns)
        header = ["Col"] * columns
        header[place] = random.choice(["ID", "`ID`", "**ID**", "[ID](ids.md)"])
        self.lines += ["", prefix + _row(header), rest + _row(["---"] * columns)]
        for key in keys:
            cells = [random.choice(_CELLS) for _ in header]
            cells[place] = random.choice(_WRITTEN).format(key)
            self.lines.append(rest + _row(cells))
            self.keys.append((key, len(self.lines)))
        self.lines.append("")

    def data(self, random: Random) -> bytes:
        """The bytes, with one kind of line ending, and perhaps a byte order mark."""
        text = random.choice(["\n", "\r\n"]).join(self.lines)
        return (random.choice(["", "\ufeff"]) + text).encode()


def _row(cells: list[str]) -> str:
    return "|" + "|".join(f" {cell} " for cell in cells) + "|"


def write(random: Random, keys: list[str]) -> Written:
    """A file of several tables that define `keys` in order, with what is no such table between them."""
    written = Written(["# Rows"])
    while keys:
        count = random.randint(1, 6)
        written.lines += ["", *random.choice(_BETWEEN).split("\n")]
        written.table(random, keys[:count])
        keys = keys[count:]
    return written


def repeated(written: list[tuple[str, Written]]) -> Counter[tuple[str, str, int]]:
    """Each definition of a key after its first: key, file, line."""
    seen: set[str] = set()
    again: Counter[tuple[str, str, int]] = Counter()
    for path, file in written:
        for key, line in file.keys:
            if key in seen:
                again[key, path, line] += 1
            seen.add(key)
    return again


def found(findings: tuple[Finding, ...]) -> Counter[tuple[str, str, int]]:
    assert {f.rule for f in findings} <= {"record-duplicate-key"}, [f.message for f in findings][:3]
    return Counter((f.key.partition(":")[2].partition("#")[0], f.place.file, f.place.line) for f in findings)


CONFIG = RecordsConfig(tables=(TableRule(file="*.md", key="ID", space="rows"),))
_KEYS = st.lists(st.builds(str.format, st.sampled_from(_NAMES), st.integers(0, 12)), max_size=24)


@given(_KEYS, _KEYS, st.integers(0, 2**32))
@settings(max_examples=300, deadline=None)
def test_no_duplicate_is_missed_and_none_invented(one: list[str], two: list[str], seed: int) -> None:
    random = Random(seed)
    files = [("a.md", write(random, one or ["X"])), ("b.md", write(random, two or ["Y"]))]
    result = check(Snapshot(head={path: file.data(random) for path, file in files}), CONFIG)
    assert found(result.findings) == repeated(files)


@given(_KEYS, st.lists(_KEYS, min_size=2, max_size=5), st.integers(0, 2**32))
@settings(max_examples=150, deadline=None)
def test_across_pull_requests(base: list[str], heads: list[list[str]], seed: int) -> None:
    random = Random(seed)
    before = {"a.md": write(random, base or ["X"]).data(random)}
    pulls = {
        number: OpenPull(before, {"a.md": write(random, keys or ["X"]).data(random)})
        for number, keys in enumerate(heads, 1)
    }
    new = {number: set(keys or ["X"]) - set(base or ["X"]) for number, keys in enumerate(heads, 1)}
    result = cross_pulls(pulls, CONFIG)
    for number, keys in new.items():
        others = set().union(*(other for n, other in new.items() if n != number))
        assert sorted(f.key.partition(":")[2] for f in result[number].findings) == sorted(keys & others)


@needs_shared
@pytest.mark.parametrize("commit", ["888fbcc7", "d85906ae"])
def test_real_tables_edited_at_random(commit: str) -> None:
    """Rows of the real tables copied, moved, dropped and renamed; the keys are kept by hand."""
    files = real.files(commit)
    config = RecordsConfig(tables=real.TABLES)
    total = 0
    for seed in range(15):
        random = Random(seed)
        lines = {path: data.decode().split("\n") for path, data in files.items()}
        copies: Counter[str] = Counter()
        for _ in range(random.randint(1, 12)):
            path = random.choice(sorted(lines))
            rows = [
                n
                for n, line in enumerate(lines[path])
                if line.startswith(("| `MODEL-", "| `ENG-", "| `KV-", "| `QUANT-")) and "-" in line[9:30]
            ]
            rows = [n for n in rows if not _summary(lines[path][n])]
            if not rows:
                continue
            source, target = random.choice(rows), random.choice(rows)
            key = lines[path][source].split("`")[1]
            match random.choice(["copy", "move", "drop", "rename"]):
                case "copy":
                    lines[path].insert(target, _like(lines[path][source], lines[path][target]))
                    copies[key] += 1
                case "move":
                    if lines[path][source].count("|") == lines[path][target].count("|"):
                        lines[path].insert(target, lines[path].pop(source))
                case "drop" if not copies[key]:
                    del lines[path][source]
                case "rename" if not copies[key]:
                    prefix = key.partition("-")[0]
                    lines[path][source] = lines[path][source].replace(key, f"{prefix}-RENAMED-{random.random()}", 1)
                case _:
                    pass
        head = {path: "\n".join(text).encode() for path, text in lines.items()}
        findings = check(Snapshot(head=head), config).findings
        told = Counter(f.key.partition(":")[2].partition("#")[0] for f in findings if f.rule == "record-duplicate-key")
        assert told == +copies, f"seed {seed}"
        total += copies.total()
    assert total > 10  # the edits did define keys twice


def _summary(line: str) -> bool:
    """A row of the summary by block, whose first cell is no row id."""
    return line.split("`")[1].count("-") == 1 and line.startswith("| `MODEL-")


def _like(line: str, other: str) -> str:
    """The row with as many cells as `other` has, its key kept."""
    width = other.count("|") - 1 - other.count("\\|")
    return "|" + "|".join([f" `{line.split('`')[1]}` ", *[" x "] * (width - 1)]) + "|"

"""How long the keyed-record guard takes, and how much memory: `python -m tests.bench.records`.

100,000 rows in keyed tables with links, anchors, code spans and escaped pipes; 200 open pull requests over them, most
of which add rows, some of which rewrite a file. Prints the figures, and fails where they are over the bar.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from typing import TypeVar

from recipediff.checks.records import (
    CountOwner,
    CountRule,
    Library,
    OpenPull,
    RecordsConfig,
    ReferenceRule,
    Snapshot,
    TableRule,
    check,
    cross_pulls,
)

Result = TypeVar("Result")

ROWS = 100_000
FILES = 20
PULLS = 200
SECONDS = 5.0
MEGABYTES = 300

CONFIG = RecordsConfig(
    tables=(TableRule(file="records/*.md", key="ID", space="rows"),),
    references=(ReferenceRule(file="records/*.md", space="rows", column="After"),),
    counts=(CountRule("README.md", "there are {n} rows", CountOwner(space="rows")),),
    links=True,
    anchors=True,
)
ONE_FILE = RecordsConfig(tables=(TableRule(file="all.md", key="ID", space="rows"),), links=True, anchors=True)


def row(number: int, name: str = "ROW") -> str:
    """A row as such tables have them; every tenth holds a link and an escaped pipe, every twentieth an anchor."""
    link = f"[spec](part-{number % FILES}.md#rows)" if number % 10 == 0 else "planned"
    anchor = f"`src/core.py:{number % 50 + 1}`" if number % 20 == 0 else "-"
    item = f"scheduler queue {number % 7}" if number % 10 else "a pipe \\| within **bold** text"
    after = f"`ROW-{number - 1:06}`" if number else "—"
    return f"| `{name}-{number:06}` | {item} | {link} | {anchor} | `READY` | {after} |"


def table(numbers: range) -> str:
    """One file with a table of these rows."""
    head = "# Rows\n\n| ID | Item | Spec | Code | State | After |\n| --- | --- | --- | --- | --- | --- |\n"
    return head + "\n".join(row(number) for number in numbers) + "\n"


def timed(what: str, work: Callable[[], Result]) -> tuple[Result, float]:
    """Run `work`, print how long it took and the highest memory of the process so far. Gives
    the processor's time, which is the clock's on a machine that does nothing else: nothing here waits."""
    began, worked = time.perf_counter(), time.process_time()
    result = work()
    seconds, worked = time.perf_counter() - began, time.process_time() - worked
    print(f"{what:<40} {seconds:6.2f} s ({worked:5.2f} s of processor) {peak():6.0f} MB")
    return result, worked


def peak() -> float:
    """The highest resident memory of this process, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> int:
    """Measure; 1 where the bar is missed."""
    each = ROWS // FILES
    files = {f"records/part-{n}.md": table(range(n * each, (n + 1) * each)).encode() for n in range(FILES)}
    head = {**files, "README.md": b"# All\n\nthere are 99 rows\n", "src/core.py": b"x = 1\n" * 60}
    pulls = {number: pull(number, files) for number in range(1, PULLS + 1)}
    print(f"{ROWS:,} rows, {sum(map(len, files.values())) / 1e6:.1f} MB, {PULLS} pull requests; {peak():.0f} MB before")
    library = Library()
    evaluation, first = timed("check, 20 files", lambda: check(Snapshot(head=head), CONFIG, library))
    assert [f.rule for f in evaluation.findings] == ["record-foreign-count"], evaluation.findings[:3]
    crossed, second = timed("cross_pulls, 200 pull requests", lambda: cross_pulls(pulls, CONFIG, library))
    assert sum(bool(result.findings) for result in crossed.values()) == PULLS // 10 * 2
    whole = {"all.md": table(range(ROWS)).replace("part-", "#").encode()}
    _, third = timed("check, all rows in one file", lambda: check(Snapshot(head=whole), ONE_FILE))
    good = first + second <= SECONDS and third <= SECONDS and peak() <= MEGABYTES
    print(f"bar: {SECONDS:.0f} s for check and pull requests together, {MEGABYTES} MB: {'met' if good else 'MISSED'}")
    return 0 if good else 1


def pull(number: int, files: dict[str, bytes]) -> OpenPull:
    """A pull request that adds two rows in the middle of one file; of each ten, two add the same key, and one
    rewrites its file so that all of it must be read."""
    path = f"records/part-{number % FILES}.md"
    lines = files[path].decode().split("\n")
    shared = number % 10 in {3, 4}
    key = f"SAME{number // 10}" if shared else f"NEW{number}"
    at = 100 + number
    lines[at:at] = [row(7, key), row(8, f"OWN{number}")]
    text = "\n".join(lines)
    if number % 10 == 5:
        text = text.replace("# Rows", "# The rows")
    return OpenPull({path: files[path]}, {path: text.encode()})


if __name__ == "__main__":
    sys.exit(main())

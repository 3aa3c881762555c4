"""Small trees for the tests of the guard."""

from __future__ import annotations

from recipediff.checks.records import RecordsConfig, Snapshot, TableRule, check
from recipediff.core.finding import Finding
from recipediff.core.verdict import Evaluation

HEAD = "# Rows\n\n| ID | What | See |\n|---|---|---|\n"
CONFIG = RecordsConfig(tables=(TableRule(file="t.md", key="ID", space="rows"),))


def table(*rows: str) -> str:
    """`t.md`: rows given as `a | b | c`; the first stands in line 5."""
    return HEAD + "".join(f"| {row} |\n" for row in rows)


def encoded(**files: str) -> dict[str, bytes]:
    """Contents by path; `a__b` stands for `a/b`, and every path ends with `.md`."""
    return {f"{name.replace('__', '/')}.md": text.encode() for name, text in files.items()}


def evaluate(config: RecordsConfig, /, **files: str) -> Evaluation:
    """The check of a tree."""
    return check(Snapshot(head=encoded(**files)), config)


def told(findings: tuple[Finding, ...]) -> list[tuple[str, str]]:
    """Place and message of each finding."""
    return [(str(finding.place), finding.message) for finding in findings]

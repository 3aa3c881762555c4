"""Findings become a report: the one place that orders, counts and marks them, so that no two formats disagree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Literal

from recipediff.core.finding import Finding, Severity
from recipediff.core.rules import RULES
from recipediff.core.verdict import Evaluation, Verdict
from recipediff.reports.bumps.patch import patch

Status = Literal["", "new", "open", "fixed"]

_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
_ORDER = {rule: index for index, rule in enumerate(RULES)}


@dataclass(frozen=True, slots=True)
class ReportRow:
    """One finding, and where it stands against the base: `new`, `open` (also on the base), `fixed`; empty without a base."""

    finding: Finding
    status: Status = ""


@dataclass(frozen=True, slots=True)
class FindingGroup:
    """The rows of one recipe (or file), worst first."""

    title: str
    file: str
    rows: tuple[ReportRow, ...]
    patch: str = ""
    """A unified diff of the fixes that its new rows offer; empty where there are none, or where the text is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What every format renders."""

    verdict: Verdict
    groups: tuple[FindingGroup, ...]
    looked_at: tuple[str, ...]
    notes: tuple[str, ...]
    noun: str = "recipe"
    """What one of `looked_at` is."""

    def with_notes(self, notes: tuple[str, ...]) -> Report:
        """The same report with further notes."""
        return replace(self, notes=(*self.notes, *notes))

    @property
    def rows(self) -> tuple[ReportRow, ...]:
        """Every row, in order."""
        return tuple(row for group in self.groups for row in group.rows)

    def headline(self) -> str:
        """The report in one line: what is new first, then what stood on the base already."""
        if self.verdict.state == "not evaluated":
            return f"not evaluated: {self.verdict.reason}"
        what = f" in {plural(len(self.looked_at), self.noun)}" if self.looked_at else ""
        new, still, gone = self._counted("", "new"), self._counted("open"), self._counted("fixed")
        told = any(row.status for row in self.rows)
        tail = [f"{len(still)} open on the base"] if still else []
        tail += [f"{len(gone)} fixed"] if gone else []
        if new:
            kinds: dict[str, int] = {}
            for finding in new:
                kinds[finding.rule] = kinds.get(finding.rule, 0) + 1
            ordered = sorted(kinds.items(), key=lambda item: _ORDER[item[0]])
            parts = ", ".join(f"{count} {rule.replace('-', ' ')}" for rule, count in ordered)
            return "; ".join([f"{plural(len(new), 'new finding' if told else 'finding')}{what}: {parts}", *tail])
        if tail:
            return "; ".join([f"nothing new{what}", *tail])
        if not self.looked_at and not self.rows:
            return "nothing to compare"
        return (
            f"{plural(len(self.looked_at), self.noun)} checked, nothing to report"
            if self.looked_at
            else "nothing to report"
        )

    def _counted(self, *statuses: Status) -> list[Finding]:
        """The findings of these statuses that count."""
        return [row.finding for row in self.rows if row.status in statuses and row.finding.severity != "note"]


def plural(count: int, noun: str) -> str:
    """`1 recipe`, `2 recipes`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def nothing(verdict: Verdict | None = None) -> Report:
    """The report where there is nothing to compare, or where nothing could be compared (`verdict` says why)."""
    return Report(verdict=verdict or Verdict("pass"), groups=(), looked_at=(), notes=())


def build(evaluation: Evaluation, texts: Mapping[str, str] | None = None) -> Report:
    """The report of one evaluation, without a base to compare with. `texts` are the files, for patches."""
    rows = [ReportRow(finding) for finding in evaluation.findings]
    return Report(
        verdict=evaluation.verdict,
        groups=_grouped(rows, texts or {}),
        looked_at=evaluation.looked_at,
        notes=evaluation.notes,
        noun=evaluation.noun,
    )


def ratchet(
    head: Evaluation,
    base: Evaluation,
    *,
    fail_on: Literal["new", "any"] = "new",
    texts: Mapping[str, str] | None = None,
    altered: Set[str] = frozenset(),
) -> Report:
    """The report of a pull request: findings of the head split into new and open, and those of the base that are fixed.

    With `fail_on="new"` the verdict fails for new findings only; with `"any"` for every one on the head. Where a recipe
    that the pull request has `altered` cannot be compared, its errors are new, though the base has them too: nobody knows
    what the edit did, and a green mark would say that somebody looked.
    """
    unknown = head.uncompared & altered
    before = _counts(base.findings)
    rows: list[ReportRow] = []
    for finding in head.findings:
        left = before.get(finding.identity, 0)
        before[finding.identity] = left - 1
        hidden = finding.recipe in unknown and finding.severity == "error"
        rows.append(ReportRow(finding, "open" if left > 0 and not hidden else "new"))
    here = _counts(head.findings)
    for finding in base.findings:
        left = here.get(finding.identity, 0)
        here[finding.identity] = left - 1
        if left <= 0:
            rows.append(ReportRow(finding, "fixed"))
    verdict = head.verdict
    if verdict.state == "fail" and fail_on == "new":
        fails = any(row.status == "new" and row.finding.severity != "note" for row in rows)
        # What the base has nobody could find out, so that "new" would be a guess.
        verdict = (
            Verdict("not evaluated", base.reason) if fails and base.reason else Verdict("fail" if fails else "pass")
        )
    return Report(
        verdict=verdict, groups=_grouped(rows, texts or {}), looked_at=head.looked_at, notes=head.notes, noun=head.noun
    )


def _counts(findings: Iterable[Finding]) -> dict[tuple[str, str, str], int]:
    counts: dict[tuple[str, str, str], int] = {}
    for finding in findings:
        counts[finding.identity] = counts.get(finding.identity, 0) + 1
    return counts


_STATUSES: tuple[Status, ...] = ("new", "", "open", "fixed")


def _rank(row: ReportRow) -> tuple[int, int, int, int, int]:
    finding = row.finding
    return (
        _STATUSES.index(row.status),
        _SEVERITIES.index(finding.severity),
        _ORDER.get(finding.rule, len(_ORDER)),
        finding.place.line,
        finding.place.column,
    )


def _grouped(rows: Sequence[ReportRow], texts: Mapping[str, str]) -> tuple[FindingGroup, ...]:
    groups: dict[tuple[str, str], list[ReportRow]] = {}
    for row in rows:
        groups.setdefault((row.finding.place.file, row.finding.recipe), []).append(row)
    made = [_group(recipe or file, file, rows, texts) for (file, recipe), rows in groups.items()]
    return tuple(sorted(made, key=lambda g: (_rank(g.rows[0])[:2], g.file, g.title)))


def _group(title: str, file: str, rows: list[ReportRow], texts: Mapping[str, str]) -> FindingGroup:
    ordered = tuple(sorted(rows, key=_rank))
    fixes = [row.finding.fix for row in ordered if row.status in ("", "new") and row.finding.fix is not None]
    return FindingGroup(title, file, ordered, patch(file, texts[file], fixes) if file in texts else "")

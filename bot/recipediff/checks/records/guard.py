"""The guard as the bot runs it: the tables of one pull request, and what the other open ones would make of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from recipediff.checks.records.cross_pulls import OpenPull, cross_pulls
from recipediff.checks.records.run import check as check_tree
from recipediff.checks.records.run import declared
from recipediff.checks.records.snapshot import Library, Snapshot
from recipediff.core.finding import Finding
from recipediff.core.records import RecordsConfig
from recipediff.core.verdict import Evaluation

MAX_FINDINGS = 5_000
"""Of one tree; more are a declaration that does not fit, or an attack."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordsSnapshot:
    """One side of a pull request. `pulls` are the open pull requests whose tables differ, `number` among them."""

    tree: Snapshot
    config: RecordsConfig
    number: int = 0
    pulls: Mapping[int, OpenPull] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    library: Library = field(default_factory=Library, compare=False)
    """Head and base share one, so that what they have in common is read once."""


def check(snapshot: RecordsSnapshot) -> Evaluation:
    """The faults of the tree, and the keys that other open pull requests add too."""
    found = check_tree(snapshot.tree, snapshot.config, snapshot.library)
    crossed = Evaluation(findings=())
    if len(snapshot.pulls) > 1:
        crossed = cross_pulls(snapshot.pulls, snapshot.config, snapshot.library)[snapshot.number]
    findings = (*crossed.findings, *found.findings)
    if len(findings) > MAX_FINDINGS:
        message = f"{len(findings):,} findings are more than the {MAX_FINDINGS:,} that one check takes; declare less"
        return Evaluation(findings=(), notes=(message,), reason="too-many-findings")
    return Evaluation(
        findings=findings,
        looked_at=tuple(sorted(declared(snapshot.tree, snapshot.config))),
        notes=(*found.notes, *crossed.notes, *snapshot.notes),
        reason=found.reason or crossed.reason,
        noun="file",
    )


def colliding(found: Mapping[int, Evaluation], number: int) -> frozenset[int]:
    """The other pull requests that add a key which `number` adds too."""
    keys = {finding.key for finding in found[number].findings} if number in found else set()
    return frozenset(
        other
        for other, evaluation in found.items()
        if other != number and any(finding.key in keys for finding in evaluation.findings)
    )


def told(findings: tuple[Finding, ...]) -> tuple[str, ...]:
    """What a pull request's report says about the others: two reports that say the same need not be made twice."""
    rule = "record-cross-pull-duplicate"
    return tuple(sorted(f"{f.place}: {f.message}" for f in findings if f.rule == rule))

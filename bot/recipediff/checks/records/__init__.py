"""The keyed-record guard: tables in Markdown in which a key may be defined once, and what points at their rows."""

from recipediff.checks.records.cross_pulls import OpenPull, cross_pulls
from recipediff.checks.records.run import check, declared, wanted
from recipediff.checks.records.snapshot import Library, Snapshot
from recipediff.core.records import CountOwner, CountRule, RecordsConfig, ReferenceRule, TableRule

__all__ = [
    "CountOwner",
    "CountRule",
    "Library",
    "OpenPull",
    "RecordsConfig",
    "ReferenceRule",
    "Snapshot",
    "TableRule",
    "check",
    "cross_pulls",
    "declared",
    "wanted",
]

"""The keyed-record guard: tables in Markdown in which a key may be defined once, and what points at their rows."""

from bot.checks.records.cross_pulls import Pull, cross_pulls
from bot.checks.records.run import check, declared, wanted
from bot.checks.records.snapshot import Library, Snapshot
from bot.core.records import CountRule, Owner, RecordsConfig, ReferenceRule, TableRule

__all__ = [
    "CountRule",
    "Library",
    "Owner",
    "Pull",
    "RecordsConfig",
    "ReferenceRule",
    "Snapshot",
    "TableRule",
    "check",
    "cross_pulls",
    "declared",
    "wanted",
]

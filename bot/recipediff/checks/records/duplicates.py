"""Keys defined twice: on this head, or by what a merge would make of it; and rows that a merge lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recipediff.checks.records.rows import KeyedRow, Rows
from recipediff.core.finding import Finding, Fix, Related
from recipediff.core.place import Place


def duplicates(rows: Rows) -> Iterator[Finding]:
    """One finding for each row that defines a key once more; the first row is the related place."""
    for space, keyed in rows.spaces.items():
        for key, found in keyed.items():
            for number, row in enumerate(found[1:], 2):
                yield _duplicate(space, key, found[0], row, number)


def _duplicate(space: str, key: str, first: KeyedRow, row: KeyedRow, number: int) -> Finding:
    where = f"line {first.line}" if first.file == row.file else f"{first.file}:{first.line}"
    same = first.text.strip() == row.text.strip()
    fix = "remove one of the two rows" if same else "keep one row: the two do not say the same"
    return Finding(
        rule="record-duplicate-key",
        severity="error",
        recipe="",
        message=f"the key “{key}” is defined at {where} and again here at line {row.line}",
        place=row.place,
        detail=() if same else ("the two rows differ",),
        fix=Fix(fix),
        related=(Related("first defined here", first.place),),
        key=_identity(space, key, number),
        line=row.text,
    )


def gained_meanwhile(head: Rows, base: Rows, fork: Rows) -> Iterator[Finding]:
    """Keys that both the head and the base have gained since they parted: merged, the table defines them twice."""
    for space, keyed in head.spaces.items():
        there, before = base.keys(space), fork.keys(space)
        for key, found in keyed.items():
            if key in there and key not in before:
                row, other = found[0], there[key][0]
                yield Finding(
                    rule="record-duplicate-key",
                    severity="error",
                    recipe="",
                    message=f"the key “{key}” is added here at line {row.line} and, since this branch was made,"
                    f" in the base branch at {other.file}:{other.line}: merged, it is defined twice",
                    place=row.place,
                    fix=Fix("bring the branch up to date and keep one of the two rows"),
                    related=(Related("added in the base branch", other.place),),
                    key=_identity(space, key, 1),
                    line=row.text,
                )


def lost_rows(head: Rows, parents: Sequence[Rows], fork: Rows | None, merged: Rows | None = None) -> Iterator[Finding]:
    """Rows that a merge dropped: those that every parent has, and those that one parent had added (where `fork`, the
    tables at the commit where the parents parted, is known). `merged` are the tables of the merge where the head is a
    later commit: what that one removed by itself is not lost, and what it put back is not lost any more."""
    for space, keyed in head.spaces.items():
        reported: set[str] = set()
        for parent in parents:
            above: KeyedRow | None = None
            for key, found in parent.keys(space).items():
                if key in keyed:
                    above = keyed[key][0]
                    continue
                if merged is not None and key in merged.keys(space):
                    continue
                holders = [other.keys(space)[key][0] for other in parents if key in other.keys(space)]
                everywhere = len(holders) == len(parents)
                added = fork is not None and key not in fork.keys(space)
                if key not in reported and (everywhere or added):
                    reported.add(key)
                    # The nearest row above it that is still there; else the file that held it.
                    place = above.place if above and above.file == found[0].file else Place(file=found[0].file)
                    yield _lost(space, key, place, holders, everywhere)


def _lost(space: str, key: str, place: Place, holders: list[KeyedRow], everywhere: bool) -> Finding:
    who = "both sides of the merge have it" if everywhere else "one side of the merge had added it"
    return Finding(
        rule="record-lost-row",
        severity="error",
        recipe="",
        message=f"the row “{key}” is missing after the merge; {who}",
        place=place,
        detail=(f"the row was: {holders[0].text.strip()}",),
        fix=Fix("restore the row"),
        related=tuple(Related("the row before the merge", holder.place) for holder in holders),
        key=_identity(space, key, 1),
    )


def _identity(space: str, key: str, number: int) -> str:
    return f"{space}:{key}" if number <= 2 else f"{space}:{key}#{number}"

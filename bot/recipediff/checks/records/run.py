"""The guard: keyed tables, and what points at them. Pure: a snapshot goes in, findings come out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from recipediff.checks.records import malformed
from recipediff.checks.records.counts import foreign_counts
from recipediff.checks.records.duplicates import duplicates, gained_meanwhile, lost_rows
from recipediff.checks.records.links import MARKDOWN, LinkCheck
from recipediff.checks.records.references import dangling_references
from recipediff.checks.records.rows import Rows, read_rows
from recipediff.checks.records.snapshot import Library, Snapshot
from recipediff.checks.records.stale import AnchorCheck
from recipediff.checks.records.tree import PathTree
from recipediff.core.finding import Finding
from recipediff.core.place import Unreadable
from recipediff.core.records import RecordsConfig
from recipediff.core.verdict import Evaluation
from recipediff.parse.globs import matches

SHOWN = 5


@dataclass(slots=True)
class _Run:
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    missing: set[str] = field(default_factory=set)
    reason: str = ""

    def unread(self, paths: Collection[str]) -> None:
        """Files whose contents are needed and not there."""
        self.missing.update(paths)
        if paths:
            self.reason = "content-missing"
            self.notes.append(f"not checked, since their contents were not given: {_listed(sorted(paths))}")

    def evaluation(self, looked_at: Iterable[str]) -> Evaluation:
        """What the run came to."""
        return Evaluation(
            findings=tuple(_ordered(self.findings)),
            looked_at=tuple(looked_at),
            notes=tuple(self.notes),
            reason=self.reason,
        )


def check(snapshot: Snapshot, config: RecordsConfig, library: Library | None = None) -> Evaluation:
    """Every fault of the declared records at the head of a snapshot, ordered by place.

    Where something could not be looked at (`content-missing`, `too-large`, `config-invalid`), the evaluation has that
    reason, and so no verdict of success.
    """
    problems = tuple(str(problem) for problem in config.problems())
    if problems:
        return Evaluation(findings=(), notes=problems, reason="config-invalid")
    run = _Run()
    run.unread(declared(snapshot, config) - snapshot.head.keys())
    large = _large(snapshot, config)
    run.findings.extend(malformed.too_large(path, snapshot.large[path]) for path in large)
    if any(matches(path, (table.file,)) for path in (*run.missing, *large) for table in config.tables):
        return run.evaluation([])  # with half of the rows every statement about them is a guess
    library = library or Library()
    rows = read_rows(snapshot.head, config, library)
    run.findings.extend(rows.malformed)
    run.findings.extend(duplicates(rows))
    run.findings.extend(_merged(snapshot, config, rows, library))
    run.findings.extend(dangling_references(snapshot.head, rows, config, library, run.missing))
    run.findings.extend(foreign_counts(snapshot.head, rows, config, library))
    looked_at = [f"{rows.tables} {'table' if rows.tables == 1 else 'tables'}"] if config.tables else []
    if config.links or config.anchors:
        looked_at.extend(_pointers(snapshot, config, library, run))
    return run.evaluation(looked_at)


def _merged(snapshot: Snapshot, config: RecordsConfig, rows: Rows, library: Library) -> Iterator[Finding]:
    """What a merge would define twice, and what the head, being a merge, has lost."""
    fork = None if snapshot.fork is None else read_rows(snapshot.fork, config, library)
    if snapshot.base is not None and fork is not None:
        yield from gained_meanwhile(rows, read_rows(snapshot.base, config, library), fork)
    if len(snapshot.parents) > 1:
        parents = [read_rows(files, config, library) for files in snapshot.parents]
        parted = fork if snapshot.parted is None else read_rows(snapshot.parted, config, library)
        merged = rows if snapshot.merged is None else read_rows(snapshot.merged, config, library)
        yield from lost_rows(rows, parents, parted, merged)


def _pointers(snapshot: Snapshot, config: RecordsConfig, library: Library, run: _Run) -> Iterator[str]:
    """Links and anchors of every Markdown file; yields the files that were read."""
    tree = PathTree.of(snapshot)
    links = LinkCheck(files=snapshot.head, tree=tree, library=library)
    anchors = AnchorCheck(files=snapshot.head, tree=tree, roots=config.roots)
    for path in sorted(snapshot.head):
        if not (matches(path, config.files) and path.lower().endswith(MARKDOWN)):
            continue
        document = library.get(path, snapshot.head[path])
        if isinstance(document, Unreadable):
            run.findings.append(malformed.unreadable(document))
            continue
        yield path
        if config.links:
            run.findings.extend(links.check(document))
        if config.anchors:
            run.findings.extend(anchors.check(document))
    _left_out(links, anchors, run)


def _left_out(links: LinkCheck, anchors: AnchorCheck, run: _Run) -> None:
    run.unread(links.unfetched | anchors.unfetched)
    if anchors.budget < 0:
        run.reason = run.reason or "too-large"
        run.notes.append("some anchors were not checked: the lines that they cite are too long together")
    if links.outside:
        run.notes.append(
            f"{links.outside} links lead out of the repository's tree, or into files that are not read, and were not checked"
        )
    if anchors.elsewhere:
        run.notes.append(f"{anchors.elsewhere} line anchors name files that this repository does not have")


def _large(snapshot: Snapshot, config: RecordsConfig) -> list[str]:
    """The declared files that are not read for their size."""
    patterns = _patterns(config)
    return sorted(path for path in snapshot.large if matches(path, patterns))


def wanted(snapshot: Snapshot, config: RecordsConfig) -> frozenset[str]:
    """The files whose contents a check of `snapshot` needs and `head` lacks. Ask again once they are there: targets
    of links and anchors are known only when the files that name them have been read."""
    unread = declared(snapshot, config) - snapshot.head.keys()
    if unread or not (config.links or config.anchors):
        return frozenset(unread)
    run = _Run()
    for _ in _pointers(snapshot, config, Library(), run):
        pass
    return frozenset(run.missing)


def declared(snapshot: Snapshot, config: RecordsConfig) -> set[str]:
    """The paths that the declarations name, in the tree at the head."""
    patterns = _patterns(config)
    return {path for path in snapshot.known - snapshot.opaque if matches(path, patterns)}


def _patterns(config: RecordsConfig) -> tuple[str, ...]:
    patterns = [table.file for table in config.tables]
    patterns.extend(reference.file for reference in config.references)
    patterns.extend(count.file for count in config.counts)
    if config.links or config.anchors:
        patterns.extend(config.files)
    return tuple(dict.fromkeys(patterns))


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def _ordered(findings: Iterable[Finding]) -> list[Finding]:
    """By place; one finding once, however many declarations lead to it."""
    unique = dict.fromkeys(findings)
    return sorted(unique, key=lambda finding: (finding.place, finding.rule, finding.message))

"""The tables of a real project: clean, after a union that defined four rows twice, put right, and newest."""

from __future__ import annotations

import pytest

from recipediff.checks.records import OpenPull, Snapshot, check, cross_pulls, wanted
from tests.checks.records import real
from tests.shared import needs_shared

pytestmark = needs_shared

CLEAN, UNION, RIGHT, NEWEST = "888fbcc7", "d4bd4acf", "a05437f6", "d85906ae"
FOUR = [
    ("MODEL-TEXT-deepseek-v2-deepseek-v2-for-causal-lm", real.MODEL, 89, 92),
    ("MODEL-TEXT-deepseek-v2-deepseek-v3-for-causal-lm", real.MODEL, 90, 93),
    ("MODEL-TEXT-deepseek-v4-deepseek-v4-for-causal-lm", real.MODEL, 91, 94),
    ("ROAD-V1-C2", real.ROADMAP, 101, 102),
]


@pytest.mark.parametrize("commit", [CLEAN, RIGHT])
def test_clean_and_put_right_have_no_finding(commit: str) -> None:
    result = check(Snapshot(head=real.files(commit)), real.KEYS)
    assert result.findings == ()
    assert result.verdict.state == "pass"


def test_after_the_union_exactly_the_four_duplicates() -> None:
    findings = check(Snapshot(head=real.files(UNION)), real.KEYS).findings
    assert {f.rule for f in findings} == {"record-duplicate-key"}
    assert [(f.key.partition(":")[2], f.place.file, f.related[0].place.line, f.place.line) for f in findings] == FOUR
    assert all(f"line {first}" in f.message for f, (_, _, first, _) in zip(findings, FOUR, strict=True))


def test_the_newest_has_one_foreign_count_and_no_duplicate_reference_or_link() -> None:
    snapshot = Snapshot(head=real.files(NEWEST), paths=real.paths(NEWEST))
    result = check(snapshot, real.NEWEST)
    (count,) = result.findings
    assert (count.rule, str(count.place)) == ("record-foreign-count", f"{real.ROADMAP}:121:127")
    assert (count.ours, count.upstream) == ("353", "326")
    # The headings of one linked file are not at hand, and so the newest cannot pass.
    assert result.reason == "content-missing"
    assert wanted(snapshot, real.NEWEST) == {".agents/feature-matrix.md"}


def test_the_newest_links_are_all_looked_at() -> None:
    """A tree without one linked file says so at each place."""
    head = real.files(NEWEST)
    without = real.paths(NEWEST) - {".agents/specs/tensor-parallelism.md", ".agents/feature-matrix.md"}
    findings = [
        f for f in check(Snapshot(head=head, paths=without), real.NEWEST).findings if f.rule == "record-dangling-link"
    ]
    texts = {path: data.decode().split("\n") for path, data in head.items()}
    for finding in findings:
        there = texts[finding.place.file][finding.place.line - 1][
            finding.place.column - 1 : finding.place.end_column - 1
        ]
        assert there.startswith("[")
        assert "tensor-parallelism.md" in there or "feature-matrix.md" in there
    expected = sum(
        data.count(b"](specs/tensor-parallelism.md") + data.count(b"](feature-matrix.md") for data in head.values()
    )
    assert len(findings) == expected == 5


def test_a_wrong_row_of_the_checklist_is_found() -> None:
    head = real.files(NEWEST)
    head[real.MODEL] = head[real.MODEL].replace(b"`MODEL-FACTORY-registry` |\n", b"`MODEL-FACTORY-Registry` |\n", 1)
    findings = [f for f in check(Snapshot(head=head), real.NEWEST).findings if f.rule == "record-dangling-reference"]
    assert len(findings) == 1
    assert "MODEL-FACTORY-registry" in findings[0].message


def test_the_union_seen_before_either_side_merges() -> None:
    """The four keys, added by two pull requests to tables that lack them, are found on both."""
    right = real.files(RIGHT)
    keys = [key for key, *_ in FOUR]
    base = {
        path: b"\n".join(line for line in data.split(b"\n") if not any(f"`{key}`".encode() in line for key in keys))
        for path, data in right.items()
    }
    result = cross_pulls({1: OpenPull(base, right), 2: OpenPull(base, right), 3: OpenPull(base, base)}, real.KEYS)
    for number, other in ((1, 2), (2, 1)):
        assert sorted(f.key.partition(":")[2] for f in result[number].findings) == sorted(keys)
        assert all(f"#{other}" in f.message for f in result[number].findings)
    assert result[3].findings == ()

"""Row ids that must exist, and counts that have an owner."""

from __future__ import annotations

import pytest

from recipediff.checks.records import CountOwner, CountRule, RecordsConfig, ReferenceRule, TableRule
from tests.checks.records.build import evaluate, table, told

ROWS = TableRule(file="t.md", key="ID", space="rows")
COLUMN = RecordsConfig(tables=(ROWS,), references=(ReferenceRule(file="t.md", space="rows", column="See"),))
INLINE = RecordsConfig(tables=(ROWS,), references=(ReferenceRule(file="*.md", space="rows", pattern="KEY-*"),))


def counting(rule: CountRule) -> RecordsConfig:
    return RecordsConfig(tables=(ROWS,), counts=(rule,))


def test_a_row_that_does_not_exist_is_named_at_its_place() -> None:
    result = evaluate(COLUMN, t=table("KEY-1 | a | `KEY-2`", "KEY-2 | a | `KEY-1`, `KEY-9`"))
    (finding,) = result.findings
    assert (finding.rule, str(finding.place)) == ("record-dangling-reference", "t.md:6:25")
    assert finding.message.startswith("“KEY-9” is no row of “rows”")
    assert finding.fix is not None


@pytest.mark.parametrize("cell", ["—", "", "KEY-1", "`KEY-1`", "[`KEY-1`](t.md) and `KEY-1`", "**KEY-1**", "`—`"])
def test_existing_rows_and_honest_blanks_pass(cell: str) -> None:
    assert evaluate(COLUMN, t=table(f"KEY-1 | a | {cell}")).findings == ()


@pytest.mark.parametrize("cell", ["-", "KEY-1 KEY-2", "none", "`KEY-1`, `x`"])
def test_anything_else_is_a_wrong_id(cell: str) -> None:
    assert [f.rule for f in evaluate(COLUMN, t=table(f"KEY-1 | a | {cell}")).findings] == ["record-dangling-reference"]


def test_another_spelling_is_given() -> None:
    (finding,) = evaluate(COLUMN, t=table("KEY-One | a | `key-one`")).findings
    assert finding.message == "“key-one” is no row of “rows”; “KEY-One” differs in letter case only"
    (finding,) = evaluate(COLUMN, t=table("KEY-ALPHA-ONE | a | `KEY-ALFA-ONE`")).findings
    assert finding.fix is not None
    assert finding.fix.summary == "write “KEY-ALPHA-ONE”"


def test_ids_in_the_text_are_told_from_other_code() -> None:
    files = {
        "t": table("KEY-1 | a | `KEY-2` x"),
        "u": "Text `KEY-1`, `code`, [`KEY-3`](t.md), KEY-4.\n\n```\n`KEY-5`\n```\n",
    }
    assert [(str(f.place), f.message) for f in evaluate(INLINE, **files).findings] == [
        ("t.md:5:16", "“KEY-2” is no row of “rows”"),
        ("u.md:1:25", "“KEY-3” is no row of “rows”"),
    ]


def test_a_missing_column_or_file_of_references_fails() -> None:
    rules = (
        ReferenceRule(file="t.md", space="rows", column="Nope"),
        ReferenceRule(file="x.md", space="rows", column="See"),
    )
    findings = evaluate(RecordsConfig(tables=(ROWS,), references=rules), t=table("K | a | b")).findings
    assert [f.rule for f in findings] == ["record-malformed-table"] * 2


def test_where_the_rows_cannot_be_read_nothing_is_called_dangling() -> None:
    findings = evaluate(INLINE, t="nothing\n", u="`KEY-1`\n").findings
    assert [f.rule for f in findings] == ["record-malformed-table"]


def test_a_copied_count_is_reported_with_the_owners_value() -> None:
    rule = CountRule("u.md", "has {n} rows", CountOwner(space="rows"))
    result = evaluate(counting(rule), t=table("A | a | b", "B | a | b"), u="The table\nhas **1,234**  rows now.\n")
    (finding,) = result.findings
    assert (finding.rule, finding.severity, str(finding.place)) == ("record-foreign-count", "error", "u.md:2:7")
    assert (finding.ours, finding.upstream) == ("1234", "2")
    assert "t.md owns; the owner has 2" in finding.message
    assert finding.fix is not None
    assert finding.fix.summary.startswith("drop the number")


def test_a_copy_that_is_still_right_is_a_copy() -> None:
    rule = CountRule("u.md", "{n} rows", CountOwner(space="rows"))
    result = evaluate(counting(rule), t=table("A | a | b"), u="1 rows, 1 rows\n")
    assert [(f.severity, f.place.column) for f in result.findings] == [("warning", 1), ("warning", 9)]
    assert len({f.identity for f in result.findings}) == 2
    assert result.verdict.state == "fail"


@pytest.mark.parametrize(
    "text", ["The table has rows.", "has 12 rowsets", "it has 1.2 rows", "has `x` rows", "```\nhas 7 rows\n```"]
)
def test_a_number_that_was_dropped_or_is_another_passes(text: str) -> None:
    rule = CountRule("u.md", "has {n} rows", CountOwner(space="rows"))
    assert evaluate(counting(rule), t=table("A | a | b"), u=text + "\n").findings == ()


def test_a_count_of_the_owners_own_file_may_stand_while_it_is_right() -> None:
    rule = CountRule("t.md", "READY | {n}", CountOwner(space="rows", column="What", value="READY*"))
    sums = "\n# Sums\n\n| State | Rows |\n|--|--|\n| `READY` | **{}** |\n"
    rows = table("A | READY (x) | b", "B | `READY` | b", "C | DONE | b")
    assert evaluate(counting(rule), t=rows + sums.format(2)).findings == ()
    (finding,) = evaluate(counting(rule), t=rows + sums.format(3)).findings
    assert told((finding,)) == [("t.md:13:15", "“READY | 3” does not agree with the rows of this file: there are 2")]


def test_a_count_in_a_file_that_is_no_markdown() -> None:
    from recipediff.checks.records import Snapshot, check

    rule = CountRule("*.txt", "rows: {n}", CountOwner(space="rows", file="t.md", heading="Rows"))
    head = {"t.md": table("A | a | b").encode(), "n.txt": b"x\r\n  rows: 4"}
    assert told(check(Snapshot(head=head), counting(rule)).findings) == [
        ("n.txt:2:9", "“rows: 4” copies a number that t.md owns; the owner has 1")
    ]


@pytest.mark.parametrize(
    ("config", "words"),
    [
        (
            RecordsConfig(references=(ReferenceRule(file="t.md", space="rows", column="x"),)),
            "“rows”, which no table has",
        ),
        (
            RecordsConfig(tables=(ROWS,), references=(ReferenceRule(file="t.md", space="rows"),)),
            "`column` or `pattern`",
        ),
        (RecordsConfig(tables=(TableRule(file="", key="ID"),)), "`file` and `key`"),
        (counting(CountRule("t.md", "rows", CountOwner(space="rows"))), "{n} once"),
        (counting(CountRule("t.md", "{n}", CountOwner(space="rows"))), "{n} once"),
        (counting(CountRule("t.md", "{n} a", CountOwner(space="rows", column="x"))), "`column` and `value` together"),
    ],
)
def test_a_declaration_that_cannot_be_used_is_not_evaluated(config: RecordsConfig, words: str) -> None:
    result = evaluate(config, t=table("K | a | b"))
    assert result.verdict.reason == "config-invalid"
    assert words in result.notes[0]
    assert ".github/recipediff.yml" in result.notes[0]

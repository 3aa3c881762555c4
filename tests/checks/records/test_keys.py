"""Keys: defined once, compared without markup, in tables that have their shape."""

from __future__ import annotations

import pytest

from recipediff.checks.records import RecordsConfig, Snapshot, TableRule, check
from tests.checks.records.build import CONFIG, HEAD, evaluate, table, told


def rules(text: str | bytes, config: RecordsConfig = CONFIG) -> list[str]:
    data = text.encode() if isinstance(text, str) else text
    return [finding.rule for finding in check(Snapshot(head={"t.md": data}), config).findings]


def test_a_key_given_twice_names_both_lines() -> None:
    result = evaluate(CONFIG, t=table("KEY-1 | a | x", "KEY-2 | a | x", "`KEY-1` | b | x"))
    (finding,) = result.findings
    assert finding.rule == "record-duplicate-key"
    assert told(result.findings) == [("t.md:7:3", "the key “KEY-1” is defined at line 5 and again here at line 7")]
    assert str(finding.related[0].place) == "t.md:5:3"
    assert finding.line == "| `KEY-1` | b | x |"
    assert finding.detail == ("the two rows differ",)
    assert result.verdict.state == "fail"


def test_a_key_given_three_times_is_two_findings_that_tell_each_other_apart() -> None:
    findings = evaluate(CONFIG, t=table("K | a | b", "K | a | b", "K | a | b")).findings
    assert [f.place.line for f in findings] == [6, 7]
    assert len({f.identity for f in findings}) == 2
    assert "the two rows differ" not in findings[0].detail


def test_keys_given_once_pass() -> None:
    result = evaluate(CONFIG, t=table("KEY-1 | a | x", "KEY-2 | KEY-1 | x", "key-1 | b | x"))
    assert (result.findings, result.verdict.state, result.looked_at) == ((), "pass", ("1 table",))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("`K-1`", "K-1"),
        ("**K-1**", "_K-1_"),
        ("`` K-1 ``", "K\\-1"),
        ("[K-1](x.md)", "K-1"),
        ("<b>K-1</b>", "~~K-1~~"),
        ("K &amp; L", "K & L"),
        ("a  b", "a b"),
        ("`a\\|b`", "a\\|b"),
        ("模型", "**模型**"),
        ("caf\u00e9", "cafe\u0301"),
        ("<a id='k'></a>K-1", "K-1"),
        ("K<br>1", "K 1"),
    ],
)
def test_markup_and_spacing_do_not_make_another_key(one: str, other: str) -> None:
    assert rules(table(f"{one} | a | b", f"{other} | a | b")) == ["record-duplicate-key"]


@pytest.mark.parametrize(
    ("one", "other"), [("K-1", "K-10"), ("K-1", "k-1"), ("K_1_", "K1"), ("`*K*`", "*K*"), ("K 1", "K1")]
)
def test_other_keys_are_other_keys(one: str, other: str) -> None:
    assert rules(table(f"{one} | a | b", f"{other} | a | b")) == []


@pytest.mark.parametrize(
    "text",
    [
        table("K | a | b", "K | a | b").replace("\n", "\r\n"),
        "\ufeff" + table("K | a | b", "K | a | b"),
        table("K | a | b", "K | a | b").replace("|---|---|---|", ":-- | :-: | --:"),
        "".join(f"> {line}\n" for line in table("K | a | b", "K | a | b").split("\n")),
        "- x\n  - y\n\n" + "".join(f"    {line}\n" for line in table("K | a | b", "K | a | b").split("\n")),
        table("K | a | b") + "\ntext\n\n" + table("K | a | b"),
        "| [ID](x.md) | What | `See` |\n|--|--|--|\n| K | a | b |\n| K | a | b |\n",
        "ID | What\n--|--\nK | a\nK | b",
    ],
)
def test_wherever_the_table_stands(text: str) -> None:
    assert rules(text) == ["record-duplicate-key"]


def test_rows_that_are_no_rows_define_nothing() -> None:
    fenced = "```\n" + table("K | a | b", "K | a | b") + "```\n\n<!--\n" + table("K | a | b", "K | a | b") + "-->\n\n"
    assert rules(fenced + table("K | a | b")) == []


def test_tables_of_one_space_share_their_keys_and_others_do_not() -> None:
    shared = RecordsConfig(
        tables=(TableRule(file="a.md", key="ID", space="rows"), TableRule(file="b.md", key="Block", space="rows"))
    )
    apart = RecordsConfig(tables=(TableRule(file="a.md", key="ID"), TableRule(file="b.md", key="Block")))
    files = {"a": table("K | a | b"), "b": table("K | a | b").replace("ID", "Block")}
    (finding,) = evaluate(shared, **files).findings
    assert finding.message == "the key “K” is defined at a.md:5 and again here at line 5"
    assert evaluate(apart, **files).findings == ()


def test_a_heading_and_a_pattern_choose_the_tables() -> None:
    text = "## One\n\n| ID |\n|--|\n| K |\n\n## Two `x`\n\n| ID |\n|--|\n| K |\n\n### Notes\n\n| ID |\n|--|\n| K |\n"
    assert evaluate(RecordsConfig(tables=(TableRule(file="t.md", key="ID", heading="One"),)), t=text).findings == ()
    both = RecordsConfig(tables=tuple(TableRule(file="*.md", key="ID", heading=h, space="s") for h in ("One", "T?o x")))
    assert [f.place.line for f in evaluate(both, t=text).findings] == [11]
    twice = RecordsConfig(
        tables=(
            TableRule(file="t.md", key="ID", heading="One"),
            TableRule(file="*.md", key="ID", heading="O*", space="t.md § One"),
        )
    )
    assert evaluate(twice, t=text).findings == ()


def test_an_em_dash_is_an_honest_blank_and_an_empty_key_is_not() -> None:
    assert rules(table("— | a | b", "— | a | b")) == []
    (finding,) = evaluate(CONFIG, t=table("K | a | b", " | a | b")).findings
    assert told((finding,)) == [("t.md:6:3", "the row has no key in the column “ID”")]


def test_a_key_of_another_shape() -> None:
    config = RecordsConfig(tables=(TableRule(file="t.md", key="ID", pattern="KEY-*"),))
    result = evaluate(config, t=table("KEY-1 | a | b", "`KYE-2` | a | b"))
    assert told(result.findings) == [("t.md:6:3", "the key “KYE-2” does not have the declared shape “KEY-*”")]


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        (HEAD + "| K | a |\n", "t.md:5:7", "the row has 2 cells where the header has 3"),
        (HEAD + "| K | a | `x|y` |\n", "t.md:5:14", "4 cells where the header has 3: what stands here is not shown"),
        (HEAD + "| K |\n", "t.md:5:3", "the row has 1 cell where"),
        ("# Other\n\ntext\n", "t.md", "no table in the file"),
        ("| A | B |\n|--|--|\n| K | a |\n", "t.md:1:3", "no table in the file has the declared key column “ID”; the first one has “A”, “B”"),
        ("# R\n\n> | ID | What |\n> |--|\n> | K | a |\n", "t.md:3:3", "the row of dashes does not have as many cells as the header"),
        ("<table><tr><th>ID</th></tr></table>\n", "t.md", "no table in the file"),
        ("", "t.md", "no table in the file"),
    ],
)  # fmt: skip
def test_a_table_without_its_shape_fails_at_its_place(text: str, place: str, words: str) -> None:
    result = evaluate(CONFIG, t=text)
    (finding,) = result.findings
    assert (finding.rule, str(finding.place)) == ("record-malformed-table", place)
    assert words in finding.message
    assert finding.fix is not None


def test_a_missing_heading_or_file_fails() -> None:
    config = RecordsConfig(
        tables=(TableRule(file="t.md", key="ID", heading="Rows"), TableRule(file="u/*.md", key="ID"))
    )
    assert told(evaluate(config, t="# Other\n").findings) == [
        (".github/recipediff.yml", "no file fits “u/*.md”, where the table with the key column “ID” is declared to be"),
        ("t.md", "no heading reads “Rows”, under which the table with the key column “ID” is declared"),
    ]
    heading_only = RecordsConfig(tables=(TableRule(file="t.md", key="ID", heading="Rows"),))
    assert [str(f.place) for f in evaluate(heading_only, t="x\n\n# `Rows`\n").findings] == ["t.md:3:3"]


def test_a_file_that_is_no_text_fails_with_the_byte() -> None:
    (finding,) = check(Snapshot(head={"t.md": b"# x\n\n|\xff"}), CONFIG).findings
    assert (str(finding.place), finding.rule) == ("t.md:3:2", "record-malformed-table")
    assert "0xff" in finding.message


def test_a_declared_file_whose_contents_are_not_there_is_not_evaluated() -> None:
    result = check(Snapshot(head={}, paths=frozenset({"t.md"})), CONFIG)
    assert (result.verdict.state, result.reason) == ("not evaluated", "content-missing")
    assert "t.md" in result.notes[0]


def test_lines_moved_by_an_edit_leave_the_finding_the_same() -> None:
    before = evaluate(CONFIG, t=table("K | a | b", "K | a | b")).findings
    after = evaluate(CONFIG, t="intro\n\n" + table("J | a | b", "K | a | b", "K | a | b")).findings
    assert [f.identity for f in before] == [f.identity for f in after]

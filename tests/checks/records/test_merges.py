"""What a merge makes of keyed tables: rows lost, keys that would stand twice, the same key in two pull requests."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from recipediff.checks.records import OpenPull, RecordsConfig, Snapshot, TableRule, check, cross_pulls
from recipediff.checks.records.edits import row_edit
from recipediff.checks.records.rows import read_rows
from recipediff.checks.records.snapshot import Library
from recipediff.parse.markdown import read_markdown
from tests.checks.records.build import CONFIG, table, told


def files(*rows: str) -> dict[str, bytes]:
    return {"t.md": table(*(f"{row} | x | y" for row in rows)).encode()}


def merged(
    head: dict[str, bytes], *parents: dict[str, bytes], fork: dict[str, bytes] | None = None
) -> list[tuple[str, str]]:
    return told(check(Snapshot(head=head, parents=parents, fork=fork), CONFIG).findings)


def test_a_row_of_both_parents_that_the_merge_lacks_is_lost() -> None:
    lost = merged(files("A", "D"), files("A", "B", "C"), files("A", "B", "D"))
    assert lost == [("t.md:5:3", "the row “B” is missing after the merge; both sides of the merge have it")]


def test_a_row_that_one_parent_dropped_is_not_lost() -> None:
    assert merged(files("A"), files("A"), files("A", "B")) == []
    assert merged(files("A"), files("A"), files("A", "B"), fork=files("A", "B")) == []


def test_a_row_that_one_parent_added_is_lost_where_the_fork_is_known() -> None:
    lost = merged(files("A", "B"), files("A", "B"), files("A", "C"), fork=files("A"))
    assert lost == [("t.md:5:3", "the row “C” is missing after the merge; one side of the merge had added it")]


def test_a_row_that_moved_to_another_table_of_its_space_is_not_lost() -> None:
    config = RecordsConfig(tables=(TableRule(file="*.md", key="ID", space="rows"),))
    before = files("A", "B")
    after = {**files("A"), "u.md": table("B | x | y").encode()}
    assert check(Snapshot(head=after, parents=(before, before)), config).findings == ()


def test_without_two_parents_nothing_is_lost() -> None:
    assert merged(files("A"), files("A", "B")) == []


def test_a_union_that_took_both_sides_is_a_duplicate() -> None:
    findings = merged(files("A", "B", "B"), files("A", "B"), files("A", "B"))
    assert findings == [("t.md:7:3", "the key “B” is defined at line 6 and again here at line 7")]


def test_a_key_that_the_base_branch_gained_meanwhile() -> None:
    head, base, fork = files("A", "N"), files("N", "A"), files("A")
    (finding,) = check(Snapshot(head=head, base=base, fork=fork), CONFIG).findings
    assert (finding.rule, str(finding.place)) == ("record-duplicate-key", "t.md:6:3")
    assert "in the base branch at t.md:5: merged, it is defined twice" in finding.message
    assert check(Snapshot(head=head, base=base, fork=base), CONFIG).findings == ()
    assert check(Snapshot(head=head, base=base), CONFIG).findings == ()


def test_the_same_new_key_in_two_pull_requests_is_on_both_and_names_the_other() -> None:
    base = files("A", "B")
    pulls = {
        7: OpenPull(base, files("NEW", "A", "B")),
        12: OpenPull(base, files("A", "B", "`NEW`")),
        13: OpenPull(base, files("A", "B", "C")),
    }
    result = cross_pulls(pulls, CONFIG)
    (seven,), (twelve,) = result[7].findings, result[12].findings
    assert (seven.rule, str(seven.place), str(twelve.place)) == ("record-cross-pull-duplicate", "t.md:5:3", "t.md:7:3")
    assert "added here and by pull request #12 (t.md:7): each merges cleanly" in seven.message
    assert "#7 (t.md:5)" in twelve.message
    assert seven.identity == twelve.identity
    assert result[13].findings == ()
    assert result[13].verdict.state == "pass"
    del pulls[12]
    assert cross_pulls(pulls, CONFIG)[7].findings == ()


def test_many_pull_requests_with_one_key_are_cut() -> None:
    base = files("A")
    result = cross_pulls({n: OpenPull(base, files("A", "N")) for n in range(1, 9)}, CONFIG)
    assert (
        "pull requests #2 (t.md:6), #3 (t.md:6), #4 (t.md:6), #5 (t.md:6), #6 (t.md:6) and 2 more"
        in result[1].findings[0].message
    )


def test_keys_that_are_moved_edited_or_in_other_spaces_are_not_new() -> None:
    config = RecordsConfig(tables=(TableRule(file="t.md", key="ID"), TableRule(file="u.md", key="ID")))
    base = {**files("A", "B"), "u.md": table("C | x | y").encode()}
    moved = {**base, **files("B", "A")}
    one = {**base, **files("A", "B", "N")}
    other = {**base, "u.md": table("C | x | y", "N | x | y").encode()}
    result = cross_pulls(
        {1: OpenPull(base, moved), 2: OpenPull(base, moved), 3: OpenPull(base, one), 4: OpenPull(base, other)}, config
    )
    assert not any(found.findings for found in result.values())


def test_a_new_file_and_a_new_table_define_new_keys() -> None:
    new = files("A")
    result = cross_pulls({1: OpenPull({}, new), 2: OpenPull({"t.md": b"# Rows\n"}, new)}, CONFIG)
    assert [len(result[n].findings) for n in (1, 2)] == [1, 1]


def test_an_unreadable_file_of_a_pull_request_is_named_to_all() -> None:
    result = cross_pulls({1: OpenPull({}, {"t.md": b"\xff"}), 2: OpenPull(files("A"), files("A", "B"))}, CONFIG)
    assert "pull request #1: its keys are not known, since t.md:1:1" in result[2].notes[0]


_LINE = st.sampled_from(
    ["| A | x | y |", "| B | x | y |", "| `C` | x | y |", "| D |", "|", "", "text", "```", "## Next", "> | E | x | y |", "- | F |", "<!--",
     "-->", "|---|---|---|", "| ID | What | See |", "   | G | x | y |", "| [H](x) | `a\\|b` | y |", "H | x | y", "| é | x | y |", "    | I |"]
)  # fmt: skip
_LINES = st.lists(_LINE, max_size=12)


def _text(lines: Sequence[str], end: str) -> bytes:
    return ("# Rows\n\n| ID | What | See |\n|---|---|---|\n" + "\n".join(lines) + end).encode()


@given(_LINES, st.integers(0, 12), st.integers(0, 4), _LINES, st.sampled_from(["", "\n", "\n\nend\n"]))
def test_reading_an_edit_gives_what_reading_the_file_gives(
    lines: list[str], at: int, gone: int, new: list[str], end: str
) -> None:
    base, head = _text(lines, end), _text([*lines[:at], *new, *lines[at + gone :]], end)
    pulls = {1: OpenPull({"t.md": base}, {"t.md": head}), 2: OpenPull({}, {"t.md": head})}
    found = {finding.key.partition(":")[2]: finding.place for finding in cross_pulls(pulls, CONFIG)[1].findings}
    before, after = (read_rows({"t.md": text}, CONFIG, Library()).keys("rows") for text in (base, head))
    assert found == {key: rows[0].place for key, rows in after.items() if key not in before}


def test_the_short_way_is_taken_where_only_rows_change() -> None:
    base = table("A | x | y", "B | x | y").encode()
    document = read_markdown(base, "t.md")
    edit = row_edit(base, base.replace(b"| B |", b"| C | x | y |\n| B |"), document)
    assert edit is not None
    assert (edit.first, edit.lines) == (6, ("| C | x | y |",))
    assert row_edit(base, base.replace(b"| B |", b"C | x | y |\n| B |"), document) is None
    assert row_edit(base, base + b"| C | x | y |\n", document) is not None
    assert row_edit(base, base.replace(b"# Rows", b"# Other"), document) is None

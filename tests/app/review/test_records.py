"""Keyed records in the review: what a pull request does to them, and what two open ones would do together."""

from __future__ import annotations

import subprocess
from collections.abc import AsyncIterator

import pytest

from recipediff.adapters.local import IsolatedProcess
from recipediff.app.records.affected import affected
from recipediff.app.records.reader import MAX_FILES
from recipediff.app.records.tables import Guard
from recipediff.app.review.review import CHECK_NAME, Circumstances, ReviewOutcome, Subject, review
from recipediff.ports.errors import Unavailable
from recipediff.server.jobs.outcomes import Final, outcome_of
from sandbox.model import CheckRunRecord, IssueRecord
from sandbox.server import ServedRequest
from tests.app.review.world import World, world

TABLE = "docs/rows.md"
CONFIG = """\
records:
  tables:
    - {file: docs/rows.md, key: ID, space: rows}
  references:
    - {file: docs/notes.md, pattern: "ROW-*", space: rows}
"""


def table(*keys: str, title: str = "Rows") -> str:
    return f"# {title}\n\n| ID | What |\n|---|---|\n" + "".join(f"| {key} | about {key} |\n" for key in keys)


BASE = [f"ROW-{number:02}" for number in range(30)]


def added(*rows: tuple[int, str]) -> str:
    """The base's table with rows put in at places."""
    keys = list(BASE)
    for place, key in sorted(rows, reverse=True):
        keys.insert(place, key)
    return table(*keys)


@pytest.fixture
async def lab() -> AsyncIterator[World]:
    async with world() as made:
        files: dict[str, str | bytes | None] = {".github/recipediff.yml": CONFIG, TABLE: table(*BASE)}
        made.sandbox.commit(made.repo, "main", {**files, "docs/notes.md": "See `ROW-01`.\n"}, "Keep records")
        yield made


def rules(outcome: ReviewOutcome) -> list[tuple[str, str]]:
    return [(row.status, row.finding.rule) for row in outcome.report.rows]


def run_of(lab: World, pull: IssueRecord) -> CheckRunRecord:
    assert pull.pull is not None
    (run,) = [run for run in lab.sandbox.check_runs(lab.repo, pull.pull.head_sha) if run.name == CHECK_NAME]
    return run


async def test_a_key_defined_twice_fails_at_its_line_and_is_gone_when_mended(lab: World) -> None:
    pull = lab.open({TABLE: added((20, "ROW-03"))})
    outcome = await lab.review(pull.number)
    (row,) = outcome.report.rows
    assert (row.status, row.finding.rule, str(row.finding.place)) == ("new", "record-duplicate-key", f"{TABLE}:25:3")
    assert run_of(lab, pull).conclusion == "failure"
    (said,) = lab.sandbox.comments(pull)
    assert "| | what | |" in said.body, "there are no two sides to show"
    assert "the key “ROW-03” is defined at line 8 and again here at line 25" in said.body
    lab.sandbox.commit(lab.repo, "topic", {TABLE: added((20, "ROW-99"))}, "Mend")
    assert (await lab.review(pull.number)).report.headline() == "2 files checked, nothing to report"
    assert run_of(lab, pull).conclusion == "success"


async def test_what_stands_on_the_base_is_open_and_does_not_block(lab: World) -> None:
    lab.sandbox.commit(lab.repo, "main", {TABLE: added((20, "ROW-03"))}, "Before the guard")
    pull = lab.open({TABLE: added((5, "NEW"), (20, "ROW-03"))})
    outcome = await lab.review(pull.number)
    assert (rules(outcome), outcome.report.verdict.state) == ([("open", "record-duplicate-key")], "pass")
    pull = lab.open({TABLE: added((5, "ROW-04"), (20, "ROW-03"))}, branch="worse")
    outcome = await lab.review(pull.number)
    assert sorted(rules(outcome)) == [("new", "record-duplicate-key"), ("open", "record-duplicate-key")]


async def test_a_reference_that_loses_its_row_is_found_in_a_file_that_did_not_change(lab: World) -> None:
    pull = lab.open({TABLE: table(*(key for key in BASE if key != "ROW-01"))})
    outcome = await lab.review(pull.number)
    assert [(r.finding.rule, r.finding.place.file) for r in outcome.report.rows] == [
        ("record-dangling-reference", "docs/notes.md")
    ]


async def test_a_change_that_touches_nothing_guarded_is_not_looked_at(lab: World) -> None:
    pull = lab.open({"README.md": "# other\n", "docs/other.md": table("ROW-01", "ROW-01")})
    assert (await lab.review(pull.number)).report.headline() == "nothing to compare"


async def test_rules_come_from_the_base_alone(lab: World) -> None:
    pull = lab.open({".github/recipediff.yml": "fail-on: new\n", TABLE: added((20, "ROW-03"))})
    assert ("new", "record-duplicate-key") in rules(await lab.review(pull.number))


async def test_a_fault_in_the_edited_declarations_is_a_finding_at_its_line(lab: World) -> None:
    pull = lab.open({".github/recipediff.yml": CONFIG.replace("space: rows}\n  ref", "space: row}\n  ref")})
    (row,) = (await lab.review(pull.number)).report.rows
    assert (row.finding.rule, row.finding.place.line) == ("config", 5)
    assert "names the key space “rows”, which no table has" in row.finding.message


async def test_a_broken_declaration_on_the_base_is_said_and_the_rest_guards_on(lab: World) -> None:
    lab.sandbox.commit(lab.repo, "main", {".github/recipediff.yml": CONFIG + "    - {file: a.md}\n"}, "Break it")
    pull = lab.open({TABLE: added((20, "ROW-03"))})
    outcome = await lab.review(pull.number)
    assert rules(outcome) == [("new", "record-duplicate-key")]
    assert any("on the base branch is not valid" in note for note in outcome.report.notes)


async def test_a_row_that_both_parents_of_a_merge_have_is_missed_also_after_later_commits(lab: World) -> None:
    git = lab.repo.git
    lab.open({TABLE: added((5, "OURS"))})
    lab.sandbox.commit(lab.repo, "main", {TABLE: added((25, "THEIRS"))}, "Meanwhile")
    tip, topic = git.ref("refs/heads/main"), git.ref("refs/heads/topic")
    assert tip
    assert topic
    merged = [key for key in BASE if key != "ROW-07"]
    merged.insert(5, "OURS")  # ROW-07, which both have, and THEIRS, which one had added, got lost
    lab.sandbox.commit(lab.repo, "merging", {TABLE: table(*merged)}, "Merge", notify=False)
    tree = git.commit(git.ref("refs/heads/merging") or "").tree
    merge = _commit(git.path, tree, topic, tip)
    git.set_ref("refs/heads/merged", merge)
    pull = lab.sandbox.open_pull(lab.repo, "merged", "Merged")
    outcome = await lab.review(pull.number)
    lost = {row.finding.message for row in outcome.report.rows if row.finding.rule == "record-lost-row"}
    assert lost == {
        "the row “ROW-07” is missing after the merge; both sides of the merge have it",
        "the row “THEIRS” is missing after the merge; one side of the merge had added it",
    }
    lab.sandbox.commit(lab.repo, "merged", {"docs/notes.md": "See `ROW-02`.\n"}, "And more")
    outcome = await lab.review(pull.number)
    assert {row.finding.message for row in outcome.report.rows if row.finding.rule == "record-lost-row"} == lost
    lab.sandbox.commit(lab.repo, "merged", {TABLE: added((5, "OURS"), (25, "THEIRS"))}, "Restore")
    outcome = await lab.review(pull.number)
    assert [r for r in rules(outcome) if r[1] == "record-lost-row"] == []


def _commit(path: object, tree: str, *parents: str) -> str:
    arguments = ["git", "-C", str(path), "-c", "user.name=a", "-c", "user.email=a@example.org", "commit-tree", tree]
    for parent in parents:
        arguments += ["-p", parent]
    return subprocess.run([*arguments, "-m", "Merge"], check=True, capture_output=True, text=True).stdout.strip()


async def test_two_pull_requests_that_add_one_key_are_named_to_each_other_before_either_merges(lab: World) -> None:
    one = lab.open({TABLE: added((3, "KEY-NEW"))}, branch="one")
    two = lab.open({TABLE: added((27, "KEY-NEW"))}, branch="two")
    assert _merges_cleanly(lab, "one", "two")
    guard = Guard()
    for mine, other, line in ((one, two, 32), (two, one, 8)):
        outcome = await lab.review(mine.number, guard=guard)
        (row,) = outcome.report.rows
        assert (row.status, row.finding.rule) == ("new", "record-cross-pull-duplicate")
        assert f"added here and by pull request #{other.number} ({TABLE}:{line})" in row.finding.message
        assert run_of(lab, mine).conclusion == "failure"
        (said,) = lab.sandbox.comments(mine)
        assert f"#{other.number}" not in said.body, "GitHub would link the other pull request back"
        assert f"#\u200b{other.number}" in said.body
    lab.sandbox.commit(lab.repo, "two", {TABLE: added((27, "KEY-OTHER"))}, "Withdraw")
    again = await lab.review(two.number, guard=guard)
    assert (again.report.verdict.state, again.crossing) == ("pass", True)
    (wanted,) = await affected(lab.home, "main", lab.author, guard)
    assert wanted.pull.number == one.number
    assert (await lab.review(one.number, guard=guard)).report.verdict.state == "pass"
    assert "resolved" in lab.sandbox.comments(one)[0].body
    assert await affected(lab.home, "main", lab.author, guard) == ()


def _merges_cleanly(lab: World, one: str, two: str) -> bool:
    done = subprocess.run(
        ["git", "-C", str(lab.repo.git.path), "merge-tree", "--write-tree", one, two], capture_output=True, check=False
    )
    return done.returncode == 0


async def test_the_other_is_named_no_more_once_it_is_closed_or_merged(lab: World) -> None:
    one = lab.open({TABLE: added((3, "KEY-NEW"))}, branch="one")
    two = lab.open({TABLE: added((27, "KEY-NEW"))}, branch="two")
    guard = Guard()
    for pull in (one, two):
        await lab.review(pull.number, guard=guard)
    lab.sandbox.close(two)
    assert [each.pull.number for each in await affected(lab.home, "main", lab.author, guard)] == [one.number]
    assert (await lab.review(one.number, guard=guard)).report.verdict.state == "pass"
    lab.sandbox.reopen(two)
    await lab.review(two.number, guard=guard)
    assert [each.pull.number for each in await affected(lab.home, "main", lab.author, guard)] == [one.number]
    lab.sandbox.merge(two)
    (wanted,) = await affected(lab.home, "main", lab.author, guard)
    tip = lab.repo.git.ref("refs/heads/main") or ""
    assert (wanted.pull.number, wanted.base) == (one.number, tip)
    subject = Subject(wanted.pull.head_sha, wanted.base, "main", wanted.pull)
    outcome = await review(lab.home, subject, lab.forge, Circumstances(author=lab.author, guard=guard))
    (row,) = outcome.report.rows
    assert row.finding.rule == "record-duplicate-key"
    assert "in the base branch at docs/rows.md:32" in row.finding.message
    assert await affected(lab.home, "main", lab.author, guard) == ()


async def test_after_a_restart_the_check_run_says_whom_a_report_named(lab: World) -> None:
    one = lab.open({TABLE: added((3, "KEY-NEW"))}, branch="one")
    two = lab.open({TABLE: added((27, "KEY-NEW"))}, branch="two")
    lab.open({TABLE: added((9, "ALONE"))}, branch="three")
    guard = Guard()
    await lab.review(one.number, guard=guard)
    lab.sandbox.close(two)
    assert [each.pull.number for each in await affected(lab.home, "main", lab.author, Guard())] == [one.number]


async def test_a_key_from_the_base_is_none_that_an_old_branch_adds(lab: World) -> None:
    old = lab.open({TABLE: added((3, "OWN"))}, branch="old")
    lab.sandbox.commit(lab.repo, "main", {TABLE: table(*BASE[:-1])}, "Drop a row")
    new = lab.open({TABLE: table(*BASE[:-1], "EXTRA", BASE[-1])}, branch="new")
    assert rules(await lab.review(new.number)) == []
    assert rules(await lab.review(old.number)) == []


async def test_a_pull_request_onto_another_branch_is_no_neighbour(lab: World) -> None:
    lab.sandbox.commit(lab.repo, "release", {"README.md": "release\n"}, "Release", notify=False)
    one = lab.open({TABLE: added((3, "KEY-NEW"))}, branch="one")
    lab.sandbox.commit(lab.repo, "two", {TABLE: added((27, "KEY-NEW"))}, "Two")
    lab.sandbox.open_pull(lab.repo, "two", "Two", base="release")
    assert rules(await lab.review(one.number)) == []


async def test_a_swollen_table_of_another_pull_request_is_said_and_costs_its_neighbours_nothing(lab: World) -> None:
    one = lab.open({TABLE: added((3, "KEY-NEW"))}, branch="one")
    lab.open({TABLE: added((27, "KEY-NEW")) + "\n" + "- a\n" * 200_000}, branch="two")
    outcome = await lab.review(one.number)
    assert outcome.report.verdict.state == "pass"
    assert [note for note in outcome.report.notes if "its tables are too large" in note]


async def test_a_table_that_takes_too_long_is_not_evaluated(lab: World) -> None:
    pull = lab.open({TABLE: table(*BASE) + "\n" + "- a\n" * 900_000})
    with pytest.raises(Unavailable) as caught:
        await lab.review(pull.number, guard=Guard(isolation=IsolatedProcess(seconds=1)))
    assert caught.value.reason == "too-slow"
    assert outcome_of(caught.value) == Final("too-slow", str(caught.value)), "trying again would come to the same"


async def test_more_files_than_one_review_reads_are_not_evaluated(lab: World) -> None:
    files: dict[str, str | bytes | None] = {f"docs/{n}.md": f"{n}\n" for n in range(MAX_FILES)}
    lab.sandbox.commit(lab.repo, "main", {**files, ".github/recipediff.yml": CONFIG + "  links: true\n"}, "Much")
    pull = lab.open({TABLE: added((5, "NEW"))})
    with pytest.raises(Unavailable, match="name fewer under `records`") as caught:
        await lab.review(pull.number)
    assert caught.value.reason == "too-many-files"


async def test_links_and_anchors_are_followed_to_what_they_name(lab: World) -> None:
    config = CONFIG + "  links: true\n  anchors: true\n"
    code = {"src/a.py": "one = 1\ntwo = 2\n", "docs/see.md": "`two` in `src/a.py:2`, [rows](rows.md#rows)\n"}
    lab.sandbox.commit(lab.repo, "main", {".github/recipediff.yml": config, **code}, "Point at things")
    pull = lab.open({"src/a.py": "zero = 0\none = 1\ntwo = 2\n"}, branch="code")
    (row,) = (await lab.review(pull.number)).report.rows
    assert (row.status, row.finding.rule) == ("new", "record-stale-anchor")
    assert "it stands at line 3" in row.finding.message
    pull = lab.open({TABLE: table(*BASE, title="Records")}, branch="title")
    (row,) = (await lab.review(pull.number)).report.rows
    assert (row.status, row.finding.rule, row.finding.place.file) == ("new", "record-dangling-link", "docs/see.md")


OPEN = 100


async def test_a_hundred_open_pull_requests_cost_a_bounded_number_of_requests(
    lab: World, capsys: pytest.CaptureFixture[str]
) -> None:
    """Half of them touch the table, ten of these add the key of the one that is reviewed."""
    for number in range(OPEN):
        text = added((number % 29, f"KEY-{number if number % 10 else 0}"))
        lab.open({TABLE: text} if number % 2 == 0 else {"README.md": f"{number}\n"}, branch=f"topic-{number}")
    pull = lab.open({TABLE: added((5, "KEY-0"))}, branch="mine")
    guard = Guard()
    cold = await cost(lab, pull, guard)
    (row,) = (await lab.review(pull.number)).report.rows
    assert "and 5 more" in row.finding.message
    lab.sandbox.commit(lab.repo, "mine", {TABLE: added((6, "KEY-0"))}, "Move it")
    warm = await cost(lab, pull, guard)
    asked = [len(lab.sandbox.requests)]
    for _ in range(2):
        await affected(lab.home, "main", lab.author, guard)
        asked.append(len(lab.sandbox.requests))
    first, again = asked[1] - asked[0], asked[2] - asked[1]
    with capsys.disabled():
        print(f"\n{OPEN} open pull requests: {cold} requests cold, {warm} after a push;", end=" ")
        print(f"{first} to find the affected without a memory, {again} with one")
    # A tree for each head, a blob for each changed table, one comparison for each that has the key; the rest is the review.
    assert cold <= OPEN + OPEN // 2 + 10 + 20
    assert warm <= 12
    assert first <= OPEN // 2 + 3
    assert again <= 3


async def cost(lab: World, pull: IssueRecord, guard: Guard) -> int:
    known = await lab.pull(pull.number)
    before = len(lab.sandbox.requests)
    await lab.review_of(known, guard=guard)
    made: list[ServedRequest] = list(lab.sandbox.requests)[before:]
    return len([each for each in made if "access_tokens" not in each.path])

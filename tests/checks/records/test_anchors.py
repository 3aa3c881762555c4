"""Line anchors: in range, and still on the line that the text says."""

from __future__ import annotations

import pytest

from recipediff.checks.records import RecordsConfig, Snapshot, check, wanted
from recipediff.core.verdict import Evaluation
from tests.checks.records.build import told

CODE = b"import os\n\ndef main():\r\n    return  run(os)\n\nLIMIT = 5\nLIMIT = 6\n"
CONFIG = RecordsConfig(anchors=True, roots=("src/**",))


def anchors(text: str, config: RecordsConfig = CONFIG) -> Evaluation:
    return check(Snapshot(head={"docs/t.md": text.encode(), "src/app.py": CODE, "docs/near.py": b"x\n"}), config)


@pytest.mark.parametrize(
    "text",
    [
        "`src/app.py:3`",
        "src/app.py:3 holds `def main`",
        "`src/app.py:3`: `main()`",
        "`src/app.py:3` (`def main():`)",
        "`src/app.py:1,3-4` `main`",
        "`src/app.py:3-4`: `def main(): return run(os)`",
        "`return run` at `src/app.py:4`",
        "the “LIMIT = 6” in src/app.py:7",
        "[`main`](../src/app.py#L3)",
        "[`src/app.py:3`](../src/app.py#L3-L4)",
        "[the entry](/src/app.py#L3C5-L4C2)",
        "`near.py:1`",
        "`src/app.py:3:5`",
        "`src/app.py:1`, `nothing of this`",
        "`src/app.py:1`; `nothing of this`",
        "`src/app.py:1` is where `nothing of this` is",
        "at 12:30, http://localhost:8000/x, image:7, v1.2:3",
        "`vllm/config.py:9999` `x`",
        "```\nsrc/app.py:99\n```",
    ],
)
def test_anchors_that_hold_or_say_nothing_pass(text: str) -> None:
    assert anchors(text + "\n").findings == ()


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("see `src/app.py:8`", 6, "“src/app.py” has 7 lines, not line 8"),
        ("see src/app.py:3-9.", 5, "has 7 lines, not lines 3 to 9"),
        ("`src/app.py:0`", 2, "not line 0"),
        ("`src/app.py:4-3`", 2, "not lines 4 to 3"),
        ("`src/app.py:1,99`", 2, "not line 99"),
        ("x [`main`](../src/app.py#L9)", 3, "not line 9"),
        ("`src/app.py:1` `def main`", 2, "at 1 does not hold “def main”; it stands at line 3"),
        ("`src/app.py:1` (`LIMIT`)", 2, "it stands at 2 other lines, first at 6"),
        ("`gone()` in `src/app.py:1-2`", 14, "at 1-2 does not hold “gone()”, nor does any other line"),
        ("[`main`](../src/app.py#L1)", 1, "it stands at line 3"),
        ("“def main” — src/app.py:1", 14, "it stands at line 3"),
        ("`src/gone.py:3`", 2, "“src/gone.py” does not exist"),
        ("`src/App.py:3`", 2, "“src/app.py” differs in letter case only"),
        ("| a | b |\n|--|--|\n| x \\| y | `src/app.py:99` |", 13, "not line 99"),
    ],
)
def test_stale_anchors_are_found_at_their_place(text: str, column: int, words: str) -> None:
    (finding,) = anchors(text + "\n").findings
    assert finding.rule == "record-stale-anchor"
    assert finding.place.column == column
    assert words in finding.message
    assert finding.fix is not None


def test_lines_named_in_words() -> None:
    """Case D04: a page that grew a changelog on top, and an anchor in range that holds something else."""
    head = {
        "README.md": b"# News\n\n- one\n- two\n\n## Serving\n\nminimax-m2 launch\n",
        "t.md": b"`minimax-m2` (README lines 3-4)\n",
    }
    (finding,) = check(Snapshot(head=head), RecordsConfig(anchors=True)).findings
    assert finding.message == "“README.md” at 3-4 does not hold “minimax-m2”; it stands at line 8"
    head["t.md"] = b"`minimax-m2` (README line 8); other lines 99\n"
    assert check(Snapshot(head=head), RecordsConfig(anchors=True)).findings == ()


def test_an_edit_above_the_line_makes_the_anchor_stale() -> None:
    head = {"t.md": b"`a.py:2` `two`\n", "a.py": b"one\ntwo\n"}
    assert check(Snapshot(head=head), CONFIG).findings == ()
    head["a.py"] = b"zero\n" + head["a.py"]
    assert told(check(Snapshot(head=head), CONFIG).findings) == [
        ("t.md:1:2", "“a.py” at 2 does not hold “two”; it stands at line 3")
    ]


def test_contents_that_were_not_given_are_asked_for() -> None:
    snapshot = Snapshot(head={"t.md": b"`a.py:2` and [x](b.py#L3)\n"}, paths=frozenset({"a.py", "b.py", "c.py"}))
    assert wanted(snapshot, CONFIG) == {"a.py", "b.py"}
    assert check(snapshot, CONFIG).verdict.state == "not evaluated"


def test_anchors_elsewhere_are_counted_and_no_finding() -> None:
    assert anchors("`vllm/x.py:3`, `vllm/y.py:4`\n").notes == (
        "2 line anchors name files that this repository does not have",
    )


def test_off_says_nothing() -> None:
    assert anchors("`src/app.py:99`\n", RecordsConfig()).findings == ()


@pytest.mark.parametrize("part", ["a:1:", "a.b:1,", "“", '"', "`a.py:1` ", "a/", "line 1 ", "x.py:1-1,"])
def test_hostile_text_ends(part: str) -> None:
    anchors(part * (90_000 // len(part)) + "\n")

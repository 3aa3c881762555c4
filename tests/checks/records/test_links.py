"""Relative links: to files and headings that exist, spelled as they are."""

from __future__ import annotations

import pytest

from recipediff.checks.records import RecordsConfig, Snapshot, check, wanted
from recipediff.checks.records.tree import PathTree
from recipediff.core.verdict import Evaluation
from tests.checks.records.build import told

CONFIG = RecordsConfig(links=True)
PATHS = frozenset({"docs/Guide.md", "docs/a b.md", "src/core.py", "img/x.png", "README.md", "docs/deep/er/z.txt"})
GUIDE = b'# The guide\n\n## Setup & use\n\n## Setup & use\n\n<a id="Custom"></a>\n'


def links(text: str, path: str = "docs/t.md", opaque: frozenset[str] = frozenset()) -> Evaluation:
    head = {path: text.encode(), "docs/Guide.md": GUIDE, "docs/a b.md": b"", "README.md": b"# R\n"}
    return check(Snapshot(head=head, paths=PATHS, opaque=opaque), CONFIG)


@pytest.mark.parametrize(
    "target",
    [
        "Guide.md",
        "./Guide.md",
        "../docs/Guide.md",
        "/docs/Guide.md",
        "a%20b.md",
        "<a b.md>",
        "..",
        ".",
        "/",
        "deep/",
        "deep/er",
        "../src/core.py#L5",
        "../src/core.py?raw=1",
        "Guide.md#the-guide",
        "Guide.md#setup--use-1",
        "Guide.md#Custom",
        "Guide.md#user-content-the-guide",
        "Guide.md?plain=1#L3",
        "Guide.md#L1-L3",
        "#here",
        "#top",
        "#",
        "https://example.org/nothing",
        "mailto:a@b",
        "//example.org/x",
        "vscode+x:y",
        "../../../issues/5",
        "",
    ],
)
def test_what_exists_or_is_elsewhere_passes(target: str) -> None:
    assert links(f"# Here\n\n[x]({target})\n").findings == ()


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("gone.md", "“docs/gone.md” does not exist"),
        ("Guide.md/", "“docs/Guide.md” does not exist"),
        ("guide.md", "“docs/Guide.md” differs in letter case only"),
        ("../DOCS/deep", "“docs/deep” differs in letter case only"),
        ("../src/core.py/x", "“src/core.py/x” does not exist"),
        ("Guide.md#setup", "“docs/Guide.md” has no heading or anchor “#setup”"),
        ("Guide.md#The-Guide", "“#the-guide” is near"),
        ("Guide.md#custom", "“#Custom” is near"),
        ("Guide.md#setup--use-2", "“#setup--use-1” is near"),
        ("#nowhere", "this file has no heading or anchor “#nowhere”"),
        ("a%2520b.md", "“docs/a%20b.md” does not exist"),
        ("%ff.md", "does not exist"),
    ],
)
def test_what_leads_nowhere_is_found(target: str, words: str) -> None:
    (finding,) = links(f"# Here\n\n- a [x]({target})\n").findings
    assert (finding.rule, str(finding.place)) == ("record-dangling-link", "docs/t.md:3:5")
    assert words in finding.message
    assert finding.fix is not None


def test_every_way_to_write_a_link_is_seen_at_its_place() -> None:
    text = (
        "# A [h](1.md)\n\n![i](2.png) and [r][ref] and <a href='3.md'>x</a>\n\n[ref]: 4.md 'title'\n\n"
        '| [t](5.md) | K |\n|--|--|\n| a \\| b | **[c](6.md)** |\n\n> - [q](7.md)\n\n<p>\n  <img src="8.png">\n</p>\n\n'
        "`[no](9.md)` \\[no](9.md)\n\n```\n[no](9.md)\n```\n"
    )
    assert [(str(f.place).removeprefix("docs/t.md:"), f.message.split("“")[1].split("”")[0]) for f in links(text).findings] == [
        ("1:5", "docs/1.md"),
        ("3:1", "docs/2.png"),
        ("3:17", "docs/4.md"),
        ("3:30", "docs/3.md"),
        ("7:3", "docs/5.md"),
        ("9:14", "docs/6.md"),
        ("11:5", "docs/7.md"),
        ("14:3", "docs/8.png"),
    ]  # fmt: skip


def test_one_link_twice_is_two_findings() -> None:
    findings = links("[a](x.md) [b](x.md)\n").findings
    assert len({f.identity for f in findings}) == 2


def test_behind_a_submodule_or_above_the_root_nothing_is_claimed() -> None:
    result = links("[a](../sub/x.md) [b](../../other)\n", opaque=frozenset({"sub"}))
    assert result.findings == ()
    assert result.notes == (
        "2 links lead out of the repository's tree, or into files that are not read, and were not checked",
    )


def test_a_heading_in_a_file_that_was_not_given_is_asked_for() -> None:
    snapshot = Snapshot(head={"t.md": b"[x](u.md#h)\n"}, paths=frozenset({"u.md"}))
    config = RecordsConfig(links=True, files=("t.md",))
    assert check(snapshot, config).verdict.reason == "content-missing"
    assert wanted(snapshot, config) == {"u.md"}
    assert wanted(Snapshot(head={"t.md": b"[x](u.md#h)\n", "u.md": b"# H\n"}), config) == frozenset()


def test_links_off_says_nothing() -> None:
    assert check(Snapshot(head={"t.md": b"[x](gone.md)\n"}), RecordsConfig()).findings == ()


def test_a_file_that_cannot_be_read_is_no_success() -> None:
    result = check(Snapshot(head={"t.md": b"\xff", "u.md": b"[x](t.md#h)\n"}), CONFIG)
    assert told(result.findings)[0] == ("t.md:1:1", "the file cannot be read: byte 0xff is not UTF-8 text")
    assert [f.rule for f in result.findings] == ["record-malformed-table", "record-dangling-link"]


def test_an_empty_tree() -> None:
    assert PathTree(frozenset()).resolve("x", "t.md") is not None
    assert check(Snapshot(head={}), CONFIG).findings == ()

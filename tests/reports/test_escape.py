"""Hostile text in a report: it cannot ping, link, bring markup or a workflow command of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from recipediff.core.finding import Finding, Fix
from recipediff.core.place import Place
from recipediff.core.verdict import Evaluation
from recipediff.reports import github, markdown, terminal
from recipediff.reports.escape import block, code, markup, prose
from recipediff.reports.report import Report, build

HOSTILE = (
    "@org/team please look", "fixes #12", "GH-7", "org/repo#3", "https://evil.example/x", "www.evil.example",
    "[x](https://evil.example)", "![x](https://evil.example/p.png)", "<img src=x onerror=alert(1)>", "<!-- x -->",
    "| a | b |\n|---|---|", "```\n# out\n```", "`x`", "``", "**bold**", "~~x~~", ":tada:", "$x^2$", "deadbeefcafe1234",
    "a\n\n# heading", "a\r\n::error::x", "::stop-commands::x", "%0A::error::x", "<details>", "</details>", "&lt;b&gt;",
    "\u202eevil", "a\x1b[31mred", "x" * 300, "\\`", "\\", "`|`", "mailto:a@b.example", "<https://evil.example>",
    "[x]: https://evil.example", "- [ ] task", "1. a", "> quote", "a\u2028b", "@a`@b`", "`" * 7 + "@a",
    "1https://evil.example", "_www.evil.example", "abcdeadbeefcafe1234567890",
)  # fmt: skip
PIECES = st.sampled_from(HOSTILE) | st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(list("`|@#[]()<>!*_~\\\n&:$"))  # fmt: skip
TEXTS = st.lists(PIECES, max_size=6).map("".join)
GITHUB = MarkdownIt("gfm-like", {"html": True, "linkify": False}).disable("linkify")


def tokens(text: str) -> Iterator[Token]:
    """Every token, inline ones too."""
    for token in GITHUB.parse(text):
        yield token
        yield from token.children or ()


def flow(text: str) -> str:
    """What GitHub would look for mentions and references in: everything but code."""
    return "\n".join(token.content for token in tokens(text) if token.type in ("text", "html_inline", "html_block"))


# As GitHub finds them: a mention or number behind a boundary, a commit of seven digits and more, an address.
_MENTION = re.compile(r"(?<![\w`/])@[A-Za-z0-9]")
_NUMBER = re.compile(r"(?<![\w&])(?:#|GH-)\d+|\w#\d+", re.IGNORECASE)
_ADDRESS = re.compile(r"://|www\.[a-z]|(?:mailto|xmpp):", re.IGNORECASE)
_COMMIT = re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b")


def harmless(text: str, own: frozenset[str] = frozenset()) -> None:
    """No link, picture or markup, but `own` markup; nothing that GitHub would make a mention, a reference or a link of."""
    for token in tokens(text):
        assert token.type not in ("link_open", "image"), token
        if token.type.startswith("html"):
            assert set(re.findall(r"<[^>]*>", token.content)) <= own, token.content
    for pattern in (_MENTION, _NUMBER, _ADDRESS, _COMMIT):
        assert not pattern.search(flow(text)), (pattern.pattern, flow(text))


@settings(max_examples=600, deadline=None)
@given(TEXTS)
@example("@a")
@example("a@b`c`")
def test_prose(text: str) -> None:
    harmless(f"Before {prose(text)} after")


@settings(max_examples=600, deadline=None)
@given(TEXTS)
def test_code_in_a_sentence_and_in_a_cell(text: str) -> None:
    harmless(f"Before {code(text)} after")
    table = f"| a | b | c |\n|---|---|---|\n| x | {code(text)} | y |\n"
    harmless(table)
    assert sum(token.type == "td_open" for token in tokens(table)) == 3


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_prose_in_a_cell(text: str) -> None:
    table = f"| a | b | c |\n|---|---|---|\n| x | {prose(text)} | y |\n"
    harmless(table)
    assert sum(token.type == "td_open" for token in tokens(table)) == 3


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_a_block_is_not_closed_from_inside(text: str) -> None:
    whole = f"before\n\n{block(text, 'yaml')}\n\nafter"
    assert [token.type for token in GITHUB.parse(whole)].count("fence") == 1
    harmless(whole)


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_markup(text: str) -> None:
    shown = markup(text)
    assert "<" not in shown
    assert not _MENTION.search(shown)


def hostile_report(text: str) -> Report:
    """A report in which everything that comes from files is `text`."""
    place = Place(file=f"recipes/{text}.yaml", line=3, column=2, end_line=3, end_column=5)
    fix = Fix(text, place, text)
    one = Finding(
        rule="undeclared",
        severity="error",
        recipe=text,
        message=text,
        place=place,
        kind="flag",
        setting=text,
        upstream=text,
        ours=text,
        detail=(text,),
        fix=fix,
        key="k",
        line=text,
    )
    two = replace(one, rule="misdeclared", fix=Fix(text, None, text))
    three = replace(one, rule="malformed-recipe", setting="", kind=None)
    return build(
        Evaluation(findings=(one, two, three), looked_at=(text,), notes=(text,)), {place.file: f"a\nb\n{text}\n"}
    )


@settings(max_examples=200, deadline=None)
@given(TEXTS)
def test_a_whole_report_in_markdown(text: str) -> None:
    own = frozenset({"<br>", "<details>", "</details>", "<summary>", "</summary>"})
    harmless(markdown.render(hostile_report(text)), own)


@settings(max_examples=200, deadline=None)
@given(TEXTS)
def test_a_whole_report_as_workflow_commands(text: str) -> None:
    lines = github.render(hostile_report(text)).split("\n")
    assert len(lines) == 5
    for line in lines[:3]:
        command, data = line.removeprefix("::").split("::", 1)
        assert command.startswith("error file=")
        keys = [pair.partition("=")[0] for pair in command.removeprefix("error ").split(",")]
        assert keys == ["file", "line", "endLine", "col", "endColumn", "title"]
        assert "\r" not in data
    assert not lines[3].startswith("::")


@settings(max_examples=200, deadline=None)
@given(TEXTS)
def test_a_whole_report_for_a_terminal(text: str) -> None:
    shown = terminal.render(hostile_report(text))
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e]", shown)


@pytest.mark.parametrize("text", HOSTILE)
def test_what_a_person_reads_is_all_there(text: str) -> None:
    """Escapes and breaks change how it is read by GitHub, not what it says."""
    shown = "".join(token.content for token in tokens(f"x{prose(text)}x") if token.type in ("text", "softbreak"))
    plain = re.sub(r"[\u200b\s⏎]", "", shown)
    for word in re.findall(r"[A-Za-z]{3,}", text):
        assert word in plain

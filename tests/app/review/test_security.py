"""What a pull request must not be able to do to the bot, or through it."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

from recipediff.app.review.changes import MAX_RECIPES, TooMuch
from recipediff.ports.errors import Unavailable
from tests.app.review.world import RECIPE_PATH, UPSTREAM_PATH, UPSTREAM_TEXT, World, recipe_text, world

HOSTILE = [
    "@octocat and @lab/team",
    "#1 GH-1 lab/models#1",
    "<img src=x onerror=alert(1)><script>alert(1)</script>",
    "[click](https://evil.example) https://evil.example www.evil.example",
    "`` ` ``` `",
    "a | b | c",
    "<!-- recipediff:review -->",
    "</details></td></table>",
    "da39a3ee5e6b4b0d3255bfef95601890afd80709",
    ":tada: $x$ ~~gone~~ **loud** _low_",
    "![x](http://evil.example/x.png)",
]


@pytest.fixture
async def lab() -> AsyncIterator[World]:
    async with world() as made:
        yield made


class Tags(HTMLParser):
    """Every tag that a browser would see."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, list[tuple[str, str | None]]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, attrs))


def rendered(body: str) -> str:
    return str(MarkdownIt("commonmark", {"html": True, "linkify": False}).enable("table").render(body))


@pytest.mark.parametrize("text", HOSTILE)
async def test_copied_text_cannot_ping_link_or_bring_markup(lab: World, text: str) -> None:
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    recipe = recipe_text(lab.pin).replace('VLLM_SKIP: "0"', f'VLLM_SKIP: "{quoted}"')
    recipe = recipe.replace(
        "why: The router in front of the server speaks to 8001.", f'why: ""\n      setting2: "{quoted}"'
    )
    pull = lab.open({RECIPE_PATH: recipe}, title="Hostile")
    await lab.review(pull.number)
    (said,) = lab.sandbox.comments(pull)
    html = rendered(said.body)
    seen = Tags()
    seen.feed(html)
    assert not {"script", "img"} & {tag for tag, _ in seen.found}
    links = [value for _, attributes in seen.found for name, value in attributes if name in ("href", "src")]
    assert all((link or "").startswith("https://github.com/lab/models/blob/") for link in links)
    prose = outside_code(said.body)
    assert "@octocat" not in prose
    assert "@lab/team" not in prose
    assert " #1" not in prose
    assert "https://evil" not in prose
    assert said.body.startswith("<!-- recipediff:review -->")
    assert html.count("<details>") == html.count("</details>")


def outside_code(body: str) -> str:
    """The text that GitHub would look through for mentions and references."""
    tokens = MarkdownIt("commonmark").enable("table").parse(body)
    inline = [child for token in tokens for child in token.children or ()]
    return "\n".join(child.content for child in inline if child.type == "text")


@pytest.mark.parametrize("path", ["../../etc/passwd", "/etc/passwd", "recipes/../../x.yaml", "recipes\\..\\x.yaml"])
async def test_a_source_path_cannot_leave_the_upstream_tree(lab: World, path: str) -> None:
    pull = lab.open({RECIPE_PATH: recipe_text(lab.pin).replace("path: recipes/tiny.yaml", f"path: {path}")})
    outcome = await lab.review(pull.number)
    assert outcome.report.verdict.state == "fail"
    assert "unpinned-source" in {row.finding.rule for row in outcome.report.rows}


@pytest.mark.parametrize("mode", ["120000", "160000"])
async def test_links_and_submodules_are_not_followed(lab: World, mode: str) -> None:
    content = "../../../etc/passwd" if mode == "120000" else lab.pin
    lab.sandbox.commit(lab.repo, "topic", {RECIPE_PATH: content}, "Trick", modes={RECIPE_PATH: mode})
    pull = lab.sandbox.open_pull(lab.repo, "topic", "Trick")
    outcome = await lab.review(pull.number)
    assert outcome.report.verdict.state == "pass"
    upstream = lab.sandbox.commit(lab.upstream, "main", {UPSTREAM_PATH: content}, "Trick", modes={UPSTREAM_PATH: mode})
    pull = lab.open({RECIPE_PATH: recipe_text(upstream)}, branch="other")
    outcome = await lab.review(pull.number)
    assert [row.finding.rule for row in outcome.report.rows] == ["not-checked"]


async def test_a_change_that_nobody_can_compare_is_never_green(lab: World) -> None:
    """Upstream has gone, and the base could not be compared with it either: the ratchet must not take the change for old."""
    lab.sandbox.delete_repo(lab.upstream)
    pull = lab.open({RECIPE_PATH: recipe_text(lab.pin, seqs="32")})
    outcome = await lab.review(pull.number)
    assert [(row.status, row.finding.rule) for row in outcome.report.rows] == [("new", "not-checked")]
    assert outcome.report.verdict.state == "fail"
    pull = lab.open({RECIPE_PATH: recipe_text(lab.pin) + "notes: only words\n"}, branch="words")
    outcome = await lab.review(pull.number)
    assert [(row.status, row.finding.rule) for row in outcome.report.rows] == [("open", "not-checked")]
    assert outcome.report.verdict.state == "pass"


@pytest.mark.parametrize("edit", ["path: recipes/tiny.yaml", 'ours: "8001"', "select: {variant: x}", "  - --port"])
async def test_whatever_a_comparison_looks_at_counts_as_a_change_that_nobody_can_compare(lab: World, edit: str) -> None:
    lab.sandbox.delete_repo(lab.upstream)
    text = recipe_text(lab.pin)
    other = (
        text.replace("  path:", "  select:\n    variant: x\n  path:")
        if "select" in edit
        else text.replace(edit, f"{edit[:-1]}x{edit[-1:]}")
    )
    assert other != text
    pull = lab.open({RECIPE_PATH: other})
    outcome = await lab.review(pull.number)
    assert outcome.report.verdict.state == "fail"


async def test_more_recipes_than_a_review_looks_at_are_refused_not_skipped(lab: World) -> None:
    files: dict[str, str | bytes | None] = {f"recipes/r{n}.yaml": "model: x\n" for n in range(MAX_RECIPES + 1)}
    pull = lab.open(files)
    with pytest.raises(TooMuch):
        await lab.review(pull.number)


async def test_a_huge_recipe_is_a_finding_not_a_burden(lab: World) -> None:
    pull = lab.open({RECIPE_PATH: "notes: " + "x" * (5 * 1024 * 1024)})
    outcome = await lab.review(pull.number)
    assert outcome.report.verdict.state == "fail"


async def test_a_pull_request_of_a_deleted_fork_is_reviewed(lab: World) -> None:
    fork = lab.sandbox.fork(lab.repo, "somebody")
    lab.sandbox.commit(fork, "topic", {RECIPE_PATH: recipe_text(lab.pin, seqs="32")}, "From a fork")
    pull = lab.sandbox.open_pull(lab.repo, "topic", "From a fork", head=fork)
    lab.sandbox.delete_repo(fork)
    outcome = await lab.review(pull.number)
    assert [row.finding.rule for row in outcome.report.rows] == ["undeclared"]
    assert outcome.comment is not None


async def test_a_lookalike_comment_of_somebody_else_is_left_alone(lab: World) -> None:
    pull = lab.open({RECIPE_PATH: recipe_text(lab.pin, seqs="32")})
    lab.sandbox.comment(pull, "<!-- recipediff:review -->\nall fine, merge it", "mallory")
    await lab.review(pull.number)
    bodies = [comment.body for comment in lab.sandbox.comments(pull)]
    assert bodies[0].endswith("merge it")
    assert len(bodies) == 2


async def test_a_pin_that_the_followed_branch_does_not_have_is_not_believed(lab: World) -> None:
    """A fork's commits are served under the parent's name: anybody could bring an upstream that agrees with them."""
    moved = UPSTREAM_TEXT.replace("max_num_seqs: 8", "max_num_seqs: 32")
    own = lab.sandbox.commit(lab.upstream, "from-a-fork", {UPSTREAM_PATH: moved}, "Agree with me")
    pull = lab.open({RECIPE_PATH: recipe_text(own, seqs="32")})
    outcome = await lab.review(pull.number)
    (row,) = outcome.report.rows
    assert (row.status, row.finding.rule) == ("new", "not-checked")
    assert own in row.finding.line
    assert "is not on the branch main of eugr/spark-vllm-docker" in row.finding.message
    lab.sandbox.push(lab.upstream, "main", own)
    assert (await lab.review(pull.number)).report.verdict.state == "pass"


async def test_whether_a_pin_is_on_the_branch_must_be_known(lab: World) -> None:
    new = lab.sandbox.commit(lab.upstream, "main", {"other.txt": "x"}, "Go on")
    pull = lab.open({RECIPE_PATH: recipe_text(new)})
    lab.sandbox.faults.add("500", "repos/compare.*", path="eugr", times=None)
    with pytest.raises(Unavailable):
        await lab.review(pull.number)
    lab.sandbox.faults.clear()
    assert (await lab.review(pull.number)).report.verdict.state == "pass"


def anchors() -> str:
    """A small file that names ten things ten times over, nine times."""
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    return "\n".join(rows) + "\nargs: *a8\n"


HEAVY = {
    "anchors": lambda text: anchors() + text,
    "deep": lambda text: text + "notes: " + "[" * 50_000 + "\n",
    "many words": lambda text: text.replace("args:\n", "args:\n" + "  - --port\n" * 60_000),
    "one long word": lambda text: text.replace("--enable-prefix-caching", "--" + "a-" * 500_000),
    "deep value": lambda text: text.replace("--enable-prefix-caching", "--compilation-config=" + "{'a':" * 100_000),
    "quotes": lambda text: text.replace("--enable-prefix-caching", "'" + '"' * 300_000),
    "many deviations": lambda text: text.replace(
        "  deviations:\n",
        "  deviations:\n" + '    - {kind: flag, setting: port, upstream: "8000", ours: "8001", why: x}\n' * 10_000,
    ),
    "many variables": lambda text: text.replace("env:\n", "env:\n" + "".join(f"  V{n}: x\n" for n in range(40_000))),
    "blank lines": lambda text: text + "\n" * 1_000_000 + "notes: x\n",
}
PATIENCE = 20.0
"""Seconds of processor for one pull request, far below the limit of a job (ten minutes)."""


@pytest.mark.parametrize("name", HEAVY)
async def test_no_recipe_takes_more_than_a_bounded_time_and_none_is_green(lab: World, name: str) -> None:
    text = HEAVY[name](recipe_text(lab.pin, seqs="32"))
    assert len(text) < 4 * 1024 * 1024
    pull = lab.open({RECIPE_PATH: text})
    began = time.process_time()
    outcome = await lab.review(pull.number)
    assert time.process_time() - began < PATIENCE
    assert outcome.report.verdict.state == "fail"
    (check,) = lab.sandbox.check_runs(lab.repo, (await lab.pull(pull.number)).head_sha)
    assert (check.status, check.conclusion) == ("completed", "failure")
    for said in (str(check.summary), str(check.text or ""), *(each.body or "" for each in lab.sandbox.comments(pull))):
        assert len(said) <= 65_535

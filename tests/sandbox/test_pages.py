"""The pages: what they show, and that nothing written by others becomes more than text."""

from __future__ import annotations

import html
import json
import re
from html.parser import HTMLParser

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox import Sandbox
from sandbox.model import IssueRecord, Repo
from sandbox.pages.markdown import ALLOWED, references, render
from tests.sandbox.client import Client

BASE = "/repos/octo-org/recipes"


async def look(sandbox: Sandbox, path: str) -> httpx.Response:
    async with httpx.AsyncClient(base_url=sandbox.url, verify=False) as session:
        return await session.get(path)


def words(markup: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", markup.split("</style>")[-1]))


@pytest.fixture
def repo(sandbox: Sandbox) -> Repo:
    return sandbox.create_repo(
        "octo-org/recipes",
        {"recipes/a.yaml": "".join(f"line {number}\n" for number in range(1, 31)), "other.txt": "x\n"},
    )


@pytest.fixture
def issue(sandbox: Sandbox, repo: Repo) -> IssueRecord:
    sandbox.commit(
        repo,
        "topic",
        {
            "recipes/a.yaml": "".join(f"line {number}\n" for number in range(1, 31)).replace(
                "line 20\n", "line twenty\n"
            )
        },
        "Spell it",
    )
    return sandbox.open_pull(repo, "topic", "Spell <it>", "Because.")


MARKS = [
    {"path": "recipes/a.yaml", "start_line": 20, "end_line": 20, "annotation_level": "failure", "title": "Bad number", "message": "No word here"},
    {"path": "recipes/a.yaml", "start_line": 5, "end_line": 5, "annotation_level": "notice", "message": "By the way"},
    {"path": "other.txt", "start_line": 1, "end_line": 1, "annotation_level": "warning", "message": "Unchanged"},
    {"path": "other.txt", "start_line": 99, "end_line": 99, "annotation_level": "warning", "message": "Past the end"},
]  # fmt: skip


async def test_a_pull_request_shows_check_comment_and_annotated_lines(
    sandbox: Sandbox, repo: Repo, issue: IssueRecord, client: Client
) -> None:
    app = sandbox.register_app()
    bot = await client.installed(sandbox.install(app, "octo-org"))
    sandbox.protect(repo, "main", [("recipediff", app.id), ("other", None)])
    assert issue.pull
    run = {"name": "recipediff", "head_sha": issue.pull.head_sha}
    await bot.post(
        f"{BASE}/check-runs",
        run
        | {
            "conclusion": "failure",
            "output": {"title": "1 finding", "summary": "| a |\n|---|\n| b |", "annotations": MARKS},
        },
    )
    await bot.post(f"{BASE}/issues/1/comments", {"body": "<!-- marker -->\n**One** finding"})
    answer = await look(sandbox, "/octo-org/recipes/pull/1")
    seen = words(answer.text)
    for expected in (
        "Spell &lt;it&gt; #1",
        "1 of 1 check was not successful",
        "other Expected: waiting for status to be reported",
        "Merging is blocked",
        "Past the end",
    ):
        assert expected in seen
    assert "<strong>One</strong> finding" in answer.text
    assert "marker" not in seen
    order = ["line 5 ", "By the way", "line 20 ", "line twenty", "Bad number", "Unchanged files with"]
    assert sorted(order, key=seen.index) == order
    assert "line 12 " not in seen  # far from a change and from an annotation
    assert "http-equiv" not in answer.text
    await bot.post(f"{BASE}/check-runs", run | {"status": "in_progress"})
    assert 'http-equiv="refresh"' in (await look(sandbox, "/octo-org/recipes/pull/1")).text


async def test_pages_ask_nothing_of_others_and_run_nothing(sandbox: Sandbox, issue: IssueRecord) -> None:
    sandbox.comment(
        issue,
        '![x](https://evil.invalid/x.png) <img src=x onerror=alert(1)> [a](javascript:alert(1)) <script>alert(1)</script>\n\n<iframe src="x"></iframe>',
    )
    answer = await look(sandbox, "/octo-org/recipes/pull/1")
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src" not in policy
    assert not re.search(r"<(script|img|iframe)|href=\"javascript", answer.text)


async def test_lists_issues_files_and_what_is_not_there(sandbox: Sandbox, issue: IssueRecord, client: Client) -> None:
    bot = await client.installed(sandbox.install(sandbox.register_app(), "octo-org"))
    await bot.post(f"{BASE}/issues", {"title": "Overview", "body": "- [x] done\n- [ ] open", "labels": ["recipediff"]})
    assert "Spell &lt;it&gt;" in (await look(sandbox, "/octo-org/recipes/pulls")).text
    overview = (await look(sandbox, "/octo-org/recipes/issues/2")).text
    assert overview.count('type="checkbox"') == 2
    assert overview.count(" checked>") == 1
    assert (await look(sandbox, "/octo-org/recipes/issues/1")).headers["Location"] == "/octo-org/recipes/pull/1"
    assert 'id="L30"' in (await look(sandbox, "/octo-org/recipes/blob/main/recipes/a.yaml")).text
    assert "octo-org/recipes" in (await look(sandbox, "/")).text
    for path in (
        "/octo-org/nothing/pulls",
        "/octo-org/recipes/pull/9",
        "/octo-org/recipes/blob/main/none",
        "/octo-org/recipes/runs/1",
    ):
        assert (await look(sandbox, path)).status_code == 404


def test_markdown_as_github_has_it() -> None:
    assert "<table>" in render("| a | b |\n|---|---|\n| 1 | 2 |")
    assert "<s>x</s>" in render("~~x~~")
    assert '<tr class="added"><td class="sign">+</td><td class="code">  why: &quot;&quot;</td></tr>' in render(
        '```suggestion\n  why: ""\n```'
    )
    assert '<tr class="removed">' in render("```diff\n-a\n+b\n```")
    assert '<span class="mention"' in render("thanks @octocat")
    assert "mention" not in render("`@octocat` a@b.c @\u200boctocat")
    assert 'href="../issues/7"' in render("see #7")
    assert render("<details><summary>More</summary>\n\n**x**\n\n</details>").startswith(
        "<details><summary>More</summary>"
    )
    assert "<details>" not in render("<details>\n\nnever closed")
    assert "</article>" not in render("</article></div>")


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("ask @octocat or @octo-org/team", {"@octocat", "@octo-org/team"}),
        ("see #1, octo/repo#2 and GH-3", {"#1", "octo/repo#2", "GH-3"}),
        (
            "see [it](https://github.com/o/r/pull/5) at https://github.com/o/r/issues/6",
            {"https://github.com/o/r/pull/5", "https://github.com/o/r/issues/6"},
        ),
        ("`@octocat #1` <!-- @x #2 --> a@b.example [u](https://redirect.github.com/o/r/pull/5)", set()),
        ("```\n@octocat #1\n```", set()),
    ],
)
def test_what_a_text_would_ping_or_link_back(source: str, found: set[str]) -> None:
    assert references(source) == found


MANIFEST = {
    "name": "My bot", "url": "http://127.0.0.1:1", "redirect_url": "http://127.0.0.1:1/made", "setup_url": "http://127.0.0.1:1/done",
    "hook_attributes": {"url": "http://127.0.0.1:1/hook"}, "default_permissions": {"checks": "write"}, "default_events": ["check_run"],
}  # fmt: skip


async def test_a_person_makes_and_installs_an_app(sandbox: Sandbox, repo: Repo, client: Client) -> None:
    async with httpx.AsyncClient(base_url=sandbox.url, verify=False) as browser:
        offered = await browser.post(
            "/organizations/octo-org/settings/apps/new?state=s3", data={"manifest": json.dumps(MANIFEST)}
        )
        assert "checks: write" in words(offered.text)
        fields = {
            name: html.unescape(value) for name, value in re.findall(r'name="(\w+)" value="([^"]*)"', offered.text)
        }
        back = (await browser.post("/settings/apps/manifest", data=fields)).headers["Location"]
        code = back.removeprefix("http://127.0.0.1:1/made?code=").removesuffix("&state=s3")
        made = (await client.post(f"/app-manifests/{code}/conversions")).json()
        assert "Install on octo-org" in (await browser.get(f"/apps/{made['slug']}/installations/new")).text
        done = await browser.post(f"/apps/{made['slug']}/installations/new", data={"owner": "octo-org"})
        place = sandbox.world.installation_for(repo)[0]
        assert done.headers["Location"] == f"http://127.0.0.1:1/done?installation_id={place.id}&setup_action=install"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"name": "x" * 35}, "1 to 34"),
        ({"url": "none"}, "home page"),
        ({"default_events": ["pull_request"]}, "needs pull_requests"),
        ({"default_events": ["nonsense"]}, "unsupported"),
        ({"default_permissions": {"checks": "all"}}, "no level"),
    ],
)
async def test_a_wrong_manifest_is_refused(sandbox: Sandbox, change: dict[str, object], says: str) -> None:
    async with httpx.AsyncClient(base_url=sandbox.url, verify=False) as browser:
        refused = await browser.post("/settings/apps/new", data={"manifest": json.dumps(MANIFEST | change)})
    assert refused.status_code == 422
    assert says in refused.text


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, tuple[str, ...]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, tuple(name for name, _ in attrs)))


OURS = {
    "a",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "ul",
    "ol",
    "li",
    "pre",
    "blockquote",
    "hr",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "div",
    "span",
    "input",
    "s",
    "summary",
}
NAMES = {"href", "title", "class", "type", "disabled", "aria-label", "checked", "tabindex", "start", "style", "open"}


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("<>/abdeimoprstuc \n\"'=`!-[](){}@#|*~:&;1"), max_size=80) | st.text(max_size=40))
def test_no_text_becomes_an_element_that_is_not_allowed(source: str) -> None:
    parser = _Tags()
    parser.feed(render(source))
    for name, attributes in parser.seen:
        assert name in OURS | ALLOWED
        assert set(attributes) <= NAMES

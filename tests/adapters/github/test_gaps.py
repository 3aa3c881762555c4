"""Who works on a gap: found in diffs whatever the title says, within bounds, each diff asked for once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest
import respx

from recipediff.adapters.github.auth import AppIdentity
from recipediff.adapters.github.connect import BUMP, GitHubForge, Settings
from recipediff.adapters.github.diffs import DiffCache
from recipediff.adapters.github.gaps import Bounds, GitHubGaps
from recipediff.adapters.github.http.client import GitHubClient
from recipediff.core.sweep.gaps import GapOwner, Ownership, WantedGap
from recipediff.ports.errors import Missing, Unavailable
from sandbox import Sandbox

REPO = "/repos/org/engine"
ARCH = WantedGap("architecture", "TinyForCausalLM")
PARSER = WantedGap("value", "qwen3", "reasoning_parser")
FLAG = WantedGap("flag", "--max-num-seqs")


def pull(number: int, title: str = "Rework") -> dict[str, Any]:
    return {
        "number": number,
        "title": title,
        "body": "",
        "html_url": f"https://x/{number}",
        "head": {"sha": f"{number:040x}"},
    }


def issue(number: int, title: str, body: str = "", **more: Any) -> dict[str, Any]:
    return {"number": number, "title": title, "body": body, "html_url": f"https://x/{number}", **more}


def file(patch: str, name: str = "src/models.py") -> dict[str, Any]:
    return {"filename": name, "patch": patch, "additions": 1}


def github_with(github: respx.MockRouter, pulls: Sequence[dict[str, Any]], issues: Any = (), **files: Any) -> None:
    github.get(f"{REPO}/pulls").mock(return_value=httpx.Response(200, json=list(pulls)))
    github.get(f"{REPO}/issues").mock(return_value=httpx.Response(200, json=list(issues)))
    for one in pulls:
        answer = files.get(f"of_{one['number']}", [])
        response = answer if isinstance(answer, httpx.Response) else httpx.Response(200, json=answer)
        github.get(f"{REPO}/pulls/{one['number']}/files").mock(return_value=response)


async def look(
    client: GitHubClient, *wanted: WantedGap, cache: DiffCache | None = None, bounds: Bounds | None = None
) -> Ownership:
    return await GitHubGaps(client, "org/engine", cache=cache, bounds=bounds).owners(wanted, lambda _name: None)


async def test_a_diff_speaks_where_the_title_does_not(github: respx.MockRouter, client: GitHubClient) -> None:
    github_with(github, [pull(7)], of_7=[file('+    "TinyForCausalLM": Tiny,\n-old')])
    found = await look(client, ARCH, FLAG)
    assert found.owners[ARCH] == (
        GapOwner(kind="pull request", number=7, title="Rework", url="https://x/7", where="src/models.py"),
    )
    assert found.owners[FLAG] == ()


@pytest.mark.parametrize(
    ("wanted", "patch", "owned"),
    [
        (ARCH, "-TinyForCausalLM", False),
        (ARCH, " TinyForCausalLM", False),
        (ARCH, "+MyTinyForCausalLM2", False),
        (PARSER, "+qwen3 is nice", False),
        (PARSER, '+  {"qwen3", parse}', True),
        (FLAG, "+ if arg == '--max-num-seqs':", True),
        (FLAG, "+ int max_num_seqs = 4;", True),
        (FLAG, "+ int max_num_seqs_total = 4;", False),
    ],
)
async def test_only_added_lines_that_name_it_count(
    github: respx.MockRouter, client: GitHubClient, wanted: WantedGap, patch: str, owned: bool
) -> None:
    github_with(github, [pull(7)], of_7=[file(patch)])
    assert bool((await look(client, wanted)).owners[wanted]) is owned


async def test_issues_are_read_and_pull_requests_among_them_are_not(
    github: respx.MockRouter, client: GitHubClient
) -> None:
    rows = [
        issue(1, "Support TinyForCausalLM"),
        issue(2, "Parsers", "the reasoning parser qwen3 is missing"),
        issue(3, "I ran qwen3", "and it was fast"),
        issue(4, "TinyForCausalLM", pull_request={}),
    ]
    github_with(github, [], rows)
    found = await look(client, ARCH, PARSER)
    assert [(owner.number, owner.where) for owner in found.owners[ARCH]] == [(1, "its title")]
    assert [(owner.number, owner.where) for owner in found.owners[PARSER]] == [(2, "its text")]


async def test_a_diff_is_asked_for_once_a_head(github: respx.MockRouter, client: GitHubClient, tmp_path: Path) -> None:
    github_with(github, [pull(7)], of_7=[file("+TinyForCausalLM")])
    for _ in range(2):
        assert (await look(client, ARCH, cache=DiffCache(tmp_path, "org/engine"))).owners[ARCH]
    assert github.get(f"{REPO}/pulls/7/files").call_count == 1


async def test_what_was_not_looked_at_is_said(github: respx.MockRouter, client: GitHubClient) -> None:
    github_with(github, [pull(9), pull(8), pull(7)], [issue(1, "a"), issue(2, "b")], of_9=httpx.Response(404, json={}))
    found = await look(client, ARCH, bounds=Bounds(pulls=2, issues=1))
    assert github.get(f"{REPO}/pulls/7/files").call_count == 0
    assert "1 open issues and the diffs of 1 open pull requests" in found.notes[0]
    assert any("there are more" in note for note in found.notes)
    assert any("#9" in note for note in found.notes)


async def test_a_spent_limit_ends_the_look_and_is_said(github: respx.MockRouter, client: GitHubClient) -> None:
    spent = httpx.Response(
        403,
        json={"message": "API rate limit exceeded"},
        headers={"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1800003600"},
    )
    github_with(
        github, [pull(number) for number in range(40, 1, -1)], **{f"of_{number}": spent for number in range(2, 41)}
    )
    found = await look(client, ARCH)
    assert "could not be read" in found.notes[-1]
    asked = sum(len(route.calls) for route in github.routes if "/files" in str(route.pattern))
    assert asked <= 8


async def test_no_repository_and_no_name(github: respx.MockRouter, client: GitHubClient) -> None:
    github.get(f"{REPO}/pulls").mock(return_value=httpx.Response(404, json={"message": "Not Found"}))
    with pytest.raises(Missing):
        await look(client, ARCH)
    with pytest.raises(Missing):
        GitHubGaps(client, "not a name")
    github.get(f"{REPO}/pulls").mock(return_value=httpx.Response(200, json=[{"number": 1}]))
    with pytest.raises(Unavailable, match="issue or pull request"):
        await look(client, ARCH)


async def test_over_real_sockets_against_a_local_github() -> None:
    sandbox = await Sandbox.start()
    try:
        repo = sandbox.create_repo("org/engine", {"src/models.py": "A = 1\n"})
        sandbox.commit(repo, "topic", {"src/models.py": "A = 1\nTinyForCausalLM = 2\n"}, "Rework")
        number = sandbox.open_pull(repo, "topic", "Rework the table").number
        installation = sandbox.install(sandbox.register_app("http://127.0.0.1:9/hook"), "org", [repo])
        identity = AppIdentity(str(installation.app.id), installation.app.private_key)
        async with httpx.AsyncClient(verify=False, timeout=10) as connection:
            forge = GitHubForge(connection, identity, Settings(base_url=sandbox.api_url, interval=0.0))
            found = await look(forge.client("org/engine", installation.id, BUMP), ARCH, FLAG)
        assert [(owner.number, owner.where) for owner in found.owners[ARCH]] == [(number, "src/models.py")]
        assert found.owners[FLAG] == ()
    finally:
        await sandbox.stop()

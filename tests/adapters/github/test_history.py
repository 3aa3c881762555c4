from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

import httpx
import pytest
import respx

from recipediff.adapters.github.history import GitHubBranches, GitHubHistory
from recipediff.adapters.github.http.client import GitHubClient
from recipediff.ports import forge
from recipediff.ports.errors import Missing, Moved, Refused, Unavailable
from recipediff.ports.repository import TreeEntry

OLD, NEW, TREE = "1" * 40, "2" * 40, "3" * 40


class Trees:
    """The tree of the bump's parent."""

    name = "org/repo"

    async def tree(self, commit: str) -> Mapping[str, TreeEntry]:
        return {
            "recipes/a.yaml": TreeEntry("recipes/a.yaml", "4" * 40, "100755"),
            "link.yaml": TreeEntry("link.yaml", "5" * 40, "120000"),
        }

    async def blobs(self, entries: Iterable[TreeEntry]) -> Mapping[str, bytes]:
        raise Missing("not asked for here")


@pytest.fixture
def history(client: GitHubClient) -> forge.History:
    return GitHubHistory(client, "org/repo")


@pytest.fixture
def branches(client: GitHubClient) -> forge.Branches:
    return GitHubBranches(client, GitHubHistory(client, "org/repo"), Trees())


def at(sha: str) -> httpx.Response:
    return httpx.Response(200, json={"ref": "refs/heads/bump/a", "object": {"sha": sha, "type": "commit"}})


@pytest.mark.parametrize(
    ("status", "reachable"), [("behind", True), ("identical", True), ("ahead", False), ("diverged", False)]
)
async def test_a_commit_of_a_fork_is_not_upstreams(
    history: forge.History, github: respx.MockRouter, status: str, reachable: bool
) -> None:
    github.get(f"/repos/org/repo/compare/release/1...{OLD}").respond(200, json={"status": status})
    assert await history.contains("release/1", OLD) is reachable


async def test_an_unrelated_commit_is_not_upstreams_and_an_unknown_one_is_missing(
    history: forge.History, github: respx.MockRouter
) -> None:
    route = github.get(f"/repos/org/repo/compare/main...{OLD}")
    route.respond(404, json={"message": f"No common ancestor between main and {OLD}."})
    assert await history.contains("main", OLD) is False
    route.respond(404, json={"message": "Not Found"})
    with pytest.raises(Missing):
        await history.contains("main", OLD)
    with pytest.raises(Missing, match="full commit id"):
        await history.contains("main", "abc123")
    route.respond(200, json={})
    with pytest.raises(Unavailable):
        await history.contains("main", OLD)


async def test_tips_and_the_default_branch(history: forge.History, github: respx.MockRouter) -> None:
    github.get("/repos/org/repo").respond(200, json={"default_branch": "trunk"})
    route = github.get("/repos/org/repo/git/ref/heads/bump/a").mock(return_value=at(OLD))
    assert await history.default_branch() == "trunk"
    assert await history.tip("bump/a") == OLD
    route.respond(404, json={"message": "Not Found"})
    assert await history.tip("bump/a") is None
    route.respond(502)
    with pytest.raises(Unavailable):
        await history.tip("bump/a")


async def test_commits_of_a_path_newest_first(history: forge.History, github: respx.MockRouter) -> None:
    def commit(number: int) -> dict[str, object]:
        account = {"login": "ada"} if number % 2 else None
        inner = {
            "message": f"c{number}\n\nbody",
            "author": {"name": "Ada"},
            "committer": {"date": "2026-01-01T00:00:00Z"},
        }
        return {"sha": f"{number:040x}", "commit": inner, "author": account}

    route = github.get("/repos/org/repo/commits").respond(200, json=[commit(number) for number in range(9)])
    found = await history.commits("main", "recipes/a.yaml", most=3)
    assert [(one.sha[-1], one.subject, one.author) for one in found] == [
        ("0", "c0", "Ada"),
        ("1", "c1", "ada"),
        ("2", "c2", "Ada"),
    ]
    assert dict(route.calls.last.request.url.params) == {"sha": "main", "path": "recipes/a.yaml", "per_page": "100"}
    assert len(await history.commits("main")) == 9


async def test_a_commit_is_written_on_its_parents_tree(branches: forge.Branches, github: respx.MockRouter) -> None:
    github.get(f"/repos/org/repo/git/commits/{OLD}").respond(200, json={"tree": {"sha": TREE}})
    trees = github.post("/repos/org/repo/git/trees").respond(201, json={"sha": "6" * 40})
    commits = github.post("/repos/org/repo/git/commits").respond(201, json={"sha": NEW})
    files = {"recipes/a.yaml": "a: 1\n", "recipes/new.yaml": "b: 1\n"}
    assert await branches.commit(files, parents=[OLD, "7" * 40], message="Bump") == NEW
    assert json.loads(trees.calls.last.request.content) == {
        "base_tree": TREE,
        "tree": [
            {"path": "recipes/a.yaml", "mode": "100755", "type": "blob", "content": "a: 1\n"},
            {"path": "recipes/new.yaml", "mode": "100644", "type": "blob", "content": "b: 1\n"},
        ],
    }
    sent = json.loads(commits.calls.last.request.content)
    assert sent == {"message": "Bump", "tree": "6" * 40, "parents": [OLD, "7" * 40]}
    with pytest.raises(Refused, match="not a plain file"):
        await branches.commit({"link.yaml": "x"}, parents=[OLD], message="Bump")
    assert trees.call_count == 1


async def test_a_branch_moves_from_the_expected_commit_only(branches: forge.Branches, github: respx.MockRouter) -> None:
    ref = github.get("/repos/org/repo/git/ref/heads/bump/a").mock(return_value=at(OLD))
    move = github.patch("/repos/org/repo/git/refs/heads/bump/a").respond(200, json={})
    await branches.advance("bump/a", expected=OLD, to=NEW)
    assert json.loads(move.calls.last.request.content) == {"sha": NEW, "force": False}
    ref.mock(return_value=at("9" * 40))
    with pytest.raises(Moved, match="not at 1111"):
        await branches.advance("bump/a", expected=OLD, to=NEW)
    ref.respond(404, json={"message": "Not Found"})
    with pytest.raises(Moved, match="at no commit"):
        await branches.advance("bump/a", expected=OLD, to=NEW)
    assert move.call_count == 1


@pytest.mark.parametrize("message", ["Update is not a fast forward", "Reference does not exist"])
async def test_a_push_between_looking_and_moving_is_seen(
    branches: forge.Branches, github: respx.MockRouter, message: str
) -> None:
    github.get("/repos/org/repo/git/ref/heads/bump/a").mock(return_value=at(OLD))
    move = github.patch("/repos/org/repo/git/refs/heads/bump/a").respond(422, json={"message": message})
    with pytest.raises(Moved):
        await branches.advance("bump/a", expected=OLD, to=NEW)
    move.respond(422, json={"message": "Object does not satisfy a rule"})
    with pytest.raises(Refused, match="rule"):
        await branches.advance("bump/a", expected=OLD, to=NEW)


async def test_branches_are_made_and_deleted(branches: forge.Branches, github: respx.MockRouter) -> None:
    make = github.post("/repos/org/repo/git/refs").respond(201, json={})
    await branches.create("bump/a", NEW)
    assert json.loads(make.calls.last.request.content) == {"ref": "refs/heads/bump/a", "sha": NEW}
    make.respond(422, json={"message": "Reference already exists"})
    with pytest.raises(Moved):
        await branches.create("bump/a", NEW)
    make.respond(422, json={"message": "Object does not exist"})
    with pytest.raises(Refused):
        await branches.create("bump/a", NEW)
    ref = github.get("/repos/org/repo/git/ref/heads/bump/a").mock(return_value=at(NEW))
    drop = github.delete("/repos/org/repo/git/refs/heads/bump/a").respond(204)
    await branches.delete("bump/a", expected=NEW)
    with pytest.raises(Moved):
        await branches.delete("bump/a", expected=OLD)
    drop.respond(422, json={"message": "Reference does not exist"})
    await branches.delete("bump/a", expected=NEW)
    ref.respond(404, json={})
    await branches.delete("bump/a", expected=NEW)
    assert drop.call_count == 2

from __future__ import annotations

import json

import httpx
import pytest
import respx

from recipediff.adapters.github.auth import AppIdentity
from recipediff.adapters.github.connect import BUMP, REVIEW, GitHubForge, Settings
from recipediff.adapters.github.http.client import StaticToken, connection
from recipediff.adapters.github.http.record import Exchange
from recipediff.core.git import blob_id
from recipediff.ports.errors import Missing
from recipediff.ports.forge import Forge
from recipediff.ports.repository import TreeEntry
from tests.adapters.github import answers
from tests.adapters.github.conftest import Clock
from tests.adapters.github.test_auth import PEM, minted
from tests.adapters.github.test_repository import COMMIT, blob, row, tree


@pytest.fixture
def settings(clock: Clock, exchanges: list[Exchange]) -> Settings:
    return Settings(record=exchanges.append, now=clock.now, monotonic=clock.now, sleep=clock.sleep)


@pytest.fixture
def forge(connection: httpx.AsyncClient, clock: Clock, settings: Settings) -> GitHubForge:
    return GitHubForge(connection, AppIdentity("1", PEM, now=clock.now), settings)


async def test_a_review_costs_what_it_should(
    forge: GitHubForge, github: respx.MockRouter, clock: Clock, exchanges: list[Exchange]
) -> None:
    """The calls of a review of one changed recipe, cold, in the order of their round trips."""
    config, old, new, upstream = (blob(text) for text in (b"config", b"old", b"new", b"upstream"))
    github.post("/app/installations/42/access_tokens").mock(side_effect=[minted(clock, 1)])
    for name, answer in (("org/repo", config), ("org/repo", old), ("org/repo", new), ("up/stream", upstream)):
        github.get(f"/repos/{name}/git/blobs/{answer['sha']}").respond(200, json=answer)
    base_tree = tree(row(".github/recipediff.yml", config["sha"]), row("recipes/a.yaml", old["sha"]))
    github.get(f"/repos/org/repo/git/trees/{answers.BASE}").respond(200, json=base_tree)
    head_tree = tree(row(".github/recipediff.yml", config["sha"]), row("recipes/a.yaml", new["sha"]))
    github.get(f"/repos/org/repo/git/trees/{answers.HEAD}").respond(200, json=head_tree)
    github.get(f"/repos/up/stream/git/trees/{COMMIT}").respond(200, json=tree(row("r.yaml", upstream["sha"])))

    bot: Forge = forge
    home = bot.home("org/repo", 42)
    base, head = await home.repository.tree(answers.BASE), await home.repository.tree(answers.HEAD)
    changed = [path for path in head if head[path] != base.get(path)]
    assert changed == ["recipes/a.yaml"]
    await home.repository.blobs([base[".github/recipediff.yml"], base["recipes/a.yaml"]])
    assert await home.repository.blobs([head["recipes/a.yaml"]]) == {"recipes/a.yaml": b"new"}
    source = bot.upstream("up/stream", home).repository
    await source.blobs([(await source.tree(COMMIT))["r.yaml"]])
    reads = [exchange for exchange in exchanges if exchange.method == "GET"]
    assert len(reads) == 7
    assert len(exchanges) == 8

    again = bot.home("org/repo", 42).repository
    await again.blobs((await again.tree(answers.HEAD)).values())
    source = bot.upstream("up/stream", home).repository
    await source.tree(COMMIT)
    assert len(exchanges) == 8


async def test_tokens_ask_for_no_more_than_the_work_needs(
    forge: GitHubForge, github: respx.MockRouter, clock: Clock
) -> None:
    mint = github.post("/app/installations/42/access_tokens").mock(side_effect=[minted(clock, 1), minted(clock, 2)])
    github.get("/repos/org/repo").respond(200, json={"default_branch": "main"})
    await forge.home("org/repo", 42).history.default_branch()
    await forge.home("org/repo", 42, BUMP).history.default_branch()
    await forge.home("org/repo", 42).history.default_branch()
    asked = [json.loads(call.request.content) for call in mint.calls]
    assert asked == [{"repositories": ["repo"], "permissions": dict(p)} for p in (REVIEW, BUMP)]
    assert "contents" not in [name for name, level in REVIEW.items() if level == "write"]


async def test_one_installation_has_one_pace(forge: GitHubForge, github: respx.MockRouter, clock: Clock) -> None:
    github.post(path__regex=r"/app/installations/\d+/access_tokens").mock(side_effect=lambda request: minted(clock, 1))
    github.post(path__regex=r"/repos/org/\w+/issues/1/comments").respond(201, json=answers.comment())
    await forge.home("org/one", 42).comments.create(1, "a")
    await forge.home("org/two", 42).comments.create(1, "a")
    assert clock.slept == [1]
    await forge.home("org/three", 43).comments.create(1, "a")
    assert clock.slept == [1]


async def test_what_one_home_may_read_is_not_shown_to_another(
    forge: GitHubForge, github: respx.MockRouter, clock: Clock
) -> None:
    """A private repository, read by its own home, is named as upstream by another repository's configuration."""
    github.post(path__regex=r"/app/installations/\d+/access_tokens").mock(
        side_effect=lambda request: minted(clock, int(request.url.path.split("/")[3]))
    )

    def private(request: httpx.Request) -> httpx.Response:
        if request.headers["authorization"] != "Bearer ghs_token00000001":
            return httpx.Response(404, json={"message": "Not Found"})
        is_tree = "/git/trees/" in request.url.path
        return httpx.Response(200, json=tree(row("s.yaml", blob_id(b"secret"))) if is_tree else blob(b"secret"))

    github.get(path__startswith="/repos/one/private/").mock(side_effect=private)
    own = forge.home("one/private", 1).repository
    assert await own.blobs((await own.tree(COMMIT)).values()) == {"s.yaml": b"secret"}
    stranger = forge.upstream("one/private", forge.home("two/repo", 2)).repository
    with pytest.raises(Missing):
        await stranger.tree(COMMIT)
    with pytest.raises(Missing):
        await stranger.blobs([TreeEntry("s.yaml", blob_id(b"secret"))])


async def test_enterprise_server_reads_upstreams_where_they_are(
    connection: httpx.AsyncClient, github: respx.MockRouter
) -> None:
    settings = Settings(base_url="https://ghe.example.com/api/v3", upstream_base_url="https://api.github.com")
    forge = GitHubForge(connection, StaticToken("ghe-token"), settings)
    ours = github.get("https://ghe.example.com/api/v3/repos/org/repo").respond(200, json={"default_branch": "main"})
    theirs = github.get("/repos/up/stream").respond(200, json={"default_branch": "trunk"})
    home = forge.home("org/repo", 0)
    assert await home.history.default_branch() == "main"
    assert await forge.upstream("up/stream", home).history.default_branch() == "trunk"
    assert ours.calls.last.request.headers["authorization"] == "Bearer ghe-token"
    assert "authorization" not in theirs.calls.last.request.headers


async def test_the_connections_have_bounds() -> None:
    async with connection() as client:
        assert client.timeout == httpx.Timeout(15.0, connect=5.0)

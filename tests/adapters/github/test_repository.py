from __future__ import annotations

import base64
from typing import Any

import httpx
import pytest
import respx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recipediff.adapters.github.http.client import GitHubClient
from recipediff.adapters.github.http.record import Exchange
from recipediff.adapters.github.memory import ObjectMemory
from recipediff.adapters.github.repository import GitHubRepository
from recipediff.core.git import blob_id
from recipediff.ports.errors import Missing, Unavailable
from recipediff.ports.repository import Repository, TreeEntry
from tests.adapters.github.conftest import Connect

COMMIT = "c" * 40
TREES = "/repos/org/repo/git/trees"


def row(path: str, sha: str = "1" * 40, mode: str = "100644", size: int | None = 3) -> dict[str, Any]:
    kind = {"040000": "tree", "160000": "commit"}.get(mode, "blob")
    return {"path": path, "sha": sha, "mode": mode, "type": kind} | ({} if size is None else {"size": size})


def tree(*rows: dict[str, Any], truncated: bool = False) -> dict[str, Any]:
    return {"sha": "a" * 40, "url": "https://x", "tree": list(rows), "truncated": truncated}


def blob(content: bytes) -> dict[str, Any]:
    return {
        "sha": blob_id(content), "node_id": "x", "url": "https://x", "size": len(content),
        "content": base64.encodebytes(content).decode(), "encoding": "base64",
    }  # fmt: skip


async def test_one_request_reads_a_tree_of_any_number_of_files(
    client: GitHubClient, github: respx.MockRouter, exchanges: list[Exchange]
) -> None:
    rows = [row(f"recipes/{number}.yaml") for number in range(3000)]
    rows += [row("recipes", mode="040000", size=None), row("link", mode="120000"), row("sub", mode="160000", size=None)]
    github.get(f"{TREES}/{COMMIT}", params={"recursive": "1"}).respond(200, json=tree(*rows))
    repository: Repository = GitHubRepository(client, "org/repo")
    found = await repository.tree(COMMIT)
    assert len(found) == 3002
    assert "recipes" not in found
    assert found["recipes/7.yaml"] == TreeEntry("recipes/7.yaml", "1" * 40, "100644", 3)
    assert (found["link"].mode, found["sub"].mode) == ("120000", "160000")
    await repository.tree(COMMIT)
    assert len(exchanges) == 1


@pytest.mark.parametrize("commit", ["main", "HEAD", "abc", "c" * 39, "C" * 40, "../../user", ""])
async def test_only_a_full_id_names_a_commit(client: GitHubClient, github: respx.MockRouter, commit: str) -> None:
    with pytest.raises(Missing, match="not a full commit id"):
        await GitHubRepository(client, "org/repo").tree(commit)
    assert github.calls.call_count == 0


@pytest.mark.parametrize("name", ["repo", "a/b/c", "../x", "a/..", "a b/c", "", "https://github.com/a/b"])
def test_a_name_that_cannot_be_one_is_missing(client: GitHubClient, name: str) -> None:
    with pytest.raises(Missing, match="owner/name"):
        GitHubRepository(client, name)


async def test_a_tree_that_github_cuts_is_walked(
    client: GitHubClient, github: respx.MockRouter, exchanges: list[Exchange]
) -> None:
    big, small, inner = "b" * 40, "5" * 40, "d" * 40

    def answer(request: httpx.Request) -> httpx.Response:
        sha, deep = request.url.path.rsplit("/", 1)[1], "recursive" in request.url.params
        answers = {
            (COMMIT, True): tree(row("README"), truncated=True),
            (COMMIT, False): tree(row("README"), row("big", big, "040000", None), row("small", small, "040000", None)),
            (small, True): tree(row("s.yaml"), row("t", "7" * 40, "040000", None), row("t/u.yaml")),
            (big, True): tree(row("x"), truncated=True),
            (big, False): tree(row("x.yaml"), row("inner", inner, "040000", None)),
            (inner, True): tree(row("y.yaml")),
        }
        return httpx.Response(200, json=answers[sha, deep])

    github.get(path__startswith=TREES).mock(side_effect=answer)
    found = await GitHubRepository(client, "org/repo").tree(COMMIT)
    assert sorted(found) == ["README", "big/inner/y.yaml", "big/x.yaml", "small/s.yaml", "small/t/u.yaml"]
    assert len(exchanges) == 6


async def test_a_walk_is_bounded_and_never_passes_for_a_whole_tree(
    client: GitHubClient, github: respx.MockRouter, exchanges: list[Exchange]
) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        deep = "recursive" in request.url.params
        return httpx.Response(200, json=tree(row("again", "b" * 40, "040000", None), truncated=deep))

    github.get(path__startswith=TREES).mock(side_effect=answer)
    with pytest.raises(Unavailable, match="too large") as caught:
        await GitHubRepository(client, "org/repo", max_walk=9).tree(COMMIT)
    assert caught.value.reason == "too-large"
    assert len(exchanges) <= 11


async def test_each_blob_is_asked_for_once(
    client: GitHubClient, github: respx.MockRouter, exchanges: list[Exchange]
) -> None:
    one, two = blob(b"one"), blob(b"two\xff\x00")
    for answer in (one, two):
        github.get(f"/repos/org/repo/git/blobs/{answer['sha']}").respond(200, json=answer)
    entries = [TreeEntry("a", one["sha"]), TreeEntry("b", two["sha"]), TreeEntry("copy", one["sha"], "100755")]
    memory = ObjectMemory()
    repository = GitHubRepository(client, "org/repo", memory=memory)
    assert await repository.blobs(entries) == {"a": b"one", "b": b"two\xff\x00", "copy": b"one"}
    assert len(exchanges) == 2
    assert await GitHubRepository(client, "Org/Repo", memory=memory).blobs(entries[:1]) == {"a": b"one"}
    assert len(exchanges) == 2
    assert await repository.blobs([]) == {}


async def test_another_repository_is_not_shown_what_is_remembered(
    client: GitHubClient, github: respx.MockRouter
) -> None:
    one = blob(b"one")
    github.get(f"/repos/org/repo/git/blobs/{one['sha']}").respond(200, json=one)
    github.get(f"/repos/org/other/git/blobs/{one['sha']}").respond(404, json={"message": "Not Found"})
    memory = ObjectMemory()
    await GitHubRepository(client, "org/repo", memory=memory).blobs([TreeEntry("a", one["sha"])])
    with pytest.raises(Missing):
        await GitHubRepository(client, "org/other", memory=memory).blobs([TreeEntry("a", one["sha"])])


async def test_a_blob_over_the_limit_is_not_fetched(client: GitHubClient, github: respx.MockRouter) -> None:
    sha = blob_id(b"12345")
    route = github.get(f"/repos/org/repo/git/blobs/{sha}").respond(200, json=blob(b"12345"))
    repository = GitHubRepository(client, "org/repo", max_blob=4)
    with pytest.raises(Unavailable, match="the limit is 4") as caught:
        await repository.blobs([TreeEntry("a", sha, size=5)])
    assert caught.value.reason == "too-large"
    assert not route.called
    with pytest.raises(Unavailable, match="the limit is 4"):
        await repository.blobs([TreeEntry("a", sha)])
    assert await GitHubRepository(client, "org/repo", max_blob=5).blobs([TreeEntry("a", sha, size=5)]) == {
        "a": b"12345"
    }


@pytest.mark.parametrize("mode", ["120000", "160000"])
async def test_links_and_submodules_are_not_followed(client: GitHubClient, github: respx.MockRouter, mode: str) -> None:
    with pytest.raises(Missing):
        await GitHubRepository(client, "org/repo").blobs([TreeEntry("a", "1" * 40, mode)])
    with pytest.raises(Missing, match="no object id"):
        await GitHubRepository(client, "org/repo").blobs([TreeEntry("a", "../../../user")])
    assert github.calls.call_count == 0


@pytest.mark.parametrize(
    "answer",
    [
        {"content": "b25l"},
        {**blob(b"one"), "content": "b25"},
        {**blob(b"one"), "content": "dHdv"},
        {**blob(b"one"), "content": None, "encoding": "none"},
        {**blob(b"one"), "size": "x"},
        [],
        None,
        "text",
    ],
)
async def test_a_blob_that_is_not_what_its_id_says_is_a_bad_answer(
    client: GitHubClient, github: respx.MockRouter, answer: Any
) -> None:
    github.get(f"/repos/org/repo/git/blobs/{blob_id(b'one')}").respond(200, json=answer)
    with pytest.raises(Unavailable) as caught:
        await GitHubRepository(client, "org/repo").blobs([TreeEntry("a", blob_id(b"one"))])
    assert caught.value.reason == "bad-answer"


@pytest.mark.parametrize("answer", [{}, [], {"tree": [{}], "truncated": False}, {"tree": 3, "truncated": False}, "x"])
async def test_a_tree_of_another_shape_is_a_bad_answer(
    client: GitHubClient, github: respx.MockRouter, answer: Any
) -> None:
    github.get(f"{TREES}/{COMMIT}").respond(200, json=answer)
    with pytest.raises(Unavailable) as caught:
        await GitHubRepository(client, "org/repo").tree(COMMIT)
    assert caught.value.reason == "bad-answer"


async def test_one_failure_among_many_is_the_answer(client: GitHubClient, github: respx.MockRouter) -> None:
    shas = [f"{number:040x}" for number in range(20)]
    github.get(path__startswith="/repos/org/repo/git/blobs/").respond(502)
    with pytest.raises(Unavailable) as caught:
        await GitHubRepository(client, "org/repo").blobs([TreeEntry(sha, sha) for sha in shas])
    assert caught.value.reason == "server-error"


@given(st.lists(st.binary(max_size=200), max_size=6))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_any_bytes_come_back_as_they_are(
    connect: Connect, github: respx.MockRouter, contents: list[bytes]
) -> None:
    for content in contents:
        github.get(f"/repos/org/repo/git/blobs/{blob_id(content)}").respond(200, json=blob(content))
    entries = [TreeEntry(str(number), blob_id(content)) for number, content in enumerate(contents)]
    got = await GitHubRepository(connect(), "org/repo").blobs(entries)
    assert list(got.values()) == contents


def test_the_memory_is_bounded() -> None:
    memory = ObjectMemory(max_bytes=2_000, max_entries=10)
    memory.keep_blob("o/r", "large", b"x" * 3_000)
    assert memory.blob("o/r", "large") is None
    for number in range(50):
        memory.keep_blob("o/r", str(number), b"x" * 100)
    assert memory.blob("o/r", "0") is None
    assert memory.blob("o/r", "49") == b"x" * 100
    memory.keep_tree("o/r", "big", {str(number): TreeEntry(str(number), "") for number in range(20)})
    assert memory.tree("o/r", "big") is None
    memory.keep_tree("o/r", "small", {"a": TreeEntry("a", "")})
    assert memory.tree("O/R", "small") is not None


CONTENTS = "/repos/org/repo/contents/recipes/a.yaml"


def content(text: bytes, **other: object) -> dict[str, Any]:
    return {**blob(text), "type": "file", "path": "recipes/a.yaml", **other}


async def test_a_file_that_came_ahead_of_its_tree_is_not_asked_for_again(
    client: GitHubClient, github: respx.MockRouter, exchanges: list[Exchange]
) -> None:
    github.get(CONTENTS, params={"ref": COMMIT}).respond(200, json=content(b"hello"))
    repository = GitHubRepository(client, "org/repo")
    await repository.ahead(COMMIT, ["recipes/a.yaml"])
    found = await repository.blobs([TreeEntry("recipes/a.yaml", blob_id(b"hello"))])
    assert found == {"recipes/a.yaml": b"hello"}
    assert len(exchanges) == 1


@pytest.mark.parametrize(
    "answer",
    [
        {"status_code": 404, "json": {"message": "Not Found"}},
        {"status_code": 500, "text": "oops"},
        {"status_code": 200, "json": [content(b"hello")]},
        {"status_code": 200, "json": content(b"hello", encoding="none", content="")},
        {"status_code": 200, "json": content(b"hello", content="?")},
        {"status_code": 200, "json": content(b"hello", sha="1" * 40)},
        {"status_code": 200, "json": content(b"hello", sha=None)},
        {"status_code": 200, "json": {"type": "symlink", "target": "x", "sha": blob_id(b"x")}},
    ],
)
async def test_what_comes_ahead_is_never_believed_and_its_failure_never_told(
    client: GitHubClient, github: respx.MockRouter, answer: dict[str, Any]
) -> None:
    github.get(CONTENTS).respond(**answer)
    github.get(url__regex=".*/git/blobs/.*").respond(200, json=blob(b"the right one"))
    repository = GitHubRepository(client, "org/repo")
    await repository.ahead(COMMIT, ["recipes/a.yaml", "../../user", ""])
    entry = TreeEntry("recipes/a.yaml", blob_id(b"the right one"))
    assert await repository.blobs([entry]) == {"recipes/a.yaml": b"the right one"}


async def test_nothing_comes_ahead_of_a_tree_that_is_known(
    client: GitHubClient, github: respx.MockRouter, exchanges: list[Exchange]
) -> None:
    github.get(f"{TREES}/{COMMIT}").respond(200, json=tree(row("recipes/a.yaml")))
    repository = GitHubRepository(client, "org/repo")
    await repository.tree(COMMIT)
    await repository.ahead(COMMIT, ["recipes/a.yaml"])
    assert len(exchanges) == 1

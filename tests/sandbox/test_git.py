"""Trees, blobs, commits and refs over a real socket, and that what lies on disk is git's."""

from __future__ import annotations

import base64
import subprocess
from datetime import UTC, datetime

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandbox import Sandbox
from sandbox.model import Repo
from tests.sandbox.client import Client

FILES: dict[str, str | bytes | None] = {
    "README.md": "# Hello\n",
    "recipes/a.yaml": "id: a\n",
    "recipes/deep/b.yaml": b"\xff\x00binary",
}


@pytest.fixture
def repo(sandbox: Sandbox) -> Repo:
    return sandbox.create_repo("octo-org/recipes", FILES)


@pytest.fixture
async def bot(sandbox: Sandbox, repo: Repo, client: Client) -> Client:
    app = sandbox.register_app()
    return await client.installed(sandbox.install(app, "octo-org"))


async def test_a_tree_is_found_by_commit_by_tree_and_by_branch(repo: Repo, bot: Client) -> None:
    tip = repo.git.ref("refs/heads/main")
    assert tip
    tree = repo.git.commit(tip).tree
    answers = [
        (await bot.get(f"/repos/octo-org/recipes/git/trees/{name}?recursive=1")).json() for name in (tip, tree, "main")
    ]
    assert answers[0] == answers[1] == answers[2]
    assert [(item["path"], item["type"]) for item in answers[0]["tree"]] == [
        ("README.md", "blob"), ("recipes", "tree"), ("recipes/a.yaml", "blob"), ("recipes/deep", "tree"), ("recipes/deep/b.yaml", "blob"),
    ]  # fmt: skip
    assert answers[0]["truncated"] is False
    flat = (await bot.get(f"/repos/octo-org/recipes/git/trees/{tree}")).json()
    assert [item["path"] for item in flat["tree"]] == ["README.md", "recipes"]


async def test_a_tree_is_cut_at_the_limit_and_says_so(sandbox: Sandbox, bot: Client) -> None:
    sandbox.world.tree_limit = 3
    found = (await bot.get("/repos/octo-org/recipes/git/trees/main?recursive=1")).json()
    assert found["truncated"] is True
    assert len(found["tree"]) == 3


async def test_a_blob_comes_back_to_the_byte(repo: Repo, bot: Client) -> None:
    made = (
        await bot.post(
            "/repos/octo-org/recipes/git/blobs",
            {"content": base64.b64encode(b"\xfe\x00" * 100).decode(), "encoding": "base64"},
        )
    ).json()
    found = (await bot.get(f"/repos/octo-org/recipes/git/blobs/{made['sha']}")).json()
    assert base64.b64decode(found["content"]) == b"\xfe\x00" * 100
    assert found["size"] == 200
    assert (await bot.get(f"/repos/octo-org/recipes/git/blobs/{'0' * 40}")).status_code == 404
    assert (await bot.get("/repos/octo-org/recipes/git/blobs/abc")).status_code == 422


async def test_a_commit_made_of_parts_moves_a_branch_only_forwards(repo: Repo, bot: Client) -> None:
    base = "/repos/octo-org/recipes/git"
    tip = repo.git.ref("refs/heads/main")
    tree = (await bot.post(f"{base}/trees", {"base_tree": tip, "tree": [
        {"path": "recipes/a.yaml", "mode": "100644", "type": "blob", "content": "id: changed\n"},
        {"path": "README.md", "mode": "100644", "type": "blob", "sha": None},
    ]})).json()["sha"]  # fmt: skip
    first = (await bot.post(f"{base}/commits", {"message": "One", "tree": tree, "parents": [tip]})).json()
    assert first["author"]["name"] == "recipediff[bot]"
    other = (await bot.post(f"{base}/commits", {"message": "Other", "tree": tree, "parents": [tip]})).json()
    assert (await bot.post(f"{base}/refs", {"ref": "refs/heads/bump/a", "sha": first["sha"]})).status_code == 201
    assert (await bot.post(f"{base}/refs", {"ref": "refs/heads/bump/a", "sha": first["sha"]})).json()[
        "message"
    ] == "Reference already exists"
    refused = await bot.patch(f"{base}/refs/heads/bump/a", {"sha": other["sha"]})
    assert (refused.status_code, refused.json()["message"]) == (422, "Update is not a fast forward")
    assert (await bot.patch(f"{base}/refs/heads/bump/a", {"sha": other["sha"], "force": True})).json()["object"][
        "sha"
    ] == other["sha"]
    assert (await bot.get(f"{base}/ref/heads/bump/a")).json()["object"]["sha"] == other["sha"]
    assert [item["ref"] for item in (await bot.get(f"{base}/matching-refs/heads/bump")).json()] == ["refs/heads/bump/a"]
    assert (await bot.get(f"{base}/ref/heads/bump")).status_code == 404
    assert (await bot.delete(f"{base}/refs/heads/bump/a")).status_code == 204
    assert (await bot.get(f"{base}/ref/heads/bump/a")).status_code == 404


async def test_commits_branches_contents_and_comparisons(sandbox: Sandbox, repo: Repo, bot: Client) -> None:
    base = "/repos/octo-org/recipes"
    before = repo.git.ref("refs/heads/main")
    tip = sandbox.commit(
        repo,
        "main",
        {
            "recipes/a.yaml": "id: a\nargs: {}\n",
            "recipes/deep/c.yaml": FILES["recipes/deep/b.yaml"],
            "recipes/deep/b.yaml": None,
        },
        "Move",
    )
    assert [item["sha"] for item in (await bot.get(f"{base}/commits?path=recipes/a.yaml")).json()] == [tip, before]
    assert [item["sha"] for item in (await bot.get(f"{base}/commits?path=README.md")).json()] == [before]
    assert (await bot.get(f"{base}/commits/main", Accept="application/vnd.github.sha")).text == tip
    found = (await bot.get(f"{base}/compare/{before}...main")).json()
    assert (found["status"], found["ahead_by"], found["merge_base_commit"]["sha"]) == ("ahead", 1, before)
    files = {item["filename"]: item for item in found["files"]}
    assert files["recipes/a.yaml"]["patch"] == "@@ -1 +1,2 @@\n id: a\n+args: {}"
    assert (files["recipes/deep/c.yaml"]["status"], files["recipes/deep/c.yaml"]["previous_filename"]) == (
        "renamed",
        "recipes/deep/b.yaml",
    )
    assert (await bot.get(f"{base}/branches/main")).json()["commit"]["sha"] == tip
    content = (await bot.get(f"{base}/contents/recipes/a.yaml?ref={before}")).json()
    assert base64.b64decode(content["content"]) == b"id: a\n"
    assert [item["name"] for item in (await bot.get(f"{base}/contents/recipes")).json()] == ["a.yaml", "deep"]
    assert (await bot.get(f"{base}/commits/nowhere")).status_code == 422


async def test_an_unchanged_answer_costs_nothing(bot: Client) -> None:
    first = await bot.get("/repos/octo-org/recipes/commits/main")
    again = await bot.get("/repos/octo-org/recipes/commits/main", If_None_Match=first.headers["ETag"])
    assert (again.status_code, again.content) == (304, b"")


async def test_git_itself_can_read_everything(sandbox: Sandbox, repo: Repo, bot: Client, tmp_path: object) -> None:
    sandbox.commit(
        repo,
        "topic",
        {"a/b/c": "1", "a.b": "2", "a-b": "3", "link": "README.md"},
        "Odd names",
        modes={"link": "120000"},
    )
    fork = sandbox.fork(repo, "octocat")
    sandbox.commit(fork, "main", {"x": "y"}, "In the fork")
    for item in (repo, fork):
        done = subprocess.run(
            ["git", "--git-dir", str(item.git.path), "fsck", "--strict", "--full"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
    subprocess.run(["git", "clone", "-q", str(fork.git.path), f"{tmp_path}/clone"], check=True)


NAMES = st.text("ab.-/é", min_size=1, max_size=6).filter(
    lambda text: all(part not in ("", ".", "..") for part in text.split("/"))
)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files=st.dictionaries(NAMES, st.binary(max_size=8), min_size=1, max_size=6))
async def test_any_tree_is_the_one_that_git_writes(repo: Repo, files: dict[str, bytes]) -> None:
    files = {path: data for path, data in files.items() if not any(other.startswith(path + "/") for other in files)}
    git = repo.git
    tree = git.write_tree(None, {path: ("100644", git.write("blob", data)) for path, data in files.items()})
    assert {entry.path: git.read(entry.sha) for entry in git.walk(tree, trees=False)} == files
    lines = b"".join(f"{entry.mode} {entry.kind} {entry.sha}\t{entry.path}\0".encode() for entry in git.tree(tree))
    made = subprocess.run(
        ["git", "--git-dir", str(git.path), "mktree", "-z"], input=lines, capture_output=True, check=True
    )
    assert made.stdout.decode().strip() == tree


async def test_the_root_of_the_api_needs_no_more_than_a_socket(sandbox: Sandbox) -> None:
    async with httpx.AsyncClient(verify=False) as session:
        assert (await session.get(f"{sandbox.api_url}/nothing/here")).status_code == 404


async def test_the_same_story_at_the_same_time_gives_the_same_names() -> None:
    async def told() -> tuple[str, ...]:
        sandbox = await Sandbox.start(clock=lambda: datetime(2030, 1, 1, tzinfo=UTC))
        app = sandbox.register_app()
        repo = sandbox.create_repo("octo-org/recipes", FILES)
        token = sandbox.world.token(installation=sandbox.install(app, "octo-org"), permissions={})
        tip = sandbox.commit(repo, "topic", {"a": "b"}, "One")
        issue = sandbox.open_pull(repo, "topic", "One")
        guids = [item.guid for item in sandbox.hooks.emit("push", None, {}, repo)]
        await sandbox.stop()
        return tip, str(issue.id), str(repo.id), token.text, *guids

    assert await told() == await told()

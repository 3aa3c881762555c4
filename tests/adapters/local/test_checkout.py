from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recipediff.adapters.local import GitCheckout
from recipediff.adapters.local.git import running
from recipediff.core.git import blob_id
from recipediff.ports.errors import Missing, Unavailable
from recipediff.ports.repository import Repository, TreeEntry
from tests.adapters.local.conftest import Git


async def test_a_commit_is_served_whatever_the_working_tree_holds(repo: Path, run: Git) -> None:
    checkout: Repository = GitCheckout(repo)
    commit = run("rev-parse", "HEAD")
    (repo / "recipes" / "qwen.yaml").write_text("model: org/edited\n")
    (repo / "recipes" / "new.yaml").write_text("model: org/new\n")

    tree = await checkout.tree(commit)

    assert list(tree) == ["link.yaml", "recipes/qwen.yaml", "recipes/übung.yaml", "run.sh"]
    assert [entry.mode for entry in tree.values()] == ["120000", "100644", "100644", "100755"]
    assert tree["recipes/qwen.yaml"].size == len("model: org/qwen\n")
    wanted = [tree["recipes/qwen.yaml"], tree["recipes/übung.yaml"]]
    assert await checkout.blobs(wanted) == {
        "recipes/qwen.yaml": b"model: org/qwen\n",
        "recipes/übung.yaml": "model: org/übung\n".encode(),
    }


async def test_an_older_commit_keeps_its_own_files(repo: Path, run: Git) -> None:
    before = run("rev-parse", "HEAD")
    (repo / "recipes" / "qwen.yaml").write_text("model: org/edited\n")
    run("commit", "-q", "-am", "two")
    checkout = GitCheckout(repo)
    tree = await checkout.tree(before)
    assert await checkout.blobs([tree["recipes/qwen.yaml"]]) == {"recipes/qwen.yaml": b"model: org/qwen\n"}


@pytest.mark.parametrize("commit", ["main", "HEAD", "abc123", "", "-h", "0" * 39, "G" * 40, "--output=/tmp/x"])
async def test_only_a_full_id_names_a_commit(repo: Path, commit: str) -> None:
    with pytest.raises(Missing, match="not a full commit id"):
        await GitCheckout(repo).tree(commit)


async def test_an_unknown_commit_and_a_folder_without_git_are_missing(repo: Path, tmp_path: Path) -> None:
    with pytest.raises(Missing):
        await GitCheckout(repo).tree("1" * 40)
    with pytest.raises(Missing, match="not a git repository"):
        await GitCheckout(tmp_path).tree("1" * 40)
    with pytest.raises(Missing, match="not a git repository"):
        await GitCheckout(tmp_path).blobs([TreeEntry("a", "1" * 40)])
    with pytest.raises(Missing, match="cannot change to"):
        await GitCheckout(tmp_path / "nowhere").tree("1" * 40)


async def test_the_id_of_a_blob_is_not_taken_for_a_commit(repo: Path, run: Git) -> None:
    with pytest.raises((Missing, Unavailable)):
        await GitCheckout(repo).tree(run("rev-parse", "HEAD:run.sh"))


async def test_links_and_submodules_are_not_followed(repo: Path, run: Git, tmp_path: Path) -> None:
    run("submodule", "--quiet", "add", str(repo), "inner")
    run("commit", "-q", "-m", "with a submodule")
    checkout = GitCheckout(repo)
    tree = await checkout.tree(run("rev-parse", "HEAD"))
    assert tree["inner"].mode == "160000"
    with pytest.raises(Missing, match="inner is a submodule"):
        await checkout.blobs([tree["inner"]])
    with pytest.raises(Missing, match=r"link\.yaml is a symbolic link"):
        await checkout.blobs([tree["link.yaml"]])


async def test_a_large_file_is_not_loaded(repo: Path, run: Git) -> None:
    checkout = GitCheckout(repo, max_blob=10)
    tree = await checkout.tree(run("rev-parse", "HEAD"))
    with pytest.raises(Unavailable, match="the limit is 10") as caught:
        await checkout.blobs([tree["recipes/qwen.yaml"]])
    assert caught.value.reason == "too-large"
    unsized = TreeEntry("recipes/qwen.yaml", tree["recipes/qwen.yaml"].sha)
    with pytest.raises(Unavailable, match="the limit is 10"):
        await checkout.blobs([unsized])
    assert await checkout.blobs([tree["run.sh"]]) == {"run.sh": b"#!/bin/sh\n"}


async def test_an_object_that_is_not_here_or_is_no_file_is_missing(repo: Path, run: Git) -> None:
    checkout = GitCheckout(repo)
    with pytest.raises(Missing, match="not in this repository"):
        await checkout.blobs([TreeEntry("gone.yaml", "2" * 40)])
    with pytest.raises(Missing, match="is a tree"):
        await checkout.blobs([TreeEntry("recipes", run("rev-parse", "HEAD:recipes"))])
    with pytest.raises(Missing, match="no object id"):
        await checkout.blobs([TreeEntry("x", "--batch-all-objects")])


async def test_a_hooks_environment_does_not_redirect_git(
    repo: Path, run: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = run("rev-parse", "HEAD")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    assert "run.sh" in await GitCheckout(repo / "recipes").tree(commit)


async def test_a_replaced_object_does_not_show_another_content(repo: Path, run: Git) -> None:
    sha = run("rev-parse", "HEAD:recipes/qwen.yaml")
    run("replace", sha, run("rev-parse", "HEAD:run.sh"))
    assert await GitCheckout(repo).blobs([TreeEntry("q", sha)]) == {"q": b"model: org/qwen\n"}


async def test_refs_resolve_to_full_ids(repo: Path, run: Git) -> None:
    checkout = GitCheckout(repo)
    head = run("rev-parse", "HEAD")
    assert await checkout.resolve("HEAD") == await checkout.resolve("main") == await checkout.resolve(head[:8]) == head
    for bad in ("nowhere", "-h", "HEAD:run.sh"):
        with pytest.raises((Missing, Unavailable)):
            await checkout.resolve(bad)
    run("checkout", "-q", "-b", "topic")
    run("commit", "-q", "--allow-empty", "-m", "two")
    assert await checkout.merge_base("main", "topic") == head
    run("checkout", "-q", "--orphan", "apart")
    run("commit", "-q", "--allow-empty", "-m", "apart")
    with pytest.raises(Missing, match="no commit in common"):
        await checkout.merge_base("main", "apart")
    assert await checkout.root() == repo.resolve()
    assert await checkout.remote() == ""
    run("remote", "add", "origin", "https://github.com/org/repo.git")
    assert await checkout.remote() == "https://github.com/org/repo.git"


async def test_without_git_the_message_says_what_to_do(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unavailable, match="install it") as caught:
        await GitCheckout(repo).tree("1" * 40)
    assert caught.value.reason == "git-missing"


@pytest.mark.skipif(sys.platform == "win32", reason="a script stands for git, which Windows would not start")
async def test_a_git_that_hangs_is_ended(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "bin" / "git"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\nexec /bin/sleep 60\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(fake.parent))
    with pytest.raises(Unavailable, match=r"took more than 0\.05 s"):
        async with running(repo, ["cat-file"], timeout=0.05) as (_, stdout):
            await stdout.read()


@given(contents=st.lists(st.binary(max_size=300), max_size=8, unique=True))
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_any_bytes_come_back_as_they_are(repo: Path, run: Git, contents: list[bytes]) -> None:
    entries = []
    for number, content in enumerate(contents):
        (repo / "any").write_bytes(content)
        sha = run("hash-object", "-w", "--no-filters", "any")
        assert sha == blob_id(content)
        entries.append(TreeEntry(f"{number}.yaml", sha))
    got = await GitCheckout(repo).blobs(entries)
    assert list(got.values()) == contents

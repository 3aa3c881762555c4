"""The bot's own adapters against this GitHub, over real sockets, every request of theirs valid by GitHub's description."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

import httpx
import pytest

from recipediff.adapters.github.app import GitHubApp
from recipediff.adapters.github.auth import AppIdentity
from recipediff.adapters.github.connect import BUMP, GitHubForge, Settings
from recipediff.core.output import Annotation, Button, Output
from recipediff.ports.errors import Missing, Unavailable
from recipediff.ports.forge import Home
from sandbox import FaultKind, Sandbox
from sandbox.model import App, Repo
from tests.contract.contract import Contract


@dataclass(kw_only=True)
class World:
    sandbox: Sandbox
    app: App
    repo: Repo
    forge: GitHubForge
    home: Home


@pytest.fixture
async def world() -> AsyncIterator[World]:
    sandbox, contract = await Sandbox.start(), Contract(strict=True)
    sandbox.observers.append(contract)
    app = sandbox.register_app()
    repo = sandbox.create_repo("octo-org/recipes", {"recipes/a.yaml": "a: 1\n", "run.sh": "#!/bin/sh\n"})
    place = sandbox.install(app, "octo-org")
    async with httpx.AsyncClient(verify=False) as connection:
        settings = Settings(base_url=sandbox.api_url, interval=0.0)
        forge = GitHubForge(connection, AppIdentity(str(app.id), app.private_key), settings, permissions=BUMP)
        yield World(sandbox=sandbox, app=app, repo=repo, forge=forge, home=forge.home("octo-org/recipes", place.id))
    await sandbox.stop()
    contract.check()


async def test_a_pull_request_is_read_and_judged(world: World) -> None:
    tip = world.sandbox.commit(world.repo, "topic", {"recipes/a.yaml": "a: 2\n"}, "Two")
    issue = world.sandbox.open_pull(world.repo, "topic", "Two", "Why")
    home = world.home
    pull = await home.pulls.get(issue.number)
    assert (pull.head_sha, pull.base_repo, pull.from_fork) == (tip, "octo-org/recipes", False)
    tree = await home.repository.tree(pull.head_sha)
    assert await home.repository.blobs([tree["recipes/a.yaml"]]) == {"recipes/a.yaml": b"a: 2\n"}
    main = world.repo.git.ref("refs/heads/main") or ""
    assert await home.history.merge_base(main, tip) == main
    marks = tuple(
        Annotation(path="recipes/a.yaml", line=1, end_line=1, level="failure", message=f"No {number}")
        for number in range(120)
    )
    run = await home.checks.start("recipediff", tip)
    done = await home.checks.conclude(
        run.id,
        "failure",
        Output(
            title="120 findings",
            summary="Many",
            annotations=marks,
            actions=(Button("Declare", "Write the declaration", "declare"),),
        ),
    )
    assert (done.status, done.conclusion, done.annotations) == ("completed", "failure", 120)
    assert [item.id for item in await home.checks.named(tip, "recipediff")] == [run.id]
    made = await home.comments.create(issue.number, "<!-- marker -->\nText")
    await home.comments.edit(made.id, "<!-- marker -->\nOther")
    found = await home.comments.find(issue.number, "<!-- marker -->", "recipediff[bot]")
    assert found
    assert (found.id, found.body, found.app) == (made.id, "<!-- marker -->\nOther", "recipediff")
    world.sandbox.permit(world.repo, "ann", "maintain")
    assert (await home.access.permission("ann"), await home.access.permission("nobody")) == ("write", "none")


async def test_a_bump_is_written_opened_moved_and_closed(world: World) -> None:
    home, main = world.home, world.repo.git.ref("refs/heads/main") or ""
    one = await home.branches.commit({"recipes/a.yaml": "a: 3\n"}, parents=[main], message="Bump")
    await home.branches.create("recipediff/a", one)
    pull = await home.pulls.create(head="recipediff/a", base="main", title="Bump a", body="Why")
    await home.issues.label(pull.number, ["pin-bump"])
    two = await home.branches.commit({"recipes/a.yaml": "a: 4\n"}, parents=[one], message="Bump again")
    await home.branches.advance("recipediff/a", expected=one, to=two)
    assert [item.head_sha for item in await home.pulls.listed(head="recipediff/a")] == [two]
    assert (await home.pulls.get(pull.number)).labels == ("pin-bump",)
    assert [item.subject for item in await home.history.commits("recipediff/a", "recipes/a.yaml")] == [
        "Bump again",
        "Bump",
        "Start",
    ]
    assert world.repo.git.find(world.repo.git.commit(two).tree, "run.sh")
    await home.pulls.update(pull.number, state="closed")
    await home.branches.delete("recipediff/a", expected=two)
    assert await home.history.tip("recipediff/a") is None
    overview = await home.issues.create(title="Overview", body="- [ ] a", labels=["recipediff"])
    assert [item.number for item in await home.issues.listed(label="recipediff")] == [overview.number]


async def test_an_upstream_without_the_app_is_read(world: World) -> None:
    upstream = world.sandbox.create_repo("upstream/recipes", {"a.yaml": "x"})
    pin = upstream.git.ref("refs/heads/main") or ""
    fork = world.sandbox.fork(upstream, "octocat")
    strange = world.sandbox.commit(fork, "main", {"a.yaml": "y"}, "In a fork")
    seen = world.forge.upstream("upstream/recipes", world.home)
    assert set(await seen.repository.tree(pin)) == {"a.yaml"}
    assert set(await seen.repository.tree(strange)) == {"a.yaml"}
    assert (await seen.history.contains("main", pin), await seen.history.contains("main", strange)) == (True, False)
    world.sandbox.delete_repo(upstream)
    with pytest.raises(Missing):
        await world.forge.upstream("upstream/recipes", world.home).repository.tree(
            world.sandbox.commit(fork, "main", {"a.yaml": "z"}, "More")
        )


async def test_the_app_knows_itself(world: World) -> None:
    app = GitHubApp(world.forge.app)
    assert (await app.facts()).slug == "recipediff"
    assert (await app.installation_of("octo-org/recipes")).id
    assert [item async for item in app.deliveries(since=0)] == []


@pytest.mark.parametrize("kind", list(FaultKind))
async def test_each_fault_is_a_classified_failure(world: World, kind: FaultKind) -> None:
    world.sandbox.faults.hang = 0.2
    world.sandbox.commit(world.repo, "topic", {"recipes/a.yaml": "a: 2\n"}, "Two")
    issue = world.sandbox.open_pull(world.repo, "topic", "Two")
    world.sandbox.faults.add(kind, "pulls/get")
    with pytest.raises(Missing if kind is FaultKind.NOT_FOUND else Unavailable):
        await world.home.pulls.get(issue.number)

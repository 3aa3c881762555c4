"""The adapters over real sockets, against a local GitHub; each request is held against GitHub's own description."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest

from recipediff.adapters.github.app import GitHubApp, repositories
from recipediff.adapters.github.auth import AppIdentity
from recipediff.adapters.github.connect import BUMP, GitHubForge, Settings
from recipediff.adapters.github.rules import branch_rules
from recipediff.ports.errors import TRANSIENT, Missing, Moved, Unavailable
from recipediff.ports.forge import Annotation, Home, Output
from sandbox import FaultKind, Sandbox
from sandbox.model import InstallationRecord, Repo
from tests.contract.contract import Contract

RECIPE = "recipes/a.yaml"
MARKER = "<!-- recipediff -->"


@pytest.fixture
async def sandbox() -> AsyncIterator[Sandbox]:
    contract = Contract()
    made = await Sandbox.start()
    made.observers.append(contract)
    yield made
    await made.stop()
    contract.check()


@pytest.fixture
def repo(sandbox: Sandbox) -> Repo:
    return sandbox.create_repo("org/repo", {RECIPE: "model: a\n", "README.md": "hello\n"})


@pytest.fixture
async def installation(sandbox: Sandbox, repo: Repo) -> InstallationRecord:
    return sandbox.install(sandbox.register_app("http://127.0.0.1:9/hook"), "org", [repo])


@pytest.fixture
async def forge(sandbox: Sandbox, installation: InstallationRecord) -> AsyncIterator[GitHubForge]:
    identity = AppIdentity(str(installation.app.id), installation.app.private_key)
    async with httpx.AsyncClient(verify=False, timeout=5) as connection:
        yield GitHubForge(connection, identity, Settings(base_url=sandbox.api_url, interval=0.0))


@pytest.fixture
def home(forge: GitHubForge, installation: InstallationRecord) -> Home:
    return forge.home("org/repo", installation.id, BUMP)


async def test_a_review_from_reading_to_verdict(
    sandbox: Sandbox, repo: Repo, home: Home, installation: InstallationRecord
) -> None:
    sandbox.commit(repo, "topic", {RECIPE: "model: b\n"}, "Change")
    number = sandbox.open_pull(repo, "topic", "Change").number
    pull = await home.pulls.get(number)
    assert (pull.from_fork, pull.comments, [one.number for one in await home.pulls.listed()]) == (False, 0, [number])
    tree = await home.repository.tree(pull.head_sha)
    assert await home.repository.blobs([tree[RECIPE]]) == {RECIPE: b"model: b\n"}

    run = await home.checks.start("recipediff", pull.head_sha, external_id="job-1")
    marks = tuple(
        Annotation(
            path=RECIPE,
            line=1,
            end_line=1,
            level="failure",
            message=f"finding {number}",
            title="title",
            column=1,
            end_column=6,
        )
        for number in range(120)
    )
    await home.checks.conclude(run.id, "failure", Output(title="120 findings", summary="summary", annotations=marks))
    (found,) = await home.checks.named(pull.head_sha, "recipediff")
    assert (found.id, found.conclusion, found.annotations, found.external_id) == (run.id, "failure", 120, "job-1")
    assert (found.app, await home.checks.named(pull.head_sha, "another")) == (installation.app.slug, [])

    bot = f"{installation.app.slug}[bot]"
    sandbox.comment(sandbox.world.repos[repo.id].issues[number], f"{MARKER} fake", "mallory")
    assert await home.comments.find(number, MARKER, bot) is None
    made = await home.comments.create(number, f"{MARKER}\n120 findings")
    await home.comments.edit(made.id, f"{MARKER}\nresolved")
    await home.comments.react(made.id, "+1")
    again = await home.comments.find(number, MARKER, bot)
    assert again is not None
    assert (again.id, again.body) == (made.id, f"{MARKER}\nresolved")


async def test_a_pull_request_from_a_fork_is_read_through_its_base(sandbox: Sandbox, repo: Repo, home: Home) -> None:
    fork = sandbox.fork(repo, "mallory")
    head = sandbox.commit(fork, "topic", {RECIPE: "model: c\n"}, "Change", "mallory")
    number = sandbox.open_pull(repo, "topic", "Change", author="mallory", head=fork).number
    tree = await home.repository.tree(head)
    assert await home.repository.blobs([tree[RECIPE]]) == {RECIPE: b"model: c\n"}
    assert await home.history.contains("main", head) is False
    sandbox.delete_repo(fork)
    pull = await home.pulls.get(number)
    assert (pull.head_repo, pull.from_fork) == (None, True)


async def test_a_bump_moves_only_what_nobody_else_has_moved(sandbox: Sandbox, repo: Repo, home: Home) -> None:
    tip = await home.history.tip("main")
    assert tip is not None
    assert await home.history.contains("main", tip)
    first = await home.branches.commit({RECIPE: "model: a2\n"}, parents=[tip], message="Bump a")
    assert await home.history.contains("main", first) is False
    await home.branches.create("bump/a", first)
    with pytest.raises(Moved):
        await home.branches.create("bump/a", first)
    pull = await home.pulls.create(head="bump/a", base="main", title="Bump a", body="body")
    await home.issues.label(pull.number, ["bump"])
    await home.pulls.update(pull.number, title="Bump a again")
    (seen,) = await home.pulls.listed(head="bump/a")
    assert (seen.title, seen.labels) == ("Bump a again", ("bump",))

    second = await home.branches.commit({RECIPE: "model: a3\n"}, parents=[first], message="Bump a again")
    await home.branches.advance("bump/a", expected=first, to=second)
    person = sandbox.commit(repo, "bump/a", {RECIPE: "model: mine\n"}, "Fix by hand")
    third = await home.branches.commit({RECIPE: "model: a4\n"}, parents=[second], message="Bump a once more")
    for expected in (second, person):
        with pytest.raises(Moved):
            await home.branches.advance("bump/a", expected=expected, to=third)
    with pytest.raises(Moved):
        await home.branches.delete("bump/a", expected=second)
    assert await home.history.tip("bump/a") == person
    subjects = [commit.subject for commit in await home.history.commits("bump/a", RECIPE)]
    assert subjects[:3] == ["Fix by hand", "Bump a again", "Bump a"]
    await home.branches.delete("bump/a", expected=person)
    assert await home.history.tip("bump/a") is None


async def test_what_doctor_reads(
    sandbox: Sandbox, repo: Repo, forge: GitHubForge, home: Home, installation: InstallationRecord
) -> None:
    app = GitHubApp(forge.app)
    assert (await app.facts()).slug == installation.app.slug
    assert (await app.hook()).signed is True
    assert [one.id for one in await app.installations()] == [installation.id]
    assert (await app.installation_of("org/repo")).id == installation.id
    client = forge.client("org/repo", installation.id)
    assert await repositories(client) == ["org/repo"]
    assert (await branch_rules(client, "org/repo", "main")).required == ()
    sandbox.protect(repo, "main", [("recipediff", None)])
    sandbox.add_rule(repo, "main", "merge_queue")
    rules = await branch_rules(client, "org/repo", "main")
    assert ([check.name for check in rules.required], rules.merge_queue) == (["recipediff"], True)
    sandbox.permit(repo, "ada", "write")
    assert await home.access.permission("ada") == "write"
    assert await home.access.permission("stranger") in {"none", "read"}
    issue = await home.issues.create(title="Sweep", body="body", labels=["sweep"])
    assert [one.number for one in await home.issues.listed(label="sweep")] == [issue.number]
    assert (await home.issues.update(issue.number, state="closed")).state == "closed"


@pytest.mark.parametrize("kind", [kind for kind in FaultKind if kind is not FaultKind.TIMEOUT])
async def test_each_fault_on_the_wire_is_classified(sandbox: Sandbox, home: Home, kind: FaultKind) -> None:
    tip = await home.history.tip("main")
    assert tip is not None
    sandbox.faults.add(kind, "git/get-tree")
    with pytest.raises((Unavailable, Missing)) as caught:
        await home.repository.tree(tip)
    if kind is FaultKind.NOT_FOUND:
        assert isinstance(caught.value, Missing)
    else:
        assert isinstance(caught.value, Unavailable)
        assert caught.value.reason in TRANSIENT
        assert (caught.value.retry_after is not None) == ("limited" in caught.value.reason)


async def test_deliveries_that_were_not_taken_are_sent_again(sandbox: Sandbox, repo: Repo, forge: GitHubForge) -> None:
    """Nobody listens at the App's address."""
    app = GitHubApp(forge.app)
    sandbox.commit(repo, "main", {RECIPE: "model: b\n"}, "Change")
    await sandbox.settled()
    failed = [one async for one in app.deliveries(since=0) if one.failed]
    assert "push" in {one.event for one in failed}
    assert await app.redeliver(failed[0].id) is True
    await sandbox.settled()
    again = [one async for one in app.deliveries(since=0) if one.guid == failed[0].guid]
    assert [one.redelivery for one in again] == [True, False]


async def test_a_server_that_hangs_is_left(sandbox: Sandbox, installation: InstallationRecord) -> None:
    sandbox.faults.add(FaultKind.TIMEOUT, "apps/get-authenticated")
    identity = AppIdentity(str(installation.app.id), installation.app.private_key)
    async with httpx.AsyncClient(verify=False, timeout=0.05) as connection:
        forge = GitHubForge(connection, identity, Settings(base_url=sandbox.api_url))
        with pytest.raises(Unavailable) as caught:
            await GitHubApp(forge.app).facts()
    assert caught.value.reason == "timeout"


async def test_a_repository_that_vanished_is_missing(sandbox: Sandbox, repo: Repo, home: Home) -> None:
    await home.history.default_branch()
    sandbox.delete_repo(repo)
    for attempt in (home.history.default_branch(), home.repository.tree("1" * 40), home.pulls.get(1)):
        with pytest.raises(Missing):
            await attempt

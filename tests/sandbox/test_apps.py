"""Who may do what: App keys, narrowed tokens, what a token may not see; deliveries and their redelivery; limits."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from sandbox import Sandbox
from sandbox.routes import ROUTES
from tests.contract.openapi import MISSING, load
from tests.sandbox.client import Client
from tests.sandbox.receiver import receiving

BASE = "/repos/octo-org/recipes"


def another_key() -> str:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()


async def test_every_route_is_an_operation_of_github() -> None:
    description = load()
    if description is None:
        pytest.skip(MISSING)
    named = {(route.method, route.path, route.operation) for route in ROUTES}
    assert named == {
        (item.method, item.path, item.id)
        for item in description.operations.values()
        if item.id in {route.operation for route in ROUTES}
    }


async def test_only_the_key_of_the_app_opens_it(sandbox: Sandbox, client: Client) -> None:
    app = sandbox.register_app()
    sandbox.install(app, "octo-org")
    assert (await client.signed(app).get("/app")).json()["slug"] == "recipediff"
    assert [item["app_id"] for item in (await client.signed(app).get("/app/installations")).json()] == [app.id]
    now = int(time.time())
    wrong = {
        "another key": client.signed(app, key=another_key()),
        "too long": client.signed(app, exp=now + 3600),
        "over": client.signed(app, exp=now - 10),
        "from the future": client.signed(app, iat=now + 300),
        "no token": client.by("nonsense"),
        "nobody": client,
    }
    assert {name: (await who.get("/app")).status_code for name, who in wrong.items()} == dict.fromkeys(wrong, 401)
    assert (await client.signed(app, iss="9").get("/app")).status_code == 404


async def test_a_token_reaches_what_it_was_asked_for_and_no_more(sandbox: Sandbox, client: Client) -> None:
    app = sandbox.register_app()
    sandbox.create_repo("octo-org/recipes", private=True)
    other = sandbox.create_repo("octo-org/other", private=True)
    sandbox.create_repo("octo-org/open")
    sandbox.create_repo("upstream/vllm")
    sandbox.create_repo("upstream/hidden", private=True)
    place = sandbox.install(app, "octo-org")
    bot = await client.installed(place, repositories=["recipes"], permissions={"contents": "read", "checks": "write"})
    reached = {
        name: (await bot.get(f"/repos/{name}/git/trees/main")).status_code
        for name in ("octo-org/recipes", "octo-org/other", "octo-org/open", "upstream/vllm", "upstream/hidden")
    }
    assert reached == {
        "octo-org/recipes": 200,
        "octo-org/other": 404,
        "octo-org/open": 200,
        "upstream/vllm": 200,
        "upstream/hidden": 404,
    }
    assert (await bot.post(f"{BASE}/git/blobs", {"content": "x"})).status_code == 403
    assert (await bot.get(f"{BASE}/pulls")).status_code == 403
    assert (
        await bot.post("/repos/upstream/vllm/git/refs", {"ref": "refs/heads/x", "sha": "0" * 40})
    ).status_code == 403
    found = (await bot.get("/installation/repositories")).json()
    assert ([item["name"] for item in found["repositories"]], found["repository_selection"]) == (
        ["recipes"],
        "selected",
    )
    signed, url = client.signed(app), f"/app/installations/{place.id}/access_tokens"
    assert (await signed.post(url, {"repositories": ["vllm"]})).status_code == 422
    assert (await signed.post(url, {"permissions": {"administration": "write"}})).status_code == 422
    assert (await signed.post("/app/installations/7/access_tokens", {})).status_code == 404
    assert (await signed.get(f"{BASE}/installation")).json()["id"] == place.id
    assert (await signed.get("/repos/upstream/vllm/installation")).status_code == 404
    place.repositories = {other.id}
    assert (await bot.get(f"{BASE}/git/trees/main")).status_code == 404
    assert (await client.get("/repos/upstream/vllm")).status_code == 200
    assert (await client.get(BASE)).status_code == 404


async def test_a_token_ends_after_an_hour(client: Client) -> None:
    hour = [datetime(2030, 1, 1, tzinfo=UTC)]
    sandbox = await Sandbox.start(clock=lambda: hour[0])
    app = sandbox.register_app()
    sandbox.create_repo("octo-org/recipes", private=True)
    token = sandbox.world.token(permissions={"contents": "read"}, installation=sandbox.install(app, "octo-org"))
    async with httpx.AsyncClient(base_url=sandbox.api_url, verify=False) as session:
        bot = Client(session).by(token.text)
        assert (await bot.get(BASE)).status_code == 200
        hour[0] += timedelta(minutes=61)
        assert (await bot.get(BASE)).status_code == 401
    await sandbox.stop()


async def test_a_failed_delivery_is_found_and_sent_again(sandbox: Sandbox, client: Client) -> None:
    async with receiving() as receiver:
        app = sandbox.register_app(receiver.url, "hush")
        repo = sandbox.create_repo("octo-org/recipes")
        sandbox.install(app, "octo-org")
        await sandbox.settled()
        receiver.status = 503
        sandbox.commit(repo, "main", {"a": "b"}, "Lost")
        await sandbox.settled()
        receiver.status = 202
        signed = client.signed(app)
        failed = (await signed.get("/app/hook/deliveries?status=failure&per_page=1")).json()
        assert (failed[0]["event"], failed[0]["status_code"], failed[0]["redelivery"]) == ("check_suite", 503, False)
        pages = [(await signed.get("/app/hook/deliveries?per_page=2"))]
        while "next" in pages[-1].links:
            pages.append(await signed.get(pages[-1].links["next"]["url"].removeprefix(sandbox.api_url)))
        assert [item["event"] for page in pages for item in page.json()] == ["check_suite", "push", "installation"]
        assert (await signed.post(f"/app/hook/deliveries/{failed[0]['id']}/attempts")).status_code == 202
        await sandbox.settled()
        newest = (await signed.get("/app/hook/deliveries")).json()[0]
        assert (newest["guid"], newest["redelivery"], newest["status"]) == (failed[0]["guid"], True, "OK")
        assert receiver.got[-1].raw == receiver.got[-2].raw
        whole = (await signed.get(f"/app/hook/deliveries/{newest['id']}")).json()
        assert (whole["request"]["payload"]["action"], whole["response"]["payload"]) == ("requested", "taken")
        assert (await signed.patch("/app/hook/config", {"url": "http://127.0.0.1:1/", "secret": "new"})).json()[
            "secret"
        ] == "********"
        sandbox.commit(repo, "main", {"a": "c"}, "Nobody there")
        await sandbox.settled()
        assert (await signed.get("/app/hook/deliveries?per_page=1")).json()[0]["status_code"] == 502


async def test_deliveries_wait_to_be_reordered_and_doubled(sandbox: Sandbox) -> None:
    async with receiving() as receiver:
        app = sandbox.register_app(receiver.url)
        repo = sandbox.create_repo("octo-org/recipes")
        sandbox.hooks.held = True
        sandbox.install(app, "octo-org")
        sandbox.commit(repo, "main", {"a": "b"}, "One")
        assert receiver.got == []
        for delivery in [*reversed(sandbox.hooks.waiting), sandbox.hooks.waiting[0]]:
            await sandbox.hooks.send(delivery)
        assert receiver.names == ["check_suite.requested", "push", "installation.created", "installation.created"]
        assert receiver.got[2].delivery == receiver.got[3].delivery


async def test_a_manifest_becomes_an_app_once(sandbox: Sandbox, client: Client) -> None:
    sandbox.add_manifest(
        "abc",
        {
            "name": "My bot",
            "hook_attributes": {"url": "http://127.0.0.1:1/hook"},
            "default_permissions": {"checks": "write"},
            "default_events": ["push"],
        },
        "octo-org",
    )
    made = await client.post("/app-manifests/abc/conversions")
    assert (made.status_code, made.json()["slug"], made.json()["permissions"]) == (201, "my-bot", {"checks": "write"})
    app = sandbox.world.apps[made.json()["id"]]
    assert (await client.signed(app, key=made.json()["pem"]).get("/app/hook/config")).json()[
        "url"
    ] == "http://127.0.0.1:1/hook"
    assert (await client.post("/app-manifests/abc/conversions")).status_code == 404


async def test_the_limit_counts_down_and_holds(sandbox: Sandbox, client: Client) -> None:
    sandbox.world.rate_limit = 3
    sandbox.create_repo("octo-org/recipes")
    bot = client.by(sandbox.user_token("octocat").text)
    assert [(await bot.get(BASE)).headers["X-RateLimit-Remaining"] for _ in range(3)] == ["2", "1", "0"]
    refused = await bot.get(BASE)
    assert (refused.status_code, refused.headers["X-RateLimit-Remaining"]) == (403, "0")
    assert "rate limit exceeded" in refused.json()["message"]
    assert (await bot.get("/rate_limit")).json()["rate"]["remaining"] == 0


async def test_people_and_their_roles(sandbox: Sandbox, client: Client) -> None:
    repo = sandbox.create_repo("octo-org/recipes")
    bot = await client.installed(sandbox.install(sandbox.register_app(), "octo-org"))
    for login, role in (("ann", "admin"), ("may", "maintain"), ("tri", "triage")):
        sandbox.permit(repo, login, role)
    sandbox.world.account("stranger")
    found = {
        login: (await bot.get(f"{BASE}/collaborators/{login}/permission")).json()
        for login in ("ann", "may", "tri", "stranger")
    }
    assert {login: (item["permission"], item["role_name"]) for login, item in found.items()} == {
        "ann": ("admin", "admin"), "may": ("write", "maintain"), "tri": ("read", "triage"), "stranger": ("read", "read"),
    }  # fmt: skip
    assert (await bot.get(f"{BASE}/collaborators/nobody/permission")).status_code == 404
    assert (await client.by(sandbox.user_token("ann").text).get("/user")).json()["login"] == "ann"
    assert (await bot.get("/user")).status_code == 403
    workflow = client.by(sandbox.workflow_token(repo, {"contents": "read", "checks": "write"}).text)
    made = await workflow.post(
        f"{BASE}/check-runs", {"name": "recipediff", "head_sha": repo.git.ref("refs/heads/main")}
    )
    assert made.json()["app"]["slug"] == "github-actions"
    assert (await workflow.post(f"{BASE}/issues", {"title": "x"})).status_code == 403


async def test_a_renamed_repository_says_where_it_went(sandbox: Sandbox, client: Client) -> None:
    repo = sandbox.create_repo("octo-org/recipes")
    sandbox.rename_repo(repo, "cookbook")
    moved = await client.get(f"{BASE}/git/trees/main")
    assert (moved.status_code, moved.headers["Location"]) == (
        301,
        f"{sandbox.api_url}/repos/octo-org/cookbook/git/trees/main",
    )
    assert (await client.get("/repos/octo-org/cookbook/git/trees/main")).status_code == 200
    sandbox.delete_repo(repo)
    assert (await client.get(BASE)).status_code == 404


async def test_a_removed_or_suspended_app_can_do_nothing(sandbox: Sandbox, client: Client) -> None:
    sandbox.create_repo("octo-org/recipes")
    app = sandbox.register_app()
    place = sandbox.install(app, "octo-org")
    bot = await client.installed(place)
    sandbox.suspend(place)
    assert (await bot.get(BASE)).status_code == 403
    assert (await client.signed(app).post(f"/app/installations/{place.id}/access_tokens", {})).status_code == 403
    sandbox.suspend(place, suspended=False)
    assert (await bot.get(BASE)).status_code == 200
    sandbox.uninstall(place)
    assert (await bot.get(BASE)).status_code == 401
    assert (await client.signed(app).get(f"{BASE}/installation")).status_code == 404


async def test_something_may_happen_while_a_request_is_on_its_way(sandbox: Sandbox, client: Client) -> None:
    repo = sandbox.create_repo("octo-org/recipes")
    bot = await client.installed(sandbox.install(sandbox.register_app(), "octo-org"))
    tip = repo.git.ref("refs/heads/main") or ""
    mine = (
        await bot.post(f"{BASE}/git/commits", {"message": "Mine", "tree": repo.git.commit(tip).tree, "parents": [tip]})
    ).json()["sha"]
    sandbox.before.append(
        lambda seen: (
            None
            if seen.operation != "git/update-ref"
            else sandbox.push(repo, "main", sandbox.commit(repo, "side", {"x": "y"}, "Theirs", parent=tip))
        )
    )
    assert (await bot.patch(f"{BASE}/git/refs/heads/main", {"sha": mine})).json()[
        "message"
    ] == "Update is not a fast forward"


async def test_nobody_in_particular_has_sixty_requests(sandbox: Sandbox, client: Client) -> None:
    sandbox.create_repo("octo-org/recipes")
    sandbox.world.anonymous_limit = 2
    assert [(await client.get(BASE)).status_code for _ in range(3)] == [200, 200, 403]
    assert (await client.get("/rate_limit")).json()["rate"]["limit"] == 2

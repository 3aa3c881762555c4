from __future__ import annotations

from typing import Any

import httpx
import pytest
import respx

from recipediff.adapters.github.app import GitHubApp, convert_manifest, repositories
from recipediff.adapters.github.http.client import GitHubClient
from recipediff.adapters.github.http.record import Exchange
from recipediff.adapters.github.rules import RequiredCheck, branch_rules
from recipediff.ports.errors import Missing, Unavailable
from tests.adapters.github.conftest import API

BRANCH = "/repos/org/repo/branches/main"
RULES = "/repos/org/repo/rules/branches/main"


def delivery(number: int, at: str, status: int = 200) -> dict[str, Any]:
    return {
        "id": number, "guid": f"g{number}", "delivered_at": at, "redelivery": False, "duration": 0.1, "status": "x",
        "status_code": status, "event": "pull_request", "action": None, "installation_id": 42, "repository_id": 1,
    }  # fmt: skip


async def test_the_app_knows_itself(client: GitHubClient, github: respx.MockRouter) -> None:
    facts = {
        "id": 1, "slug": "recipediff", "name": "recipediff", "permissions": {"checks": "write"}, "events": ["push"],
        "installations_count": 2, "html_url": "https://github.com/apps/recipediff",
    }  # fmt: skip
    github.get("/app").respond(200, json=facts)
    github.get("/app/hook/config").respond(
        200, json={"url": "https://bot.example/hook", "content_type": "json", "insecure_ssl": "0", "secret": "********"}
    )
    app = GitHubApp(client)
    assert (await app.facts()).permissions == {"checks": "write"}
    hook = await app.hook()
    assert (hook.url, hook.signed, hook.insecure_ssl) == ("https://bot.example/hook", True, False)
    github.get("/app/hook/config").respond(200, json={"insecure_ssl": 1})
    hook = await app.hook()
    assert (hook.url, hook.signed, hook.insecure_ssl) == ("", False, True)


async def test_failed_deliveries_are_found_back_to_a_time(client: GitHubClient, github: respx.MockRouter) -> None:
    link = {"link": f'<{API}/app/hook/deliveries?per_page=100&cursor=v1_1>; rel="next"'}
    pages = [
        httpx.Response(
            200, json=[delivery(9, "2026-01-03T00:00:00Z"), delivery(8, "2026-01-02T12:00:00Z", 502)], headers=link
        ),
        httpx.Response(
            200, json=[delivery(7, "2026-01-02T00:00:00.123Z", 0), delivery(6, "2026-01-01T00:00:00Z")], headers=link
        ),
    ]
    listing = github.get("/app/hook/deliveries").mock(side_effect=pages)
    found = [one async for one in GitHubApp(client).deliveries(since=1767309000.0)]
    assert [(one.id, one.failed, one.installation, one.action) for one in found] == [
        (9, False, 42, ""),
        (8, True, 42, ""),
        (7, True, 42, ""),
    ]
    assert listing.call_count == 2


async def test_redelivery_is_asked_for(client: GitHubClient, github: respx.MockRouter) -> None:
    again = github.post("/app/hook/deliveries/7/attempts").respond(202, json={})
    assert await GitHubApp(client).redeliver(7) is True
    assert again.calls.last.request.content == b""
    again.respond(422, json={"message": "too old"})
    assert await GitHubApp(client).redeliver(7) is False
    again.respond(502)
    with pytest.raises(Unavailable):
        await GitHubApp(client).redeliver(7)


async def test_installations_and_their_repositories(client: GitHubClient, github: respx.MockRouter) -> None:
    one = {
        "id": 42,
        "account": {"login": "org"},
        "permissions": {"checks": "write"},
        "events": ["push"],
        "suspended_at": None,
    }
    github.get("/app/installations").respond(
        200, json=[one, {**one, "id": 43, "account": None, "suspended_at": "2026"}]
    )
    found = await GitHubApp(client).installations()
    assert [(each.id, each.account, each.suspended) for each in found] == [(42, "org", False), (43, "", True)]
    github.get("/repos/org/repo/installation").respond(200, json=one)
    assert (await GitHubApp(client).installation_of("org/repo")).id == 42
    github.get("/repos/org/other/installation").respond(404, json={"message": "Not Found"})
    with pytest.raises(Missing):
        await GitHubApp(client).installation_of("org/other")
    listed = [{"full_name": "org/repo", "archived": False}, {"full_name": "org/old", "archived": True}]
    github.get("/installation/repositories").respond(200, json={"total_count": 2, "repositories": listed})
    assert await repositories(client) == ["org/repo"]


async def test_a_new_app_shows_its_secrets_nowhere(
    client: GitHubClient, github: respx.MockRouter, exchanges: list[Exchange]
) -> None:
    secrets = {"client_secret": "cs-1234", "webhook_secret": "ws-1234", "pem": "pem-1234"}
    made = {"id": 1, "slug": "recipediff", "html_url": "https://github.com/apps/recipediff", "client_id": "Iv1"}
    github.post("/app-manifests/code-1234/conversions").respond(201, json={**made, **secrets})
    app = await convert_manifest(client, "code-1234")
    assert (app.private_key, app.webhook_secret) == ("pem-1234", "ws-1234")
    assert "1234" not in repr(app)
    assert "1234" not in repr(exchanges) + exchanges[0].target + exchanges[0].answer.decode()
    github.post("/app-manifests/spent/conversions").respond(404, json={"message": "Not Found"})
    with pytest.raises(Missing):
        await convert_manifest(client, "spent")
    for code in ("..", ""):
        with pytest.raises(Missing, match="cannot be a code"):
            await convert_manifest(client, code)


async def test_required_checks_come_from_protection_and_rulesets(
    client: GitHubClient, github: respx.MockRouter
) -> None:
    checks: dict[str, Any] = {"enforcement_level": "non_admins", "contexts": ["recipediff", "ci"]}
    checks["checks"] = [{"context": "recipediff", "app_id": 1}, {"context": "ci", "app_id": None}]
    github.get(BRANCH).respond(200, json={"protected": True, "protection": {"required_status_checks": checks}})
    parameters = {"required_status_checks": [{"context": "Recipediff", "integration_id": -1}]}
    rules = [
        {"type": "required_status_checks", "parameters": parameters},
        {"type": "merge_queue"},
        {"type": "deletion"},
    ]
    github.get(RULES).respond(200, json=rules)
    found = await branch_rules(client, "org/repo", "main")
    assert found.required == (
        RequiredCheck("recipediff", 1, "branch protection"),
        RequiredCheck("ci", None, "branch protection"),
        RequiredCheck("Recipediff", None, "ruleset"),
    )
    assert (found.merge_queue, found.protected) == (True, True)


@pytest.mark.parametrize(
    "checks", [None, {}, {"enforcement_level": "off", "contexts": ["x"], "checks": [{"context": "x"}]}]
)
async def test_a_branch_without_rules(client: GitHubClient, github: respx.MockRouter, checks: Any) -> None:
    protection = {} if checks is None else {"protection": {"required_status_checks": checks}}
    github.get(BRANCH).respond(200, json={"protected": False, **protection})
    github.get(RULES).respond(200, json=[])
    found = await branch_rules(client, "org/repo", "main")
    assert (found.required, found.merge_queue, found.protected) == ((), False, False)


async def test_a_server_without_rulesets_says_that_the_queue_is_not_known(
    client: GitHubClient, github: respx.MockRouter
) -> None:
    contexts = {"required_status_checks": {"enforcement_level": "everyone", "contexts": ["ci"]}}
    github.get(BRANCH).respond(200, json={"protected": True, "protection": contexts})
    github.get(RULES).respond(404, json={"message": "Not Found"})
    found = await branch_rules(client, "org/repo", "main")
    assert found.required == (RequiredCheck("ci", None, "branch protection"),)
    assert found.merge_queue is None
    github.get(RULES).respond(502)
    with pytest.raises(Unavailable):
        await branch_rules(client, "org/repo", "main")

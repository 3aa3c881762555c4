"""The App itself: its data, webhook settings and deliveries, its installations, and making one from a manifest."""

from __future__ import annotations

from datetime import timedelta

from sandbox.apps import register
from sandbox.model import App, DeliveryRecord, JsonObject
from sandbox.routing import Answer, Call, ErrorAnswer, not_found
from sandbox.shapes.base import app, full_account, installation, repo_json, when


async def get_app(call: Call) -> Answer:
    body = app(call.world, call.signed_by)
    return Answer(
        200,
        body | {"installations_count": sum(item.app is call.signed_by for item in call.world.installations.values())},
    )


def _config(item: App) -> JsonObject:
    return {
        "content_type": item.content_type,
        "insecure_ssl": item.insecure_ssl,
        "secret": "********" if item.secret else "",
        "url": item.webhook_url,
    }


async def get_hook_config(call: Call) -> Answer:
    return Answer(200, _config(call.signed_by))


async def update_hook_config(call: Call) -> Answer:
    item = call.signed_by
    item.webhook_url = call.body.get("url", item.webhook_url)
    item.secret = call.body.get("secret", item.secret)
    item.content_type = call.body.get("content_type", item.content_type)
    item.insecure_ssl = str(call.body.get("insecure_ssl", item.insecure_ssl))
    return Answer(200, _config(item))


def _delivery(item: DeliveryRecord) -> JsonObject:
    return {
        "id": item.id,
        "guid": item.guid,
        "delivered_at": when(item.at),
        "redelivery": item.redelivery,
        "duration": item.duration,
        "status": item.status,
        "status_code": item.status_code,
        "event": item.event,
        "action": item.action,
        "installation_id": item.installation,
        "repository_id": item.repository,
        "throttled_at": None,
    }


def _mine(call: Call) -> list[DeliveryRecord]:
    """This App's deliveries, newest first."""
    return sorted((item for item in call.world.hooks.log if item.app is call.signed_by), key=lambda item: -item.id)


async def list_deliveries(call: Call) -> Answer:
    found, wanted = _mine(call), call.query.get("status")
    if wanted:
        found = [item for item in found if (200 <= item.status_code < 400) == (wanted == "success")]
    cursor = call.query.get("cursor", "")
    if cursor:
        if not cursor.removeprefix("v1_").isdigit():
            raise ErrorAnswer(400, "Invalid cursor")
        found = [item for item in found if item.id <= int(cursor.removeprefix("v1_"))]
    size = min(max(int(call.query.get("per_page", "30")), 1), 100)
    rest = found[size:]
    headers = {"Link": f'<{call.address(cursor=f"v1_{rest[0].id}")}>; rel="next"'} if rest else {}
    return Answer(200, [_delivery(item) for item in found[:size]], headers)


def _one(call: Call) -> DeliveryRecord:
    number = call.number("delivery_id")
    found = next((item for item in _mine(call) if item.id == number), None)
    if found is None:
        raise not_found()
    return found


async def get_delivery(call: Call) -> Answer:
    item = _one(call)
    sent = {"request": {"headers": item.request_headers, "payload": item.payload}}
    return Answer(
        200,
        _delivery(item)
        | {"url": item.app.webhook_url}
        | sent
        | {"response": {"headers": item.response_headers, "payload": item.response_body}},
    )


async def redeliver(call: Call) -> Answer:
    call.world.hooks.redeliver(_one(call))
    return Answer(202, {})


async def list_installations(call: Call) -> Answer:
    return call.page(
        [item for item in call.world.installations.values() if item.app is call.signed_by],
        lambda item: installation(call.world, item),
    )


async def get_installation(call: Call) -> Answer:
    found = call.world.installations.get(call.number("installation_id"))
    if found is None or found.app is not call.signed_by:
        raise not_found()
    return Answer(200, installation(call.world, found))


async def get_repo_installation(call: Call) -> Answer:
    found = call.world.installation_for(call.repo, call.signed_by)
    if not found:
        raise not_found()
    return Answer(200, installation(call.world, found[0]))


async def list_installation_repos(call: Call) -> Answer:
    token = call.token
    if token is None or token.installation is None:
        raise ErrorAnswer(
            403,
            "You must authenticate with an installation access token in order to list repositories for an installation.",
        )
    place, world = token.installation, call.world
    found = [repo for repo in world.repos.values() if not repo.deleted and place in world.installation_for(repo)]
    found = [repo for repo in found if token.repositories is None or repo.id in token.repositories]
    rights = {"admin": False, "maintain": False, "push": False, "triage": False, "pull": False}
    chosen = token.repositories is not None or place.repositories is not None
    return call.page(
        found,
        lambda repo: repo_json(call.world, repo) | {"permissions": rights},
        "repositories",
        repository_selection="selected" if chosen else "all",
    )


async def convert_manifest(call: Call) -> Answer:
    """POST /app-manifests/{code}/conversions: the App that a manifest describes, once, with its key and secrets."""
    manifest = call.world.manifests.pop(call.params["code"], None)
    if manifest is None:
        raise not_found()
    hook = manifest.get("hook_attributes", {})
    made = register(
        call.world, manifest["name"], manifest["owner"], hook.get("url", ""), "sandbox-webhook-secret",
        manifest.get("default_permissions", {}), manifest.get("default_events", []),
    )  # fmt: skip
    made.setup_url = manifest.get("setup_url", "")
    secrets = {"client_secret": made.client_secret, "webhook_secret": made.secret, "pem": made.private_key}
    return Answer(201, app(call.world, made) | secrets)


async def get_user(call: Call) -> Answer:
    if call.by_app:
        raise ErrorAnswer(403, "Resource not accessible by integration")
    return Answer(200, full_account(call.world, call.actor))


async def get_user_by_name(call: Call) -> Answer:
    found = call.world.accounts.get(call.params["username"].casefold())
    if found is None:
        raise not_found()
    return Answer(200, full_account(call.world, found))


async def get_rate_limit(call: Call) -> Answer:
    world = call.world
    token, limit = (call.token, world.rate_limit) if call.token else (world.anonymous, world.anonymous_limit)
    over = token.window <= world.clock()
    reset = int((world.clock() + timedelta(hours=1) if over else token.window).timestamp())
    used = 0 if over else token.used
    core = {"limit": limit, "used": used, "remaining": max(limit - used, 0), "reset": reset}
    return Answer(
        200,
        {
            "resources": {"core": core, "search": {"limit": 30, "used": 0, "remaining": 30, "reset": reset}},
            "rate": core,
        },
    )

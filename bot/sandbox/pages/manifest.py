"""Making an App from a manifest and installing it, in the browser, as a person does it at GitHub."""

from __future__ import annotations

import json
import re
from urllib.parse import urlencode

from aiohttp import web

from sandbox import apps
from sandbox.model import App, JsonObject
from sandbox.pages.html import Html, page, tag
from sandbox.world import World

NEEDS = {
    "check_run": "checks", "check_suite": "checks", "issue_comment": "issues", "issues": "issues", "merge_group": "merge_queues",
    "pull_request": "pull_requests", "push": "contents", "installation_target": "metadata",
}  # fmt: skip
"""The permission without which GitHub does not offer an event."""
LONGEST_NAME = 34


def faults_of(manifest: JsonObject) -> list[str]:
    """What GitHub would refuse in a manifest, in words."""
    found = []
    if not 0 < len(str(manifest.get("name", ""))) <= LONGEST_NAME:
        found.append(f"name must have 1 to {LONGEST_NAME} characters")
    if not re.match(r"https?://", str(manifest.get("url", ""))):
        found.append("url must be the address of the App's home page")
    if not re.match(r"https?://", str(manifest.get("redirect_url", ""))):
        found.append("redirect_url must be an address")
    permissions = manifest.get("default_permissions", {})
    found += [
        f"permission {name}: {level} is no level"
        for name, level in permissions.items()
        if level not in ("read", "write", "admin")
    ]
    for event in manifest.get("default_events", []):
        if event not in NEEDS:
            found.append(f"Default events unsupported: {event}")
        elif NEEDS[event] not in permissions and not (event == "issue_comment" and "pull_requests" in permissions):
            found.append(f"Default events are not supported by permissions: {event} needs {NEEDS[event]}")
    return found


class ManifestPages:
    """The forms of one world."""

    def __init__(self, world: World) -> None:
        self._world = world

    def add_to(self, app: web.Application) -> None:
        app.router.add_post("/settings/apps/new", self.offer)
        app.router.add_post("/organizations/{owner}/settings/apps/new", self.offer)
        app.router.add_post("/settings/apps/manifest", self.create)
        app.router.add_get("/apps/{slug}/installations/new", self.choose)
        app.router.add_post("/apps/{slug}/installations/new", self.install)

    async def offer(self, request: web.Request) -> web.StreamResponse:
        """What the App would be; one button makes it."""
        form = await request.post()
        try:
            manifest = json.loads(str(form.get("manifest", "")))
            wrong = faults_of(manifest)
        except (ValueError, AttributeError):
            manifest, wrong = {}, ["the manifest is not a JSON object"]
        if wrong:
            return _page(
                "Invalid GitHub App configuration", tag("ul", *(tag("li", item) for item in wrong)), status=422
            )
        hidden = {
            "manifest": json.dumps(manifest),
            "state": request.query.get("state", ""),
            "owner": request.match_info.get("owner", "octocat"),
        }
        rights = [
            tag("li", f"{name.replace('_', ' ')}: {level}")
            for name, level in manifest.get("default_permissions", {}).items()
        ]
        form_part = _form("/settings/apps/manifest", hidden, f"Create {manifest['name']}")
        return _page(f"Create the App {manifest['name']}", tag("p", "It asks for:"), tag("ul", *rights), form_part)

    async def create(self, request: web.Request) -> web.StreamResponse:
        """Keep the manifest under a code, and go back to who sent it."""
        form = await request.post()
        manifest = json.loads(str(form["manifest"]))
        code = f"sandbox{self._world.new_id('manifest')}"
        self._world.manifests[code] = manifest | {"owner": str(form["owner"])}
        query = urlencode({"code": code} | ({"state": str(form["state"])} if form["state"] else {}))
        address = manifest["redirect_url"]
        raise web.HTTPFound(f"{address}{'&' if '?' in address else '?'}{query}")

    def _app(self, request: web.Request) -> App:
        found = next((item for item in self._world.apps.values() if item.slug == request.match_info["slug"]), None)
        if found is None:
            raise web.HTTPNotFound
        return found

    async def choose(self, request: web.Request) -> web.StreamResponse:
        """One button for every account that owns repositories."""
        app = self._app(request)
        owners = dict.fromkeys(repo.owner.login for repo in self._world.repos.values() if not repo.deleted)
        forms = [_form(request.path, {"owner": owner}, f"Install on {owner}") for owner in owners]
        return _page(f"Install {app.name}", *forms)

    async def install(self, request: web.Request) -> web.StreamResponse:
        app, owner = self._app(request), str((await request.post())["owner"])
        made = apps.install(self._world, app, owner)
        if app.setup_url:
            raise web.HTTPFound(f"{app.setup_url}?{urlencode({'installation_id': made.id, 'setup_action': 'install'})}")
        return _page(f"{app.name} is installed on {owner}")


def _form(action: str, hidden: dict[str, str], button: str) -> Html:
    fields = (tag("input", type="hidden", name=name, value=value) for name, value in hidden.items())
    return tag("form", *fields, tag("button", button, class_="button", type="submit"), method="post", action=action)


def _page(title: str, *body: Html, status: int = 200) -> web.Response:
    return page(title, tag("main", tag("h1", title), *body, id="content"), status=status)

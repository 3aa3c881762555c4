"""The first run: the App is made from the manifest, by whoever has the token, once; the credentials are kept private."""

from __future__ import annotations

import html
import json
import re
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from recipediff.adapters.github.app import NewApp, convert_manifest
from recipediff.adapters.github.http.client import GitHubClient
from recipediff.adapters.local.credentials import NAME, AppCredentials, Unusable, load, store
from recipediff.ports.errors import Misconfigured
from recipediff.server.serve import Listening, listening
from recipediff.server.setup.flow import Setup
from recipediff.server.setup.manifest import EVENTS, PERMISSIONS, manifest
from recipediff.wiring.settings import hosting
from sandbox import Sandbox
from sandbox.apps import key_pair
from tests.contract.contract import Contract
from tests.shared import ROOT

FORM = {"url": "https://bot.example.org", "name": "my-recipediff", "org": ""}


@dataclass
class First:
    """A first run under way."""

    sandbox: Sandbox
    client: httpx.AsyncClient
    page: Setup
    kept: list[AppCredentials] = field(default_factory=list)

    async def asked(self, **form: str) -> httpx.Response:
        return await self.client.post("/setup", data={"token": self.page.token, **FORM, **form})

    def made_at_github(self, answer: httpx.Response, code: str = "code-1") -> str:
        """What the person's browser does next; the state that GitHub sends back."""
        text = html.unescape(answer.text)
        found = re.search(r'name="manifest" value="(\{.*?\})">', text)
        state = re.search(r"state=([\w-]+)", text)
        assert found is not None
        assert state is not None
        self.sandbox.add_manifest(code, json.loads(found[1]), "octo-org")
        return state[1]


@asynccontextmanager
async def first_run() -> AsyncIterator[First]:
    sandbox, contract = await Sandbox.start(), Contract(strict=False)
    sandbox.observers.append(contract)
    async with httpx.AsyncClient(verify=False) as github:

        async def convert(code: str) -> NewApp:
            return await convert_manifest(GitHubClient(github, base_url=sandbox.api_url), code)

        kept: list[AppCredentials] = []
        page = Setup(convert, kept.append)
        async with (
            listening(page.application(), Listening(port=0)) as port,
            httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", verify=False) as client,
        ):
            yield First(sandbox, client, page, kept)
    await sandbox.stop()
    contract.check()


async def test_a_person_with_the_token_makes_the_app() -> None:
    async with first_run() as run:
        page = await run.client.get("/setup", params={"token": run.page.token})
        assert (page.status_code, "Set recipediff up" in page.text) == (200, True)
        answer = await run.asked(org="octo-org")
        assert "https://github.com/organizations/octo-org/settings/apps/new?state=" in answer.text
        state = run.made_at_github(answer)
        done = await run.client.get("/setup/done", params={"code": "code-1", "state": state})
        assert (done.status_code, "/installations/new" in done.text) == (200, True)
        (made,) = run.kept
        assert made.private_key.startswith("-----BEGIN")
        assert made.webhook_secrets[0]
        assert run.page.finished.is_set()
        for secret in (made.private_key.splitlines()[2], made.webhook_secrets[0]):
            assert secret not in done.text
        app = next(each for each in run.sandbox.world.apps.values() if each.id == made.app_id)
        assert (app.slug, app.permissions, tuple(app.events)) == ("my-recipediff", PERMISSIONS, EVENTS)
        assert app.webhook_url == "https://bot.example.org/webhook"


async def test_nobody_else_gets_anywhere() -> None:
    async with first_run() as run:
        for token in ("", "wrong", run.page.token[:-1], run.page.token + "x", "\u00e9"):
            assert (await run.client.get("/setup", params={"token": token})).status_code == 403
            assert (await run.asked(token=token)).status_code == 403
        unasked = await run.client.get("/setup/done", params={"code": "code-1", "state": ""})
        assert unasked.status_code == 403
        run.made_at_github(await run.asked())
        for state in ("", "wrong", run.page.token):
            answer = await run.client.get("/setup/done", params={"code": "code-1", "state": state})
            assert answer.status_code == 403
        assert run.kept == []


async def test_it_is_good_for_one_app() -> None:
    async with first_run() as run:
        state = run.made_at_github(await run.asked())
        assert (await run.client.get("/setup/done", params={"code": "code-1", "state": state})).status_code == 200
        assert (await run.client.get("/setup/done", params={"code": "code-1", "state": state})).status_code == 409
        assert (await run.client.get("/setup", params={"token": run.page.token})).status_code == 403
        assert len(run.kept) == 1


async def test_a_code_that_github_does_not_know_can_be_tried_again() -> None:
    async with first_run() as run:
        state = run.made_at_github(await run.asked())
        answer = await run.client.get("/setup/done", params={"code": "code-2", "state": state})
        assert (answer.status_code, run.kept) == (502, [])
        assert (await run.client.get("/setup/done", params={"code": "../x", "state": state})).status_code == 400
        assert (await run.client.get("/setup/done", params={"code": "code-1", "state": state})).status_code == 200


@pytest.mark.parametrize(
    ("form", "problem"),
    [
        ({"url": "bot.example.org"}, "address"),
        ({"url": "javascript:alert(1)"}, "address"),
        ({"url": "https://bot.example.org?x=1"}, "address"),
        ({"url": "https://[bad"}, "address"),
        ({"name": "<b>"}, "name"),
        ({"org": "a/b"}, "organization"),
    ],
)
async def test_what_is_typed_wrong_is_said_and_escaped(form: dict[str, str], problem: str) -> None:
    async with first_run() as run:
        answer = await run.asked(**form)
        assert answer.status_code == 400
        assert problem in answer.text
        assert "<b>" not in answer.text


async def test_the_pages_load_nothing_and_tell_no_address_on() -> None:
    async with first_run() as run:
        for answer in (await run.client.get("/setup", params={"token": run.page.token}), await run.asked()):
            assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
            assert answer.headers["Referrer-Policy"] == "no-referrer"
            assert "<script" not in answer.text
        hostile = await run.client.get(
            "/setup", params={"token": run.page.token}, headers={"X-Forwarded-Host": '"><script>alert(1)</script>'}
        )
        assert "<script" not in hostile.text


async def test_until_then_deliveries_are_put_off() -> None:
    async with first_run() as run:
        assert (await run.client.post("/webhook", content=b"{}")).status_code == 503
        assert (await run.client.get("/readyz")).status_code == 503
        assert (await run.client.get("/healthz")).status_code == 200


def test_the_credentials_are_their_owners_alone(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    path = store(folder, AppCredentials(5, "recipediff", key_pair()[0], ("secret",)))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [each.name for each in folder.iterdir()] == [NAME]
    assert load(folder) == AppCredentials(5, "recipediff", key_pair()[0], ("secret",))
    assert "secret" not in repr(load(folder))
    assert "PRIVATE" not in repr(load(folder))
    path.chmod(0o644)
    with pytest.raises(Unusable, match="chmod 600"):
        load(folder)
    path.chmod(0o600)
    path.write_text("{}")
    with pytest.raises(Unusable, match="damaged"):
        load(folder)
    path.unlink()
    assert load(folder) is None


def test_app_yml_says_what_the_server_asks_for() -> None:
    from ruamel.yaml import YAML

    written = YAML(typ="safe").load((ROOT / "app.yml").read_text("utf-8"))
    asked = manifest("https://recipediff.example.org")
    assert {key: written[key] for key in asked if key not in ("hook_attributes", "url")} == {
        key: value for key, value in asked.items() if key not in ("hook_attributes", "url")
    }
    assert written["hook_attributes"]["url"].endswith("/webhook")


def test_no_permission_is_more_than_reviews_and_bumps_need() -> None:
    from recipediff.adapters.github.connect import BUMP

    assert {key: value for key, value in PERMISSIONS.items() if key != "merge_queues"} == BUMP


GOOD = {"RECIPEDIFF_APP_ID": "5", "RECIPEDIFF_PRIVATE_KEY": key_pair()[0], "RECIPEDIFF_WEBHOOK_SECRET": "one"}


def test_settings_come_from_names(tmp_path: Path) -> None:
    (tmp_path / "key.pem").write_text(key_pair()[0])
    environ = {
        "RECIPEDIFF_APP_ID": "5",
        "RECIPEDIFF_PRIVATE_KEY_FILE": str(tmp_path / "key.pem"),
        "RECIPEDIFF_WEBHOOK_SECRET": "one",
        "RECIPEDIFF_WEBHOOK_SECRETS": "two, three one",
        "RECIPEDIFF_DATA": str(tmp_path),
        "PORT": "0",
        "GITHUB_API_URL": "https://ghe.example.org/api/v3/",
    }
    found = hosting(environ)
    assert (found.private_key, found.secrets) == (key_pair()[0].strip(), ("one", "two", "three"))
    assert (found.port, found.api_url, found.web_url) == (
        0,
        "https://ghe.example.org/api/v3",
        "https://ghe.example.org",
    )
    assert hosting(environ, port=81, host="0.0.0.0").port == 81
    assert hosting({}).web_url == "https://github.com"
    assert "one" not in repr(found)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"RECIPEDIFF_PRIVATE_KEY": ""}, "RECIPEDIFF_PRIVATE_KEY_FILE"),
        ({"RECIPEDIFF_WEBHOOK_SECRET": " "}, "RECIPEDIFF_WEBHOOK_SECRET"),
        ({"RECIPEDIFF_APP_ID": ""}, "RECIPEDIFF_APP_ID"),
        ({"RECIPEDIFF_APP_ID": "five"}, "RECIPEDIFF_APP_ID"),
        ({"PORT": "70000"}, "PORT"),
        ({"PORT": "\u0665"}, "PORT"),
        ({"DATABASE_URL": "mysql://x"}, "DATABASE_URL"),
        ({"GITHUB_API_URL": "ghe"}, "GITHUB_API_URL"),
        ({"RECIPEDIFF_LOG_LEVEL": "loud"}, "RECIPEDIFF_LOG_LEVEL"),
        ({"RECIPEDIFF_PRIVATE_KEY": "", "RECIPEDIFF_PRIVATE_KEY_FILE": "/nowhere/key"}, "/nowhere/key"),
    ],
)
def test_a_wrong_setting_is_named(change: dict[str, str], named: str) -> None:
    with pytest.raises(Misconfigured, match=named):
        hosting({**GOOD, **change})

"""A whole session of the served command, looked through for every secret that it knew or was given."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from recipediff.inbox.sqlite.engine import SqliteInbox
from sandbox import FaultKind
from tests.server.stage import Stage, stage

FAULTS = ("git/get-tree", "git/get-blob", "checks/create", "checks/update", "issues/create-comment", "pulls/get")
OTHER = "another-secret-of-the-test"


def environment(here: Stage) -> dict[str, str]:
    return os.environ | {
        "RECIPEDIFF_APP_ID": str(here.installation.app.id),
        "RECIPEDIFF_PRIVATE_KEY": here.installation.app.private_key,
        "RECIPEDIFF_WEBHOOK_SECRETS": f"{here.credentials.webhook_secrets[0]} {OTHER}",
        "RECIPEDIFF_UPSTREAM_TOKEN": "ghp_aTokenForTheUpstreamsOnly0123456789",
        "RECIPEDIFF_DATA": str(here.config.data),
        "RECIPEDIFF_LOG_LEVEL": "DEBUG",
        "GITHUB_API_URL": here.sandbox.api_url,
        "PORT": "0",
    }


@asynccontextmanager
async def served(here: Stage, said: list[str]) -> AsyncIterator[None]:
    """`recipediff serve`; what it writes goes to `said`."""
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "recipediff", "serve", env=environment(here), limit=2**24,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    output = server.stdout
    assert output is not None
    async for line in output:
        said.append(line.decode())
        found = json.loads(line) if line.startswith(b"{") else {}
        if found.get("event") == "listening":
            here.port = found["port"]
            break
    here.installation.app.webhook_url = f"{here.url}/webhook"

    async def read() -> None:
        async for line in output:
            said.append(line.decode())

    reading = asyncio.create_task(read())
    try:
        yield
    finally:
        server.terminate()
        await server.wait()
        await reading


async def command(here: Stage, *words: str) -> str:
    """What one of the commands prints."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "recipediff", *words, env=environment(here),
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    out, _ = await process.communicate()
    return out.decode()


async def session(here: Stage, said: list[str]) -> list[str]:
    """Good work, every kind of trouble, strangers at the door; the texts that anybody could read."""
    texts: list[str] = []
    async with served(here, said), httpx.AsyncClient(base_url=here.url, verify=False) as stranger:
        await here.concluded(here.open(here.bad()))
        for operation in FAULTS:
            here.sandbox.faults.add(FaultKind.SERVER_ERROR, operation)
            here.sandbox.faults.add(FaultKind.TRUNCATED, "apps/create-installation-access-token")
            here.sandbox.world.tokens.clear()
            here.open(here.bad() + f"# {operation}\n", operation.replace("/", "-"))
        await here.sandbox.settled()
        taken = next(each for each in here.sandbox.hooks.log if each.event == "pull_request")
        for change in ({"X-Hub-Signature-256": "sha256=" + "0" * 64}, {"X-GitHub-Delivery": "other"}, {}):
            headers = {**taken.request_headers, **change}
            texts.append((await stranger.post("/webhook", json=taken.payload, headers=headers)).text)
            texts.append((await stranger.post("/webhook", content=b"{", headers=headers)).text)
        await asyncio.sleep(3)
        texts += [(await stranger.get(path)).text for path in ("/", "/healthz", "/readyz", "/metrics")]
    texts += [each.response_body or "" for each in here.sandbox.hooks.log]
    for words in (("inbox",), ("inbox", "list"), ("doctor", here.repo.full_name), ("serve", "--port", "x")):
        texts.append(await command(here, *words))
    return texts


def written(here: Stage) -> list[str]:
    """What stands at GitHub by the bot's hand."""
    runs = [f"{r.title} {r.summary} {r.text} {r.annotations}" for r in here.sandbox.check_runs(here.repo)]
    comments = [each.body or "" for each in here.repo.comments.values()]
    return [*runs, *comments]


async def stored(here: Stage) -> list[str]:
    """Every file of the data folder as it is, and what the inbox unpacks from it."""
    box = SqliteInbox(here.config.data / "inbox.db")
    await box.open()
    rows = [repr(each) for each in await box.entries()]
    rows += [f"{each!r} {each.payload.decode('utf-8', 'replace')}" for each in await box.deliveries(limit=1000)]
    await box.close()
    files = [path.read_bytes().decode("latin-1") for path in here.config.data.rglob("*") if path.is_file()]
    return rows + files


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[Stage]:
    async with stage(tmp_path, serve=False) as made:
        made.config = replace(made.config, data=tmp_path / "data")
        made.config.data.mkdir()
        yield made


async def test_no_secret_leaves_the_process_in_a_whole_session(here: Stage) -> None:
    given: set[str] = set()
    tokens = here.sandbox.world.tokens
    here.sandbox.before.append(lambda _: given.update(tokens))
    here.sandbox.observers.append(lambda _: given.update(tokens))
    said: list[str] = []
    texts = await session(here, said)
    places = {"logs": said, "answers": texts, "GitHub": written(here), "data folder": await stored(here)}
    key = here.installation.app.private_key
    lines = [line for line in key.splitlines() if not line.startswith("-----")]
    signatures = [each.request_headers.get("X-Hub-Signature-256", "") for each in here.sandbox.hooks.log]
    own = {*here.credentials.webhook_secrets, OTHER, "ghp_aTokenForTheUpstreamsOnly0123456789"}
    secrets = [each for each in (*given, *lines, *signatures, *own) if each]
    assert len(given) > 1, "no token was given out: nothing was tested"
    assert sum(map(len, said)) > 1000, "nothing was logged: nothing was tested"
    assert any('"error"' in line for line in said), "nothing went wrong: nothing was tested"
    assert any("not done" in line for line in said)
    for place, found in places.items():
        whole = "\n".join(found)
        assert whole, place
        shown = [secret[:6] + "…" for secret in secrets if secret in whole or secret.removeprefix("sha256=") in whole]
        assert shown == [], f"{place} show a secret"
        assert not re.search(r"eyJ[\w-]{10,}\.[\w-]{10,}|-----BEGIN", whole), f"{place} show a signed token or a key"

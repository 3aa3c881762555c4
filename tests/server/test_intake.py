"""The webhook's door over real sockets: what it takes, what it refuses, and what it costs."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from recipediff.app.events import Me
from recipediff.inbox.contract import Delivery, NotStored, Work
from recipediff.inbox.sqlite.engine import SqliteInbox
from recipediff.server import intake
from recipediff.server.health import Health, Parts
from recipediff.server.intake import DeliveryHandler
from recipediff.server.metrics import Metrics
from recipediff.server.serve import Listening, application, listening

OLD, NEW = "the-old-secret", "the-new-secret"
PING = b'{"zen": "Design for failure.", "hook_id": 1}'
OPENED = json.dumps(
    {
        "action": "opened",
        "installation": {"id": 7},
        "repository": {"full_name": "org/recipes"},
        "pull_request": {
            "number": 3,
            "updated_at": "2026-11-30T12:00:00Z",
            "comments": 0,
            "user": {"login": "octocat"},
            "head": {"sha": "1" * 40, "ref": "topic", "repo": {"full_name": "org/recipes"}},
            "base": {"sha": "2" * 40, "ref": "main", "repo": {"full_name": "org/recipes"}},
        },
    }
).encode()


class Refusing(SqliteInbox):
    """A store that is full."""

    async def store(self, delivery: Delivery, work: Sequence[Work] = ()) -> bool:
        raise NotStored("the disk is full")


def sign(body: bytes, secret: str = NEW) -> str:
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def headers(body: bytes, *, secret: str = NEW, event: str = "ping", delivery: str = "d-1") -> dict[str, str]:
    return {
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": delivery,
        "X-Hub-Signature-256": sign(body, secret),
        "Content-Type": "application/json",
    }


@asynccontextmanager
async def door(inbox: SqliteInbox, *, most_bytes: int = 100_000) -> AsyncIterator[httpx.AsyncClient]:
    await inbox.open()
    metrics = Metrics()
    made = DeliveryHandler(inbox, (OLD, NEW), lambda: Me(1), metrics, most_bytes=most_bytes)
    app = application(made, Health(inbox, metrics, Parts()), most_bytes)
    async with (
        listening(app, Listening(port=0)) as port,
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", verify=False, timeout=10) as client,
    ):
        yield client
    await inbox.close()


@pytest.fixture
def inbox(tmp_path: Path) -> SqliteInbox:
    return SqliteInbox(tmp_path / "inbox.db")


@pytest.fixture
async def client(inbox: SqliteInbox) -> AsyncIterator[httpx.AsyncClient]:
    async with door(inbox) as made:
        yield made


async def test_a_delivery_is_stored_before_it_is_answered(client: httpx.AsyncClient, inbox: SqliteInbox) -> None:
    answer = await client.post("/webhook", content=OPENED, headers=headers(OPENED, event="pull_request"))
    assert answer.status_code == 202
    assert answer.json() == {"status": "accepted", "jobs": ["review:org/recipes#3"]}
    entry = await inbox.show("review:org/recipes#3")
    assert entry is not None
    assert (entry.data["head"], entry.delivery) == ("1" * 40, "d-1")
    (delivery,) = await inbox.deliveries("review:org/recipes#3")
    assert (delivery.event, delivery.action) == ("pull_request", "opened")


async def test_a_duplicate_is_dropped(client: httpx.AsyncClient, inbox: SqliteInbox) -> None:
    for expected in ("accepted", "duplicate"):
        answer = await client.post("/webhook", content=OPENED, headers=headers(OPENED, event="pull_request"))
        assert (answer.status_code, answer.json()["status"]) == (202, expected)
    assert len(await inbox.deliveries()) == 1


async def test_what_asks_for_nothing_is_taken_with_a_reason(client: httpx.AsyncClient, inbox: SqliteInbox) -> None:
    for event, reason in (("ping", "pong"), ("star", "nothing to do for this event")):
        answer = await client.post("/webhook", content=PING, headers=headers(PING, event=event, delivery=event))
        assert (answer.status_code, answer.json()) == (202, {"status": "ignored", "reason": reason})
    assert {each.ignored for each in await inbox.deliveries()} == {"pong", "nothing to do for this event"}


@pytest.mark.parametrize("secret", [OLD, NEW])
async def test_both_secrets_are_taken_while_one_replaces_the_other(client: httpx.AsyncClient, secret: str) -> None:
    answer = await client.post("/webhook", content=PING, headers=headers(PING, secret=secret, delivery=secret))
    assert answer.status_code == 202


@pytest.mark.parametrize(
    "signature",
    [
        sign(PING, "another"),
        sign(PING + b" "),
        sign(PING).upper(),
        sign(PING)[:-1],
        "sha256=" + "0" * 64,
        "sha1=" + "0" * 40,
        "sha256=",
        "",
        "sha256=\u00e9" + "0" * 63,
    ],
)
async def test_a_wrong_signature_costs_nothing(
    client: httpx.AsyncClient, inbox: SqliteInbox, monkeypatch: pytest.MonkeyPatch, signature: str
) -> None:
    """Neither parsed, nor stored, nor told why in a way that helps."""
    monkeypatch.setattr("recipediff.server.intake.json.loads", lambda body: pytest.fail("parsed"))
    sent = {name.encode(): value.encode() for name, value in headers(PING).items()}
    sent[b"X-Hub-Signature-256"] = signature.encode("latin-1")
    answer = await client.post("/webhook", content=PING, headers=sent)
    assert answer.status_code == 401
    assert await inbox.deliveries() == []
    assert NEW not in answer.text


async def test_without_a_secret_there_is_no_door(inbox: SqliteInbox) -> None:
    for secrets in ((), ("",), ("good", "")):
        with pytest.raises(ValueError, match="secret"):
            DeliveryHandler(inbox, secrets, lambda: Me(1), Metrics())


async def test_the_signature_is_compared_whole_for_each_secret(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[tuple[bytes, bytes]] = []
    real = hmac.compare_digest

    def spy(one: bytes, other: bytes) -> bool:
        compared.append((one, other))
        return real(one, other)

    monkeypatch.setattr("recipediff.server.intake.hmac.compare_digest", spy)
    for secret in (OLD, NEW, "another"):
        await client.post("/webhook", content=PING, headers=headers(PING, secret=secret, delivery=secret))
    assert len(compared) == 6
    assert {len(each) for pair in compared for each in pair} == {71}


@pytest.mark.parametrize("missing", ["X-GitHub-Event", "X-GitHub-Delivery"])
async def test_without_githubs_headers_it_is_no_delivery(client: httpx.AsyncClient, missing: str) -> None:
    sent = {name: value for name, value in headers(PING).items() if name != missing}
    assert (await client.post("/webhook", content=PING, headers=sent)).status_code == 400


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'"text"',
        b"[" * 50_000,
        b'{"a":' * 20_000,
        b"9" * 5000,
        b"payload=%7B%7D",
    ],
)
async def test_what_is_not_a_json_object_is_refused(client: httpx.AsyncClient, body: bytes) -> None:
    answer = await client.post("/webhook", content=body, headers=headers(body))
    assert answer.status_code == 400
    assert answer.json()["reason"]


async def test_a_body_over_the_limit_is_refused_unread(client: httpx.AsyncClient, inbox: SqliteInbox) -> None:
    body = b'{"a": "' + b"x" * 200_000 + b'"}'
    assert (await client.post("/webhook", content=body, headers=headers(body))).status_code == 413

    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(200):
            yield b" " * 1000

    assert (await client.post("/webhook", content=pieces(), headers=headers(body))).status_code == 413
    assert await inbox.deliveries() == []


async def test_a_packed_body_is_refused(client: httpx.AsyncClient) -> None:
    answer = await client.post("/webhook", content=PING, headers={**headers(PING), "Content-Encoding": "gzip"})
    assert answer.status_code == 415


async def test_a_body_that_never_comes_is_left(client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake, "SLOWEST", 0.05)
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers(PING).items())
    reader, writer = await asyncio.open_connection(client.base_url.host, client.base_url.port)
    writer.write(f"POST /webhook HTTP/1.1\r\nHost: here\r\nContent-Length: 100\r\n{lines}\r\n{{".encode())
    assert b" 408 " in await reader.readline()
    writer.close()


async def test_a_store_that_refuses_is_told_so_that_github_can_redeliver(tmp_path: Path) -> None:
    async with door(Refusing(tmp_path / "inbox.db")) as client:
        answer = await client.post("/webhook", content=PING, headers=headers(PING))
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "10")
        assert "disk" not in answer.text


async def test_the_answer_never_quotes_the_body(client: httpx.AsyncClient) -> None:
    body = OPENED.replace(b'"opened"', b'"<script>@everyone</script>"')
    answer = await client.post("/webhook", content=body, headers=headers(body, event="pull_request"))
    assert answer.status_code == 202
    assert "script" not in answer.text


async def test_the_figures_count_deliveries_by_what_became_of_them(client: httpx.AsyncClient) -> None:
    await client.post("/webhook", content=PING, headers=headers(PING))
    await client.post("/webhook", content=PING, headers=headers(PING, secret="another", event="made_up"))
    page = (await client.get("/metrics")).text
    assert 'recipediff_deliveries_total{event="ping",outcome="ignored"} 1.0' in page
    assert 'recipediff_deliveries_total{event="other",outcome="unsigned"} 1.0' in page
    assert "made_up" not in page


async def test_other_pages_are_not_there(client: httpx.AsyncClient) -> None:
    assert (await client.get("/webhook")).status_code == 405
    assert (await client.get("/nothing")).status_code == 404
    assert (await client.get("/")).status_code == 200
    assert (await client.get("/healthz")).json() == {"status": "alive"}

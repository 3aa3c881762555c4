"""Every example that GitHub publishes, and what chance makes of them, posted to the running server over a socket."""

from __future__ import annotations

import hashlib
import hmac
import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.server.stage import SECRET, Stage, client, stage
from tests.shared import SHARED, needs_shared

EXAMPLES = SHARED / "corpus/webhooks/payload-examples/api.github.com"
MUTATIONS = 400


def examples() -> list[tuple[str, str, bytes]]:
    return [(path.parent.name, path.name, path.read_bytes()) for path in sorted(EXAMPLES.glob("*/*.json"))]


async def post(session: httpx.AsyncClient, event: str, delivery: str, body: bytes) -> httpx.Response:
    signature = "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    headers = {
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": delivery,
        "X-Hub-Signature-256": signature,
        "Content-Type": "application/json",
    }
    return await session.post("/webhook", content=body, headers=headers)


async def still_works(here: Stage, session: httpx.AsyncClient) -> None:
    """The worker runs, and a pull request gets its verdict."""
    assert (await session.get("/readyz")).status_code == 200
    run = await here.concluded(here.open(here.bad()), seconds=60)
    assert run.conclusion == "failure"


@needs_shared
async def test_every_example_is_taken(tmp_path: Path) -> None:
    told: Counter[str] = Counter()
    async with stage(tmp_path) as here, client(here) as session:
        for number, (event, name, body) in enumerate(examples()):
            answer = await post(session, event, f"example-{number}", body)
            assert answer.status_code in (200, 202), (event, name, answer.text)
            said = answer.json()
            told[said["status"]] += 1
            assert said.get("jobs") or said.get("reason"), (event, name)
            assert not str(said.get("reason")).startswith("malformed"), (event, name, said)
        await still_works(here, session)
        async with here.inbox() as box:
            assert [each.key for each in await box.entries("dead")] == []
    assert sum(told.values()) >= 270
    assert told["accepted"] >= 15
    assert set(told) == {"accepted", "ignored"}


@needs_shared
@pytest.mark.parametrize("seed", range(2))
async def test_no_mutation_makes_the_server_fail(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    known = [each for each in examples() if each[0] in ("pull_request", "check_run", "check_suite", "push", "merge_group",
                                                        "issue_comment", "installation")]  # fmt: skip
    async with stage(tmp_path) as here, client(here) as session:
        for number in range(MUTATIONS):
            event, name, body = chance.choice(known)
            changed = spoil(body, chance) if chance.random() < 0.3 else mutated(json.loads(body), chance)
            answer = await post(session, event, f"mutation-{number}", changed)
            assert 200 <= answer.status_code < 500, (event, name, changed[:200])
        await still_works(here, session)


def spoil(body: bytes, chance: random.Random) -> bytes:
    """The bytes cut, or some of them changed."""
    if chance.random() < 0.5:
        return body[: chance.randrange(len(body))]
    data = bytearray(body)
    for _ in range(chance.randint(1, 20)):
        data[chance.randrange(len(data))] = chance.randrange(256)
    return bytes(data)


STRANGE: list[Any] = [
    None, True, -1, 2**70, 1.5, "", "x" * 5000, "\ud800", "\x00", "a\nb", "../..", [], {}, [[]], {"id": {}}, "@recipediff help",
]  # fmt: skip


def mutated(body: Any, chance: random.Random) -> bytes:
    """Some values replaced or gone, preferably those near the top."""
    for _ in range(chance.randint(1, 4)):
        places = list(walk(body))
        place, key = min(
            chance.sample(places, min(3, len(places))), key=lambda each: len(str(each[0])), default=(body, None)
        )
        if chance.random() < 0.3 and isinstance(place, dict):
            place.pop(key, None)
        elif key is not None:
            place[key] = chance.choice(STRANGE)
    return json.dumps(body).encode()


def walk(body: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(body, dict | list):
        for key, value in list(body.items() if isinstance(body, dict) else enumerate(body)):
            yield body, key
            yield from walk(value)

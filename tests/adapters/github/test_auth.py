from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from typing import Any

import httpx
import jwt
import pytest
import respx
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from recipediff.adapters.github.auth import LIFETIME, MARGIN, AppIdentity, InstallationToken, InstallationTokens
from recipediff.adapters.github.http.record import Exchange
from recipediff.ports.errors import Missing, Unavailable
from tests.adapters.github.conftest import Clock, Connect

KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
PEM = KEY.private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
).decode()
SCOPE: tuple[int, str, dict[str, str]] = (42, "org/repo", {"contents": "read"})


def minted(clock: Clock, number: int, seconds: float = 3600) -> httpx.Response:
    expires = datetime.fromtimestamp(clock.time + seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return httpx.Response(201, json={"token": f"ghs_token{number:08d}", "expires_at": expires})


@pytest.fixture
def identity(clock: Clock) -> AppIdentity:
    return AppIdentity("12345", PEM, now=clock.now)


@pytest.fixture
def tokens(connect: Connect, identity: AppIdentity, clock: Clock) -> InstallationTokens:
    return InstallationTokens(connect(identity), now=clock.now)


def claims(header: str) -> dict[str, Any]:
    text = header.removeprefix("Bearer ")
    return dict(
        jwt.decode(text, KEY.public_key(), algorithms=["RS256"], options={"verify_exp": False, "verify_iat": False})
    )


async def test_the_app_signs_for_nine_minutes_and_renews_in_time(identity: AppIdentity, clock: Clock) -> None:
    first = await identity.authorization()
    assert claims(first) == {"iat": int(clock.time) - 60, "exp": int(clock.time) - 60 + LIFETIME, "iss": "12345"}
    clock.time += LIFETIME - 60 - 121
    assert await identity.authorization() == first
    clock.time += 2
    renewed = claims(await identity.authorization())
    assert renewed["exp"] > clock.time + 300
    assert renewed["exp"] - renewed["iat"] < 600


@pytest.mark.parametrize("key", [PEM.replace("\n", "\\n"), "\n" + PEM + "\n"])
async def test_a_key_from_an_environment_file_is_understood(key: str, clock: Clock) -> None:
    assert claims(await AppIdentity("1", key, now=clock.now).authorization())["iss"] == "1"


@pytest.mark.parametrize("key", ["", "secret-key-text", PEM[:200], "-----BEGIN RSA PRIVATE KEY-----\nsecret\n"])
def test_a_key_that_is_none_is_not_shown(key: str) -> None:
    with pytest.raises(ValueError, match="not an RSA key in PEM") as caught:
        AppIdentity("1", key)
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None


async def test_tokens_are_narrowed_and_kept_until_shortly_before_they_expire(
    tokens: InstallationTokens, github: respx.MockRouter, clock: Clock
) -> None:
    route = github.post("/app/installations/42/access_tokens").mock(
        side_effect=[minted(clock, 1), minted(clock, 2, 7200)]
    )
    assert await tokens.token(*SCOPE) == "ghs_token00000001"
    assert json.loads(route.calls.last.request.content) == {
        "repositories": ["repo"],
        "permissions": {"contents": "read"},
    }
    assert claims(route.calls.last.request.headers["authorization"])["iss"] == "12345"
    clock.time += 3600 - MARGIN - 1
    assert await tokens.token(*SCOPE) == "ghs_token00000001"
    clock.time += 2
    assert await tokens.token(*SCOPE) == "ghs_token00000002"
    assert route.call_count == 2


async def test_many_that_want_a_token_ask_once(
    tokens: InstallationTokens, github: respx.MockRouter, clock: Clock
) -> None:
    route = github.post("/app/installations/42/access_tokens").mock(side_effect=[minted(clock, 1)])
    assert await asyncio.gather(*(tokens.token(*SCOPE) for _ in range(20))) == ["ghs_token00000001"] * 20
    assert route.call_count == 1


async def test_other_repositories_and_permissions_get_other_tokens(
    tokens: InstallationTokens, github: respx.MockRouter, clock: Clock
) -> None:
    github.post(path__regex=r"/app/installations/\d+/access_tokens").mock(
        side_effect=[minted(clock, number) for number in range(4)]
    )
    scopes = [SCOPE, (42, "org/other", SCOPE[2]), (42, "org/repo", {"contents": "write"}), (43, "org/repo", SCOPE[2])]
    assert [await tokens.token(*scope) for scope in scopes] == [f"ghs_token{number:08d}" for number in range(4)]


async def test_a_permission_that_was_not_granted_is_named(tokens: InstallationTokens, github: respx.MockRouter) -> None:
    github.post("/app/installations/42/access_tokens").respond(
        422, json={"message": "The permissions requested are not granted to this installation."}
    )
    with pytest.raises(Unavailable, match=r"org/repo with contents: read.*not granted") as caught:
        await tokens.token(*SCOPE)
    assert caught.value.reason == "forbidden"


async def test_an_installation_that_is_gone_or_suspended(tokens: InstallationTokens, github: respx.MockRouter) -> None:
    route = github.post("/app/installations/42/access_tokens").respond(404, json={"message": "Not Found"})
    with pytest.raises(Missing):
        await tokens.token(*SCOPE)
    route.respond(403, json={"message": "This installation has been suspended"})
    with pytest.raises(Unavailable) as caught:
        await tokens.token(*SCOPE)
    assert caught.value.reason == "suspended"
    route.respond(201, json={"token": "ghs_x"})
    with pytest.raises(Unavailable) as caught:
        await tokens.token(*SCOPE)
    assert caught.value.reason == "bad-answer"


async def test_a_revoked_token_is_replaced_once(
    connect: Connect, tokens: InstallationTokens, github: respx.MockRouter, clock: Clock
) -> None:
    mint = github.post("/app/installations/42/access_tokens").mock(
        side_effect=[minted(clock, 1), minted(clock, 2), minted(clock, 3)]
    )
    seen: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.headers["authorization"])
        good = request.headers["authorization"] == "Bearer ghs_token00000002"
        return httpx.Response(200, json={"id": 1}) if good else httpx.Response(401, json={"message": "Bad credentials"})

    github.get("/repos/org/repo").mock(side_effect=answer)
    client = connect(InstallationToken(tokens, *SCOPE))
    fields = {"owner": "org", "repo": "repo"}
    assert await client.call("GET /repos/{owner}/{repo}", fields) == {"id": 1}
    assert seen == ["Bearer ghs_token00000001", "Bearer ghs_token00000002"]
    github.get("/repos/org/repo").respond(401, json={"message": "Bad credentials"})
    with pytest.raises(Unavailable) as caught:
        await client.call("GET /repos/{owner}/{repo}", fields)
    assert caught.value.reason == "credentials"
    assert mint.call_count == 3


async def test_no_secret_is_recorded_or_shown(
    connect: Connect,
    tokens: InstallationTokens,
    identity: AppIdentity,
    github: respx.MockRouter,
    clock: Clock,
    exchanges: list[Exchange],
) -> None:
    github.post("/app/installations/42/access_tokens").mock(side_effect=[minted(clock, 1)])
    github.get("/repos/org/repo").respond(
        500, json={"message": "failed for token ghs_token00000001 with ghs_0123456789abcdef"}
    )
    installation = InstallationToken(tokens, *SCOPE)
    with pytest.raises(Unavailable) as caught:
        await connect(installation).call("GET /repos/{owner}/{repo}", {"owner": "org", "repo": "repo"})
    signed = (await identity.authorization()).removeprefix("Bearer ")
    shown = " ".join([str(caught.value), repr(caught.value), repr(installation), repr(identity), repr(tokens)])
    shown += " ".join(repr(exchange) + str(exchange.target) + exchange.body.decode() for exchange in exchanges)
    minting = next(exchange for exchange in exchanges if "access_tokens" in exchange.operation)
    assert minting.answer == b""
    for secret in (signed, "ghs_0123456789abcdef", "ghs_token00000001", PEM[40:80]):
        assert secret not in shown.replace("\n", "")


async def test_those_who_wait_for_one_token_share_its_failure(
    tokens: InstallationTokens, github: respx.MockRouter, exchanges: list[Exchange], clock: Clock
) -> None:
    answers = iter([httpx.Response(500), minted(clock, 1)])

    async def slow(request: httpx.Request) -> httpx.Response:
        await asyncio.sleep(0.01)
        return next(answers)

    asked = github.post("/app/installations/42/access_tokens").mock(side_effect=slow)
    ends = await asyncio.gather(*(tokens.token(*SCOPE) for _ in range(5)), return_exceptions=True)
    assert [type(end) for end in ends] == [Unavailable] * 5
    assert asked.call_count == 1
    assert await tokens.token(*SCOPE) == "ghs_token00000001"

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable

import httpx
import pytest
import respx

from recipediff.adapters.github.http.client import GitHubClient, StaticToken
from recipediff.adapters.github.http.etags import EtagCache
from recipediff.adapters.github.http.pacing import Pacing
from recipediff.adapters.github.http.record import Exchange
from recipediff.ports.errors import Missing, Refused, Unavailable
from tests.adapters.github.conftest import API, Clock, Connect

REPO = {"owner": "org", "repo": "repo"}
GET = "GET /repos/{owner}/{repo}"
POST = "POST /repos/{owner}/{repo}/issues"
ISSUES = "GET /repos/{owner}/{repo}/issues"


class Cut(httpx.AsyncByteStream):
    """An answer that ends in the middle."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield b'{"id": '
        raise httpx.ReadError("connection reset by peer")


class Slow(httpx.AsyncByteStream):
    """An answer that never ends, and never stops for long."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while True:
            await asyncio.sleep(0.001)
            yield b" "


Fault = Callable[[], httpx.Response | Exception]
JSON = {"content-type": "application/json; charset=utf-8"}

FAULTS: list[tuple[str, Fault, type[Exception], str]] = [
    ("500", lambda: httpx.Response(500), Unavailable, "server-error"),
    ("502 as html", lambda: httpx.Response(502, html="<html>" + "x" * 9000), Unavailable, "server-error"),
    ("500 cut", lambda: httpx.Response(500, headers=JSON, content=b'{"mess'), Unavailable, "server-error"),
    ("599", lambda: httpx.Response(599), Unavailable, "server-error"),
    ("connect timeout", lambda: httpx.ConnectTimeout("t"), Unavailable, "timeout"),
    ("read timeout", lambda: httpx.ReadTimeout("t"), Unavailable, "timeout"),
    ("no address", lambda: httpx.ConnectError("Name or service not known"), Unavailable, "network"),
    ("reset", lambda: httpx.ReadError("reset"), Unavailable, "network"),
    ("closed early", lambda: httpx.RemoteProtocolError("peer closed connection"), Unavailable, "network"),
    ("reset in the middle", lambda: httpx.Response(200, headers=JSON, stream=Cut()), Unavailable, "network"),
    ("truncated JSON", lambda: httpx.Response(200, headers=JSON, content=b'{"id": 1, "na'), Unavailable, "bad-answer"),
    ("not UTF-8", lambda: httpx.Response(200, headers=JSON, content=b'{"id": "\xff"}'), Unavailable, "bad-answer"),
    ("deep JSON", lambda: httpx.Response(200, headers=JSON, content=b"[" * 200_000), Unavailable, "bad-answer"),
    (
        "no such charset",
        lambda: httpx.Response(200, headers={"content-type": "application/json; charset=martian"}, content=b"{}"),
        Unavailable,
        "bad-answer",
    ),
    ("long", lambda: httpx.Response(200, headers=JSON, content=b" " * 1_000_001), Unavailable, "too-large"),
    ("304 unasked", lambda: httpx.Response(304), Unavailable, "redirected"),
    ("403", lambda: httpx.Response(403, json={"message": "Must have admin rights"}), Unavailable, "forbidden"),
    ("403 with a time", lambda: httpx.Response(403, headers={"retry-after": "9"}), Unavailable, "secondary-rate-limited"),
    ("429", lambda: httpx.Response(429), Unavailable, "secondary-rate-limited"),
    ("429 with a time", lambda: httpx.Response(429, headers={"retry-after": "9"}), Unavailable, "secondary-rate-limited"),
    (
        "403 spent",
        lambda: httpx.Response(403, headers={"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1800000100"}),
        Unavailable,
        "rate-limited",
    ),
    ("401", lambda: httpx.Response(401, json={"message": "Bad credentials"}), Unavailable, "credentials"),
    ("404", lambda: httpx.Response(404, json={"message": "Not Found"}), Missing, ""),
    ("451", lambda: httpx.Response(451, json={"message": "Repository access blocked"}), Missing, ""),
]  # fmt: skip


@pytest.mark.parametrize(("fault", "kind", "reason"), [row[1:] for row in FAULTS], ids=[row[0] for row in FAULTS])
@pytest.mark.parametrize("operation", [GET, POST])
async def test_every_fault_is_classified_for_reads_and_writes(
    client: GitHubClient,
    github: respx.MockRouter,
    exchanges: list[Exchange],
    operation: str,
    fault: Fault,
    kind: type[Exception],
    reason: str,
) -> None:
    github.route().mock(side_effect=[fault()])
    with pytest.raises(kind) as caught:
        await client.call(operation, REPO, data=b"" if operation == GET else {"title": "t"})
    assert getattr(caught.value, "reason", "") == reason
    assert operation in str(caught.value)
    assert len(str(caught.value)) < 500
    assert len(exchanges) == 1


async def test_an_answer_that_trickles_is_cut_off(connect: Connect, github: respx.MockRouter) -> None:
    github.get("/repos/org/repo").mock(return_value=httpx.Response(200, stream=Slow()))
    with pytest.raises(Unavailable, match=r"within 0\.05 s") as caught:
        await connect(deadline=0.05).call(GET, REPO)
    assert caught.value.reason == "timeout"


async def test_a_refusal_carries_githubs_own_words(client: GitHubClient, github: respx.MockRouter) -> None:
    body = {
        "message": "Validation Failed",
        "errors": [{"resource": "Issue", "field": "title", "code": "missing_field"}, {"message": "Too many"}, "plain"],
    }
    github.post("/repos/org/repo/issues").respond(422, json=body)
    with pytest.raises(Refused, match="Validation Failed; Issue title missing_field; Too many; plain") as caught:
        await client.call(POST, REPO, data={"title": "t"})
    assert caught.value.reason == "invalid"


async def test_after_a_limit_nothing_is_sent_until_its_time(
    connect: Connect, github: respx.MockRouter, clock: Clock
) -> None:
    client = connect()
    route = github.get("/repos/org/repo").mock(
        side_effect=[httpx.Response(429, headers={"retry-after": "60"}), httpx.Response(200, json={"id": 1})]
    )
    for _ in range(5):
        with pytest.raises(Unavailable) as caught:
            await client.call(GET, REPO)
        assert caught.value.reason == "secondary-rate-limited"
    assert route.call_count == 1
    clock.time += 60
    assert await client.call(GET, REPO) == {"id": 1}


async def test_the_last_call_of_the_hour_is_followed_by_silence(
    client: GitHubClient, github: respx.MockRouter, clock: Clock
) -> None:
    spent = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(clock.time) + 600), "x-ratelimit-limit": "60"}
    route = github.get("/repos/org/repo").respond(200, json={}, headers=spent)
    await client.call(GET, REPO)
    with pytest.raises(Unavailable) as caught:
        await client.call(GET, REPO)
    assert (caught.value.reason, caught.value.retry_after) == ("rate-limited", 601)
    assert route.call_count == 1


async def test_two_clients_of_one_pace_are_silent_together(
    connect: Connect, github: respx.MockRouter, clock: Clock
) -> None:
    pace = Pacing(monotonic=clock.now, sleep=clock.sleep)
    github.get("/repos/org/repo").respond(429)
    with pytest.raises(Unavailable):
        await connect(pacing=pace).call(GET, REPO)
    with pytest.raises(Unavailable, match="silence"):
        await connect(pacing=pace).call(POST, REPO, data={})
    assert github.calls.call_count == 1


async def test_writes_are_apart_and_reads_are_not(connect: Connect, github: respx.MockRouter, clock: Clock) -> None:
    client = connect(interval=1.0)
    github.route().respond(200, json={})
    await asyncio.gather(
        *(client.call(POST, REPO, data={"title": "t"}) for _ in range(3)), *(client.call(GET, REPO) for _ in range(9))
    )
    assert clock.slept == [1, 1]


async def test_only_reads_are_tried_again(connect: Connect, github: respx.MockRouter, clock: Clock) -> None:
    client = connect(retries=2)
    read = github.get("/repos/org/repo").mock(
        side_effect=[httpx.Response(502), httpx.ReadTimeout("t"), httpx.Response(200, json={"id": 1})]
    )
    assert await client.call(GET, REPO) == {"id": 1}
    assert read.call_count == 3
    assert clock.slept == [1, 2]
    write = github.post("/repos/org/repo/issues").respond(502)
    with pytest.raises(Unavailable):
        await client.call(POST, REPO, data={"title": "t"})
    assert write.call_count == 1
    gone = github.get("/repos/org/gone").respond(404)
    with pytest.raises(Missing):
        await client.call(GET, {**REPO, "repo": "gone"})
    assert gone.call_count == 1


async def test_pages_follow_githubs_links_and_end(connect: Connect, github: respx.MockRouter) -> None:
    client = connect()
    link = f'<{API}/repositories/7/issues?per_page=100&page=2>; rel="next"'
    github.get("/repos/org/repo/issues", params={"per_page": "100", "state": "open"}).respond(
        200, json=[1, 2], headers={"link": link}
    )
    github.get("/repositories/7/issues", params={"per_page": "100", "page": "2"}).respond(200, json=[3])
    assert [item async for item in client.pages(ISSUES, REPO, query={"state": "open"})] == [1, 2, 3]


async def test_pages_are_bounded_and_must_be_lists(connect: Connect, github: respx.MockRouter) -> None:
    client = connect()
    github.get("/repos/org/repo/issues").respond(
        200, json=[1], headers={"link": f'<{API}/repos/org/repo/issues?page=2>; rel="next"'}
    )
    with pytest.raises(Unavailable, match="more than 3 pages"):
        _ = [item async for item in client.pages(ISSUES, REPO, most=3)]
    github.get("/repos/org/repo/issues").respond(200, json={"items": 1})
    with pytest.raises(Unavailable, match="not a list"):
        _ = [item async for item in client.pages(ISSUES, REPO)]


@pytest.mark.parametrize("where", ["https://evil.example/x", "http://api.github.com/x", "https://api.github.com:444/x"])
async def test_the_token_goes_to_github_only(connect: Connect, github: respx.MockRouter, where: str) -> None:
    client = connect(StaticToken("ghs_secret"))
    github.get("/repos/org/repo").respond(301, headers={"location": where})
    with pytest.raises(Unavailable, match="another host") as caught:
        await client.call(GET, REPO)
    assert caught.value.reason == "redirected"
    github.get("/repos/org/repo/issues").respond(200, json=[], headers={"link": f'<{where}>; rel="next"'})
    with pytest.raises(Unavailable, match="another host"):
        _ = [item async for item in client.pages(ISSUES, REPO)]
    assert github.calls.call_count == 2


async def test_a_renamed_repository_is_found_under_its_old_name(client: GitHubClient, github: respx.MockRouter) -> None:
    github.get("/repos/org/repo").respond(301, headers={"location": f"{API}/repositories/7"})
    github.get("/repositories/7").respond(200, json={"id": 7})
    assert await client.call(GET, REPO) == {"id": 7}
    github.post("/repos/org/repo/issues").respond(307, headers={"location": "/repositories/7/issues"})
    moved = github.post("/repositories/7/issues").respond(201, json={"number": 1})
    assert await client.call(POST, REPO, data={"title": "t"}) == {"number": 1}
    assert json.loads(moved.calls.last.request.content) == {"title": "t"}
    github.get("/repos/org/loop").respond(302, headers={"location": f"{API}/repos/org/loop"})
    with pytest.raises(Unavailable, match="more than 3 redirects"):
        await client.call(GET, {**REPO, "repo": "loop"})


async def test_headers_say_who_asks_and_which_version(connect: Connect, github: respx.MockRouter) -> None:
    route = github.get("/repos/org/repo").respond(200, json={})
    await connect(StaticToken(" ghs_secret\n")).call(GET, REPO)
    sent = route.calls.last.request.headers
    assert sent["authorization"] == "Bearer ghs_secret"
    assert (sent["user-agent"], sent["x-github-api-version"]) == ("recipediff", "2022-11-28")
    await connect(StaticToken("")).call(GET, REPO)
    assert "authorization" not in route.calls.last.request.headers
    assert "ghs_secret" not in repr(StaticToken("ghs_secret"))


async def test_enterprise_server_by_its_base_address(connect: Connect, github: respx.MockRouter) -> None:
    route = github.get("https://ghe.example.com/api/v3/repos/org/repo").respond(200, json={"id": 1})
    assert await connect(base_url="https://ghe.example.com/api/v3/").call(GET, REPO) == {"id": 1}
    assert route.called


async def test_what_changes_is_asked_for_conditionally(connect: Connect, github: respx.MockRouter) -> None:
    client = connect(etags=EtagCache())
    route = github.get("/repos/org/repo/issues").mock(
        side_effect=[
            httpx.Response(200, json=[{"n": 1}], headers={"etag": '"a"'}),
            httpx.Response(304),
            httpx.Response(200, json=[{"n": 2}], headers={"etag": '"b"'}),
        ]
    )
    assert await client.call(ISSUES, REPO) == [{"n": 1}]
    assert await client.call(ISSUES, REPO) == [{"n": 1}]
    assert route.calls.last.request.headers["if-none-match"] == '"a"'
    assert await client.call(ISSUES, REPO) == [{"n": 2}]


def test_conditional_answers_are_bounded_and_leave_git_objects_out() -> None:
    cache = EtagCache(4000)
    cache[f"{API}/repos/o/r/git/blobs/1"] = ("e", None, "x", None)
    cache[f"{API}/large"] = ("e", None, "x" * 2000, None)
    assert len(cache) == 0
    for number in range(100):
        cache[f"{API}/{number}"] = ("e", None, "x" * 100, None)
    assert 1 < len(cache) < 40
    assert f"{API}/99" in cache
    assert f"{API}/0" not in cache


async def test_each_exchange_is_recorded_once(
    client: GitHubClient, github: respx.MockRouter, exchanges: list[Exchange]
) -> None:
    github.post("/repos/org/repo/issues").respond(201, json={"number": 1})
    github.get("/repos/org/repo").mock(side_effect=httpx.ReadError("reset"))
    await client.call(POST, REPO, data={"title": "t"})
    with pytest.raises(Unavailable):
        await client.call(GET, REPO)
    assert [(e.operation, e.method, e.target, e.status) for e in exchanges] == [
        (POST, "POST", "/repos/org/repo/issues", 201),
        (GET, "GET", "/repos/org/repo", 0),
    ]
    assert json.loads(exchanges[0].body) == {"title": "t"}
    assert json.loads(exchanges[0].answer) == {"number": 1}
    assert all(exchange.milliseconds >= 0 for exchange in exchanges)


@pytest.mark.parametrize(
    "fields",
    [
        {"owner": "..", "repo": "x"},
        {"owner": "", "repo": "x"},
        {"owner": "a/../b", "repo": "."},
    ],
)
async def test_a_name_cannot_leave_its_place_in_the_path(
    client: GitHubClient, github: respx.MockRouter, fields: dict[str, str]
) -> None:
    with pytest.raises(Missing):
        await client.call(GET, fields)
    assert github.calls.call_count == 0


async def test_odd_characters_are_escaped(client: GitHubClient, github: respx.MockRouter) -> None:
    route = github.route().respond(200, json={})
    await client.call("GET /repos/{owner}/{repo}/git/ref/{ref}", {**REPO, "ref": "heads/a#b?c{d}%2e/ü"})
    assert route.calls.last.request.url.raw_path == b"/repos/org/repo/git/ref/heads/a%23b%3Fc%7Bd%7D%252e/%C3%BC"

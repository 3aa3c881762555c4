"""One thin client: gidgethub's protocol over httpx, within bounds, at the right pace, with every failure classified."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextvars import ContextVar
from typing import Any, Protocol
from urllib.parse import urljoin, urlsplit

import gidgethub
import gidgethub.abc
import httpx

from recipediff.adapters.github.http import limits, route
from recipediff.adapters.github.http.etags import EtagCache
from recipediff.adapters.github.http.pacing import Pacing, Sleep
from recipediff.adapters.github.http.record import CONFIDENTIAL, Exchange, Recorder
from recipediff.ports.errors import TRANSIENT, Missing, Refused, Unavailable

GITHUB = "https://api.github.com"
MAX_ANSWER = 24 * 1024 * 1024
"""Bytes of one answer, unpacked. GitHub cuts a tree at 7 MB; a blob within our bound needs 6 MB as base64."""
DEADLINE = 30.0
"""Seconds for one exchange, to its last byte."""
_REDIRECTS = 3
_OPERATION: ContextVar[str] = ContextVar("operation", default="")


def connection(**options: Any) -> httpx.AsyncClient:
    """The connections of the process, with bounds on how long each step may take. Close it with `aclose()`."""
    bounds = httpx.Limits(max_connections=64, max_keepalive_connections=16, keepalive_expiry=60)
    return httpx.AsyncClient(timeout=httpx.Timeout(15.0, connect=5.0), limits=bounds, **options)


class TokenSource(Protocol):
    """Who a client speaks as."""

    async def authorization(self) -> str:
        """The `Authorization` header's value; empty for anonymous."""

    def rejected(self) -> bool:
        """GitHub did not take the last value. True where a new one can be had."""


class StaticToken:
    """A fixed token, or nobody at all."""

    def __init__(self, token: str = "") -> None:
        self._token = token.strip()

    async def authorization(self) -> str:
        """`Bearer …`, or empty."""
        return f"Bearer {self._token}" if self._token else ""

    def rejected(self) -> bool:
        """False: there is no other."""
        return False

    def __repr__(self) -> str:
        return "Token(***)" if self._token else "Token()"


class GitHubClient(gidgethub.abc.GitHubAPI):
    """Calls operations of the REST API. Raises `Missing`, `Refused` or `Unavailable`, and nothing else.

    `base_url` is `https://api.github.com`, or `https://HOST/api/v3` for GitHub Enterprise Server. `retries` are for reads
    that failed for a passing reason; the server leaves that to its queue, the command line does not have one.
    """

    def __init__(
        self,
        http_client: httpx.AsyncClient,
        credentials: TokenSource | None = None,
        *,
        base_url: str = GITHUB,
        requester: str = "recipediff",
        pacing: Pacing | None = None,
        etags: EtagCache | None = None,
        record: Recorder | None = None,
        retries: int = 0,
        deadline: float = DEADLINE,
        max_answer: int = MAX_ANSWER,
        now: Callable[[], float] = time.time,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        super().__init__(requester, base_url=base_url.rstrip("/"), cache=etags)
        self._http = http_client
        self._credentials = credentials or StaticToken()
        self._pacing = pacing or Pacing()
        self._recorder = record
        self._retries = retries
        self._deadline = deadline
        self._max_answer = max_answer
        self._now = now
        self._pause = sleep
        self.moved: dict[str, str] = {}
        """Repositories (`owner/name`, lower case) that GitHub answered for from another address, and that address."""

    async def call(
        self,
        operation: str,
        fields: Mapping[str, route.PathValue] | None = None,
        *,
        query: Mapping[str, route.PathValue] | None = None,
        data: object = b"",
    ) -> Any:
        """The answer of one operation, decoded. `operation` is method and path template, `data` the JSON body."""
        template = operation.partition(" ")[2]
        answer, _ = await self._tried(operation, route.fill(template, dict(fields or {}), dict(query or {})), data)
        return answer

    async def pages(
        self,
        operation: str,
        fields: Mapping[str, route.PathValue] | None = None,
        *,
        query: Mapping[str, route.PathValue] | None = None,
        key: str = "",
        most: int = 30,
    ) -> AsyncGenerator[Any, None]:
        """The items of a listing, page by page (100 a page, at most `most` pages), from under `key` where it is wrapped."""
        template = operation.partition(" ")[2]
        target: str | None = route.fill(template, dict(fields or {}), {**(query or {}), "per_page": 100})
        for _ in range(most):
            answer, target = await self._tried(operation, target or "", b"")
            items = answer.get(key) if key and isinstance(answer, dict) else answer
            if not isinstance(items, list):
                raise Unavailable("bad-answer", f"{operation}: GitHub's answer is not a list")
            for item in items:
                yield item
            if not target:
                return
        raise Unavailable("too-large", f"{operation}: more than {most} pages")

    async def _tried(self, operation: str, target: str, data: object) -> tuple[Any, str | None]:
        method = operation.partition(" ")[0]
        failures = 0
        while True:
            try:
                return await self._once(operation, method, target, data)
            except Unavailable as error:
                failures += 1
                if error.reason == "credentials" and failures == 1 and self._credentials.rejected():
                    continue
                if method != "GET" or error.reason not in TRANSIENT or failures > self._retries:
                    raise
                if "rate-limited" not in error.reason:
                    # A limit's silence is kept by the pacing, which waits or says how long.
                    await self.sleep(min(error.retry_after or 0.5 * 2**failures, 10.0))

    async def _once(self, operation: str, method: str, target: str, data: object) -> tuple[Any, str | None]:
        headers = {"x-github-api-version": "2022-11-28"}
        if authorization := await self._credentials.authorization():
            headers["authorization"] = authorization
        token = _OPERATION.set(operation)
        try:
            async with self._pacing.turn(write=method != "GET"):
                answer, more, _ = await self._make_request(
                    method, target, {}, data, "application/vnd.github+json", extra_headers=headers
                )
        except gidgethub.HTTPException as error:
            raise self._fault(int(error.status_code), error.headers, b"") from error
        except httpx.TimeoutException as error:
            raise Unavailable("timeout", f"{operation}: GitHub did not answer in time") from error
        except TimeoutError as error:
            raise Unavailable("timeout", f"{operation}: no whole answer within {self._deadline:g} s") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            host = urlsplit(self.base_url).netloc
            said = limits.words(error) or type(error).__name__
            raise Unavailable("network", f"no connection to {host}: {said} ({operation})") from error
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            # Truncated or garbled JSON, a charset that does not exist, a limit header that is no number.
            raise Unavailable("bad-answer", f"{operation}: GitHub's answer cannot be read") from error
        finally:
            _OPERATION.reset(token)
        return answer, more

    async def sleep(self, seconds: float) -> None:
        """Waits by the injected clock."""
        await self._pause(seconds)

    def _fault(self, status: int, headers: Mapping[str, str], body: bytes) -> Missing | Refused | Unavailable:
        """The exception for an answer; a limit silences everybody who shares the pace."""
        fault = limits.classify(_OPERATION.get(), status, headers, _message(body), self._now())
        if isinstance(fault, Unavailable) and "rate-limited" in fault.reason and fault.retry_after:
            self._pacing.silence(fault.reason, fault.retry_after)
        return fault

    def _spent(self, headers: Mapping[str, str]) -> None:
        """The last call of the hour went well: the next one would not."""
        if (wait := limits.until_reset(headers, self._now())) is not None:
            self._pacing.silence("rate-limited", wait)

    async def _request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes = b""
    ) -> tuple[int, Mapping[str, str], bytes]:
        """One exchange, redirects within GitHub included: a renamed repository answers under its old name."""
        for _ in range(_REDIRECTS + 1):
            self._stay(url)
            status, answered, content = await self._exchange(method, url, headers, body)
            if status >= 400:
                raise self._fault(status, answered, content)
            follow = status in {307, 308} or (status in {301, 302} and method == "GET")
            if not follow or not (location := answered.get("location")):
                self._spent(answered)
                return status, answered, content
            self._follow(url, urljoin(url, location))
            url = urljoin(url, location)
        raise Unavailable("redirected", f"{_OPERATION.get()}: more than {_REDIRECTS} redirects")

    def _follow(self, url: str, where: str) -> None:
        """Keep what moved, so that whoever reads it can say so."""
        base = urlsplit(self.base_url).path.rstrip("/")
        before, after = (urlsplit(one).path.removeprefix(base).split("/") for one in (url, where))
        if before[1] == "repos":
            length = 4 if after[1] == "repos" else 3
            self.moved["/".join(before[2:4]).lower()] = "/".join(after[:length])

    def _stay(self, url: str) -> None:
        """The credentials go to GitHub's address only, whatever a link or a redirect says."""
        here, there = urlsplit(self.base_url), urlsplit(url)
        if (here.scheme, here.netloc) != (there.scheme, there.netloc):
            raise Unavailable("redirected", f"{_OPERATION.get()}: GitHub points to another host, which is not followed")

    async def _exchange(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, Mapping[str, str], bytes]:
        started = time.perf_counter()
        status, content = 0, b""
        try:
            async with (
                asyncio.timeout(self._deadline),
                self._http.stream(method, url, headers=dict(headers), content=body, follow_redirects=False) as response,
            ):
                content = await self._bounded(response)
                status = response.status_code
                return status, response.headers, content
        finally:
            if self._recorder is not None:
                milliseconds = (time.perf_counter() - started) * 1000
                self._recorder(_exchange(_OPERATION.get(), method, url, status, milliseconds, body, content))

    async def _bounded(self, response: httpx.Response) -> bytes:
        parts, size = [], 0
        async for part in response.aiter_bytes():
            size += len(part)
            if size > self._max_answer:
                limit = f"{self._max_answer:,} bytes"
                raise Unavailable("too-large", f"{_OPERATION.get()}: GitHub's answer is longer than {limit}")
            parts.append(part)
        return b"".join(parts)


def _message(body: bytes) -> str:
    """GitHub's own words in the body of an error, the details of a refused write included; empty where there are none."""
    try:
        said = json.loads(body)
        details = said.get("errors") or []
        parts = [said.get("message") or ""]
        for detail in details if isinstance(details, list) else [details]:
            named = detail if isinstance(detail, dict) else {"message": detail}
            fields = [named.get(key) for key in ("resource", "field", "code")]
            parts.append(str(named.get("message") or " ".join(str(part) for part in fields if part)))
        return "; ".join(part for part in parts if part)
    except (ValueError, AttributeError, TypeError, RecursionError):
        return ""


def _exchange(operation: str, method: str, url: str, status: int, ms: float, body: bytes, answer: bytes) -> Exchange:
    parts = urlsplit(url)
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    if operation in CONFIDENTIAL:
        answer = b""
        target = operation.partition(" ")[2] if "{code}" in operation else target
    return Exchange(
        operation=operation, method=method, target=target, status=status, milliseconds=ms, body=body, answer=answer
    )

"""The webhook's door: the signature over the raw body, then the store, then the answer. Nothing is judged here."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import logging
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import structlog
from aiohttp import web

from recipediff.app.events import Asked, Me, plan
from recipediff.inbox.contract import Delivery, Intake, NotStored, Work
from recipediff.server.metrics import Metrics

_log: structlog.stdlib.BoundLogger = structlog.get_logger(__name__)
_level = logging.getLogger(__name__)
_SIGNATURE = re.compile(r"sha256=[0-9a-f]{64}")
_ID = re.compile(r"[A-Za-z0-9_.:-]{1,128}")
_EVENT = re.compile(r"[a-z0-9_]{1,64}")
MOST_BYTES = 25 * 1024 * 1024
"""As large as GitHub makes a payload."""
SLOWEST = 9.0
"""Seconds for a body to arrive; GitHub itself waits ten for the answer."""
SHOWN = 8 * 1024
"""Bytes of a body that are kept for the operator."""
JSON = {"Content-Type": "application/json"}
RETRY_AFTER = {**JSON, "Retry-After": "10"}


@dataclass(frozen=True, slots=True)
class Answered:
    """What a delivery is told. `reason` is in words of our own."""

    status: int
    outcome: str
    reason: str = ""
    jobs: tuple[str, ...] = ()

    def response(self) -> web.Response:
        """As JSON."""
        told: dict[str, object] = {"status": self.outcome}
        if self.reason:
            told["reason"] = self.reason
        if self.jobs:
            told["jobs"] = self.jobs
        headers = RETRY_AFTER if self.status == 503 else JSON
        return web.Response(body=json.dumps(told).encode(), status=self.status, headers=headers)


class DeliveryHandler:
    """Takes deliveries. `secrets`: all that are accepted, so that one can be changed without losing a delivery."""

    def __init__(
        self,
        inbox: Intake,
        secrets: Sequence[str],
        me: Callable[[], Me],
        metrics: Metrics,
        *,
        most_bytes: int = MOST_BYTES,
        now: Callable[[], float] = time.time,
    ) -> None:
        if not secrets or not all(secrets):
            raise ValueError("the webhook's secret is empty: anybody could send deliveries")
        self._inbox = inbox
        self._secrets = [secret.encode() for secret in secrets]
        self._me = me
        self._metrics = metrics
        self._most_bytes = most_bytes
        self._now = now

    async def handle(self, request: web.Request) -> web.Response:
        """One delivery."""
        began = time.perf_counter()
        event = request.headers.get("X-GitHub-Event", "")
        delivery = request.headers.get("X-GitHub-Delivery", "")
        answer = await self._answer(request, event, delivery)
        seconds = time.perf_counter() - began
        self._metrics.delivered(event, answer.outcome, seconds)
        if answer.status != 401 and _level.isEnabledFor(logging.INFO):  # a stranger must not be able to fill the disk
            self._tell(answer, event, delivery, seconds)
        return answer.response()

    def _tell(self, answer: Answered, event: str, delivery: str, seconds: float) -> None:
        shown = delivery if _ID.fullmatch(delivery) else ""
        kind = event if _EVENT.fullmatch(event) else ""
        about = {"reason": answer.reason} if answer.reason else {"jobs": answer.jobs}
        _log.info(answer.outcome, delivery=shown, kind=kind, ms=round(seconds * 1000, 2), **about)

    async def _answer(self, request: web.Request, event: str, delivery: str) -> Answered:
        if not _EVENT.fullmatch(event) or not _ID.fullmatch(delivery):
            return Answered(400, "refused", "X-GitHub-Event and X-GitHub-Delivery are missing or not GitHub's")
        signature = request.headers.get("X-Hub-Signature-256", "")
        if not _SIGNATURE.fullmatch(signature):
            return Answered(401, "unsigned", "X-Hub-Signature-256 is missing or malformed; set the webhook's secret")
        if request.headers.get("Content-Encoding", "identity") != "identity":
            return Answered(415, "refused", "the signature is over the plain body; send it unpacked")
        body = await self._body(request)
        if isinstance(body, Answered):
            return body
        if not self.signed(body, signature):
            return Answered(401, "unsigned", "the signature does not fit the body and the secret")
        return await self._store(event, delivery, body)

    async def _body(self, request: web.Request) -> bytes | Answered:
        too_large = Answered(413, "refused", f"the body is larger than {self._most_bytes:,} bytes")
        if (request.content_length or 0) > self._most_bytes:
            return too_large
        try:
            if request.content.is_eof():
                return await request.read()
            async with asyncio.timeout(SLOWEST):
                return await request.read()
        except web.HTTPRequestEntityTooLarge:
            return too_large
        except TimeoutError:
            return Answered(408, "refused", "the body did not arrive in time")
        except (web.RequestPayloadError, ConnectionError, ValueError):
            return Answered(400, "refused", "the body broke off")

    def signed(self, body: bytes, signature: str) -> bool:
        """Whether `signature` is over `body` with a secret of ours. Takes as long for a wrong one as for a right one."""
        given, right = signature.encode(), False
        for secret in self._secrets:
            expected = b"sha256=" + hmac.digest(secret, body, hashlib.sha256).hex().encode()
            right |= hmac.compare_digest(expected, given)
        return right

    async def _store(self, event: str, delivery: str, body: bytes) -> Answered:
        try:
            payload = json.loads(body)
        except (ValueError, RecursionError):
            return Answered(400, "refused", "the body is not JSON; set the webhook's content type to application/json")
        if not isinstance(payload, dict):
            return Answered(400, "refused", "the body is not a JSON object")
        now = self._now()
        planned = plan(event, payload, self._me())
        work = [work_of(each, now) for each in planned.asked]
        # Jobs carry their own data. Of the body its beginning is kept to look at; GitHub shows the whole for three days.
        shown = b"" if planned.ignored else body[:SHOWN]
        kept = Delivery(
            id=delivery, event=event, action=_action(payload), received=now, payload=shown, ignored=planned.ignored
        )
        try:
            new = await self._inbox.store(kept, work)
        except NotStored as refusal:
            _log.error("not stored", delivery=delivery, error=str(refusal))
            return Answered(503, "not stored", "the inbox cannot take it now; redeliver it")
        except ValueError as error:
            return Answered(400, "refused", f"malformed: {error}")
        if not new:
            return Answered(202, "duplicate", "this delivery was taken before")
        if planned.ignored:
            return Answered(202, "ignored", planned.ignored)
        return Answered(202, "accepted", jobs=tuple(each.key for each in work))


def work_of(asked: Asked, now: float) -> Work:
    """A use case's wish as the inbox takes it."""
    at = now + asked.delay if asked.delay else None
    return Work(key=asked.key, data=asked.data, order=asked.order, at=at, priority=asked.priority)


def _action(payload: dict[str, object]) -> str:
    action = payload.get("action")
    return action if isinstance(action, str) and re.fullmatch(r"[\w.-]{1,64}", action) else ""

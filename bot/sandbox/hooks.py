"""Signed webhook deliveries, with the records that GitHub keeps of them. Nothing is sent again unless somebody asks."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import time
import uuid
from datetime import datetime
from typing import TYPE_CHECKING

import aiohttp

from sandbox.model import App, DeliveryRecord, InstallationRecord, JsonObject, Repo

if TYPE_CHECKING:
    from sandbox.world import World

TIMEOUT = 10.0
"""Seconds that GitHub waits for an answer."""
ALWAYS = frozenset({"ping", "installation", "installation_repositories"})
"""Events that every App gets, subscribed or not."""
CHECKS = frozenset(
    {
        ("check_run", "rerequested"),
        ("check_run", "requested_action"),
        ("check_suite", "requested"),
        ("check_suite", "rerequested"),
    }
)
"""Events that every App with checks:write gets."""


def sign(secret: str, body: bytes, algorithm: str = "sha256") -> str:
    """The value of the signature header for a body."""
    return f"{algorithm}={hmac.new(secret.encode(), body, algorithm).hexdigest()}"


class Hooks:
    """Deliveries to every App. With `held` set, they wait in `waiting` for `send`, in any order and as often as a test likes."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._session: aiohttp.ClientSession | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.log: list[DeliveryRecord] = []
        self.waiting: list[DeliveryRecord] = []
        self.held = False

    def emit(
        self,
        event: str,
        action: str | None,
        payload: JsonObject,
        repo: Repo | None = None,
        only: App | None = None,
        installation: InstallationRecord | None = None,
    ) -> list[DeliveryRecord]:
        """Send an event to the Apps installed on `repo` that want it (or to `only`); returns the deliveries."""
        places = [installation] if installation else (self._world.installation_for(repo, only) if repo else [])
        made = [
            self._record(event, action, payload, item.app, item, repo)
            for item in places
            if not item.suspended and _wants(item.app, event, action)
        ]
        if event == "ping" and only:
            made.append(self._record(event, action, payload, only, None, repo))
        for delivery in made:
            self._send_soon(delivery)
        return made

    def redeliver(self, old: DeliveryRecord) -> DeliveryRecord:
        """A new attempt of the same delivery, under the same guid."""
        fresh = DeliveryRecord(
            id=self._world.new_id("delivery"), guid=old.guid, event=old.event, action=old.action, app=old.app, payload=old.payload, at=self._world.clock(),
            installation=old.installation, repository=old.repository, redelivery=True,
        )  # fmt: skip
        self._send_soon(fresh)
        return fresh

    async def send(self, delivery: DeliveryRecord) -> DeliveryRecord:
        """Post one delivery now and record what came back."""
        app, body = delivery.app, json.dumps(delivery.payload, default=_text).encode()
        delivery.request_headers = {
            "Accept": "*/*",
            "Content-Type": "application/json",
            "User-Agent": "GitHub-Hookshot/sandbox",
            "X-GitHub-Delivery": delivery.guid,
            "X-GitHub-Event": delivery.event,
            "X-GitHub-Hook-ID": str(app.id),
            "X-GitHub-Hook-Installation-Target-ID": str(app.id),
            "X-GitHub-Hook-Installation-Target-Type": "integration",
        }
        if app.secret:
            delivery.request_headers |= {
                "X-Hub-Signature-256": sign(app.secret, body),
                "X-Hub-Signature": sign(app.secret, body, "sha1"),
            }
        if self._session is None:
            self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=TIMEOUT))
        started = time.monotonic()
        try:
            async with self._session.post(app.webhook_url, data=body, headers=delivery.request_headers) as answer:
                delivery.response_body = (await answer.text(errors="replace"))[:10_000]
                delivery.status_code, delivery.response_headers = answer.status, dict(answer.headers)
                delivery.status = "OK" if answer.status < 400 else f"Invalid HTTP Response: {answer.status}"
        except TimeoutError:
            delivery.status, delivery.status_code = "timed out", 0
        except (aiohttp.ClientError, OSError):
            delivery.status, delivery.status_code = "failed to connect to host", 502
        delivery.duration = round(time.monotonic() - started, 3)
        if delivery not in self.log:
            self.log.append(delivery)
        return delivery

    async def settled(self) -> None:
        """Wait until every delivery under way has been answered."""
        while self._tasks:
            await asyncio.wait(set(self._tasks))

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._session is not None:
            await self._session.close()

    def _record(
        self,
        event: str,
        action: str | None,
        payload: JsonObject,
        app: App,
        place: InstallationRecord | None,
        repo: Repo | None,
    ) -> DeliveryRecord:
        body = {"action": action, **payload} if action else dict(payload)
        if place:
            body["installation"] = {
                "id": place.id,
                "node_id": self._world.node_id("installation", place.id),
            } | body.get("installation", {})
        number = self._world.new_id("delivery")
        guid = str(uuid.UUID(bytes=hashlib.sha256(f"delivery {number}".encode()).digest()[:16], version=4))
        return DeliveryRecord(
            id=number,
            guid=guid,
            event=event,
            action=action,
            app=app,
            payload=body,
            at=self._world.clock(),
            installation=place.id if place else None,
            repository=repo.id if repo else None,
        )

    def _send_soon(self, delivery: DeliveryRecord) -> None:
        if not delivery.app.webhook_url:
            return
        if self.held:
            self.waiting.append(delivery)
            return
        task = asyncio.get_running_loop().create_task(self._deliver(delivery))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _deliver(self, delivery: DeliveryRecord) -> None:
        await self.send(delivery)


def _wants(app: App, event: str, action: str | None) -> bool:
    return (
        event in ALWAYS
        or event in app.events
        or ((event, action) in CHECKS and app.permissions.get("checks") == "write")
    )


def _text(value: object) -> str:
    return value.strftime("%Y-%m-%dT%H:%M:%SZ") if isinstance(value, datetime) else str(value)

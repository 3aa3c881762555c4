"""A plain sender of signed deliveries over kept-alive sockets. It does as little as it can, so that the server is what is measured."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import random
import time
from dataclasses import dataclass

_PART = "https://api.github.com/repos/octo/recipes/{}/{:x}"
_FILLER = {f"part_{n}": _PART.format(n, random.Random(n).getrandbits(120)) for n in range(260)}


def payload(number: int) -> bytes:
    """A `pull_request` delivery of the size that GitHub sends, about 20 KB."""
    pull = {
        "number": number,
        "updated_at": "2026-11-30T12:00:00Z",
        "comments": 0,
        "user": {"login": "octocat"},
        "head": {"sha": f"{number:040x}", "ref": "topic", "repo": {"full_name": "octo/recipes"}},
        "base": {"sha": "2" * 40, "ref": "main", "repo": {"full_name": "octo/recipes"}},
        "links": _FILLER,
    }
    body = {
        "action": "synchronize",
        "installation": {"id": 7},
        "repository": {"full_name": "octo/recipes"},
        "pull_request": pull,
    }
    return json.dumps(body).encode()


@dataclass(frozen=True, slots=True)
class Target:
    """Where deliveries go."""

    port: int
    path: str
    secret: str

    def request(self, delivery: str, body: bytes, signature: str) -> bytes:
        """One delivery as it goes over the wire."""
        return (
            f"POST {self.path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            f"User-Agent: GitHub-Hookshot/bench\r\nAccept: */*\r\nContent-Length: {len(body)}\r\n"
            f"X-GitHub-Event: pull_request\r\nX-GitHub-Delivery: {delivery}\r\nX-Hub-Signature-256: {signature}\r\n\r\n"
        ).encode() + body


class Sender:
    """Sends deliveries one after another over one connection."""

    def __init__(self, target: Target, bodies: list[bytes]) -> None:
        self._target = target
        secret = target.secret.encode()
        self._bodies = [(body, "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest()) for body in bodies]

    async def lane(self, first: int, count: int, waits: list[float]) -> None:
        """`count` deliveries from id `first` on, each when the one before was answered."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._target.port)
        for number in range(first, first + count):
            body, signature = self._bodies[number % len(self._bodies)]
            message = self._target.request(f"{number:08x}-0000-4000-8000-000000000000", body, signature)
            began = time.perf_counter()
            writer.write(message)
            await answer(reader)
            waits.append(time.perf_counter() - began)
        writer.close()

    async def flood(self, first: int, total: int, lanes: int = 32) -> float:
        """Deliveries a second at full speed."""
        waits: list[float] = []
        began = time.perf_counter()
        each = total // lanes
        await asyncio.gather(*(self.lane(first + n * each, each, waits) for n in range(lanes)))
        return len(waits) / (time.perf_counter() - began)

    async def paced(self, first: int, rate: int, seconds: float, lanes: int = 32) -> list[float]:
        """How long each of `rate` a second took, sorted; the wait for a free connection counts."""
        idle: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()
        for _ in range(lanes):
            idle.put_nowait(await asyncio.open_connection("127.0.0.1", self._target.port))
        waits: list[float] = []

        async def one(number: int, due: float) -> None:
            reader, writer = await idle.get()
            body, signature = self._bodies[number % len(self._bodies)]
            writer.write(self._target.request(f"{number:08x}-0000-4000-8000-000000000000", body, signature))
            await answer(reader)
            waits.append(time.perf_counter() - due)
            idle.put_nowait((reader, writer))

        began, tasks = time.perf_counter(), []
        for n in range(int(rate * seconds)):
            due = began + n / rate
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            tasks.append(asyncio.create_task(one(first + n, time.perf_counter())))
        await asyncio.gather(*tasks)
        while not idle.empty():
            idle.get_nowait()[1].close()
        return sorted(waits)


async def answer(reader: asyncio.StreamReader) -> None:
    """Reads one answer to its end. Raises for any that is not a success."""
    head = await reader.readuntil(b"\r\n\r\n")
    if not head.startswith((b"HTTP/1.1 20",)):
        raise RuntimeError(head.split(b"\r\n", 1)[0].decode())
    lowered = head.lower()
    if b"content-length: " in lowered:
        await reader.readexactly(int(lowered.split(b"content-length: ", 1)[1].split(b"\r\n", 1)[0]))
    elif b"transfer-encoding: chunked" in lowered:
        while int(await reader.readline(), 16):
            await reader.readuntil(b"\r\n")
        await reader.readline()

"""One record a request: for metrics, for benchmarks that count, and for tests that hold them against GitHub's description."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One request and what came of it. Headers are not kept, nor the answers that carry credentials."""

    operation: str
    """Method and path template as GitHub's OpenAPI description writes them: `GET /repos/{owner}/{repo}/pulls`."""
    method: str
    target: str
    """Path and query as sent, from the host on."""
    status: int
    """0 where no answer came."""
    milliseconds: float
    body: bytes = field(default=b"", repr=False)
    answer: bytes = field(default=b"", repr=False)


Recorder = Callable[[Exchange], None]

CONFIDENTIAL = frozenset(
    {"POST /app/installations/{installation_id}/access_tokens", "POST /app-manifests/{code}/conversions"}
)
"""Operations whose answers (and the second one's path) are secrets; they are recorded without them."""

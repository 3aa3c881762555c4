"""Logs: one JSON object a line, with the delivery and the job that it is about, and never a secret."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Iterable, MutableMapping
from typing import Any, TextIO

import structlog
from structlog.typing import Processor

_SHAPES = re.compile(
    r"\b(?:gh[a-z]_[A-Za-z0-9_]{8,}|github_pat_\w{8,}|v1\.[0-9a-f]{16,}|eyJ[\w-]{8,}(?:\.[\w-]+){1,2})"
    r"|(?i:\b(?:bearer|token|basic)\s+[\w.~+/=-]{12,})"
    r"|(?i:sha256=[0-9a-f]{64})"
    r"|(?<=://)[^\s/@:]{1,200}:[^\s/@]{1,200}(?=@)"
    r"|-----BEGIN[^-]{0,40}-----[^-]{0,8000}(?:-----END[^-]{0,40}-----)?"
)
"""What credentials look like: GitHub's tokens, authorization headers, signatures, passwords in addresses, private keys."""
_CONFIDENTIAL = re.compile(r"secret|token|password|authorization|private_key|signature|cookie", re.IGNORECASE)
_LONGEST = 20_000
GONE = "[redacted]"


class Redactor:
    """Takes secrets out of what is logged: the ones it is told of, and whatever looks like one."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        lines = {line.strip() for secret in secrets for line in (secret, *secret.splitlines())}
        known = sorted((line for line in lines if len(line) >= 6), key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, known))) if known else None

    def text(self, text: str) -> str:
        """`text` without secrets."""
        text = text[: 2 * _LONGEST]
        if self._known is not None:
            text = self._known.sub(GONE, text)
        return _SHAPES.sub(GONE, text)[:_LONGEST]  # cut last, so that no half of a secret is left

    def __call__(self, logger: Any, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        """As a step of structlog's chain."""
        del logger, method
        for key, value in list(event.items()):
            event[key] = GONE if _CONFIDENTIAL.search(key) and value else self._value(value)
        return event

    def _value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, bool | int | float | None):
            return value
        if isinstance(value, list | tuple):
            return [self._value(each) for each in value[:100]]
        return self.text(str(value))


def configure(*, secrets: Iterable[str] = (), level: str = "INFO", stream: TextIO | None = None) -> None:
    """Send everything that is logged, by libraries too, through one chain."""
    before: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.PositionalArgumentsFormatter(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    last = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=before,
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            Redactor(secrets),
            structlog.processors.JSONRenderer(),
        ],
    )
    structlog.configure(
        processors=[*before, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(last)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for noisy in ("httpx", "httpcore", "procrastinate", "psycopg.pool", "asyncio"):
        logging.getLogger(noisy).setLevel(logging.WARNING)

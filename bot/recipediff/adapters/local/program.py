"""A program of the user's own, asked once: an argument list, no shell, bounded in time and in what it prints."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Sequence

from recipediff.ports.errors import Missing, Unavailable

TIMEOUT = 60.0
"""Seconds."""
MAX_OUTPUT = 4 * 1024 * 1024


async def ask(command: Sequence[str], *, timeout: float = TIMEOUT, limit: int = MAX_OUTPUT) -> bytes:
    """What the program prints, on standard error where standard output is empty (as some print their help).

    Raises `Missing` where it cannot be started, `Unavailable` where it fails without an answer, prints too much or too long.
    """
    name = command[0]
    try:
        process = await asyncio.create_subprocess_exec(
            *command, stdin=DEVNULL, stdout=PIPE, stderr=PIPE, start_new_session=True
        )
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise Missing(f"cannot start {name}: {why}") from error
    try:
        async with asyncio.timeout(timeout):
            printed, said = await asyncio.gather(_read(process.stdout, limit), _read(process.stderr, limit))
            status = await process.wait()
    except TimeoutError as error:
        raise Unavailable("timeout", f"{name} did not finish within {timeout:g} s") from error
    except _TooMuch as error:
        raise Unavailable("too-large", f"{name} printed more than {limit:,} bytes") from error
    finally:
        _end(process)
        await process.wait()
    if printed.strip():
        return printed
    if status and b"-" not in said:
        words = " ".join(said.decode("utf-8", "replace").split())[:300] or "nothing"
        raise Unavailable("program-failed", f"{name} ended with status {status} and printed {words}")
    return said


class _TooMuch(Exception):
    pass


async def _read(stream: asyncio.StreamReader | None, limit: int) -> bytes:
    parts, size = [], 0
    while stream is not None and (chunk := await stream.read(1 << 16)):
        size += len(chunk)
        if size > limit:
            raise _TooMuch
        parts.append(chunk)
    return b"".join(parts)


def _end(process: asyncio.subprocess.Process) -> None:
    """The program and whatever it has started: its session is its own."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)

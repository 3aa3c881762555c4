"""Git as a subprocess: argument lists, no shell, no prompts, no network, nothing taken from a surrounding hook."""

from __future__ import annotations

import asyncio
import os
from asyncio import StreamReader, StreamWriter
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from recipediff.ports.errors import Missing, Unavailable

TIMEOUT = 60.0
"""Seconds for one git command."""
MAX_OUTPUT = 64 * 1024 * 1024

# A hook or `git rebase --exec` sets these; they would point the command at another repository or index.
_INHERITED = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
              "GIT_NAMESPACE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_CEILING_DIRECTORIES")  # fmt: skip
_FIXED = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    # A replace ref would show another object under this id.
    "GIT_NO_REPLACE_OBJECTS": "1",
    "LC_ALL": "C",
}
_ABSENT = (
    "not a valid object name",
    "not a git repository",
    "bad object",
    "not a tree object",
    "needed a single revision",
    "cannot change to",
)


def environment() -> dict[str, str]:
    """The environment for a git command that must see only the repository at its path."""
    return {key: value for key, value in os.environ.items() if key not in _INHERITED} | _FIXED


@asynccontextmanager
async def running(
    path: Path, arguments: Sequence[str], *, timeout: float = TIMEOUT
) -> AsyncIterator[tuple[StreamWriter, StreamReader]]:
    """`git -C path ARGUMENTS`, as what it reads and what it prints; never left running.

    Raises `Missing` where git says that the repository or object is not there, `Unavailable` for any other failure.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            "git", "-C", str(path), *arguments, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment()
        )
    except FileNotFoundError as error:
        raise Unavailable("git-missing", "git is not on PATH; install it, or name a plain folder") from error
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("a process started with pipes has them")
    complaint = asyncio.create_task(_read_some(process.stderr, 4096))
    try:
        async with asyncio.timeout(timeout):
            yield process.stdin, process.stdout
            process.stdin.close()
            status = await process.wait()
            if status:
                raise _failure(path, arguments[0], (await complaint).decode("utf-8", "replace"), status)
    except TimeoutError as error:
        raise Unavailable("timeout", f"git {arguments[0]} in {path} took more than {timeout:g} s") from error
    finally:
        complaint.cancel()
        if process.returncode is None:
            process.kill()
            await process.wait()
        await asyncio.gather(complaint, return_exceptions=True)


async def git(path: Path, arguments: Sequence[str], *, timeout: float = TIMEOUT, limit: int = MAX_OUTPUT) -> bytes:
    """What the command prints, at most `limit` bytes. Raises `Missing` or `Unavailable`, with git's own words."""
    async with running(path, arguments, timeout=timeout) as (_, printed):
        output = await _read_some(printed, limit + 1)
        if len(output) > limit:
            raise Unavailable("too-large", f"git {arguments[0]} in {path} printed more than {limit:,} bytes")
    return output


async def _read_some(stream: StreamReader | None, limit: int) -> bytes:
    parts, left = [], limit
    while stream is not None and left > 0 and (chunk := await stream.read(min(left, 1 << 16))):
        parts.append(chunk)
        left -= len(chunk)
    return b"".join(parts)


def _failure(path: Path, command: str, complaint: str, status: int) -> Exception:
    words = " ".join(complaint.split())[:500] or f"exit status {status}"
    message = f"git {command} in {path}: {words}"
    if any(absent in words.lower() for absent in _ABSENT):
        return Missing(message)
    return Unavailable("git-failed", message)

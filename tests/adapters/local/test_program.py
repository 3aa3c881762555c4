"""A program of the user's own: its words as they are, no shell, bounded, and nothing of it left running."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path

import pytest

from recipediff.adapters.local.program import ask
from recipediff.ports.errors import Missing, Unavailable


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


async def test_what_it_prints_is_the_answer() -> None:
    assert await ask(python("print('flags')")) == b"flags\n"
    assert b"-port" in await ask(python("import sys; sys.stderr.write('  -port int\\n'); sys.exit(2)"))


async def test_no_shell_looks_at_its_words(tmp_path: Path) -> None:
    code = "import sys; print(sys.argv[1:])"
    words = f"$(touch {tmp_path}/made); `id` > x"
    assert await ask([*python(code), words]) == (repr([words]) + "\n").encode()
    assert list(tmp_path.iterdir()) == []


async def test_one_that_fails_or_is_not_there_is_said() -> None:
    with pytest.raises(Missing, match="cannot start"):
        await ask(["no-such-program-here"])
    with pytest.raises(Unavailable, match="status 3 and printed broken"):
        await ask(python("import sys; sys.stderr.write('broken'); sys.exit(3)"))


async def test_one_that_prints_without_end_is_stopped() -> None:
    with pytest.raises(Unavailable, match="more than 1,000 bytes"):
        await ask(python("while True: print('x' * 100)"), limit=1000)


async def test_one_that_never_ends_is_killed_with_its_children(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    child = "import time; time.sleep(60)"
    code = f"import subprocess, sys, time; p = subprocess.Popen([sys.executable, '-c', {child!r}]); open({str(note)!r}, 'w').write(str(p.pid)); time.sleep(60)"
    started = time.monotonic()
    with pytest.raises(Unavailable, match="did not finish"):
        await ask(python(code), timeout=2)
    assert time.monotonic() - started < 20
    pid = int(note.read_text())
    for _ in range(100):
        if not _runs(pid):
            return
        await asyncio.sleep(0.1)
    pytest.fail("the child still runs")


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"

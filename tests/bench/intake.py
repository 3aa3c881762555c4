"""What the door costs: `python -m tests.bench.intake [--probot]` prints a table. Needs two cores: one serves, one sends.

With `--probot` (and Node and npm's registry) a minimal Probot server answers the same deliveries without storing them.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sandbox.apps import key_pair
from tests.bench.intake_server import SECRET
from tests.bench.load import Sender, Target, payload

ROUNDS = 3
FLOOD = 6_400
PROBOT = "14"
_PROBOT_APP = 'import { run } from "probot";\nrun((app) => { app.on("pull_request", async () => {}); });\n'


def _cores() -> list[int]:
    return sorted(os.sched_getaffinity(0))


@contextmanager
def _process(words: list[str], **options: object) -> Iterator[subprocess.Popen[str]]:
    """A server on one core of its own."""
    core = _cores()[-1]
    child = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, **options)  # type: ignore[call-overload]
    os.sched_setaffinity(child.pid, {core})
    try:
        yield child
    finally:
        child.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(15)
        child.kill()
        child.wait()


def _megabytes(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


def _spent(pid: int) -> float:
    """Seconds of processor time so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _speed(pid: int, sender: Sender) -> tuple[float, float]:
    """Deliveries a second at best, and milliseconds of processor time for each: what other work on the machine disturbs less."""
    asyncio.run(sender.flood(0, 640))
    found = []
    for number in range(ROUNDS):
        before = _spent(pid)
        rate = asyncio.run(sender.flood(100_000 * (number + 1), FLOOD))
        found.append((rate, (_spent(pid) - before) / FLOOD * 1000))
    return max(rate for rate, _ in found), min(cost for _, cost in found)


def _row(what: str, figure: str, bar: str = "") -> None:
    sys.stdout.write(f"| {what} | {figure} | {bar} |\n")


def _ours() -> float:
    with (
        tempfile.TemporaryDirectory() as folder,
        _process([sys.executable, "-m", "tests.bench.intake_server", folder]) as child,
    ):
        assert child.stdout is not None
        port = int(child.stdout.readline())
        sender = Sender(Target(port, "/webhook", SECRET), [payload(n) for n in range(500)])
        speed, cost = _speed(child.pid, sender)
        waits = asyncio.run(sender.paced(1_000_000, 500, 8))
        many = Sender(Target(port, "/webhook", SECRET), [payload(n) for n in range(1000, 11_000)])
        asyncio.run(many.flood(2_000_000, 10_000, lanes=20))
        _row("stored deliveries a second, one core", f"{speed:,.0f} (best of {ROUNDS})")
        _row("processor time a delivery, ms", f"{cost:.2f}")
        for share, name, bar in ((0.5, "median", ""), (0.99, "p99", "under 20"), (1.0, "slowest", "")):
            wait = waits[min(int(len(waits) * share), len(waits) - 1)]
            _row(f"answer at 500 a second, {name}, ms", f"{wait * 1000:.1f}", bar)
        _row("memory with 10,000 waiting jobs, MB", f"{_megabytes(child.pid):.0f}", "under 120")
        return speed


def _probot() -> float | None:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        sys.stdout.write("\nNode is not here: no comparison with Probot\n")
        return None
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "package.json").write_text('{"type": "module", "private": true}')
        (Path(folder) / "app.js").write_text(_PROBOT_APP)
        done = subprocess.run(
            [npm, "install", "--no-audit", "--no-fund", f"probot@{PROBOT}"], cwd=folder, capture_output=True, text=True, check=False
        )  # fmt: skip
        if done.returncode:
            sys.stdout.write(f"\nProbot could not be installed: {done.stderr.strip().splitlines()[-1:]}\n")
            return None
        version = json.loads((Path(folder) / "node_modules/probot/package.json").read_text())["version"]
        own = {"APP_ID": "1", "PRIVATE_KEY": key_pair()[0], "WEBHOOK_SECRET": SECRET, "PORT": "39471", "HOST": "127.0.0.1",
               "NODE_ENV": "production", "LOG_LEVEL": "fatal", "WEBHOOK_PATH": "/webhook"}  # fmt: skip
        with _process([node, "app.js"], cwd=folder, env=os.environ | own) as child:
            target = Target(39471, "/webhook", SECRET)
            _until_listening(target.port)
            sender = Sender(target, [payload(n) for n in range(500)])
            speed, cost = _speed(child.pid, sender)
            _row(f"Probot {version}, nothing stored, a second", f"{speed:,.0f} (best of {ROUNDS})")
            _row("Probot's processor time a delivery, ms", f"{cost:.2f}")
            _row("Probot's memory, MB", f"{_megabytes(child.pid):.0f}")
            return speed


def _until_listening(port: int) -> None:
    async def look() -> None:
        async with asyncio.timeout(30):
            while True:
                with contextlib.suppress(OSError):
                    _, writer = await asyncio.open_connection("127.0.0.1", port)
                    writer.close()
                    return
                await asyncio.sleep(0.1)

    asyncio.run(look())


def _cold_start() -> float:
    """Seconds from the command to the first delivery that could be taken; the best of five."""
    took = []
    for _ in range(5):
        with tempfile.TemporaryDirectory() as folder:
            own = {"RECIPEDIFF_APP_ID": "1", "RECIPEDIFF_PRIVATE_KEY": key_pair()[0], "RECIPEDIFF_WEBHOOK_SECRET": SECRET,
                   "RECIPEDIFF_DATA": folder, "GITHUB_API_URL": "http://127.0.0.1:9", "PORT": "0"}  # fmt: skip
            began = time.perf_counter()
            child = subprocess.Popen(
                [sys.executable, "-m", "recipediff", "serve"], env=os.environ | own, stderr=subprocess.PIPE, text=True
            )
            assert child.stderr is not None
            for line in child.stderr:
                if '"listening"' in line:
                    break
            took.append(time.perf_counter() - began)
            child.kill()
            child.wait()
            child.stderr.close()
    return min(took)


def main() -> None:
    """Measure, and print as it goes."""
    key_pair()
    cores = _cores()
    if len(cores) < 2:
        sys.stdout.write("one core only: sender and server share it, and the figures say little\n")
    sys.stdout.write("| what | here | bar |\n|---|---|---|\n")
    _row("cold start, s", f"{_cold_start():.2f}", "under 1")
    os.sched_setaffinity(0, set(cores[:-1]) or set(cores))
    os.environ["PYTHONUNBUFFERED"] = "1"
    os.sched_setaffinity(0, set(cores))
    ours = _ours()
    if "--probot" in sys.argv and (theirs := _probot()) is not None:
        _row("ours over Probot's", f"{ours / theirs:.2f}", "at least 1")


if __name__ == "__main__":
    main()

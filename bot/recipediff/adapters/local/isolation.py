"""Work whose time and memory the outside decides, in a process of its own that is ended at its limits."""

from __future__ import annotations

import asyncio
import json
import pickle
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

from recipediff.ports.errors import Unavailable
from recipediff.ports.isolation import Given, Result

# Isolated, with this process's path for modules and nothing of its environment: no token reaches the reader of a
# stranger's file.
_START = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from recipediff.adapters.local.isolation_child import main; main()"


@dataclass(frozen=True, slots=True)
class IsolatedProcess:
    """Runs functions of modules on values that can be pickled. Satisfies `recipediff.ports.isolation.Apart`.

    `seconds` of processor time (and three times as many by the clock), `megabytes` of memory, `at_once` of them."""

    seconds: int = 60
    megabytes: int = 2_048
    turns: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(2))

    async def __call__(self, work: Callable[[Given], Result], given: Given) -> Result:
        """What `work(given)` gives, or raises. Raises `Unavailable` (`too-slow`, `too-large`) beyond the limits."""
        question = pickle.dumps((work, given), pickle.HIGHEST_PROTOCOL)
        limits = [json.dumps(sys.path), str(self.seconds), str(self.megabytes)]
        async with self.turns:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-I", "-c", _START, *limits, stdin=PIPE, stdout=PIPE, stderr=PIPE, env={}
            )
            try:
                async with asyncio.timeout(3 * self.seconds):
                    answer, complaint = await process.communicate(question)
            except TimeoutError:
                raise self._slow() from None
            finally:
                await _ended(process)
        # The child is this program; what it hands back is as trustworthy as what is in this process.
        outcome, value = pickle.loads(answer) if process.returncode == 0 else self._died(process, complaint)  # noqa: S301
        if isinstance(value, Exception) and outcome == "raised":
            raise value
        return cast("Result", value)

    def _died(self, process: Process, complaint: bytes) -> tuple[str, object]:
        if process.returncode == 3:
            message = f"the work took more than {self.megabytes:,} MB of memory"
            return "raised", Unavailable("too-large", message)
        if process.returncode is not None and process.returncode < 0:
            return "raised", self._slow()
        last = complaint.decode("utf-8", "replace").strip().rpartition("\n")[2]
        return "raised", Unavailable("own-fault", f"the process for the work ended: {last[:200]}")

    def _slow(self) -> Unavailable:
        return Unavailable("too-slow", f"the work took more than {self.seconds} seconds")


async def _ended(process: Process) -> None:
    if process.returncode is None:
        process.kill()
        await process.wait()

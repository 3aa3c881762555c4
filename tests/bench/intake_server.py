"""The whole server over an inbox in the folder named first, with jobs that stand still: what is measured is the door and the store."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from recipediff.adapters.local.credentials import AppCredentials
from recipediff.inbox.contract import Done, Job
from recipediff.server import logs
from recipediff.server.jobs.handler import JobHandler
from recipediff.server.serve import told_to_stop
from recipediff.wiring import server as compose
from recipediff.wiring.settings import Hosting
from sandbox.apps import key_pair

SECRET = "the-secret-of-the-bench"


async def _still(handler: JobHandler, job: Job) -> Done:
    """GitHub does not answer."""
    del handler, job
    await asyncio.Event().wait()
    return Done()


async def main(folder: Path) -> None:
    """Print the port, and serve until told to stop."""
    logs.configure(level="WARNING")
    JobHandler.__call__ = _still  # type: ignore[assignment]
    config = Hosting(data=folder, api_url="http://127.0.0.1:9", port=0, app_id=1, grace=0.1)
    async with compose.serving(config, AppCredentials(1, "recipediff", key_pair()[0], (SECRET,))) as port:
        compose.settle()
        sys.stdout.write(f"{port}\n")
        sys.stdout.flush()
        await told_to_stop()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))

"""The whole server over an inbox in the folder named first, with jobs that stand still: what is measured is the door and the store."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from bot import compose
from bot.hosting import Hosting
from bot.inbox.contract import Done, Job
from bot.local.credentials import Credentials
from bot.sandbox.apps import key_pair
from bot.server import logs
from bot.server.handler import Handler
from bot.server.metrics import Metrics
from bot.server.serve import Listening, Service, running, told_to_stop

SECRET = "the-secret-of-the-bench"


class Still(Handler):
    """GitHub does not answer."""

    async def __call__(self, job: Job) -> Done:
        del job
        await asyncio.Event().wait()
        return Done()


async def main(folder: Path) -> None:
    """Print the port, and serve until told to stop."""
    logs.configure(level="WARNING")
    config = Hosting(data=folder, api_url="http://127.0.0.1:9", app_id=1)
    credentials = Credentials(1, "recipediff", key_pair()[0], (SECRET,))
    metrics, inbox = Metrics(), compose.open_inbox(config)
    await inbox.open()
    async with compose.connected(config, compose.identity(credentials), metrics=metrics) as (connection, forge):
        made = compose.put_together(config, credentials, connection, forge, inbox, metrics)
        made.handler.__class__ = Still
        service = Service(inbox, made.handler, made.who, made.secrets, metrics)
        async with running(service, Listening(port=0), grace=0.1) as port:
            sys.stdout.write(f"{port}\n")
            sys.stdout.flush()
            await told_to_stop()
    await inbox.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))

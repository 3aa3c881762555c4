"""What `__main__` hands to the commands. Imported at every start, so it imports next to nothing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    import click

    from bot.app.protocols import Repository
    from bot.app.remarks import Remark
    from bot.app.workflow import Reviewed
    from bot.inbox.contract import Inbox


class Adapters(Protocol):
    """Where upstreams come from; made in `__main__`."""

    def upstream(self, repo: str, local: Path | None) -> Repository:
        """A local checkout or folder where `local` is given, else GitHub over the API, cached on disk."""

    async def close(self) -> None:
        """Give connections back."""


class Services(Protocol):
    """What the hosting commands need; made in `bot.compose`."""

    def inbox(self) -> AbstractAsyncContextManager[Inbox]:
        """The server's inbox, open."""

    async def serve(self, host: str | None, port: int | None) -> None:
        """Until told to stop."""

    async def doctor(self, name: str) -> list[Remark]:
        """What is wrong."""

    async def review(self, event: Path, kind: str) -> Reviewed:
        """Of a workflow's event."""


@dataclass(frozen=True, slots=True)
class Workbench:
    """The context of one run."""

    adapters: Adapters
    services: Services | None = None


def services(ctx: click.Context) -> Services:
    """The services of this run."""
    found = ctx.find_object(Workbench)
    if found is None or found.services is None:
        raise RuntimeError("the command was put together without its services")
    return found.services

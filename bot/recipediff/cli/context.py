"""What `__main__` hands to the commands. Imported at every start, so it imports next to nothing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractAsyncContextManager

    import click

    from recipediff.app.bumps.history import Past
    from recipediff.app.diagnostics import Diagnostic
    from recipediff.app.review.workflow import Reviewed
    from recipediff.app.sweep.sweep import Gaps, Models
    from recipediff.core.config import Upstream
    from recipediff.inbox.contract import Inbox
    from recipediff.ports.forge import Commit
    from recipediff.ports.repository import Repository


class Adapters(Protocol):
    """Where upstreams come from; made in `__main__`."""

    def upstream(self, repo: str, local: Path | None) -> Repository:
        """A local checkout or folder where `local` is given, else GitHub over the API, cached on disk."""

    def past(self, repo: str, local: Path | None) -> Past | None:
        """The commits of the same repository; None for a plain folder, which has none."""

    async def close(self) -> None:
        """Give connections back."""


class Services(Protocol):
    """What the hosting commands need; made in `recipediff.wiring.server`."""

    def inbox(self) -> AbstractAsyncContextManager[Inbox]:
        """The server's inbox, open."""

    async def serve(self, host: str | None, port: int | None) -> None:
        """Until told to stop."""

    async def doctor(self, name: str) -> list[Diagnostic]:
        """What is wrong."""

    async def review(self, event: Path, kind: str) -> Reviewed:
        """Of a workflow's event."""


class SweepSources(Protocol):
    """What a sweep asks outside of files; made in `recipediff.wiring.sweep`."""

    def models(self, network: bool) -> Models:
        """Where models' repositories are; without the network only what is kept on disk."""

    def gaps(self, repo: str) -> Gaps:
        """Where work on the engine is seen."""

    async def commit(self, repository: Repository, upstream: Upstream, local: Path | None, ref: str) -> str:
        """The full id of a branch, tag or commit; of the newest commit where `ref` is empty."""

    async def commits(self, local: Path, ref: str, folders: Sequence[str], most: int) -> Sequence[Commit]:
        """At most `most` commits of a local checkout, oldest first; none where it has no history."""

    async def ask(self, command: Sequence[str]) -> bytes:
        """What a program of the user's own prints."""

    async def close(self) -> None:
        """Give connections back."""


@dataclass(frozen=True, slots=True)
class Workbench:
    """The context of one run."""

    adapters: Adapters
    services: Services | None = None
    sweeping: SweepSources | None = None


def services(ctx: click.Context) -> Services:
    """The services of this run."""
    found = ctx.find_object(Workbench)
    if found is None or found.services is None:
        raise RuntimeError("the command was put together without its services")
    return found.services

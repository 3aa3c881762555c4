"""What `__main__` hands to the commands. Imported at every start, so it imports next to nothing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from bot.app.protocols import Repository


class Adapters(Protocol):
    """Where upstreams come from; made in `__main__`."""

    def upstream(self, repo: str, local: Path | None) -> Repository:
        """A local checkout or folder where `local` is given, else GitHub over the API, cached on disk."""

    async def close(self) -> None:
        """Give connections back."""


@dataclass(frozen=True, slots=True)
class Workbench:
    """The context of one run."""

    adapters: Adapters

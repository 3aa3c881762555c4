"""Who the bot is at GitHub. Its name is asked for once, when somebody needs it, so that the door opens without GitHub."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from recipediff.app.events import Me

NAME = "recipediff"
"""Until GitHub has said what the App is called."""


class Who:
    """The App's id, and its slug as soon as it is known."""

    def __init__(self, app_id: int, slug: str = "") -> None:
        self._app_id = app_id
        self._slug = slug
        self._lock = asyncio.Lock()
        self.ask: Callable[[], Awaitable[str]] | None = None
        """Gets the slug from GitHub; it may raise `Unavailable`."""

    def me(self) -> Me:
        """For reading events."""
        return Me(self._app_id, self._slug or NAME)

    async def author(self) -> str:
        """The account that comments are written under."""
        async with self._lock:
            if not self._slug and self.ask is not None:
                self._slug = await self.ask()
        return f"{self._slug or NAME}[bot]"

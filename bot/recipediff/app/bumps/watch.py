"""Whether an upstream has moved: one conditional request for each, however many recipes follow it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from recipediff.app.bumps.move import Kept
from recipediff.ports.forge import Forge, Home


@dataclass(frozen=True, slots=True)
class _Last:
    """What the last whole look at a repository's upstreams saw."""

    tips: dict[tuple[str, str], str]
    """The commit of each followed branch, by upstream and branch."""
    complete: bool
    until: float


class Watch:
    """Remembers, for each repository, where its upstreams were. After a restart everything is looked at once."""

    def __init__(self) -> None:
        self._last: dict[str, _Last] = {}

    def saw(self, home: str, kept: Kept, also: Mapping[tuple[str, str], str] | None = None) -> None:
        """A whole look is done. Where part of it failed, the next poll looks again. `also` are branches that are followed for
        another reason than a pin, with their tips."""
        config = kept.base.config
        tips = {
            (repo, upstream.branch): tip
            for repo, tip in kept.seen.tips.items()
            if (upstream := config.upstream(repo)) is not None
        }
        tips.update(also or {})
        self._last[home.lower()] = _Last(tips, not kept.seen.unknown, kept.until)

    def forget(self, home: str) -> None:
        """The next poll looks at everything: a recipe or the configuration changed."""
        self._last.pop(home.lower(), None)

    async def due(self, home: Home, forge: Forge, now: float) -> bool:
        """Whether a whole look is worth while. Raises `Missing` or `Unavailable` where that cannot be found out."""
        last = self._last.get(home.name.lower())
        if last is None or not last.complete or (last.until and now >= last.until):
            return True
        asked = list(last.tips)
        tips = await asyncio.gather(*(forge.upstream(repo, home).history.tip(branch) for repo, branch in asked))
        return any(tip != last.tips[key] for key, tip in zip(asked, tips, strict=True))

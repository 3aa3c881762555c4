"""Tending the pins of one repository: its bumps and its overview, as often as somebody ticks a box meanwhile."""

from __future__ import annotations

from dataclasses import replace

from recipediff.app.bumps.move import About, Kept, keep_bumps, opener
from recipediff.app.bumps.overview import keep_overview, ticked
from recipediff.ports.forge import Forge, Home

ROUNDS = 3
"""Ticks that come even later are heard by their own event."""


async def tend(home: Home, forge: Forge, about: About) -> Kept:
    """Bring bumps and overview to what they should be. Raises `Unavailable` for what may pass, `Missing` for a repository
    that is gone."""
    served = about.asked | await ticked(home, about.author)
    kept = await keep_bumps(home, forge, replace(about, asked=served))
    for _ in range(ROUNDS):
        if (
            kept.base.config.bumps.overview == "never"
            or kept.base.config.bumps.open == "never"
            or not kept.base.recipes
        ):
            return kept
        late = await keep_overview(home, kept, about.author, opener(home, forge), served)
        if not late:
            return kept
        served |= late
        kept = await keep_bumps(home, forge, replace(about, asked=served))
    return kept

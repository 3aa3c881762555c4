"""What upstream's side of a difference says about it: that vLLM would refuse it, or that its variant has moved."""

from __future__ import annotations

from recipediff.core.compare import Difference
from recipediff.core.config import Config
from recipediff.core.launch import Launch
from recipediff.core.recipe import TestedRecipe
from recipediff.core.upstream import Fetched, UpstreamFiles
from recipediff.parse.formats import FORMATS


def refused(difference: Difference, theirs: Launch) -> tuple[str, ...]:
    """Why the recipe's vLLM would not start with what upstream writes here (cases C04, C05); nothing where it would."""
    left = difference.left_setting
    if left is None:
        return ()
    return tuple(
        f"vLLM {refusal.version} refuses upstream's side: {refusal.message}{f' ({refusal.hint})' if refusal.hint else ''}"
        for refusal in theirs.refused
        if refusal.place == left.place or refusal.setting == left.name
    )


def successors(recipe: TestedRecipe, fetched: Fetched | None, config: Config) -> tuple[str, ...]:
    """Which other variants of the pinned file serve the recipe's model, where the one it follows serves another (case B16)."""
    source = recipe.source
    upstream = config.upstream(source.repo) if source is not None else None
    form = FORMATS.get(upstream.format) if upstream is not None else None
    if source is None or form is None or not isinstance(fetched, UpstreamFiles):
        return ()
    hardware = f"{recipe.hardware} {source.select.hardware}"
    found = form.selects(fetched, source.path, recipe.model.text, hardware)
    names = dict.fromkeys(select.variant for select in found if select.variant != (source.select.variant or "default"))
    return tuple(
        f"upstream's variant {name} serves {recipe.model.text}: if the key was reassigned, follow it with "
        f"`select: {{variant: {name}}}`"
        for name in names
        if name
    )

"""What people ask of a bump in a comment: `rebase`, `recreate`, `ignore this move`, `ignore this recipe`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from recipediff.app.bumps.move import About
from recipediff.app.bumps.pull import called, ending
from recipediff.app.bumps.state import Bump
from recipediff.app.bumps.tend import tend
from recipediff.core.bumps import marker as bump_marker
from recipediff.core.bumps.branches import PREFIX, QUIET, branch_of
from recipediff.ports.forge import Forge, Home, PullRequest

Name = Literal["rebase", "recreate", "ignore move", "ignore recipe"]


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of it, in a sentence for the pull request; empty where the pull request itself shows it."""

    text: str = ""
    understood: bool = True


def order_of(words: str) -> Name | None:
    """The order in the words after the bot's name; None where they are something else."""
    text = " ".join(words.lower().split()).rstrip(".!")
    orders: dict[str, Name] = {
        "rebase": "rebase",
        "recreate": "recreate",
        "ignore this move": "ignore move",
        "ignore this recipe": "ignore recipe",
    }
    return orders.get(text)


async def obey_order(home: Home, forge: Forge, number: int, order: Name, about: About) -> Reply:
    """Do what somebody who may write asked for. Doing it twice changes nothing."""
    pull = await home.pulls.get(number)
    marker = bump_marker.read(pull.body) if pull.author == about.author and not pull.from_fork else None
    if marker is None or not pull.head_ref.startswith(PREFIX):
        return Reply("This is not a pull request of a pin bump, so there is nothing to move.", understood=False)
    bump = Bump(pull, marker, tip=pull.head_sha)
    if order in ("rebase", "recreate"):
        return await _again(home, forge, bump, order, about)
    if order == "ignore recipe" and _several(pull):
        return Reply(
            "This pull request moves several recipes. Name the one to be left alone under `bumps.ignore` in the "
            "configuration, or close this pull request to skip these versions.",
            understood=False,
        )
    if pull.state == "closed":
        return Reply("It is closed already; upstream's version is not offered again.")
    if order == "ignore move":
        reason = "somebody asked to ignore this move; the next one is offered again"
        await ending(home, about.author, bump, reason, "move")
        return Reply()
    reason = "somebody asked to leave this recipe alone; its box in the overview brings bumps back"
    await ending(home, about.author, bump, reason, "recipe")
    return Reply()


def _several(pull: PullRequest) -> bool:
    marker = bump_marker.read(pull.body)
    names = [member.recipe for member in marker.members] if marker is not None else []
    return pull.head_ref == QUIET or [branch_of(name) for name in names] != [pull.head_ref]


async def _again(home: Home, forge: Forge, bump: Bump, order: Name, about: About) -> Reply:
    """Bring it up to date. On people's commits only where `recreate` asks for it, and then on top of them."""
    branch, name = bump.pull.head_ref, called(about.author)
    names = frozenset(member.recipe for member in bump.marker.members)
    if bump.pull.state == "closed":
        if order == "rebase":
            return Reply(f"It is closed. `{name} recreate` opens a new one.", understood=False)
        asked = About(author=about.author, now=about.now, asked=names)
    elif order == "recreate":
        asked = About(author=about.author, now=about.now, recreate=frozenset({branch}))
    else:
        asked = About(author=about.author, now=about.now, rebase=frozenset({branch}))
    kept = await tend(home, forge, asked)
    there = kept.bumps.open.get(branch)
    if order == "rebase" and there is not None and there.foreign:
        return Reply(
            f"Somebody else has committed to this branch, so it is left as it is. `{name} recreate` builds it anew on top "
            "of those commits.",
            understood=False,
        )
    held = next((a.reason for a in kept.actions if a.what == "hold" and names & {m.recipe for m in a.members}), "")
    if there is None and held:
        return Reply(f"Nothing was opened: {held}.")
    return Reply()

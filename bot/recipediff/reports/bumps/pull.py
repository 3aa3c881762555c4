"""A pin bump's pull request: title, body, commit message. Everything that a maintainer needs to decide without another tab.

Nothing in it pings anybody or leaves a link in another repository; the parts fit into GitHub's limits as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from recipediff.core.bumps import marker as bump_marker
from recipediff.core.bumps.marker import Marker
from recipediff.core.bumps.trail import Outdated
from recipediff.core.meaning import Change
from recipediff.reports.bumps.meaning import sections
from recipediff.reports.escape import code, markup, prose
from recipediff.reports.report import plural

LIMIT = 60_000
"""Characters of a body; GitHub takes 65,536."""
TITLE = 120
_SAFE = re.compile(r"[A-Za-z0-9_./+=:,-]{1,24}")
_HEX = re.compile(r"[0-9a-f]{7,40}")
NOTICE = (
    "> ⚠️ Somebody else has committed to this branch, so it is left alone: it will not be updated, merged or closed by itself. "
    "`{name} recreate` builds it anew on top of those commits."
)


def title(trails: Sequence[Outdated], *, quiet: bool, group: str = "") -> str:
    """One line. It holds nothing but names and plain values, so that it may stand in a commit message, too."""
    if quiet:
        return f"Move {plural(len(trails), 'pin')} past upstream edits that change no launch"
    if len(trails) != 1:
        name = f"{group}: " if group and _SAFE.fullmatch(group) else ""
        return f"{name}Move {plural(len(trails), 'pin')} to upstream's newest recipes"[:TITLE]
    trail = trails[0]
    head = f"{_name(trail.recipe)} to {trail.target[:7]}"
    return f"Move {head}: {_gist(trail)}"[:TITLE].rstrip(": ")


def _name(recipe: str) -> str:
    return recipe[:60] if re.fullmatch(r"[A-Za-z0-9_.-]+", recipe) else "a recipe"


def _gist(trail: Outdated) -> str:
    changes = trail.judged.meaning.changes
    if trail.judged.reassigned is not None:
        return "upstream reassigned its variant"
    if not changes:
        return (
            "upstream's launcher changed"
            if trail.launcher
            else "readable again"
            if trail.judged.meaning.blind
            else "no launch change"
        )
    if len(changes) == 1:
        return _one(changes[0])
    return plural(len(changes), "setting")


def _one(change: Change) -> str:
    found = change.difference
    name = found.setting if re.fullmatch(r"[A-Za-z0-9_./-]{1,60}", found.setting) else "a setting"
    sides = [text for text in (found.left, found.right) if text is not None]
    plain = all(_SAFE.fullmatch(text) and not _HEX.fullmatch(text) for text in sides)
    if found.direction == "changed":
        return f"{name} {' → '.join(sides)}" if plain else f"{name} changed"
    return f"{name} {found.direction}"


def message(trails: Sequence[Outdated], *, quiet: bool, group: str = "") -> str:
    """The commit message. Upstream's own words stay out of it: they might close issues or ping people here."""
    lines = [f"{_name(trail.recipe)}: {trail.pin} to {trail.target}" for trail in trails]
    return title(trails, quiet=quiet, group=group) + "\n\n" + "\n".join(lines) + "\n"


def body(trails: Sequence[Outdated], marker: Marker, *, name: str, quiet: bool) -> str:
    """The whole text, with the marker as its last line. `name` is how the bot is addressed, such as `@recipediff`."""
    head = [NOTICE.format(name=name)] if marker.noticed else []
    head.append(_summary(trails, quiet=quiet))
    tail = _footer(name, trails) + "\n\n" + bump_marker.write(marker) + "\n"
    room = LIMIT - len(tail) - sum(map(len, head)) - 200
    parts: list[str] = []
    left = 0
    for trail in trails:
        text = _part(trail, alone=len(trails) == 1)
        if left or len(text) > room:
            left += 1
            continue
        room -= len(text)
        parts.append(text)
    if left:
        parts.append(f"{plural(left, 'more recipe')} did not fit here; `recipediff outdated` shows them all.")
    return "\n\n".join([*head, *parts]) + "\n\n" + tail


def _summary(trails: Sequence[Outdated], *, quiet: bool) -> str:
    if quiet:
        return (
            "Upstream edited these recipes' files, and nothing that a launch pinned by digest uses differs. "
            "Moving the pins keeps the distance short; no measurement is touched."
        )
    first = trails[0]
    if len(trails) == 1:
        return (
            f"{code(first.repo)} has moved {code(first.path)}. This pull request moves the pin of **{prose(first.recipe)}** "
            f"from {code(first.pin[:12])} to {code(first.target[:12])} and nothing else: arguments, environment and "
            "measurements are for people to change."
        )
    return "Upstream has moved the files of these recipes. Their pins move, and nothing else."


def _part(trail: Outdated, *, alone: bool) -> str:
    text = sections(trail)
    if alone:
        return text
    line = f"<b>{markup(trail.recipe)}</b> · {trail.pin[:6]}… → {trail.target[:6]}… · {markup(_gist(trail))}"
    return f"<details><summary>{line}</summary>\n\n{text}\n</details>"


def _footer(name: str, trails: Sequence[Outdated]) -> str:
    repos = sorted({trail.repo for trail in trails})
    licence = f"Derived from {', '.join(map(code, repos))}; the attribution in the recipe stays. "
    return (
        "---\n<sub>"
        + licence
        + f"Merge it to accept upstream's new text as what the recipe is compared with; close it to skip this version. "
        f"`{name} rebase` brings it up to date, `{name} recreate` builds it anew, `{name} ignore this move` and "
        f"`{name} ignore this recipe` close it for good.</sub>"
    )


def closed(reason: str, marker: Marker) -> str:
    """The one line that a bump is closed with."""
    return f"<!-- recipediff:closed:{marker.tip} -->\nClosed: {prose(reason)}."


def remarked(text: str, marker: Marker, *, name: str) -> str:
    """A body with another marker, and with the notice where the marker says so; people's words in it stay."""
    kept = [line for line in text.replace("\r\n", "\n").split("\n") if bump_marker.read(line) is None]
    notice = NOTICE.format(name=name)
    if marker.noticed and notice not in kept:
        kept = [notice, "", *kept]
    if not marker.noticed:
        kept = [line for line in kept if line != notice]
    return "\n".join(kept).rstrip("\n") + "\n\n" + bump_marker.write(marker) + "\n"


def ordered(trails: Mapping[str, Outdated], members: Sequence[bump_marker.Member]) -> list[Outdated]:
    """The trails of a bump's members, in the order of their ids."""
    return [trails[member.recipe] for member in members if member.recipe in trails]

"""What a bump's pull request remembers about itself: one line of JSON in an HTML comment. The state lives at GitHub."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from recipediff.core.git import is_object_id

_LINE = re.compile(r"^<!-- recipediff:bump (\{.{1,30000}\}) -->\r?$", re.MULTILINE)
VERSION = 1
MAX_MEMBERS = 50

EndedBy = Literal["", "bot", "move", "recipe"]
"""Who ended it: nobody (or a person, by the button), the bot, or a person who asked to ignore this move or this recipe."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One recipe's part of a bump: the new commit and path, upstream's content there, and the recipe file it was made on."""

    recipe: str
    commit: str
    path: str
    blob: str
    """The id of upstream's content; with companions, of all that was read."""
    file_blob: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """`tip` is the last commit that the bot made on the branch."""

    tip: str
    members: tuple[Member, ...]
    asked: bool = False
    ended: EndedBy = ""
    noticed: bool = False
    """The pull request says that somebody else committed to it."""
    dressed: bool = False
    """Labels, reviewers and assignees were set; people may have changed them since."""


def write(marker: Marker) -> str:
    """The line. Nothing in it can end the comment or mean anything to GitHub."""
    data = {
        "v": VERSION,
        "tip": marker.tip,
        "asked": marker.asked,
        "ended": marker.ended,
        "noticed": marker.noticed,
        "dressed": marker.dressed,
        "members": [[m.recipe, m.commit, m.path, m.blob, m.file_blob] for m in marker.members],
    }
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    text = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("--", "-\\u002d")
    return f"<!-- recipediff:bump {text} -->"


def read(body: str) -> Marker | None:
    """The marker of a pull request's body; None where there is none, or none that can be believed."""
    found = _LINE.findall(body)
    if len(found) != 1:
        return None
    try:
        data = json.loads(found[0])
        return _marker(data) if data["v"] == VERSION else None
    except (ValueError, TypeError, LookupError, RecursionError):
        return None


def _member(row: list[Any]) -> Member:
    recipe, commit, path, blob, *rest = (str(part) for part in row)
    (file_blob,) = rest or [""]
    return Member(recipe=recipe, commit=commit, path=path, blob=blob, file_blob=file_blob)


def _marker(data: Mapping[str, Any]) -> Marker | None:
    members = tuple(_member(row) for row in data["members"])
    ended = data["ended"]
    if not is_object_id(str(data["tip"])) or ended not in ("", "bot", "move", "recipe"):
        return None
    if not members or len(members) > MAX_MEMBERS or not all(is_object_id(m.commit) for m in members):
        return None
    said = [data[name] is True for name in ("asked", "noticed", "dressed")]
    return Marker(tip=str(data["tip"]), members=members, asked=said[0], ended=ended, noticed=said[1], dressed=said[2])

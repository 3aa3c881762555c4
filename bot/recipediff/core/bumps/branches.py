"""The one branch of each bump."""

from __future__ import annotations

import hashlib
import re

PREFIX = "recipediff/bump/"
QUIET = f"{PREFIX}quiet"

_PLAIN_ID = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_-]|\.(?=[A-Za-z0-9_-]))*")
_LONGEST = 150


def branch_of(recipe: str) -> str:
    """The one branch of a recipe's bump. No two ids share one, and none is that of a group or of the quiet moves."""
    if not _PLAIN_ID.fullmatch(recipe) or recipe.lower().endswith(".lock") or len(recipe) > _LONGEST:
        return f"{PREFIX}recipe-sha-{hashlib.sha256(recipe.encode()).hexdigest()[:16]}"
    reserved = recipe == "quiet" or recipe.startswith(("group-", "recipe-"))
    return f"{PREFIX}{'recipe-' if reserved else ''}{recipe}"


def group_branch(name: str) -> str:
    """The branch of a group."""
    plain = _PLAIN_ID.fullmatch(name) and not name.lower().endswith(".lock") and len(name) <= _LONGEST
    return f"{PREFIX}group-{name if plain else 'sha-' + hashlib.sha256(name.encode()).hexdigest()[:16]}"

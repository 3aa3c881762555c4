"""Reading a webhook's payload, of which nothing is taken for granted: each field has a type, bounds, or else a sentence."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from recipediff.core.git import is_object_id

REPO = re.compile(r"[A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100}")
_LINE = re.compile(r"[^\x00-\x1f\x7f\ud800-\udfff]*")
MOST_NUMBER = 2**53
"""Ids beyond it are not ids: JSON's numbers are not exact there."""


class Malformed(Exception):
    """A field is missing or is not what it must be. The message names the field, never its value."""


class PayloadFields:
    """The fields of one payload, by dotted paths."""

    def __init__(self, payload: object) -> None:
        self._payload = payload

    def get(self, path: str) -> object:
        """What is at `path`; None where nothing is, or where something on the way is not an object."""
        found = self._payload
        for name in path.split("."):
            if not isinstance(found, dict):
                return None
            found = found.get(name)
        return found

    def text(self, path: str, *, most: int = 255, default: str | None = None) -> str:
        """One line of text. Without a `default` it must be there and not be empty."""
        found = self.get(path)
        if found is None and default is not None:
            return default
        if not isinstance(found, str) or not (found or default is not None):
            raise Malformed(f"{path} is not a text")
        if len(found) > most or not _LINE.fullmatch(found):
            raise Malformed(f"{path} is not one line of at most {most} characters")
        return found

    def number(self, path: str, *, default: int | None = None) -> int:
        """A whole number from 0."""
        found = self.get(path)
        if found is None and default is not None:
            return default
        if not isinstance(found, int) or isinstance(found, bool) or not 0 <= found < MOST_NUMBER:
            raise Malformed(f"{path} is not a number")
        return found

    def flag(self, path: str) -> bool:
        """True where `path` holds JSON's true."""
        return self.get(path) is True

    def commit(self, path: str) -> str:
        """A full commit id."""
        found = self.get(path)
        if not isinstance(found, str) or not is_object_id(found):
            raise Malformed(f"{path} is not a full commit id")
        return found

    def repo(self, path: str) -> str:
        """`owner/name`."""
        found = self.get(path)
        if not isinstance(found, str) or not REPO.fullmatch(found):
            raise Malformed(f"{path} is not owner/name")
        return found

    def moment(self, path: str) -> float:
        """A time as GitHub writes it, in seconds since the epoch; 0 where there is none."""
        found = self.get(path)
        return moment(found) if isinstance(found, str) else 0.0


def moment(text: str) -> float:
    """ISO 8601 as GitHub writes it, in seconds since the epoch; 0 for anything else."""
    try:
        found = datetime.fromisoformat(text[:40].replace("Z", "+00:00"))
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return 0.0

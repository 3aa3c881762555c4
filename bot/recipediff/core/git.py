"""Git's object ids: what one looks like, and the id of a file's content."""

from __future__ import annotations

import hashlib
import re

_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def is_object_id(text: str) -> bool:
    """Whether `text` is a full object id: 40 lower-case hex digits, or 64 in a SHA-256 repository."""
    return _ID.fullmatch(text) is not None


def blob_id(content: bytes, like: str = "") -> str:
    """The id that git gives to a file with `content`; by SHA-256 where `like` is such an id."""
    head = b"blob %d\0" % len(content)
    if len(like) == 64:
        return hashlib.sha256(head + content).hexdigest()
    return hashlib.sha1(head + content, usedforsecurity=False).hexdigest()

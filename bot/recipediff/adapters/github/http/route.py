"""Addresses of operations: a path template as GitHub's OpenAPI description writes it, filled without surprises."""

from __future__ import annotations

import re
from urllib.parse import quote, urlencode

from recipediff.ports.errors import Missing

_NAME = re.compile(r"[A-Za-z0-9._-]{1,100}")
_FIELD = re.compile(r"\{(\w+)\}")
_SEVERAL_SEGMENTS = frozenset({"ref", "path", "basehead", "branch"})

PathValue = str | int


def repository(name: str) -> dict[str, PathValue]:
    """`owner/name` as the two path fields. Raises `Missing` for what cannot be a repository."""
    owner, _, repo = name.partition("/")
    for part in (owner, repo):
        if not _NAME.fullmatch(part) or part in {".", ".."}:
            raise Missing(f"{name[:120]!r} is not a repository's owner/name")
    return {"owner": owner, "repo": repo}


def fill(template: str, fields: dict[str, PathValue], query: dict[str, PathValue] | None = None) -> str:
    """The address (path and query) of one call. Raises `Missing` where a field would leave its place in the path."""

    def one(match: re.Match[str]) -> str:
        name = match[1]
        text = str(fields[name])
        segments = text.split("/") if name in _SEVERAL_SEGMENTS else [text]
        if any(segment in {"", ".", ".."} for segment in segments):
            raise Missing(f"{text[:120]!r} cannot be a {name}")
        return "/".join(quote(segment, safe="") for segment in segments)

    path = _FIELD.sub(one, template)
    return f"{path}?{urlencode(query)}" if query else path

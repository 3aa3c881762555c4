"""Conditional requests: what changes is asked for with the tag of the last answer, and a 304 costs no quota."""

from __future__ import annotations

import json
from collections.abc import Iterator, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from cachetools import LRUCache

CachedAnswer = tuple[str | None, str | None, Any, str | None]
"""Entity tag, modification time, decoded body, next page: as gidgethub keeps them."""

_IMMUTABLE = ("/git/trees/", "/git/blobs/", "/git/commits/", "/access_tokens")


class EtagCache(MutableMapping[str, CachedAnswer]):
    """The least recently used answers go first once their JSON is over `max_bytes`. For one installation: what it may
    see is not shown to another. Git objects are left out, they have a memory of their own and never change."""

    def __init__(self, max_bytes: int = 4 * 1024 * 1024) -> None:
        self._kept: LRUCache[str, str] = LRUCache(max_bytes, getsizeof=len)

    def __getitem__(self, url: str) -> CachedAnswer:
        etag, modified, data, more = json.loads(self._kept[url])
        return etag, modified, data, more

    def __setitem__(self, url: str, answer: CachedAnswer) -> None:
        if any(part in urlsplit(url).path for part in _IMMUTABLE):
            return
        text = json.dumps(answer)
        if len(text) <= self._kept.maxsize // 4:
            self._kept[url] = text
        else:
            self._kept.pop(url, None)

    def __delitem__(self, url: str) -> None:
        del self._kept[url]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)

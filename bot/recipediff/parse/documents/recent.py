"""What was read lately, since one run looks at the same bytes several times: to find the sources, on head and on base."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import TypeVar

Read = TypeVar("Read")


class Recent:
    """Results of a pure function by what they were made of, the least recently used out first.

    Bounded by the bytes of the inputs, not by their number. What is read takes many times the memory of its bytes, so an
    input larger than `largest` is not kept: ordinary recipes have a few kilobytes.
    """

    def __init__(self, most: int, largest: int = 32 * 1024) -> None:
        self._most = most
        self._largest = largest
        self._kept: OrderedDict[Hashable, tuple[object, int]] = OrderedDict()
        self._size = 0

    def get(self, key: Hashable, size: int, make: Callable[[], Read]) -> Read:
        """The result for `key`, whose input has `size` bytes; made where it is not kept."""
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
            return found[0]  # type: ignore[return-value]
        made = make()
        if size <= self._largest:
            self._kept[key] = (made, size)
            self._size += size
            while self._size > self._most:
                _, (_, gone) = self._kept.popitem(last=False)
                self._size -= gone
        return made

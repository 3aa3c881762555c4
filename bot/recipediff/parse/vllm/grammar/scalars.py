"""Numbers and JSON as vLLM's parser reads them."""

from __future__ import annotations

import json
import re
from typing import cast

from recipediff.core.setting import Json

_HUMAN = re.compile(r"(\d+(?:\.\d+)?)([kKmMgGtT])")
_BARE_HUMAN = re.compile(r"\b\d++(?:\.\d++)?[kKmMgGtT]\b")
_STRINGS = re.compile(r'("(?:[^"\\]++|\\.)*+(?:"|\\?\Z))', re.DOTALL)
_POWER = {letter: power for power, letter in enumerate("kmgt", start=1)}
_DIGITS = 4300
"""Python refuses longer numbers; a longer text would also be slow to read."""


def python_int(text: str) -> int:
    """`int(text)` as the parser calls it: `007`, `+1` and `3_000` are numbers, `0x10` is not. Raises `ValueError`."""
    if len(text) > _DIGITS:
        msg = "too long for a whole number"
        raise ValueError(msg)
    return int(text)


def human_int(text: str) -> int:
    """`32k` is 32000, `32K` is 32768, `25.6k` is 25600; `25.6K` is refused. Raises `ValueError`."""
    text = text.strip()
    match = _HUMAN.fullmatch(text) if len(text) <= _DIGITS else None
    if not match:
        return python_int(text)
    number, suffix = match.groups()
    power = _POWER[suffix.lower()]
    if suffix.islower():
        try:
            return int(float(number) * 1000**power)
        except OverflowError as error:
            raise ValueError(str(error)) from error
    if "." in number:
        msg = f"fractions go with small letters only: did you mean {number}{suffix.lower()}?"
        raise ValueError(msg)
    return int(number) * (1 << (10 * power))


def human_int_or_auto(text: str) -> int:
    """Like `human_int`; `auto` in any case is -1. Raises `ValueError`."""
    return -1 if text.strip().lower() in ("auto", "-1") else human_int(text)


def load_json(text: str) -> Json:
    """JSON as Python reads it (NaN included; of a key given twice the last counts).

    Raises `json.JSONDecodeError`, `ValueError` for a number of more than 4,300 digits, `RecursionError`.
    """
    return cast("Json", json.loads(text))


def expand_suffixes(text: str) -> str:
    """`1K` outside of strings as the number that it means. Raises `ValueError` for `1.5K`."""
    if not _BARE_HUMAN.search(text):
        return text
    parts = _STRINGS.split(text)
    for i in range(0, len(parts), 2):
        parts[i] = _BARE_HUMAN.sub(lambda match: str(human_int(match.group())), parts[i])
    return "".join(parts)

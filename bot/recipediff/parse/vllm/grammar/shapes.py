"""What a declared type accepts from JSON: pydantic's lax mode, as vLLM's config classes use it.

A declared type (`list[int] | None`) becomes a function from a JSON value to the value that the engine gets.
Source: pydantic's conversion table for JSON input, lax mode.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import PurePosixPath

from recipediff.core.setting import Json


class Unfit(Exception):
    """A value that the type does not take; `path` are the keys on the way to it."""

    def __init__(self, message: str, path: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.path = path

    def under(self, key: str) -> Unfit:
        """The same, seen from one level further out."""
        return Unfit(self.message, (key, *self.path))


Check = Callable[[Json], Json]
Resolve = Callable[[str], Check | None]
"""From a name in a type (a config class, an enumeration) to its check."""

_TRUE = frozenset(("1", "on", "t", "true", "y", "yes"))
_FALSE = frozenset(("0", "off", "f", "false", "n", "no"))
_INT_TEXT = re.compile(r"[+-]?\d++(?:_\d++)*+(?:\.0*+)?", re.ASCII)


def show(value: Json) -> str:
    """A value for a message, cut short."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:59] + "…"


def listed(choices: Iterable[object]) -> str:
    """A closed list for a message: the first few, and how many more there are."""
    names = [str(choice) for choice in choices if choice is not None]
    return ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")


def to_bool(value: Json) -> Json:
    """true, false, 0, 1 and pydantic's words for them."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float) and value in (0, 1):
        return bool(value)
    if isinstance(value, str) and (word := value.lower()) in _TRUE | _FALSE:
        return word in _TRUE
    msg = f"{show(value)} is neither true nor false"
    raise Unfit(msg)


def to_int(value: Json) -> Json:
    """A whole number, also as 3.0 or "3"."""
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float) and math.isfinite(value) and value == int(value):
        return int(value)
    if isinstance(value, str) and len(value) < 4300 and _INT_TEXT.fullmatch(text := value.strip()):
        return int(text.partition(".")[0])
    msg = f"{show(value)} is no whole number"
    raise Unfit(msg)


def to_float(value: Json) -> Json:
    """A number, also as text."""
    if isinstance(value, int | float):
        try:
            return float(value)
        except OverflowError:
            pass
    elif isinstance(value, str) and len(value) < 4300:
        try:
            return float(value)
        except ValueError:
            pass
    msg = f"{show(value)} is no number"
    raise Unfit(msg)


def to_str(value: Json) -> Json:
    """Text, and nothing that would have to be turned into it."""
    if isinstance(value, str):
        return value
    msg = f"{show(value)} is no text"
    raise Unfit(msg)


def to_path(value: Json) -> Json:
    """Text as a path, spelled the short way."""
    return str(PurePosixPath(str(to_str(value))))


def to_null(value: Json) -> Json:
    """null only."""
    if value is None:
        return None
    msg = f"{show(value)} is not null"
    raise Unfit(msg)


def to_mapping(value: Json) -> Json:
    """Any object."""
    if isinstance(value, dict):
        return value
    msg = f"{show(value)} is no object"
    raise Unfit(msg)


def _anything(value: Json) -> Json:
    return value


_PLAIN: dict[str, Check] = {
    "bool": to_bool,
    "int": to_int,
    "float": to_float,
    "str": to_str,
    "None": to_null,
    "Path": to_path,
    "dict": to_mapping,
    "Any": _anything,
    "object": _anything,
}


def one_of(choices: tuple[Json, ...]) -> Check:
    """Exactly one of these; 2 is not "2"."""

    def check(value: Json) -> Json:
        for choice in choices:
            if value == choice and type(value) is type(choice):
                return value
        msg = f"{show(value)} is none of {listed(choices)}"
        raise Unfit(msg)

    return check


def list_of(item: Check) -> Check:
    """An array of these."""

    def check(value: Json) -> Json:
        if not isinstance(value, list):
            msg = f"{show(value)} is no list"
            raise Unfit(msg)
        out: list[Json] = []
        for i, entry in enumerate(value):
            try:
                out.append(item(entry))
            except Unfit as unfit:
                raise unfit.under(str(i)) from None
        return out

    return check


def tuple_of(items: tuple[Check, ...]) -> Check:
    """An array of exactly these."""

    def check(value: Json) -> Json:
        if not isinstance(value, list) or len(value) != len(items):
            msg = f"{show(value)} is no list of {len(items)}"
            raise Unfit(msg)
        return [item(entry) for item, entry in zip(items, value, strict=True)]

    return check


def mapping_of(item: Check) -> Check:
    """An object with such values."""

    def check(value: Json) -> Json:
        if not isinstance(value, dict):
            msg = f"{show(value)} is no object"
            raise Unfit(msg)
        out: dict[str, Json] = {}
        for key, entry in value.items():
            try:
                out[key] = item(entry)
            except Unfit as unfit:
                raise unfit.under(key) from None
        return out

    return check


def any_of(members: tuple[Check, ...]) -> Check:
    """The member that takes the value as it is, else the first that takes it at all."""

    def check(value: Json) -> Json:
        taken: list[Json] = []
        faults: list[Unfit] = []
        for member in members:
            try:
                result = member(value)
            except Unfit as unfit:
                faults.append(unfit)
                continue
            if type(result) is type(value) and result == value:
                return result
            taken.append(result)
        if taken:
            return taken[0]
        raise max(faults, key=lambda unfit: (len(unfit.path), unfit is faults[0]))

    return check


def compile_type(text: str, resolve: Resolve) -> Check:
    """The check of a declared type. A name that `resolve` does not know takes anything."""
    text = text.strip()
    members = _split(text, "|")
    if len(members) > 1:
        return any_of(tuple(compile_type(member, resolve) for member in members))
    head, bracket, rest = text.partition("[")
    if not bracket:
        return resolve(text) or _PLAIN.get(text, _anything)
    inner = _split(rest.removesuffix("]"), ",")
    if head == "Literal":
        return one_of(tuple(json.loads(choice) for choice in inner))
    if head in ("list", "set"):
        return list_of(compile_type(inner[0], resolve))
    if head == "dict":
        return mapping_of(compile_type(inner[-1], resolve))
    if head == "tuple":
        return tuple_of(tuple(compile_type(item, resolve) for item in inner))
    return _anything


@cache
def _split(text: str, mark: str) -> tuple[str, ...]:
    """Split at a mark outside of brackets and quotes."""
    parts = [""]
    depth, quoted = 0, False
    for char in text:
        quoted ^= char == '"'
        depth += not quoted and (char == "[") - (char == "]")
        if char == mark and not depth and not quoted:
            parts.append("")
        else:
            parts[-1] += char
    return tuple(part.strip() for part in parts)

"""What starts with `$` or a backtick: variables, `$'…'`, and substitutions, which are only stepped over."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple


class Dollar(NamedTuple):
    """`kind`: `text` (with `chars` decoded), `variable` (`chars` is its name), `unknown` (`chars` as written),
    `locale` (a double quote follows), `open` (not closed; `chars` says what)."""

    kind: Literal["text", "variable", "unknown", "locale", "open"]
    chars: str
    end: int
    default: str | None = None
    literal: bool = False
    empty: bool = False
    assigns: bool = False


_NAME = re.compile(r"\$([A-Za-z_][A-Za-z_0-9]*)")
_TEXT = r"[^{}$`\"'\\\n]*"
_BRACED = re.compile(rf"\$\{{([A-Za-z_][A-Za-z_0-9]*)(?:(:?[-=])({_TEXT})|:?\?{_TEXT})?\}}")
_POSITIONAL = re.compile(rf"\$\{{([1-9])(:?-)({_TEXT})\}}")
_ARRAY = re.compile(r"\$\{([A-Za-z_][A-Za-z_0-9]*)\[@\]\}")
_SPECIAL = re.compile(r"\$[0-9@*#?$!-]")
_ANSI = re.compile(
    r"\\(?:([abeEfnrtv\\'\"?])|([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|c(.))",
    re.DOTALL,
)
_ANSI_QUOTED = re.compile(r"\$'((?:[^'\\]|\\.)*)'", re.DOTALL)
_LETTERS = dict(zip("abeEfnrtv\\'\"?", "\a\b\x1b\x1b\f\n\r\t\v\\'\"?", strict=True))
_CLOSERS = {"(": ")", "{": "}", '"': '"'}
_NEXT = re.compile(r"[\\'\"`(){}]")


def read(chars: str, at: int, *, quoted: bool) -> Dollar:
    """What stands at `at`, which is a `$`, a backtick, or the start of `<(` or `>(`."""
    if chars[at] == "`":
        end = _backtick(chars, at + 1)
        return Dollar("unknown", chars[at:end], end) if end else Dollar("open", "backtick", at)
    follows = chars[at + 1 : at + 2]
    if follows in ("(", "{", "["):
        return _bracket(chars, at, follows)
    if follows == "'" and not quoted:
        return _ansi(chars, at)
    if follows == '"' and not quoted:
        return Dollar("locale", "", at + 1)
    name = _NAME.match(chars, at)
    if name:
        return Dollar("variable", name[1], name.end())
    special = _SPECIAL.match(chars, at)
    if special:
        return Dollar("unknown", special[0], special.end())
    return Dollar("text", "$", at + 1)


def _bracket(chars: str, at: int, opener: str) -> Dollar:
    braced = _BRACED.match(chars, at) or _POSITIONAL.match(chars, at)
    if braced:
        name, operator, default = braced.groups()
        empty, assigns = (operator or "").startswith(":"), (operator or "").endswith("=")
        return Dollar("variable", name, braced.end(), default, empty=empty, assigns=assigns)
    items = _ARRAY.match(chars, at)
    if items:
        return Dollar("variable", f"{items[1]}[@]", items.end())
    end = chars.find("]", at) + 1 if opener == "[" else _balanced(chars, at + 1)
    if end:
        return Dollar("unknown", chars[at:end], end)
    return Dollar("open", "substitution" if opener != "{" else "expansion", at)


def _balanced(chars: str, at: int) -> int:
    """The index after the bracket that closes the one at `at`; 0 where none does. Quotes inside are respected."""
    stack: list[str] = []
    while True:
        found = _NEXT.search(chars, at)
        if found is None:
            return 0
        char, at = found[0], found.end()
        if char == "\\":
            at += 1
        elif stack and char == stack[-1]:
            stack.pop()
            if not stack:
                return at
        elif stack and stack[-1] == '"':
            if char in "({" and chars[found.start() - 1] == "$":
                stack.append(_CLOSERS[char])
        elif char in "'`":
            at = chars.find("'", at) + 1 if char == "'" else _backtick(chars, at)
            if not at:
                return 0
        elif char in _CLOSERS:
            stack.append(_CLOSERS[char])


def _backtick(chars: str, at: int) -> int:
    """The index after the closing backtick, or 0."""
    while True:
        end = chars.find("`", at)
        if end < 0:
            return 0
        slashes = end - len(chars[at:end].rstrip("\\")) - at
        at = end + 1
        if slashes % 2 == 0:
            return at


def _ansi(chars: str, at: int) -> Dollar:
    match = _ANSI_QUOTED.match(chars, at)
    if match is None:
        return Dollar("open", "quote", at)
    odd = False

    def decode(escape: re.Match[str]) -> str:
        nonlocal odd
        letter, octal, byte, short, long, control = escape.groups()
        if letter:
            return _LETTERS[letter]
        if control:
            return chr(ord(control.upper()) & 0x1F) if control.isascii() else escape[0]
        code = int(octal, 8) & 0xFF if octal else int(byte or short or long, 16)
        # A NUL ends the string, and a byte beyond ASCII is no character of its own; both are left to a shell.
        odd = odd or code == 0 or (code > 127 and not (short or long)) or code > 0x10FFFF or 0xD800 <= code < 0xE000
        return "" if odd else chr(code)

    text = _ANSI.sub(decode, match[1])
    if odd or "\0" in text:
        return Dollar("unknown", match[0], match.end())
    return Dollar("text", text, match.end(), literal=True)

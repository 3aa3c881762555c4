"""Text from outside made safe for Markdown at GitHub: it cannot ping, link, or bring markup of its own."""

from __future__ import annotations

import html
import re

_MARKUP = re.compile(r"([\\`*_\[\]<>#|~&$@]|:(?=[a-z0-9_+-]+:))")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
_SHA = re.compile(r"\b(?=[0-9a-f]*[0-9])[0-9a-f]{7,40}\b")
_ADDRESS = re.compile(r"(:)(?=//)|(www)(?=\.)|((?:mailto|xmpp))(?=:)|(GH)(?=-)", re.IGNORECASE)
"""What GitHub takes for the beginning of an address or of a reference, whatever stands before it."""
_BREAK = "\u200b"
"""Zero width: stops GitHub from seeing a mention, a reference or an address in what is shown."""


def visible(text: str) -> str:
    """Control and direction characters as their code points, line breaks as ⏎."""
    text = text.replace("\r\n", "⏎").replace("\n", "⏎").replace("\t", " ")
    return _CONTROL.sub(lambda match: f"U+{ord(match[0]):04X}", text)


def prose(text: str) -> str:
    """Text for the flow of a sentence or a table cell: every character means itself."""
    text = _MARKUP.sub(r"\\\1", visible(text))
    text = text.replace("\\@", f"@{_BREAK}").replace("\\#", f"#{_BREAK}")
    return _broken(text)


def code(text: str, limit: int = 120) -> str:
    """Text as a code span, which GitHub neither links nor pings; safe inside a table cell."""
    text = visible(text)
    if len(text) > limit:
        text = text[: limit - 1] + "…"
    if not text.strip():
        return f"`{text}`" if text else ""
    fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}".replace("|", "\\|")


def markup(text: str) -> str:
    """Text inside an HTML element, where Markdown's escapes would be shown as they are."""
    text = html.escape(visible(text), quote=False).replace("@", f"@{_BREAK}")
    text = re.sub(r"(?<!&)#", f"#{_BREAK}", text)
    return _broken(text)


def _broken(text: str) -> str:
    """Addresses and commits with breaks inside; of a commit no part is left that is long enough to be one."""
    text = _ADDRESS.sub(lambda match: f"{match[0]}{_BREAK}", text)
    return _SHA.sub(lambda match: _BREAK.join(re.findall(".{1,6}", match[0])), text)


def block(text: str, language: str = "") -> str:
    """Text as a fenced block that it cannot close."""
    lines = [_CONTROL.sub(lambda match: f"U+{ord(match[0]):04X}", line) for line in text.split("\n")]
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}{language}", *lines, fence])

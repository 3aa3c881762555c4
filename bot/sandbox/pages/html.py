"""HTML put together from parts that are escaped unless they are HTML already."""

from __future__ import annotations

import base64
import hashlib
import html
from pathlib import Path

from aiohttp import web

STYLE = (Path(__file__).parent / "style.css").read_text(encoding="utf-8")
_STYLE_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
_POLICY = f"default-src 'none'; img-src data:; style-src 'sha256-{_STYLE_HASH}'; form-action *; base-uri 'none'; frame-ancestors 'none'"
_VOID = frozenset({"br", "hr", "input", "meta", "link"})


class Html(str):
    """Text that is HTML."""

    __slots__ = ()


Part = str | None
"""A child: `Html` is kept, any other text is escaped, None is left out."""


def text(part: Part) -> Html:
    """A part as HTML."""
    return Html("") if part is None else part if isinstance(part, Html) else Html(html.escape(part))


def join(*parts: Part) -> Html:
    return Html("".join(text(part) for part in parts))


def tag(name: str, /, *children: Part, **attributes: str | bool | None) -> Html:
    """One element. `class_` is class, `aria_label` is aria-label; True is an attribute without a value, None and False leave it out."""
    given = ""
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        key = key.rstrip("_").replace("_", "-")
        given += f" {key}" if value is True else f' {key}="{html.escape(value)}"'
    return Html(f"<{name}{given}>") if name in _VOID else Html(f"<{name}{given}>{join(*children)}</{name}>")


def page(title: str, *body: Part, refresh: int | None = None, status: int = 200) -> web.Response:
    """A whole page; with `refresh` it loads itself again after that many seconds."""
    head = join(
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", http_equiv="refresh", content=str(refresh)) if refresh else None,
        tag("link", rel="icon", href="data:,"),
        tag("title", title),
        Html(f"<style>{STYLE}</style>"),
    )
    note = tag(
        "p", "A local GitHub for tests and for trying things out. Nothing here leaves this machine.", class_="note"
    )
    document = tag(
        "html",
        tag("head", head),
        tag("body", tag("a", "Skip to content", href="#content", class_="skip"), *body, tag("footer", note)),
        lang="en",
    )
    return web.Response(
        text=f"<!doctype html>{document}",
        content_type="text/html",
        status=status,
        headers={"Content-Security-Policy": _POLICY},
    )

"""The pages of the first run: plain HTML, no script, nothing from elsewhere."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
}
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem;color:#1f2328}"
    "label{display:block;margin:1rem 0 .25rem;font-weight:600}input{width:100%;padding:.4rem;font:inherit;box-sizing:border-box}"
    "button{margin-top:1.5rem;padding:.5rem 1rem;font:inherit;color:#fff;background:#1f883d;border:0;border-radius:6px}"
    "small{color:#59636e}"
)


def _page(title: str, body: str) -> str:
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head>'
        f"<body><main><h1>{escape(title)}</h1>{body}</main></body></html>"
    )


def ask(token: str, url: str, problem: str = "") -> str:
    """Where the server is, and whose App it shall be."""
    wrong = f'<p role="alert"><strong>{escape(problem)}</strong></p>' if problem else ""
    return _page(
        "Set recipediff up",
        f"{wrong}<p>GitHub makes the App from a manifest with the least permissions that it needs. "
        "Its key and secret are stored in this server's data folder and shown nowhere.</p>"
        f'<form method="post" action="/setup"><input type="hidden" name="token" value="{escape(token)}">'
        f'<label for="url">Address at which GitHub reaches this server</label>'
        f'<input id="url" name="url" type="url" required value="{escape(url)}">'
        "<small>https://… as seen from outside; with a tunnel, the tunnel's address.</small>"
        '<label for="name">Name of the App</label><input id="name" name="name" required maxlength="34" value="recipediff">'
        "<small>Unique at GitHub. Chat commands begin with it.</small>"
        '<label for="org">Organization</label><input id="org" name="org" maxlength="39">'
        "<small>Leave empty for your own account.</small><button>Continue</button></form>",
    )


def confirm(action: str, manifest: Mapping[str, object]) -> str:
    """The one button that leads to GitHub."""
    permissions = manifest["default_permissions"]
    listed = "".join(
        f"<li>{escape(str(name).replace('_', ' '))}: {escape(str(level))}</li>"
        for name, level in (permissions.items() if isinstance(permissions, Mapping) else ())
    )
    return _page(
        "Create the App at GitHub",
        f"<p>It may:</p><ul>{listed}</ul>"
        f'<form method="post" action="{escape(action)}">'
        f'<input type="hidden" name="manifest" value="{escape(json.dumps(manifest))}">'
        "<button>Create the App at GitHub</button></form>",
    )


def done(url: str) -> str:
    """The App is there; it has to be installed."""
    return _page(
        "The App is made",
        "<p>Its credentials are stored, and the server takes deliveries now.</p>"
        f'<p><a href="{escape(url)}/installations/new" rel="noreferrer">Install it on your repositories</a>, '
        "then make the check <code>recipediff</code> required on the branch. "
        "<code>recipediff doctor OWNER/NAME</code> tells whether all is well.</p>",
    )


def failed(problem: str) -> str:
    """What went wrong."""
    return _page("That did not work", f"<p>{escape(problem)}</p>")

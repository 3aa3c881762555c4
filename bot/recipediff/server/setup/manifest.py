"""The App's manifest: the least that it needs. `app.yml` in the repository says the same."""

from __future__ import annotations

from typing import Any

PERMISSIONS = {
    "checks": "write",
    "contents": "write",
    "issues": "write",
    "merge_queues": "read",
    "metadata": "read",
    "pull_requests": "write",
}
EVENTS = ("check_run", "check_suite", "issue_comment", "issues", "merge_group", "pull_request", "push")


def manifest(url: str, *, redirect: str = "", name: str = "recipediff") -> dict[str, Any]:
    """For a server that people and GitHub reach at `url`; GitHub sends the new App's code to `redirect`."""
    made: dict[str, Any] = {
        "name": name,
        "url": url,
        "description": "Keeps measured vLLM launch recipes honest against the upstream recipes that they came from.",
        "public": False,
        "hook_attributes": {"url": f"{url.rstrip('/')}/webhook", "active": True},
        "default_permissions": dict(PERMISSIONS),
        "default_events": list(EVENTS),
    }
    if redirect:
        made["redirect_url"] = redirect
    return made

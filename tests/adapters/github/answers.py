"""Answers in GitHub's shape, written by us with the fields that the adapters read."""

from __future__ import annotations

from typing import Any

HEAD, BASE = "a" * 40, "b" * 40


def pull(number: int = 7, **changed: Any) -> dict[str, Any]:
    return {
        "number": number,
        "title": "Raise the context",
        "body": None,
        "user": {"login": "ada"},
        "state": "open",
        "draft": False,
        "merged_at": None,
        "head": {"sha": HEAD, "ref": "topic", "repo": {"full_name": "fork/repo"}},
        "base": {"sha": BASE, "ref": "main", "repo": {"full_name": "org/repo"}},
        "labels": [{"name": "recipes"}],
        "updated_at": "2026-01-01T00:00:00Z",
    } | changed


def run(number: int = 5, **changed: Any) -> dict[str, Any]:
    return {
        "id": number,
        "name": "recipediff",
        "head_sha": HEAD,
        "status": "in_progress",
        "conclusion": None,
        "external_id": "x",
        "html_url": "https://github.com/org/repo/runs/5",
        "app": {"slug": "recipediff"},
        "output": {"title": None, "summary": None, "annotations_count": 0},
    } | changed


def comment(
    number: int = 1, author: str = "recipediff[bot]", body: str = "<!-- recipediff -->\nhello"
) -> dict[str, Any]:
    return {"id": number, "user": {"login": author}, "body": body, "performed_via_github_app": None}


def issue(number: int = 3, **changed: Any) -> dict[str, Any]:
    return {
        "number": number,
        "title": "Sweep",
        "body": None,
        "user": None,
        "state": "open",
        "labels": [{"name": "sweep"}, "old", {"name": None}],
    } | changed

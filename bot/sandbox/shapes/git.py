"""How git's objects and their differences look in GitHub's JSON."""

from __future__ import annotations

import re
from collections import deque
from datetime import UTC, datetime
from urllib.parse import quote

from sandbox.model import Account, JsonObject, Repo
from sandbox.objects import CommitObject, Person
from sandbox.shapes.base import account, repo_url
from sandbox.world import World

UNSIGNED: JsonObject = {
    "verified": False,
    "reason": "unsigned",
    "signature": None,
    "payload": None,
    "verified_at": None,
}
_NOREPLY = re.compile(r"(?:\d+\+)?(.+)@users\.noreply\.github\.com\Z")
_STATUS = {"A": "added", "D": "removed", "M": "modified", "R": "renamed", "C": "copied", "T": "changed"}
PATCH_LIMIT = 100_000
"""Characters after which GitHub leaves a file's patch out."""


def _verification(world: World, commit: CommitObject) -> JsonObject:
    if commit.sha not in world.signed:
        return UNSIGNED
    at = instant(commit.committer.at)
    return {
        "verified": True,
        "reason": "valid",
        "signature": "signed by the sandbox",
        "payload": f"tree {commit.tree}",
        "verified_at": at,
    }


def instant(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _who(person: Person) -> JsonObject:
    return {"name": person.name, "email": person.email, "date": instant(person.at)}


def _account_of(world: World, person: Person) -> JsonObject | None:
    found = _NOREPLY.match(person.email)
    known: Account | None = world.accounts.get(found.group(1).casefold()) if found else None
    return account(world, known) if known else None


def git_commit(world: World, repo: Repo, commit: CommitObject) -> JsonObject:
    """A commit as the git data API has it."""
    url, html = f"{repo_url(world, repo)}/git", f"{world.root}/{repo.full_name}/commit"
    return {
        "sha": commit.sha,
        "node_id": world.node_id("commit", commit.sha),
        "url": f"{url}/commits/{commit.sha}",
        "html_url": f"{html}/{commit.sha}",
        "author": _who(commit.author),
        "committer": _who(commit.committer),
        "message": commit.message,
        "tree": {"sha": commit.tree, "url": f"{url}/trees/{commit.tree}"},
        "parents": [{"sha": sha, "url": f"{url}/commits/{sha}", "html_url": f"{html}/{sha}"} for sha in commit.parents],
        "verification": _verification(world, commit),
    }


def commit_json(world: World, repo: Repo, commit: CommitObject) -> JsonObject:
    """A commit as lists and comparisons have it."""
    url, html = repo_url(world, repo), f"{world.root}/{repo.full_name}/commit"
    return {
        "sha": commit.sha,
        "node_id": world.node_id("commit", commit.sha),
        "commit": {
            "author": _who(commit.author),
            "committer": _who(commit.committer),
            "message": commit.message,
            "tree": {"sha": commit.tree, "url": f"{url}/git/trees/{commit.tree}"},
            "url": f"{url}/git/commits/{commit.sha}",
            "comment_count": 0,
            "verification": _verification(world, commit),
        },
        "url": f"{url}/commits/{commit.sha}",
        "html_url": f"{html}/{commit.sha}",
        "comments_url": f"{url}/commits/{commit.sha}/comments",
        "author": _account_of(world, commit.author),
        "committer": _account_of(world, commit.committer),
        "parents": [{"sha": sha, "url": f"{url}/commits/{sha}", "html_url": f"{html}/{sha}"} for sha in commit.parents],
    }


def ref_json(world: World, repo: Repo, name: str, sha: str) -> JsonObject:
    url, kind = f"{repo_url(world, repo)}/git", repo.git.kind(sha) or "commit"
    return {
        "ref": name,
        "node_id": world.node_id("ref", f"{repo.id}:{name}"),
        "url": f"{url}/{name}",
        "object": {"sha": sha, "type": kind, "url": f"{url}/{kind}s/{sha}"},
    }


def files(world: World, repo: Repo, old: str | None, new: str) -> list[JsonObject]:
    """The changed files between two commits, as pull requests and comparisons list them."""
    found: list[JsonObject] = []
    raw, numbers, patches = _diff(repo, old, new)
    while raw:
        _, _, before, after, status = raw.popleft().lstrip(":").split(" ")
        previous = raw.popleft() if status[0] in "RC" else None
        name = raw.popleft()
        added, removed, _ = numbers.popleft().split("\t", 2)
        if previous:  # both names follow once more
            numbers.popleft(), numbers.popleft()
        additions, deletions = int(added) if added != "-" else 0, int(removed) if removed != "-" else 0
        item = _file(world, repo, name, new, before if status[0] == "D" else after)
        item |= {
            "status": _STATUS[status[0]],
            "additions": additions,
            "deletions": deletions,
            "changes": additions + deletions,
        }
        patch = patches[len(found)]
        if patch and len(patch) <= PATCH_LIMIT:
            item["patch"] = patch
        if previous:
            item["previous_filename"] = previous
        found.append(item)
    return found


def _diff(repo: Repo, old: str | None, new: str) -> tuple[deque[str], deque[str], list[str]]:
    """What git says about two commits: its raw lines, its counts, and the hunks of each file (empty for binary files and pure renames)."""
    said = repo.git.diff(old, new, "--raw", "--numstat", "--patch", "-z", "--abbrev=40").decode("utf-8", "replace")
    lists, _, text = said.partition("\0\0")
    parts = lists.split("\0") if lists else []
    start = next((at for at, part in enumerate(parts) if re.match(r"[\d-]+\t[\d-]+\t", part)), len(parts))
    patches = []
    for part in re.split(r"^diff --git .*\n", text, flags=re.MULTILINE)[1:]:
        hunk = re.search(r"^@@ ", part, re.MULTILINE)
        patches.append(part[hunk.start() :].rstrip("\n") if hunk else "")
    return deque(parts[:start]), deque(parts[start:]), patches


def _file(world: World, repo: Repo, name: str, commit: str, blob: str) -> JsonObject:
    html, path = f"{world.root}/{repo.full_name}", quote(name, errors="surrogateescape")
    return {
        "sha": blob,
        "filename": name,
        "blob_url": f"{html}/blob/{commit}/{path}",
        "raw_url": f"{html}/raw/{commit}/{path}",
        "contents_url": f"{repo_url(world, repo)}/contents/{path}?ref={commit}",
    }

"""The git data API: trees, blobs, commits and refs."""

from __future__ import annotations

import base64
import re
from datetime import datetime
from typing import Any

from sandbox.actions import move_ref
from sandbox.model import JsonObject, Repo
from sandbox.objects import Person, TreeItem
from sandbox.routing import Answer, Call, ErrorAnswer, decode_content, not_found
from sandbox.shapes.base import repo_url
from sandbox.shapes.git import git_commit, ref_json
from sandbox.store import HEX

MODES = {"100644": "blob", "100755": "blob", "120000": "blob", "040000": "tree", "160000": "commit"}


async def get_tree(call: Call) -> Answer:
    """GET git/trees/{tree_sha}: the name of a tree, a commit or a branch; cut after `World.tree_limit` entries."""
    repo, name = call.repo, call.params["tree_sha"]
    sha = name if HEX.match(name) and repo.git.kind(name) == "tree" else None
    if sha is None:
        commit = repo.git.resolve(name)
        if commit is None:
            raise not_found()
        sha = repo.git.commit(commit).tree
    entries = list(repo.git.walk(sha)) if call.query.get("recursive") else list(repo.git.tree(sha))
    return Answer(200, _tree(call, repo, sha, entries))


def _tree(call: Call, repo: Repo, sha: str, entries: list[TreeItem]) -> JsonObject:
    url, limit = f"{repo_url(call.world, repo)}/git", call.world.tree_limit
    return {
        "sha": sha,
        "url": f"{url}/trees/{sha}",
        "tree": [_entry(repo, url, entry) for entry in entries[:limit]],
        "truncated": len(entries) > limit,
    }


def _entry(repo: Repo, url: str, entry: TreeItem) -> JsonObject:
    found: JsonObject = {"path": entry.path, "mode": entry.mode, "type": entry.kind, "sha": entry.sha}
    if entry.kind == "commit":
        return found
    size = {"size": len(repo.git.read(entry.sha))} if entry.kind == "blob" else {}
    return found | size | {"url": f"{url}/{entry.kind}s/{entry.sha}"}


async def get_blob(call: Call) -> Answer:
    repo, sha = call.repo, call.params["file_sha"]
    if not HEX.match(sha):
        raise ErrorAnswer(422, "The sha parameter must be exactly 40 characters and contain only [0-9a-f].")
    if repo.git.kind(sha) != "blob":
        raise not_found()
    data = repo.git.read(sha, "blob")
    if len(data) > call.world.blob_limit:
        raise ErrorAnswer(
            403,
            "This API returns blobs up to 100 MB in size. The requested blob is too large to fetch via the API, but you can always clone the repository via Git to obtain it.",
        )
    text = base64.b64encode(data).decode()
    content = "".join(text[at : at + 60] + "\n" for at in range(0, len(text), 60))
    url = f"{repo_url(call.world, repo)}/git/blobs/{sha}"
    return Answer(
        200,
        {
            "sha": sha,
            "node_id": call.world.node_id("blob", sha),
            "size": len(data),
            "url": url,
            "content": content,
            "encoding": "base64",
        },
    )


async def create_blob(call: Call) -> Answer:
    repo = call.repo
    sha = repo.git.write("blob", decode_content(call))
    return Answer(201, {"sha": sha, "url": f"{repo_url(call.world, repo)}/git/blobs/{sha}"})


async def create_tree(call: Call) -> Answer:
    repo, base = call.repo, call.body.get("base_tree")
    if base and repo.git.kind(base) == "commit":
        base = repo.git.commit(base).tree
    if base and repo.git.kind(base) != "tree":
        raise not_found()
    edits: dict[str, tuple[str, str] | None] = {}
    for item in call.field("tree", list):
        path = item.get("path", "")
        if not path or path.startswith("/") or any(part in ("", ".", "..", ".git") for part in path.split("/")):
            raise ErrorAnswer(422, "tree.path contains a malformed path component")
        edits[path] = _edit(repo, item)
    sha = repo.git.write_tree(base, edits)
    return Answer(201, _tree(call, repo, sha, list(repo.git.tree(sha))))


def _edit(repo: Repo, item: JsonObject) -> tuple[str, str] | None:
    if "sha" in item and item["sha"] is None:
        return None
    mode = item.get("mode")
    if mode not in MODES:
        raise ErrorAnswer(422, "Must supply a valid tree.mode")
    if "content" in item:
        return mode, repo.git.write("blob", item["content"].encode())
    sha = item.get("sha", "")
    if MODES[mode] != "commit" and repo.git.kind(sha) != MODES[mode]:
        raise ErrorAnswer(422, f"tree.sha {sha} is not a valid {MODES[mode]}")
    return mode, sha


async def create_commit(call: Call) -> Answer:
    repo, actor = call.repo, call.actor
    tree, parents = call.field("tree"), call.body.get("parents", [])
    if repo.git.kind(tree) != "tree":
        raise ErrorAnswer(422, "Tree SHA does not exist")
    if any(repo.git.kind(parent) != "commit" for parent in parents):
        raise ErrorAnswer(422, "Parent SHA does not exist or is not a commit object")
    default = call.world.person(actor.login)
    author = _person(call.body.get("author"), default)
    own = call.by_app is not None and not call.body.get("author") and not call.body.get("committer")
    committer = (
        Person("GitHub", "noreply@github.com", default.at) if own else _person(call.body.get("committer"), author)
    )
    sha = repo.git.write_commit(tree, parents, call.field("message"), author, committer)
    if own:
        call.world.signed.add(sha)
    return Answer(201, git_commit(call.world, repo, repo.git.commit(sha)))


def _person(given: Any, default: Person) -> Person:
    if not given:
        return default
    date = given.get("date")
    try:
        at = int(datetime.fromisoformat(date).timestamp()) if date else default.at
    except ValueError:
        raise ErrorAnswer(422, f"Invalid date: {date}") from None
    return Person(given.get("name", default.name), given.get("email", default.email), at)


async def get_commit(call: Call) -> Answer:
    repo, sha = call.repo, call.params["commit_sha"]
    if repo.git.kind(sha) != "commit":
        raise not_found()
    return Answer(200, git_commit(call.world, repo, repo.git.commit(sha)))


async def get_ref(call: Call) -> Answer:
    name = f"refs/{call.params['ref']}"
    sha = call.repo.git.ref(name)
    if sha is None:
        raise not_found()
    return Answer(200, ref_json(call.world, call.repo, name, sha))


async def list_matching_refs(call: Call) -> Answer:
    repo = call.repo
    found = list(repo.git.refs(f"refs/{call.params['ref']}").items())
    return Answer(200, [ref_json(call.world, repo, name, sha) for name, sha in found])


async def create_ref(call: Call) -> Answer:
    repo, name, sha = call.repo, call.field("ref"), call.field("sha")
    if not re.match(r"refs/[^/]+/.", name):
        raise ErrorAnswer(422, "Reference name must start with 'refs/' and have at least two slashes.")
    if repo.git.kind(sha) is None:
        raise ErrorAnswer(422, "Object does not exist")
    if repo.git.ref(name):
        raise ErrorAnswer(422, "Reference already exists")
    _move(call, repo, name, sha)
    return Answer(201, ref_json(call.world, repo, name, sha))


async def update_ref(call: Call) -> Answer:
    repo, name, sha = call.repo, f"refs/{call.params['ref']}", call.field("sha")
    before = repo.git.ref(name)
    if before is None:
        raise ErrorAnswer(422, "Reference does not exist")
    if repo.git.kind(sha) is None:
        raise ErrorAnswer(422, "Object does not exist")
    if not call.body.get("force") and not repo.git.is_ancestor(before, sha):
        raise ErrorAnswer(422, "Update is not a fast forward")
    _move(call, repo, name, sha)
    return Answer(200, ref_json(call.world, repo, name, sha))


async def delete_ref(call: Call) -> Answer:
    repo, name = call.repo, f"refs/{call.params['ref']}"
    if repo.git.ref(name) is None:
        raise ErrorAnswer(422, "Reference does not exist")
    _move(call, repo, name, None)
    return Answer(204)


def _move(call: Call, repo: Repo, name: str, sha: str | None) -> None:
    branch = name.removeprefix("refs/heads/")
    if branch in repo.protections and repo.git.ref(name) and call.by_app:
        raise ErrorAnswer(
            422, f"Required status check is expected for {branch}: changes must be made through a pull request."
        )
    try:
        move_ref(call.world, repo, name, sha, call.actor)
    except ValueError:
        raise ErrorAnswer(422, f"{name} is not a valid ref name.") from None

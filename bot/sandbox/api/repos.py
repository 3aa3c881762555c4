"""Repositories as people see them: the repository, its commits, branches, files and who may do what."""

from __future__ import annotations

import base64
from urllib.parse import quote

from sandbox.actions import move_ref
from sandbox.model import BranchRule, JsonObject, Protection, Repo
from sandbox.objects import TreeItem
from sandbox.routing import Answer, Call, ErrorAnswer, decode_content, not_found
from sandbox.shapes.base import account, full_repo, repo_url
from sandbox.shapes.git import commit_json, files, git_commit
from sandbox.world import World

MOST_FILES = 300
"""Files that a comparison or a commit lists at most."""
_SHA_MEDIA = "application/vnd.github.sha"


async def get_repo(call: Call) -> Answer:
    return Answer(200, full_repo(call.world, call.repo))


async def get_commit(call: Call) -> Answer:
    """GET commits/{ref}: with `Accept: application/vnd.github.sha` only its name, as text."""
    repo, name = call.repo, call.params["ref"]
    sha = repo.git.resolve(name)
    if sha is None:
        raise ErrorAnswer(422, f"No commit found for SHA: {name}")
    if _SHA_MEDIA in call.headers.get("Accept", ""):
        return Answer(200, sha, media=_SHA_MEDIA)
    commit = repo.git.commit(sha)
    changed = files(call.world, repo, commit.parents[0] if commit.parents else None, sha)
    totals = {
        "additions": sum(item["additions"] for item in changed),
        "deletions": sum(item["deletions"] for item in changed),
    }
    stats = {"stats": totals | {"total": sum(totals.values())}, "files": changed[:MOST_FILES]}
    return Answer(200, commit_json(call.world, repo, commit) | stats)


async def list_commits(call: Call) -> Answer:
    repo = call.repo
    start = repo.git.resolve(call.query.get("sha") or repo.default_branch)
    if start is None:
        raise not_found()
    path = call.query.get("path")
    found = repo.git.history_of(start, path.strip("/")) if path else repo.git.history(start)
    return call.page(found, lambda sha: commit_json(call.world, repo, repo.git.commit(sha)))


def _side(call: Call, repo: Repo, name: str) -> str:
    """One end of a comparison: a commit or branch, or `owner:branch` of the fork network. Raises `ErrorAnswer`."""
    owner, colon, ref = name.partition(":")
    where: Repo | None = repo
    if colon:
        network = (item for item in call.world.repos.values() if not item.deleted and item.root is repo.root)
        where = next((item for item in network if item.owner.login.casefold() == owner.casefold()), None)
    sha = where.git.resolve(ref if colon else name) if where else None
    if sha is None:
        raise not_found()
    return sha


async def compare(call: Call) -> Answer:
    repo, world = call.repo, call.world
    left, dots, right = call.params["basehead"].partition("...")
    if not dots:
        raise not_found()
    base, head = _side(call, repo, left), _side(call, repo, right)
    middle = repo.git.merge_base(base, head)
    if middle is None:
        raise ErrorAnswer(404, "No common ancestor between these commits.")
    ahead, behind = repo.git.history(head, base), repo.git.history(base, head)
    status = "diverged" if ahead and behind else "ahead" if ahead else "behind" if behind else "identical"
    html, names = f"{world.root}/{repo.full_name}/compare", f"{quote(left)}...{quote(right)}"
    shown = call.page(list(reversed(ahead)), lambda sha: commit_json(world, repo, repo.git.commit(sha)))
    body = {
        "url": f"{repo_url(world, repo)}/compare/{names}",
        "html_url": f"{html}/{names}",
        "permalink_url": f"{html}/{repo.owner.login}:{base[:7]}...{repo.owner.login}:{head[:7]}",
        "diff_url": f"{html}/{names}.diff",
        "patch_url": f"{html}/{names}.patch",
        "base_commit": commit_json(world, repo, repo.git.commit(base)),
        "merge_base_commit": commit_json(world, repo, repo.git.commit(middle)),
        "status": status,
        "ahead_by": len(ahead),
        "behind_by": len(behind),
        "total_commits": len(ahead),
        "commits": shown.body,
        "files": files(world, repo, middle, head)[:MOST_FILES],
    }
    return Answer(200, body, shown.headers)


async def get_branch(call: Call) -> Answer:
    repo, name, world = call.repo, call.params["branch"], call.world
    sha = repo.git.ref(f"refs/heads/{name}")
    if sha is None:
        raise ErrorAnswer(404, "Branch not found")
    url, guard = f"{repo_url(world, repo)}/branches/{quote(name)}", repo.protections.get(name)
    checks = _checks(guard) | {"enforcement_level": "non_admins" if guard else "off"}
    return Answer(200, {
        "name": name,
        "commit": commit_json(world, repo, repo.git.commit(sha)),
        "_links": {"self": url, "html": f"{world.root}/{repo.full_name}/tree/{quote(name)}"},
        "protected": guard is not None,
        "protection": {"enabled": guard is not None, "required_status_checks": checks},
        "protection_url": f"{url}/protection",
    })  # fmt: skip


def _checks(guard: Protection | None) -> JsonObject:
    checks = guard.checks if guard else []
    return {
        "contexts": [name for name, _ in checks],
        "checks": [{"context": name, "app_id": app} for name, app in checks],
    }


async def get_protection(call: Call) -> Answer:
    guard = _guard(call)
    url = _protection_url(call)
    return Answer(200, {"url": url, "enabled": True, "required_status_checks": _policy(call, guard)})


async def get_required_checks(call: Call) -> Answer:
    return Answer(200, _policy(call, _guard(call)))


def _guard(call: Call) -> Protection:
    if call.repo.git.ref(f"refs/heads/{call.params['branch']}") is None:
        raise ErrorAnswer(404, "Branch not found")
    found = call.repo.protections.get(call.params["branch"])
    if found is None:
        raise ErrorAnswer(404, "Branch not protected")
    return found


def _protection_url(call: Call) -> str:
    return f"{repo_url(call.world, call.repo)}/branches/{quote(call.params['branch'])}/protection"


def _policy(call: Call, guard: Protection) -> JsonObject:
    url = f"{_protection_url(call)}/required_status_checks"
    return {"url": url, "strict": guard.strict, "contexts_url": f"{url}/contexts"} | _checks(guard)


async def list_rules(call: Call) -> Answer:
    """GET rules/branches/{branch}: also for a branch that does not exist, as GitHub does."""
    repo = call.repo
    return call.page(
        [rule for rule in repo.rules if rule.branch in (call.params["branch"], "~ALL")], lambda rule: _rule(repo, rule)
    )


def _rule(repo: Repo, rule: BranchRule) -> JsonObject:
    source = {"ruleset_source_type": "Repository", "ruleset_source": repo.full_name, "ruleset_id": rule.ruleset}
    return {"type": rule.kind} | ({"parameters": rule.parameters} if rule.parameters is not None else {}) | source


async def get_contents(call: Call) -> Answer:
    repo, path = call.repo, call.params["path"].strip("/")
    sha = repo.git.resolve(call.query.get("ref") or repo.default_branch)
    if sha is None:
        raise ErrorAnswer(404, f"No commit found for the ref {call.query.get('ref')}")
    entry = repo.git.find(repo.git.commit(sha).tree, path)
    if entry is None:
        raise not_found()
    ref = call.query.get("ref") or repo.default_branch
    if entry.kind == "tree":
        below = [TreeItem(item.mode, f"{path}/{item.path}".lstrip("/"), item.sha) for item in repo.git.tree(entry.sha)]
        return Answer(200, [_content(call.world, repo, item, ref) for item in below])
    found = _content(call.world, repo, entry, ref)
    if entry.kind == "commit":
        where = f"{call.world.root}/{repo.full_name}.git"  # .gitmodules is not read; some address stands in
        return Answer(200, found | {"submodule_git_url": where})
    data = repo.git.read(entry.sha, "blob")
    if entry.mode == "120000":
        return Answer(200, found | {"target": data.decode(errors="replace")})
    text = base64.b64encode(data).decode() + "\n" if len(data) <= 1024 * 1024 else ""
    return Answer(200, found | {"content": text, "encoding": "base64" if text else "none"})


def _content(world: World, repo: Repo, entry: TreeItem, ref: str) -> JsonObject:
    api, html, path = repo_url(world, repo), f"{world.root}/{repo.full_name}", quote(entry.path)
    kind = {"tree": "dir", "commit": "submodule"}.get(entry.kind, "symlink" if entry.mode == "120000" else "file")
    url, page = (
        f"{api}/contents/{path}?ref={quote(ref)}",
        f"{html}/{'tree' if kind == 'dir' else 'blob'}/{quote(ref)}/{path}",
    )
    git = None if kind == "submodule" else f"{api}/git/{entry.kind}s/{entry.sha}"
    return {
        "type": kind,
        "name": entry.path.rpartition("/")[2],
        "path": entry.path,
        "sha": entry.sha,
        "size": len(repo.git.read(entry.sha)) if entry.kind == "blob" else 0,
        "url": url,
        "html_url": page,
        "git_url": git,
        "download_url": f"{html}/raw/{quote(ref)}/{path}" if kind == "file" else None,
        "_links": {"self": url, "git": git, "html": page},
    }


async def put_contents(call: Call) -> Answer:
    """PUT contents/{path}: one commit that changes one file; `sha` must be the blob that is replaced."""
    repo, path, world = call.repo, call.params["path"].strip("/"), call.world
    branch = call.body.get("branch") or repo.default_branch
    tip = repo.git.ref(f"refs/heads/{branch}")
    if tip is None:
        raise ErrorAnswer(404, f"Branch {branch} not found")
    tree = repo.git.commit(tip).tree
    old = repo.git.find(tree, path)
    if old and not call.body.get("sha"):
        raise ErrorAnswer(422, 'Invalid request.\n\n"sha" wasn\'t supplied.')
    if call.body.get("sha") != (old.sha if old else None):
        raise ErrorAnswer(409, f"{path} does not match {call.body.get('sha')}")
    blob = repo.git.write("blob", decode_content_base64(call))
    fresh = repo.git.write_tree(tree, {path: (old.mode if old else "100644", blob)})
    sha = repo.git.write_commit(fresh, [tip], call.field("message"), world.person(call.actor.login))
    move_ref(world, repo, f"refs/heads/{branch}", sha, call.actor)
    content = _content(world, repo, TreeItem("100644", path, blob), branch)
    return Answer(200 if old else 201, {"content": content, "commit": git_commit(world, repo, repo.git.commit(sha))})


def decode_content_base64(call: Call) -> bytes:
    call.body["encoding"] = "base64"
    return decode_content(call)


async def get_permission(call: Call) -> Answer:
    """GET collaborators/{username}/permission: the legacy four levels, and the role's real name."""
    repo, world = call.repo, call.world
    who = world.accounts.get(call.params["username"].casefold())
    if who is None:
        raise not_found()
    role = "admin" if who is repo.owner else repo.permissions.get(who.login, "none" if repo.private else "read")
    legacy = {"maintain": "write", "triage": "read"}.get(role, role)
    levels = ("pull", "triage", "push", "maintain", "admin")
    reach = {"none": -1, "read": 0, "triage": 1, "write": 2, "maintain": 3, "admin": 4}[role]
    rights = {name: at <= reach for at, name in enumerate(levels)}
    return Answer(
        200,
        {
            "permission": legacy,
            "role_name": role,
            "user": account(world, who) | {"permissions": rights, "role_name": role},
        },
    )

"""How accounts, Apps, installations and repositories look in GitHub's JSON."""

from __future__ import annotations

from datetime import datetime

from sandbox.model import Account, App, InstallationRecord, JsonObject, Repo
from sandbox.world import World

DOCS = "https://docs.github.com/rest"


def when(time: datetime | None) -> str | None:
    """A time as GitHub writes it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ") if time else None


def account(world: World, who: Account) -> JsonObject:
    url = f"{world.api}/users/{who.login}"
    html = f"{world.root}/apps/{who.login.removesuffix('[bot]')}" if who.kind == "Bot" else f"{world.root}/{who.login}"
    return {
        "login": who.login,
        "id": who.id,
        "node_id": world.node_id("account", who.id),
        "avatar_url": f"{world.root}/avatars/u/{who.id}?v=4",
        "gravatar_id": "",
        "url": url,
        "html_url": html,
        "followers_url": f"{url}/followers",
        "following_url": f"{url}/following{{/other_user}}",
        "gists_url": f"{url}/gists{{/gist_id}}",
        "starred_url": f"{url}/starred{{/owner}}{{/repo}}",
        "subscriptions_url": f"{url}/subscriptions",
        "organizations_url": f"{url}/orgs",
        "repos_url": f"{url}/repos",
        "events_url": f"{url}/events{{/privacy}}",
        "received_events_url": f"{url}/received_events",
        "type": who.kind,
        "site_admin": False,
    }


def full_account(world: World, who: Account) -> JsonObject:
    nothing = dict.fromkeys(("company", "location", "email", "hireable", "bio"))
    stamp = "2020-01-01T00:00:00Z"
    counts = dict.fromkeys(("public_repos", "public_gists", "followers", "following"), 0)
    return (
        account(world, who)
        | nothing
        | counts
        | {"name": who.login, "blog": "", "user_view_type": "public", "created_at": stamp, "updated_at": stamp}
    )


def app(world: World, item: App) -> JsonObject:
    return {
        "id": item.id,
        "client_id": item.client_id,
        "slug": item.slug,
        "node_id": world.node_id("app", item.id),
        "owner": account(world, item.owner),
        "name": item.name,
        "description": "",
        "external_url": f"{world.root}/apps/{item.slug}",
        "html_url": f"{world.root}/apps/{item.slug}",
        "created_at": when(item.created),
        "updated_at": when(item.created),
        "permissions": dict(item.permissions),
        "events": list(item.events),
    }


def installation(world: World, item: InstallationRecord) -> JsonObject:
    url = f"{world.api}/app/installations/{item.id}"
    return {
        "id": item.id,
        "client_id": item.app.client_id,
        "account": account(world, item.account),
        "repository_selection": "all" if item.repositories is None else "selected",
        "access_tokens_url": f"{url}/access_tokens",
        "repositories_url": f"{world.api}/installation/repositories",
        "html_url": f"{world.root}/organizations/{item.account.login}/settings/installations/{item.id}",
        "app_id": item.app.id,
        "app_slug": item.app.slug,
        "target_id": item.account.id,
        "target_type": item.account.kind,
        "permissions": dict(item.app.permissions),
        "events": list(item.app.events),
        "created_at": when(item.created),
        "updated_at": when(item.created),
        "single_file_name": None,
        "has_multiple_single_files": False,
        "single_file_paths": [],
        "suspended_by": None,
        "suspended_at": when(item.suspended),
    }


_SUBADDRESSES = {
    "archive": "/{archive_format}{/ref}", "assignees": "/assignees{/user}", "blobs": "/git/blobs{/sha}", "branches": "/branches{/branch}",
    "collaborators": "/collaborators{/collaborator}", "comments": "/comments{/number}", "commits": "/commits{/sha}",
    "compare": "/compare/{base}...{head}", "contents": "/contents/{+path}", "contributors": "/contributors", "deployments": "/deployments",
    "downloads": "/downloads", "events": "/events", "forks": "/forks", "git_commits": "/git/commits{/sha}", "git_refs": "/git/refs{/sha}",
    "git_tags": "/git/tags{/sha}", "hooks": "/hooks", "issue_comment": "/issues/comments{/number}", "issue_events": "/issues/events{/number}",
    "issues": "/issues{/number}", "keys": "/keys{/key_id}", "labels": "/labels{/name}", "languages": "/languages", "merges": "/merges",
    "milestones": "/milestones{/number}", "notifications": "/notifications{?since,all,participating}", "pulls": "/pulls{/number}",
    "releases": "/releases{/id}", "stargazers": "/stargazers", "statuses": "/statuses/{sha}", "subscribers": "/subscribers",
    "subscription": "/subscription", "tags": "/tags", "teams": "/teams", "trees": "/git/trees{/sha}",
}  # fmt: skip


def repo_url(world: World, repo: Repo) -> str:
    return f"{world.api}/repos/{repo.full_name}"


def minimal_repo(world: World, repo: Repo) -> JsonObject:
    url = repo_url(world, repo)
    return {
        "id": repo.id,
        "node_id": world.node_id("repo", repo.id),
        "name": repo.name,
        "full_name": repo.full_name,
        "private": repo.private,
        "owner": account(world, repo.owner),
        "html_url": f"{world.root}/{repo.full_name}",
        "description": repo.description,
        "fork": repo.parent is not None,
        "url": url,
    } | {f"{name}_url": url + rest for name, rest in _SUBADDRESSES.items()}


def repo_json(world: World, repo: Repo) -> JsonObject:
    """A repository as it stands in lists, pull requests and events."""
    html = f"{world.root}/{repo.full_name}"
    opened = sum(issue.state == "open" for issue in repo.issues.values())
    forks = sum(other.parent is repo and not other.deleted for other in world.repos.values())
    return minimal_repo(world, repo) | {
        "git_url": f"git://{html.split('://', 1)[1]}.git",
        "ssh_url": f"git@sandbox:{repo.full_name}.git",
        "clone_url": f"{html}.git",
        "svn_url": html,
        "mirror_url": None,
        "homepage": None,
        "language": None,
        "forks_count": forks,
        "forks": forks,
        "stargazers_count": 0,
        "watchers_count": 0,
        "watchers": 0,
        "size": 1,
        "default_branch": repo.default_branch,
        "open_issues_count": opened,
        "open_issues": opened,
        "is_template": False,
        "topics": [],
        "has_issues": True,
        "has_projects": False,
        "has_wiki": False,
        "has_pages": False,
        "has_downloads": False,
        "has_discussions": False,
        "archived": repo.archived,
        "disabled": False,
        "visibility": "private" if repo.private else "public",
        "license": _license(world, repo.license),
        "allow_forking": True,
        "web_commit_signoff_required": False,
        "custom_properties": {},
        "created_at": when(repo.created),
        "updated_at": when(repo.pushed),
        "pushed_at": when(repo.pushed),
    }


def full_repo(world: World, repo: Repo) -> JsonObject:
    """A repository as `GET /repos/{owner}/{repo}` answers."""
    family = {"parent": repo_json(world, repo.parent), "source": repo_json(world, repo.root)} if repo.parent else {}
    return repo_json(world, repo) | {"subscribers_count": 0, "network_count": 0, "temp_clone_token": None} | family


def _license(world: World, spdx: str | None) -> JsonObject | None:
    if spdx is None:
        return None
    key = spdx.lower()
    return {
        "key": key,
        "name": spdx,
        "spdx_id": spdx,
        "url": f"{world.api}/licenses/{key}",
        "node_id": f"MDc6TGljZW5zZ{key}",
    }

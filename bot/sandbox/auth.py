"""Who asks, and what they may: App keys, installation tokens (narrowed), people's tokens, and nobody."""

from __future__ import annotations

from datetime import timedelta

import jwt

from sandbox.model import AccessToken, App, JsonObject, Repo
from sandbox.routing import Answer, Call, ErrorAnswer, GitHubOperation, not_found
from sandbox.shapes.base import repo_json, when
from sandbox.world import World

LEVELS = {"read": 1, "write": 2, "admin": 3}
_LIFETIME = timedelta(minutes=10)
_ROLES = {"read": 1, "triage": 1, "write": 2, "maintain": 2, "admin": 3}
REFUSED = "Resource not accessible by integration"


def identify(world: World, header: str | None, needs: str) -> tuple[AccessToken | None, App | None]:
    """The token or the App behind an Authorization header. Raises `ErrorAnswer`."""
    scheme, _, secret = (header or "").partition(" ")
    if needs == "app":
        return None, _signed_by(world, secret if scheme.casefold() == "bearer" else "")
    if not header:
        return None, None
    token = world.tokens.get(secret.strip())
    if scheme.casefold() not in ("token", "bearer") or token is None or token.expires <= world.clock():
        raise ErrorAnswer(401, "Bad credentials")
    if token.installation and token.installation.suspended:
        raise ErrorAnswer(403, "This installation has been suspended")
    return token, None


def _signed_by(world: World, text: str) -> App:
    """The App whose key signed a JSON web token; checks signature, issuer and times as GitHub does."""
    try:
        issuer = str(jwt.decode(text, options={"verify_signature": False}).get("iss"))
    except jwt.InvalidTokenError:
        raise ErrorAnswer(401, "A JSON web token could not be decoded") from None
    app = next((item for item in world.apps.values() if issuer in (str(item.id), item.client_id)), None)
    if app is None:
        raise ErrorAnswer(404, "Integration not found")
    try:
        options = {"require": ["iat", "exp"], "verify_exp": False, "verify_iat": False}
        claims = jwt.decode(text, app.public_key, algorithms=["RS256"], options=options)  # type: ignore[arg-type]
    except jwt.InvalidTokenError:
        raise ErrorAnswer(401, "A JSON web token could not be decoded") from None
    now = world.clock().timestamp()
    if claims["exp"] <= now:
        raise ErrorAnswer(
            401,
            "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
        )
    if claims["exp"] > now + _LIFETIME.total_seconds():
        raise ErrorAnswer(401, "'Expiration time' claim ('exp') is too far in the future")
    if claims["iat"] > now + 60:
        raise ErrorAnswer(
            401, "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"
        )
    return app


def covers(world: World, token: AccessToken, repo: Repo) -> bool:
    """Whether an installation token was given for a repository."""
    place = token.installation
    return (
        place is not None
        and place in world.installation_for(repo)
        and (token.repositories is None or repo.id in token.repositories)
    )


def may_see(world: World, token: AccessToken | None, repo: Repo) -> bool:
    """Whether a repository exists at all for who asks. Everything else is a 404."""
    if not repo.private:
        return True
    if token is None:
        return False
    if token.installation:
        return covers(world, token, repo)
    return token.account is not None and (token.account is repo.owner or token.account.login in repo.permissions)


def allow(call: Call, route: GitHubOperation) -> None:
    """Check that the caller may do this in the repository of the path. Raises `ErrorAnswer`."""
    if "repo" not in call.params or route.needs == "app":
        return
    repo, token = call.repo, call.token
    if not may_see(call.world, token, repo):
        raise not_found()
    permission, _, level = route.needs.partition(":")
    if token is None:
        if level != "read" or permission == "administration":
            raise ErrorAnswer(401, "Requires authentication") if call.method != "GET" else not_found()
    elif token.installation:
        _allow_app(call, repo, token, permission, level)
    elif level != "read" and permission not in ("issues", "pull_requests"):
        role = (
            "admin"
            if token.account is repo.owner
            else repo.permissions.get(token.account.login if token.account else "", "")
        )
        if _ROLES.get(role, 0) < LEVELS[level]:
            raise ErrorAnswer(403, "Must have admin rights to Repository.")
    if repo.archived and level == "write":
        raise ErrorAnswer(403, "Repository was archived so is read-only.")


def _allow_app(call: Call, repo: Repo, token: AccessToken, permission: str, level: str) -> None:
    if not covers(call.world, token, repo):
        if level == "read" and permission in ("metadata", "contents", "issues", "pull_requests"):
            return  # what is public is public
        raise ErrorAnswer(403, REFUSED)
    # A pull request is also an issue: either permission serves where the number may mean both.
    given = max(LEVELS.get(token.permissions.get(name, ""), 0) for name in permission.split("|"))
    if given < LEVELS[level] and permission != "metadata":
        raise ErrorAnswer(403, REFUSED)


async def create_token(call: Call) -> Answer:
    """POST /app/installations/{id}/access_tokens: narrowed to the repositories and permissions asked for."""
    world, app = call.world, call.signed_by
    place = world.installations.get(call.number("installation_id"))
    if place is None or place.app is not app:
        raise not_found()
    if place.suspended:
        raise ErrorAnswer(403, "This installation has been suspended")
    reachable = {
        repo.id: repo for repo in world.repos.values() if not repo.deleted and place in world.installation_for(repo)
    }
    by_name = {repo.name.casefold(): repo.id for repo in reachable.values()}
    asked = [by_name.get(str(name).casefold()) for name in call.body.get("repositories", [])] + list(
        call.body.get("repository_ids", [])
    )
    if any(number not in reachable for number in asked):
        raise ErrorAnswer(
            422, "There is at least one repository that does not exist or is not accessible to the parent installation."
        )
    wanted: dict[str, str] = call.body.get("permissions") or dict(app.permissions)
    if any(
        LEVELS.get(level, 9) > LEVELS.get(app.permissions.get(name, ""), 0)
        for name, level in wanted.items()
        if name != "metadata"
    ):
        raise ErrorAnswer(422, "The permissions requested are not granted to this installation.")
    chosen = set(asked) if asked else None
    token = world.token(permissions=wanted | {"metadata": "read"}, installation=place, repositories=chosen)
    body: JsonObject = {"token": token.text, "expires_at": when(token.expires), "permissions": token.permissions}
    body["repository_selection"] = "selected" if chosen or place.repositories is not None else "all"
    if chosen:
        body["repositories"] = [repo_json(world, reachable[number]) for number in sorted(chosen)]
    return Answer(201, body)

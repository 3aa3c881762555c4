"""What an installation covers, asked with a token that can read the names of its repositories and nothing else."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

import httpx

from recipediff.adapters.github.app import repositories
from recipediff.adapters.github.http.client import GITHUB, GitHubClient, StaticToken
from recipediff.adapters.github.http.shape import legible
from recipediff.ports.errors import Refused, Unavailable

_TOKENS = "POST /app/installations/{installation_id}/access_tokens"


def covered(
    connection: httpx.AsyncClient, app: GitHubClient, *, base_url: str = GITHUB
) -> Callable[[int], Awaitable[Sequence[str]]]:
    """A function from an installation to `owner/name` of every repository that it covers. `app` speaks as the App."""

    async def names(installation: int) -> Sequence[str]:
        data = {"permissions": {"metadata": "read"}}
        try:
            answer = await app.call(_TOKENS, {"installation_id": installation}, data=data)
        except Refused as error:
            raise Unavailable("forbidden", f"the installation {installation} gives no token: {error}") from error
        with legible("an installation token"):
            token = StaticToken(str(answer["token"]))
        return await repositories(GitHubClient(connection, token, base_url=base_url))

    return names

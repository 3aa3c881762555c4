"""What `recipediff sweep` asks outside of files, put together from named settings. Satisfies `recipediff.cli.context.SweepSources`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx

    from recipediff.adapters.github.http.client import GitHubClient
    from recipediff.app.sweep.sweep import Gaps, Models
    from recipediff.core.config import Upstream
    from recipediff.ports.forge import Commit
    from recipediff.ports.repository import Repository


class Sources:
    """Models' repositories, the engine's repository, upstream's commits, and the user's own program."""

    def __init__(self, environ: Mapping[str, str], cache: Path) -> None:
        self._environ = environ
        self._cache = cache
        self._http: httpx.AsyncClient | None = None

    def models(self, network: bool) -> Models:
        """Hugging Face, or the endpoint that HF_ENDPOINT names."""
        from recipediff.adapters.hub import HubModels

        offline = self._environ.get("HF_HUB_OFFLINE", "") not in ("", "0")
        endpoint, token = self._environ.get("HF_ENDPOINT", ""), self._environ.get("HF_TOKEN", "")
        return HubModels(self._cache, endpoint=endpoint, token=token, network=network and not offline)

    def gaps(self, repo: str) -> Gaps:
        """The engine's repository at GitHub. Raises `Missing` for a name that cannot be one."""
        from recipediff.adapters.github.diffs import DiffCache
        from recipediff.adapters.github.gaps import GitHubGaps

        return GitHubGaps(self._client(), repo, cache=DiffCache(self._cache, repo))

    async def commit(self, repository: Repository, upstream: Upstream, local: Path | None, ref: str) -> str:
        """The full id of `ref` (the newest commit where it is empty). Raises `Missing` or `Unavailable`."""
        from recipediff.core.git import is_object_id
        from recipediff.ports.errors import Missing

        resolve = getattr(repository, "resolve", None)
        if local is not None:
            if resolve is not None:
                return str(await resolve(ref or "HEAD"))
            if ref:
                raise Missing(
                    f"{local} is a plain folder, which knows no commits: leave {ref} out, or name a git checkout"
                )
            return "0" * 40
        if is_object_id(ref):
            return ref
        from recipediff.adapters.github.history import GitHubHistory

        found = await GitHubHistory(self._client(), upstream.repo).commits(ref or upstream.branch, most=1)
        if not found:
            raise Missing(f"{upstream.repo} has no commit at {ref or upstream.branch}")
        return found[0].sha

    async def commits(self, local: Path, ref: str, folders: Sequence[str], most: int) -> Sequence[Commit]:
        """Commits of a local checkout, sampled; none where it is a plain folder."""
        from recipediff.adapters.local.commits import sampled
        from recipediff.ports.errors import Missing, Unavailable

        try:
            return await sampled(local, ref, folders, most)
        except (Missing, Unavailable):
            return ()

    async def ask(self, command: Sequence[str]) -> bytes:
        """What a program of the user's own prints. Raises `Missing` or `Unavailable`."""
        from recipediff.adapters.local.program import ask

        return await ask(command)

    def _client(self) -> GitHubClient:
        import httpx

        from recipediff.adapters.github.http.client import GITHUB, GitHubClient, StaticToken

        if self._http is None:
            self._http = httpx.AsyncClient(timeout=30, follow_redirects=False)
        token = self._environ.get("GITHUB_TOKEN") or self._environ.get("GH_TOKEN") or ""
        return GitHubClient(
            self._http, StaticToken(token), base_url=self._environ.get("GITHUB_API_URL") or GITHUB, retries=2
        )

    async def close(self) -> None:
        """Give the connections back."""
        if self._http is not None:
            await self._http.aclose()
            self._http = None

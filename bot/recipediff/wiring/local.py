"""The `recipediff` command put together: its adapters, its services, and the environment that they read."""

from __future__ import annotations

import gc
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from recipediff.cli import main as command
from recipediff.cli.context import Workbench
from recipediff.cli.outermost import run
from recipediff.wiring.server import ServerServices
from recipediff.wiring.sweep import Sources

if TYPE_CHECKING:
    import httpx

    from recipediff.adapters.github.http.client import GitHubClient
    from recipediff.app.bumps.history import Past
    from recipediff.ports.repository import Repository


class LocalAdapters:
    """Upstreams for the command: a local copy where one is named, else GitHub's API with a cache on disk."""

    def __init__(self) -> None:
        self._http: httpx.AsyncClient | None = None
        self._opened: dict[str, Repository] = {}

    def upstream(self, repo: str, local: Path | None) -> Repository:
        """The repository `repo`; each is opened once."""
        if repo not in self._opened:
            self._opened[repo] = self._local(repo, local) if local is not None else self._remote(repo)
        return self._opened[repo]

    def _local(self, repo: str, path: Path) -> Repository:
        from recipediff.adapters.local import Folder, GitCheckout

        return GitCheckout(path, name=repo) if (path / ".git").exists() or _bare(path) else Folder(path, name=repo)

    def past(self, repo: str, local: Path | None) -> Past | None:
        """The commits of `repo`; None for a plain folder, which has none."""
        if local is None:
            from recipediff.adapters.github.history import GitHubHistory

            return GitHubHistory(self._client(), repo)
        from recipediff.adapters.local.history import GitHistory

        return GitHistory(local, name=repo) if (local / ".git").exists() or _bare(local) else None

    def _remote(self, repo: str) -> Repository:
        from recipediff.adapters.github.repository import GitHubRepository
        from recipediff.adapters.local import DiskCache

        return DiskCache(GitHubRepository(self._client(), repo), cache_folder())

    def _client(self) -> GitHubClient:
        import httpx
        from click import ClickException

        from recipediff.adapters.github.http.client import GITHUB, GitHubClient, StaticToken

        if self._http is None:
            self._http = httpx.AsyncClient(timeout=30, follow_redirects=False)
        token = os.environ.get("GITHUB_TOKEN") or os.environ.get("GH_TOKEN") or ""
        if not re.fullmatch(r"[!-~]*", token.strip()):
            raise ClickException("the token in GITHUB_TOKEN or GH_TOKEN holds characters that no token has")
        base = os.environ.get("GITHUB_API_URL") or GITHUB
        if not re.fullmatch(r"https?://[^/\s]+(/[^\s?#]*)?", base):
            raise ClickException(f"GITHUB_API_URL is “{base}”; write an address like https://HOST/api/v3")
        return GitHubClient(self._http, StaticToken(token), base_url=base, retries=2)

    async def close(self) -> None:
        """Give the connections back."""
        if self._http is not None:
            await self._http.aclose()
            self._http = None
        self._opened.clear()


def _bare(path: Path) -> bool:
    return (path / "HEAD").is_file() and (path / "objects").is_dir()


def cache_folder() -> Path:
    """Where fetched commits are kept: `$RECIPEDIFF_CACHE`, else the user's cache folder."""
    named = os.environ.get("RECIPEDIFF_CACHE")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "recipediff"
    except RuntimeError:  # a user without a home: nothing is kept
        return Path(os.devnull)


def main() -> None:
    """The `recipediff` command."""
    gc.set_threshold(100_000, 20, 50)  # one short run over many small objects that live to its end
    workbench = Workbench(LocalAdapters(), ServerServices(os.environ), Sources(os.environ, cache_folder()))
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    debug = bool(os.environ.get("RECIPEDIFF_DEBUG"))
    sys.exit(run(command, workbench, colour=False if plain else None, debug=debug))

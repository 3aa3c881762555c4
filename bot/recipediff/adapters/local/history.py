"""The commits of a local git repository, as far as following an upstream needs them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from recipediff.adapters.local.git import git
from recipediff.ports.errors import Missing, Unavailable
from recipediff.ports.forge import Commit

_FIELDS = "%H%x00%an%x00%cI%x00%s%x00%x00"


class GitHistory:
    """Branches and commits of the git repository at `path`."""

    def __init__(self, path: Path | str, *, name: str = "") -> None:
        self.path = Path(path)
        self.name = name or str(path)

    async def tip(self, branch: str) -> str | None:
        """Where `branch` is: as it was last fetched from `origin`, else the local branch; None where there is neither."""
        for ref in (f"refs/remotes/origin/{branch}", f"refs/heads/{branch}"):
            try:
                return (
                    (await git(self.path, ["rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}"])).decode().strip()
                )
            except (Missing, Unavailable) as error:
                if isinstance(error, Unavailable) and error.reason != "git-failed":
                    raise
        return None

    async def contains(self, branch: str, commit: str) -> bool:
        """Whether `commit` is reachable from the branch. Raises `Missing` where it is not here at all."""
        tip = await self.tip(branch)
        if tip is None:
            raise Missing(f"{self.name}: there is no branch {branch}")
        await git(self.path, ["rev-parse", "--verify", "--end-of-options", f"{commit}^{{commit}}"])
        try:
            found = await git(self.path, ["merge-base", "--end-of-options", tip, commit])
        except Unavailable as error:
            if error.reason != "git-failed":
                raise
            return False
        return found.decode().strip() == commit

    async def commits(self, branch: str, path: str = "", *, most: int = 100) -> Sequence[Commit]:
        """Newest first, those that touched `path`. `branch` may be a full commit id."""
        start = await self.tip(branch) or branch
        arguments = ["log", f"--max-count={most}", f"--format=tformat:{_FIELDS}", "--end-of-options", start, "--"]
        printed = await git(self.path, [*arguments, *([f":(literal,top){path}"] if path else [])])
        rows = (row.lstrip("\n") for row in printed.decode("utf-8", "replace").split("\0\0"))
        return [_commit(row) for row in rows if row]


def _commit(row: str) -> Commit:
    sha, author, date, subject = row.split("\0", 3)
    return Commit(sha=sha, subject=subject, author=author, date=date)

"""Reading the commits of one repository, and writing commits and branches without ever forcing anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import aclosing
from typing import Any

from recipediff.adapters.github.http.client import GitHubClient
from recipediff.adapters.github.http.route import PathValue, repository
from recipediff.adapters.github.http.shape import legible
from recipediff.ports.errors import Missing, Moved, Refused
from recipediff.ports.forge import Commit
from recipediff.ports.repository import Repository, full_commit

_REPO = "/repos/{owner}/{repo}"
_UNRELATED = ("no common ancestor", "entirely different commit histories")


class GitHubHistory:
    """Reads commits through `client`."""

    def __init__(self, client: GitHubClient, name: str) -> None:
        self.name = name
        self._client = client
        self._fields = repository(name)

    async def default_branch(self) -> str:
        """Its name."""
        answer = await self._client.call(f"GET {_REPO}", self._fields)
        with legible(f"{self.name}: the repository"):
            return str(answer["default_branch"])

    async def tip(self, branch: str) -> str | None:
        """The full id of the commit that a branch is at; None where there is no such branch."""
        try:
            answer = await self._client.call(f"GET {_REPO}/git/ref/{{ref}}", {**self._fields, "ref": f"heads/{branch}"})
        except Missing:
            return None
        with legible(f"{self.name}: the branch {branch}"):
            return full_commit(self.name, str(answer["object"]["sha"]))

    async def contains(self, branch: str, commit: str) -> bool:
        """Whether `commit` is reachable from the branch: a fork's commit is served under the parent's name too."""
        full_commit(self.name, commit)
        fields: dict[str, PathValue] = {**self._fields, "basehead": f"{branch}...{commit}"}
        try:
            answer = await self._client.call(f"GET {_REPO}/compare/{{basehead}}", fields, query={"per_page": 1})
        except Missing as error:
            if any(sign in str(error).lower() for sign in _UNRELATED):
                return False
            raise
        with legible(f"{self.name}: a comparison"):
            return answer["status"] in {"behind", "identical"}

    async def merge_base(self, one: str, other: str) -> str:
        """The commit at which two histories part. Raises `Missing` where they share none."""
        fields: dict[str, PathValue] = {**self._fields, "basehead": f"{full_commit(self.name, one)}...{other}"}
        answer = await self._client.call(f"GET {_REPO}/compare/{{basehead}}", fields, query={"per_page": 1})
        with legible(f"{self.name}: a comparison"):
            return full_commit(self.name, str(answer["merge_base_commit"]["sha"]))

    async def commits(self, branch: str, path: str = "", *, most: int = 100) -> Sequence[Commit]:
        """Newest first, those that touched `path`, at most so many."""
        query: dict[str, PathValue] = {"sha": branch}
        if path:
            query["path"] = path
        found: list[Commit] = []
        pages = self._client.pages(f"GET {_REPO}/commits", self._fields, query=query, most=most // 100 + 1)
        async with aclosing(pages) as items:
            async for item in items:
                found.append(_commit(item))
                if len(found) >= most:
                    break
        return found


class GitHubBranches:
    """Writes commits and branches through `client`."""

    def __init__(self, client: GitHubClient, history: GitHubHistory, trees: Repository) -> None:
        self.name = history.name
        self._client = client
        self._fields = repository(history.name)
        self._history = history
        self._trees = trees

    async def commit(self, files: Mapping[str, str], *, parents: Sequence[str], message: str) -> str:
        """A commit on the tree of the first parent with the texts of `files` put in place. Its full id.

        Nobody is named as its author, so that GitHub signs it in the App's name. A file that is there keeps its mode.
        """
        base = await self._client.call(
            f"GET {_REPO}/git/commits/{{commit_sha}}", {**self._fields, "commit_sha": parents[0]}
        )
        with legible(f"{self.name}: a commit"):
            root = str(base["tree"]["sha"])
        modes = await self._modes(parents[0], files)
        rows = [{"path": path, "mode": modes[path], "type": "blob", "content": text} for path, text in files.items()]
        tree = await self._client.call(f"POST {_REPO}/git/trees", self._fields, data={"base_tree": root, "tree": rows})
        with legible(f"{self.name}: a tree"):
            data = {"message": message, "tree": str(tree["sha"]), "parents": list(parents)}
        made = await self._client.call(f"POST {_REPO}/git/commits", self._fields, data=data)
        with legible(f"{self.name}: a commit"):
            return full_commit(self.name, str(made["sha"]))

    async def create(self, branch: str, commit: str) -> None:
        """Raises `Moved` where the branch exists."""
        data = {"ref": f"refs/heads/{branch}", "sha": full_commit(self.name, commit)}
        try:
            await self._client.call(f"POST {_REPO}/git/refs", self._fields, data=data)
        except Refused as error:
            if "already exists" in str(error).lower():
                raise Moved(f"{self.name}: the branch {branch} exists already") from error
            raise

    async def advance(self, branch: str, *, expected: str, to: str) -> None:
        """Moves the branch to a descendant of `expected`. Raises `Moved` where it is not at `expected` any more.

        GitHub's own check that the move is a fast-forward closes the gap between looking and moving.
        """
        self._at(branch, await self._history.tip(branch), expected)
        data = {"sha": full_commit(self.name, to), "force": False}
        try:
            await self._client.call(
                f"PATCH {_REPO}/git/refs/{{ref}}", {**self._fields, "ref": f"heads/{branch}"}, data=data
            )
        except Refused as error:
            if "fast forward" in str(error).lower() or "does not exist" in str(error).lower():
                raise Moved(f"{self.name}: the branch {branch} is not at {expected} any more") from error
            raise

    async def delete(self, branch: str, *, expected: str) -> None:
        """Raises `Moved` where it is not at `expected` any more; one that is gone is fine."""
        tip = await self._history.tip(branch)
        if tip is None:
            return
        self._at(branch, tip, expected)
        try:
            await self._client.call(f"DELETE {_REPO}/git/refs/{{ref}}", {**self._fields, "ref": f"heads/{branch}"})
        except Missing:
            return
        except Refused as error:
            if "does not exist" not in str(error).lower():
                raise

    def _at(self, branch: str, tip: str | None, expected: str) -> None:
        if tip != expected:
            raise Moved(f"{self.name}: the branch {branch} is at {tip or 'no commit'}, not at {expected}")

    async def _modes(self, commit: str, files: Mapping[str, str]) -> dict[str, str]:
        tree = await self._trees.tree(commit)
        known = {path: tree[path].mode for path in files if path in tree}
        for path in files:
            if known.get(path, "100644") not in {"100644", "100755"}:
                raise Refused("invalid", f"{self.name}: {path} is not a plain file and is not written")
        return {path: known.get(path, "100644") for path in files}


def _commit(data: Mapping[str, Any]) -> Commit:
    with legible("a commit"):
        inner, account = data["commit"], data.get("author")
        author = account["login"] if account else (inner.get("author") or {}).get("name", "")
        date = (inner.get("committer") or inner.get("author") or {}).get("date", "")
        subject = str(inner["message"]).partition("\n")[0]
        parents = tuple(str(parent["sha"]) for parent in data.get("parents") or ())
        return Commit(sha=str(data["sha"]), subject=subject, author=str(author), date=str(date), parents=parents)

"""Trees, commits and branches over the dictionaries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from recipediff.core.git import blob_id
from recipediff.ports.errors import Missing, Moved
from recipediff.ports.forge import Commit
from recipediff.ports.repository import TreeEntry
from tests.app.bumps.fake_world import BOT, BareWorld, Repo, stamp


class FakeTrees:
    """Trees and blobs."""

    pinned = True

    def __init__(self, world: BareWorld, repo: Repo) -> None:
        self.name, self._world, self._repo = repo.name, world, repo

    async def tree(self, commit: str) -> Mapping[str, TreeEntry]:
        """By path."""
        tree = await self._world.call("tree", lambda: self._repo.commits[self._repo.known(commit)][0])
        return {path: TreeEntry(path, blob_id(data)) for path, data in sorted(tree.items())}

    async def blobs(self, entries: Iterable[TreeEntry]) -> Mapping[str, bytes]:
        """By path."""
        wanted = list(entries)
        found: dict[str, bytes] = await self._world.call(
            "blobs", lambda: {e.path: self._repo.content[e.sha] for e in wanted}
        )
        return found


class FakeHistory:
    """Commits."""

    def __init__(self, world: BareWorld, repo: Repo) -> None:
        self._world, self._repo = world, repo

    async def default_branch(self) -> str:
        """Always main."""
        name: str = await self._world.call("default branch", lambda: "main")
        return name

    async def tip(self, branch: str) -> str | None:
        """Where a branch is."""
        tip: str | None = await self._world.call("tip", lambda: self._repo.refs.get(branch))
        return tip

    async def contains(self, branch: str, commit: str) -> bool:
        """Reachable."""
        known = self._repo.known
        answer: bool = await self._world.call("contains", lambda: known(commit) in self._repo.ancestors(known(branch)))
        return answer

    async def merge_base(self, one: str, other: str) -> str:
        """The newest commit that both have."""

        def work() -> str:
            both = self._repo.ancestors(self._repo.known(one)) & self._repo.ancestors(self._repo.known(other))
            if not both:
                raise Missing("no commit in common")
            return max(both, key=lambda sha: self._repo.commits[sha][4])

        found: str = await self._world.call("merge base", work)
        return found

    async def commits(self, branch: str, path: str = "", *, most: int = 100) -> Sequence[Commit]:
        """Newest first."""

        def work() -> list[Commit]:
            line = sorted(self._repo.ancestors(self._repo.known(branch)), key=lambda s: -self._repo.commits[s][4])
            return [self._commit(sha) for sha in line if not path or self._touches(sha, path)][:most]

        found: list[Commit] = await self._world.call("commits", work)
        return found

    def _commit(self, sha: str) -> Commit:
        _, _, message, author, at = self._repo.commits[sha]
        return Commit(sha=sha, subject=message.partition("\n")[0], author=author, date=stamp(at))

    def _touches(self, sha: str, path: str) -> bool:
        tree, parents, *_ = self._repo.commits[sha]
        return all(self._repo.commits[parent][0].get(path) != tree.get(path) for parent in parents)


class FakeBranches:
    """Writing. `advance` looks and then moves, as over the network; in between anything may happen."""

    def __init__(self, world: BareWorld, repo: Repo) -> None:
        self._world, self._repo = world, repo

    async def commit(self, files: Mapping[str, str], *, parents: Sequence[str], message: str) -> str:
        """A commit that no branch has yet."""

        def work() -> str:
            tree = dict(self._repo.commits[self._repo.known(parents[0])][0])
            tree.update({path: text.encode() for path, text in files.items()})
            return self._repo.write(tree, parents, message, BOT)

        sha: str = await self._world.call("commit", work, write=True)
        return sha

    async def create(self, branch: str, commit: str) -> None:
        """A new branch."""

        def work() -> None:
            if branch in self._repo.refs:
                raise Moved("it exists")
            self._repo.refs[branch] = commit

        await self._world.call("create branch", work, write=True)

    async def advance(self, branch: str, *, expected: str, to: str) -> None:
        """Forwards only."""
        tip = await self._world.call("tip", lambda: self._repo.refs.get(branch))
        if tip != expected:
            raise Moved("it is elsewhere")

        def work() -> None:
            now = self._repo.refs.get(branch)
            if now is None or now not in self._repo.ancestors(to):
                raise Moved("not a fast-forward")
            if self._repo.commits[now][3] != BOT:
                self._world.broken.append(f"{branch} was moved from a person's commit")
            self._repo.refs[branch] = to
            self._world.moved(self._repo, branch)

        await self._world.call("advance", work, write=True)

    async def delete(self, branch: str, *, expected: str) -> None:
        """GitHub deletes wherever it is by then."""
        del expected
        self._repo.refs.pop(branch, None)
        self._world.broken.append(f"{branch} was deleted")

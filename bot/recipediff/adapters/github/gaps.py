"""Who works on what an engine lacks: open issues by what they say, open pull requests by what their diffs add.

A title need not name what a pull request brings, so every open one's diff is looked at, newest first, within a bound.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from recipediff.adapters.github.diffs import Diff, DiffCache
from recipediff.adapters.github.http.client import GitHubClient
from recipediff.adapters.github.http.route import repository
from recipediff.adapters.github.http.shape import legible
from recipediff.core.sweep.gaps import GapOwner, Ownership, WantedGap
from recipediff.ports.errors import Missing, Unavailable

_PULLS = "GET /repos/{owner}/{repo}/pulls"
_FILES = "GET /repos/{owner}/{repo}/pulls/{pull_number}/files"
_ISSUES = "GET /repos/{owner}/{repo}/issues"
AT_ONCE = 4
OWNERS = 5
"""So many are named for one gap."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much of a repository is looked at."""

    pulls: int = 300
    issues: int = 500
    files: int = 300
    """Of one pull request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Thing:
    """An open issue or pull request as a listing has it."""

    number: int
    title: str
    body: str
    url: str
    head: str = ""


class GitHubGaps:
    """Looks into the engine's repository. Satisfies `recipediff.app.sweep.sweep.Gaps`."""

    def __init__(
        self, client: GitHubClient, name: str, *, cache: DiffCache | None = None, bounds: Bounds | None = None
    ) -> None:
        """`name` is `owner/name`. Raises `Missing` where it cannot be one."""
        self.name = name
        self._client = client
        self._fields = repository(name)
        self._cache = cache or DiffCache(None, name)
        self._bounds = bounds or Bounds()

    async def owners(self, wanted: Sequence[WantedGap], step: Callable[[str], None]) -> Ownership:
        """Everybody who speaks of or adds what is wanted. Raises `Missing` or `Unavailable` where nothing can be looked at."""
        pulls, more_pulls = await self._listed(_PULLS, self._bounds.pulls)
        issues, more_issues = await self._listed(_ISSUES, self._bounds.issues)
        diffs, unread = await self._diffs(pulls, step)
        found: dict[WantedGap, tuple[GapOwner, ...]] = {}
        for one in wanted:
            owners = [*_by_pulls(one, pulls, diffs), *_by_issues(one, issues)]
            found[one] = tuple(owners[:OWNERS])
        return Ownership(found, tuple(self._notes(pulls, issues, more_pulls, more_issues, unread)))

    async def _listed(self, operation: str, most: int) -> tuple[list[_Thing], bool]:
        """The newest open ones, and whether there are more. Pull requests are left out of the issues."""
        found: list[_Thing] = []
        pages = self._client.pages(operation, self._fields, query={"state": "open"}, most=most // 100 + 2)
        try:
            async with aclosing(pages) as items:
                async for item in items:
                    if operation == _ISSUES and "pull_request" in item:
                        continue
                    if len(found) == most:
                        return found, True
                    found.append(_thing(item))
        except Unavailable as error:
            if error.reason != "too-large" or not found:
                raise
            return found, True  # listings of issues are full of pull requests
        return found, False

    async def _diffs(self, pulls: Sequence[_Thing], step: Callable[[str], None]) -> tuple[dict[int, Diff], list[int]]:
        """The diffs by number, and the numbers of those that could not be had."""
        turn = asyncio.Semaphore(AT_ONCE)
        limited: list[Unavailable] = []

        async def one(pull: _Thing) -> Diff | None:
            async with turn:
                if limited:
                    return None
                try:
                    diff = await self._diff(pull)
                except Missing:
                    return None
                except Unavailable as error:
                    if "rate-limited" in error.reason:
                        limited.append(error)
                    return None
                finally:
                    step(f"#{pull.number}")
                return diff

        answers = await asyncio.gather(*(one(pull) for pull in pulls))
        read = {pull.number: diff for pull, diff in zip(pulls, answers, strict=True) if diff is not None}
        return read, [pull.number for pull in pulls if pull.number not in read]

    async def _diff(self, pull: _Thing) -> Diff:
        kept = self._cache.get(pull.number, pull.head)
        if kept is not None:
            return kept
        added: list[tuple[str, str]] = []
        whole = True
        pages = self._client.pages(
            _FILES, {**self._fields, "pull_number": pull.number}, most=self._bounds.files // 100 + 1
        )
        async with aclosing(pages) as items:
            async for item in items:
                with legible(f"{self.name}: the files of #{pull.number}"):
                    added.append((str(item["filename"]), _added(str(item.get("patch") or ""))))
                    whole = whole and ("patch" in item or not item.get("additions"))
                if len(added) >= self._bounds.files:
                    whole = False
                    break
        diff = Diff(tuple(added), whole)
        self._cache.keep(pull.number, pull.head, diff)
        return diff

    def _notes(
        self, pulls: Sequence[_Thing], issues: Sequence[_Thing], more_pulls: bool, more_issues: bool, unread: list[int]
    ) -> list[str]:
        notes = [
            f"{self.name}: looked into {len(issues):,} open issues and the diffs of {len(pulls) - len(unread):,} open pull requests"
        ]
        if more_pulls or more_issues:
            notes.append(
                f"{self.name}: there are more; only the newest were looked at, so a gap without an owner may have one"
            )
        if unread:
            listed = ", ".join(f"#{number}" for number in unread[:5]) + (" …" if len(unread) > 5 else "")
            notes.append(f"{self.name}: the diffs of {len(unread):,} pull requests could not be read: {listed}")
        return notes


def _thing(item: Mapping[str, Any]) -> _Thing:
    with legible("an issue or pull request"):
        head = item.get("head") or {}
        return _Thing(
            number=int(item["number"]), title=str(item["title"]), body=str(item.get("body") or "")[:100_000], url=str(item["html_url"]), head=str(head.get("sha", ""))
        )  # fmt: skip


def _added(patch: str) -> str:
    """The lines that a patch adds."""
    return "\n".join(line[1:] for line in patch.split("\n") if line.startswith("+"))


def _by_pulls(wanted: WantedGap, pulls: Sequence[_Thing], diffs: Mapping[int, Diff]) -> list[GapOwner]:
    found = []
    for pull in pulls:
        diff = diffs.get(pull.number)
        where = next((file for file, text in diff.added if wanted.in_code(text)), "") if diff is not None else ""
        if not where and wanted.in_prose(pull.title):
            where = "its title"
        if where:
            found.append(GapOwner(kind="pull request", number=pull.number, title=pull.title, url=pull.url, where=where))
    return found


def _by_issues(wanted: WantedGap, issues: Sequence[_Thing]) -> list[GapOwner]:
    found = []
    for issue in issues:
        where = (
            "its title"
            if wanted.in_prose(issue.title)
            else "its text"
            if wanted.in_prose(issue.title + "\n" + issue.body)
            else ""
        )
        if where:
            found.append(GapOwner(kind="issue", number=issue.number, title=issue.title, url=issue.url, where=where))
    return found

"""What there is: the recipes on the base branch, the configuration, and the bumps at GitHub. Only reads."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from recipediff.app.payload import moment
from recipediff.core.bumps import marker as bump_marker
from recipediff.core.bumps.branches import PREFIX
from recipediff.core.bumps.marker import Marker
from recipediff.core.bumps.plan import Existing
from recipediff.core.config import CONFIG_PATH, Config
from recipediff.core.recipe import TestedRecipe
from recipediff.parse.config.repository import read_config
from recipediff.parse.globs import matches
from recipediff.parse.tested.read import read_recipes
from recipediff.ports.errors import Missing, Unavailable
from recipediff.ports.forge import Home, PullRequest
from recipediff.ports.repository import TreeEntry

MAX_RECIPES = 5_000
RECENT = 100
"""So many of the newest pull requests are looked at to count what was opened within a day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """The base branch as it is at one commit."""

    branch: str
    tip: str
    tree: Mapping[str, TreeEntry]
    config: Config
    files: Mapping[str, bytes]
    recipes: tuple[TestedRecipe, ...]
    broken: tuple[str, ...] = ()
    """Files of which something could not be read."""

    def file_blob(self, recipe: TestedRecipe) -> str:
        """The id of the content of the file that a recipe stands in."""
        entry = self.tree.get(recipe.file)
        return entry.sha if entry is not None else ""


@dataclass(frozen=True, slots=True)
class Bump:
    """A pull request of ours, with what it remembers."""

    pull: PullRequest
    marker: Marker
    foreign: bool = False
    tip: str = ""
    """The commit from which its branch may be moved; differs from the marker's where saying so was interrupted."""

    def existing(self) -> Existing:
        """As the plan sees it."""
        pull = self.pull
        return Existing(
            number=pull.number,
            branch=pull.head_ref,
            marker=self.marker,
            created=moment(pull.created_at),
            open=pull.state == "open",
            merged=pull.merged,
            foreign=self.foreign,
        )


async def read_base(home: Home) -> Base:
    """The default branch. Raises `Missing` where there is none."""
    branch = await home.history.default_branch()
    tip = await home.history.tip(branch)
    if tip is None:
        raise Missing(f"{home.name}: there is no branch {branch}")
    tree = await home.repository.tree(tip)
    config = await _config(home, tree)
    paths = [path for path in sorted(tree) if matches(path, config.recipes) and _ordinary(tree[path])]
    if len(paths) > MAX_RECIPES:
        raise Unavailable("too-large", f"{home.name}: {len(paths):,} recipe files are more than {MAX_RECIPES:,}")
    files = await home.repository.blobs([tree[path] for path in paths])
    read = {path: read_recipes(files[path], path) for path in paths}
    seen: dict[str, TestedRecipe] = {}
    twice: set[str] = set()
    for recipe in (recipe for path in paths for recipe in read[path].recipes):
        if recipe.id in seen:
            twice.add(recipe.id)
        seen[recipe.id] = recipe
    recipes = tuple(recipe for name, recipe in seen.items() if name not in twice)
    broken = tuple(path for path in paths if not read[path].recipes or any(r.id in twice for r in read[path].recipes))
    return Base(branch=branch, tip=tip, tree=tree, config=config, files=files, recipes=recipes, broken=broken)


def _ordinary(entry: TreeEntry) -> bool:
    return entry.mode in ("100644", "100755")


async def _config(home: Home, tree: Mapping[str, TreeEntry]) -> Config:
    entry = tree.get(CONFIG_PATH)
    if entry is None or not _ordinary(entry):
        return Config()
    data = await home.repository.blobs([entry])
    return read_config(data[CONFIG_PATH], CONFIG_PATH)[0]


@dataclass(slots=True)
class Bumps:
    """The bumps of a repository, found by branch, by author and by marker."""

    open: dict[str, Bump] = field(default_factory=dict)
    closed: list[Bump] = field(default_factory=list)
    others: list[PullRequest] = field(default_factory=list)
    """Pull requests on branches of ours that carry no marker of ours: they are left alone."""

    def existing(self) -> Sequence[Existing]:
        """As the plan sees them, each number once."""
        found = {bump.pull.number: bump.existing() for bump in (*self.closed, *self.open.values())}
        for pull in self.others:
            if pull.state == "open":
                found[pull.number] = Existing(
                    number=pull.number,
                    branch=pull.head_ref,
                    marker=Marker(tip="", members=()),
                    created=moment(pull.created_at),
                    foreign=True,
                )
        return [found[number] for number in sorted(found)]


async def read_bumps(home: Home, base: Base, author: str) -> Bumps:
    """The open bumps, and those of the newest pull requests that are closed."""
    opened, recent = await asyncio.gather(
        home.pulls.listed(state="open", base=base.branch), home.pulls.listed(state="all", most=RECENT)
    )
    found = Bumps()
    for pull in {pull.number: pull for pull in (*recent, *opened)}.values():
        _sort_in(found, pull, author)
    return found


async def read_closed(home: Home, found: Bumps, branches: Iterable[str], author: str) -> None:
    """Adds the closed bumps of `branches`, so that nothing is offered twice."""
    lists = await asyncio.gather(*(home.pulls.listed(state="closed", head=branch) for branch in branches))
    known = {bump.pull.number for bump in found.closed}
    for pull in (pull for pulls in lists for pull in pulls):
        if pull.number not in known:
            _sort_in(found, pull, author)


def _sort_in(found: Bumps, pull: PullRequest, author: str) -> None:
    if pull.from_fork or not pull.head_ref.startswith(PREFIX):
        return
    marker = bump_marker.read(pull.body) if pull.author == author else None
    if marker is None:
        found.others.append(pull)
    elif pull.state == "open":
        found.open[pull.head_ref] = Bump(pull, marker, tip=marker.tip)
    else:
        found.closed.append(Bump(pull, marker, tip=marker.tip))

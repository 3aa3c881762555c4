"""Writing a bump's branch. It is only ever moved forwards, and only from a commit that the bot made.

A bump's commit stands on two parents: the base branch, so that the branch is up to date, and the commit that the branch
was at, so that nothing that anybody pushed can be lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recipediff.app.bumps.state import Base
from recipediff.core.bumps.marker import Member
from recipediff.core.git import blob_id
from recipediff.core.recipe import TestedRecipe
from recipediff.parse.tested.edit import CannotEdit, Repin, repin
from recipediff.ports.errors import Missing
from recipediff.ports.forge import Home

_TITLE = "Move "


class Taken(Exception):
    """The branch has commits that are not the bot's."""


def edited(base: Base, members: Sequence[Member]) -> dict[str, bytes]:
    """The recipe files with their pins moved. Raises `CannotEdit`."""
    recipes: dict[str, TestedRecipe] = {recipe.id: recipe for recipe in base.recipes}
    by_file: dict[str, list[Repin]] = {}
    for member in members:
        recipe = recipes[member.recipe]
        source = recipe.source
        moved = member.path if source is not None and source.path != member.path else ""
        by_file.setdefault(recipe.file, []).append(Repin(recipe.id, member.commit, moved))
    return {file: repin(base.files[file], file, *moves) for file, moves in by_file.items()}


async def is_ours(home: Home, base: Base, branch: str, tip: str, recorded: str, author: str) -> bool:
    """Whether `tip` is a commit that the bot made: the recorded one, or the next after it, made by a run that was cut off.

    The second is told by everything that it is: on top of the recorded commit (or of the base, where none is recorded),
    by the bot's account, with the bot's subject, and different from the base in nothing but pins.
    """
    if tip == recorded:
        return True
    try:
        if recorded and await home.history.merge_base(recorded, tip) != recorded:
            return False
        newest = await home.history.commits(tip, most=1)
        if not newest or newest[0].author != author or not newest[0].subject.startswith(_TITLE):
            return False
        fork = await home.history.merge_base(base.tip, tip)
        return await _only_pins(home, fork, tip)
    except Missing:
        return False


async def _only_pins(home: Home, fork: str, tip: str) -> bool:
    """Whether every file of `tip` is that of `fork`, but for the pins of recipes."""
    before, after = await home.repository.tree(fork), await home.repository.tree(tip)
    if before.keys() != after.keys():
        return False
    changed = [path for path in after if (after[path].sha, after[path].mode) != (before[path].sha, before[path].mode)]
    if not changed or len(changed) > 60 or any(after[path].mode != before[path].mode for path in changed):
        return False
    old = await home.repository.blobs([before[path] for path in changed])
    new = await home.repository.blobs([after[path] for path in changed])
    return all(_same_but_pins(path, old[path], new[path]) for path in changed)


def _same_but_pins(path: str, old: bytes, new: bytes) -> bool:
    """Whether `new` is `old` with pins moved: moving them in the old text gives the new one."""
    from recipediff.parse.tested.read import read_recipes

    moves = [
        Repin(recipe.id, recipe.source.commit, recipe.source.path)
        for recipe in read_recipes(new, path).recipes
        if recipe.source is not None
    ]
    try:
        return repin(old, path, *moves) == new
    except CannotEdit:
        return False


async def bring(
    home: Home, base: Base, branch: str, files: Mapping[str, bytes], message: str, *, tip: str | None
) -> str:
    """Bring the branch to the base with `files` in place, from `tip` (None: it does not exist). Its new tip.

    Raises `Moved` where somebody else was faster; nothing is changed then.
    """
    if tip is not None and await _is_there(home, base, tip, files):
        return tip
    texts = {path: data.decode("utf-8") for path, data in files.items()}
    parents = [base.tip] if tip is None else [base.tip, tip]
    made = await home.branches.commit(texts, parents=parents, message=message)
    if tip is None:
        await home.branches.create(branch, made)
    else:
        await home.branches.advance(branch, expected=tip, to=made)
    return made


async def _is_there(home: Home, base: Base, tip: str, files: Mapping[str, bytes]) -> bool:
    """Whether the branch is already what it should be."""
    tree = await home.repository.tree(tip)
    if tree.keys() != base.tree.keys():
        return False
    wanted = {path: blob_id(data, base.tree[path].sha) for path, data in files.items()}
    return all(entry.sha == wanted.get(path, base.tree[path].sha) for path, entry in tree.items())

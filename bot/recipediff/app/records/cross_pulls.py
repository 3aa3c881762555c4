"""Keys that several open pull requests add: git merges each cleanly, and the table then defines the key twice."""

from __future__ import annotations

from collections.abc import Mapping

from recipediff.app.records.reader import Reader
from recipediff.app.records.tables import MAX_OPEN, Guard, open_pulls
from recipediff.checks.records import OpenPull, cross_pulls
from recipediff.checks.records.guard import colliding
from recipediff.checks.records.snapshot import FileContents
from recipediff.core.records import RecordsConfig
from recipediff.core.verdict import Evaluation
from recipediff.ports.errors import Missing
from recipediff.ports.forge import Home, PullRequest
from recipediff.ports.repository import Tree

_EXACT = 20
"""Pull requests with the same key for which the commit where they left the base branch is looked up."""

CrossPullWork = tuple[Mapping[int, OpenPull], RecordsConfig]


async def beside(
    home: Home, pull: PullRequest, mine: OpenPull, reader: Reader, tip: tuple[str, Tree], guard: Guard
) -> tuple[dict[int, OpenPull], tuple[str, ...]]:
    """The open pull requests onto the same base (whose commit and tree are `tip`) that add a key which `pull` adds too, and `pull` itself; and what could
    not be compared. Costs one listing, a tree for each head that is new to the memory, a blob for each table that
    differs from the base's, and two requests more for each pull request that has the same key."""
    listed = await home.pulls.listed(base=pull.base_ref, most=MAX_OPEN + 1)
    heads = {other.number: other.head_sha for other in listed if other.number != pull.number}
    found = await open_pulls(home, [o for o in listed if o.number in heads], reader, tip[1], guard.memory)
    if not found.pulls:
        return {pull.number: mine}, found.notes
    evaluations = await guard.isolation(crossed, ({**found.pulls, pull.number: mine}, reader.config))
    together = {pull.number: mine}
    for number in sorted(colliding(evaluations, pull.number)):
        known = found.pulls[number]
        if len(together) <= _EXACT:
            known = OpenPull(await _left(home, tip[0], heads[number], reader, guard) or known.base, known.head)
        together[number] = known
    return together, (*found.notes, *evaluations[pull.number].notes)


async def _left(home: Home, base: str, head: str, reader: Reader, guard: Guard) -> FileContents | None:
    """The tables where a head left the base branch: a key that it has from there is none that it adds."""
    forks, key = guard.memory.forks, (home.name.lower(), base, head)
    try:
        if key not in forks:
            forks[key] = await home.history.merge_base(base, head)
        return await reader.tables(await home.repository.tree(forks[key]))
    except Missing:
        return None


def crossed(given: CrossPullWork) -> dict[int, Evaluation]:
    """`cross_pulls` of one value, for a process of its own."""
    pulls, config = given
    return cross_pulls(pulls, config)

"""Which open pull requests are looked at again when one of them, or their base, changes keyed tables."""

from __future__ import annotations

from recipediff.app.records.cross_pulls import crossed
from recipediff.app.records.reader import Reader
from recipediff.app.records.tables import MAX_OPEN, Guard, Own, open_pulls
from recipediff.app.review.reconcile import WantedReview
from recipediff.app.review.review import CHECK_NAME
from recipediff.checks.records.guard import told
from recipediff.core.config import CONFIG_PATH
from recipediff.core.verdict import Evaluation
from recipediff.parse.config.repository import read_config
from recipediff.ports.errors import Missing
from recipediff.ports.forge import Home, PullRequest
from recipediff.ports.repository import Tree

_TITLE = "record cross pull duplicate"
"""How the title of a check run counts such findings."""


async def affected(home: Home, base_ref: str, author: str, guard: Guard) -> tuple[WantedReview, ...]:
    """The open pull requests onto `base_ref` whose report on keyed tables would say something else than it says.

    What was said is remembered; for a pull request that this process has not reviewed, its check run is asked.
    """
    listed = await home.pulls.listed(base=base_ref, most=MAX_OPEN + 1)
    sha = await home.history.tip(base_ref) if listed else None
    if sha is None:
        return ()
    tip = await home.repository.tree(sha)
    reader = await _reader(home, tip, guard)
    if reader is None:
        return ()
    found = await open_pulls(home, listed, reader, tip, guard.memory)
    evaluations = await guard.isolation(crossed, (found.pulls, reader.config)) if len(found.pulls) > 1 else {}
    at_tip = reader.table_entries(tip)
    wanted = []
    for pull in listed[:MAX_OPEN]:
        own = Own(found.tables.get(pull.number, {}), at_tip)
        evaluation = evaluations.get(pull.number, Evaluation(findings=()))
        if await _says_otherwise(home, pull, own, evaluation, author, guard):
            wanted.append(WantedReview(pull, sha))
    return tuple(wanted)


async def _reader(home: Home, tip: Tree, guard: Guard) -> Reader | None:
    """A reader of the tables that the base branch declares; None where it declares none."""
    if CONFIG_PATH not in tip:
        return None
    try:
        data = (await home.repository.blobs([tip[CONFIG_PATH]]))[CONFIG_PATH]
    except Missing:
        return None
    config = read_config(data, CONFIG_PATH)[0].records
    return Reader(repository=home.repository, config=config, isolation=guard.isolation) if config.tables else None


async def _says_otherwise(
    home: Home, pull: PullRequest, own: Own, evaluation: Evaluation, author: str, guard: Guard
) -> bool:
    crossing = bool(told(evaluation.findings))
    head, said = guard.memory.said.get((home.name.lower(), pull.number), ("", ()))
    if head == pull.head_sha:
        return said != own.signature(evaluation.findings) if said else crossing
    if crossing:
        return True
    # Only a report on tables that differ from the base's can have named another pull request.
    if not any(
        True for path, entry in own.at_head.items() if path not in own.at_tip or own.at_tip[path].sha != entry.sha
    ):
        return False
    try:
        runs = await home.checks.named(pull.head_sha, CHECK_NAME)
    except Missing:
        return False
    named = any(run.app == author.removesuffix("[bot]") and _TITLE in run.title for run in runs)
    if not named:
        guard.memory.said[home.name.lower(), pull.number] = (pull.head_sha, ())
    return named

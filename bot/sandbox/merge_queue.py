"""The merge queue: groups of pull requests, tested together on a branch of their own before they reach the base."""

from __future__ import annotations

from dataclasses import dataclass

from sandbox import actions, events
from sandbox.api.pulls import missing_checks
from sandbox.model import Account, IssueRecord, Repo
from sandbox.objects import Person
from sandbox.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeGroup:
    """One merge group: its branch, its head commit, and the base that it was built on."""

    repo: Repo
    pulls: tuple[IssueRecord, ...]
    ref: str
    head_sha: str
    base_ref: str
    base_sha: str


def enqueue(world: World, pulls: tuple[IssueRecord, ...], sender: Account) -> MergeGroup:
    """Build a group and ask for its checks. Raises `Conflict` where the pull requests do not merge."""
    repo, first = pulls[0].repo, pulls[0].pull
    if first is None:
        raise ValueError(f"#{pulls[0].number} is no pull request")
    base = f"refs/heads/{first.base_ref}"
    start = tip = repo.git.ref(base) or first.base_sha
    github = Person("GitHub", "noreply@github.com", int(world.clock().timestamp()))
    for issue in pulls:
        if issue.pull:
            tree = repo.git.merge(tip, issue.pull.head_sha)
            message = f"Merge pull request #{issue.number} from {issue.pull.head.owner.login}/{issue.pull.head_ref}\n\n{issue.title}"
            tip = repo.git.write_commit(tree, [tip, issue.pull.head_sha], message, github)
    group = MergeGroup(
        repo=repo,
        pulls=pulls,
        ref=f"{actions.QUEUE}{first.base_ref}/pr-{pulls[-1].number}-{start}",
        head_sha=tip,
        base_ref=base,
        base_sha=start,
    )
    actions.move_ref(world, repo, group.ref, tip, sender)
    events.merge_group(world, repo, "checks_requested", sender, group.ref, tip, base, start)
    return group


def finish(world: World, group: MergeGroup, sender: Account) -> bool:
    """Merge the group if its head passed the required checks, else drop it; returns whether it was merged."""
    repo = group.repo
    passed = (
        not missing_checks(repo, group.base_ref.removeprefix("refs/heads/"), group.head_sha)
        and repo.git.ref(group.base_ref) == group.base_sha
    )
    reason = "merged" if passed else "dequeued"
    events.merge_group(
        world, repo, "destroyed", sender, group.ref, group.head_sha, group.base_ref, group.base_sha, reason=reason
    )
    actions.move_ref(world, repo, group.ref, None, sender)
    if passed:
        actions.move_ref(world, repo, group.base_ref, group.head_sha, sender)
    return passed

"""Replays the real history of eugr's recipes, one tested recipe pinned to each path at its first version, and counts bumps.

    python -m tools.replay_eugr ../shared

Prints how many pull requests a naive bot, a bot that looks at each path, and this one would have opened, and holds each
of ours against the comparison of the two versions itself: one of its own has a launch change, a quiet one has none.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from pathlib import Path

from recipediff.checks.moves import Versions, judge_move, launch_at
from recipediff.core.bumps.branches import QUIET
from recipediff.core.bumps.calendar import DAY
from recipediff.core.bumps.config import BumpConfig
from recipediff.core.bumps.marker import Marker, Member
from recipediff.core.bumps.plan import Action, BumpState, Existing, Proposal, plan
from recipediff.core.bumps.trail import Judged
from recipediff.core.compare import compare
from recipediff.core.config import DEFAULT_UPSTREAMS
from recipediff.core.follow import candidates, follow
from recipediff.core.launch import Launch, Select, Word
from recipediff.core.place import Place
from recipediff.core.recipe import Source, TestedRecipe
from recipediff.core.upstream import UpstreamFiles
from recipediff.parse.formats import FORMATS
from recipediff.parse.globs import matches
from recipediff.parse.vllm.launch import read_version

CORPUS = Path("corpus") / "eugr-spark-vllm-docker"
UPSTREAM = next(upstream for upstream in DEFAULT_UPSTREAMS if upstream.format == "eugr")
EVERY_COMMIT = 308
"""Commits of upstream in the span of the stored history, merges left out: stated by its log, not stored with the recipes."""
GENTLE = BumpConfig(cooldown=0, max_open=1000, max_per_day=1000)
"""Nothing holds a bump back: each is opened when upstream moves."""
HERE = Place(file="recipe.yaml", line=1, column=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """One commit: what the recipes are after it."""

    sha: str
    at: float
    subject: str
    tree: Mapping[str, str]
    edits: int
    added: tuple[str, ...]


@dataclass(slots=True)
class Pin:
    """One tested recipe of the replay."""

    recipe: TestedRecipe
    tree: Mapping[str, str]
    path: str


@dataclass(kw_only=True)
class Result:
    """What one way of working came to."""

    own: list[tuple[Action, Mapping[str, Judged]]] = field(default_factory=list)
    quiet: list[Action] = field(default_factory=list)
    updates: int = 0
    reverted: int = 0
    wrong: list[str] = field(default_factory=list)


class History:
    """The stored history."""

    def __init__(self, shared: Path) -> None:
        self.folder = shared / CORPUS
        self.blobs = cache(lambda sha: (self.folder / "blobs" / f"{sha}.yaml").read_bytes())

    def commits(self) -> Iterator[Commit]:
        """Parents before children; the tree is that of the whole history so far."""
        tree: dict[str, str] = {}
        latest = 0.0
        for line in (self.folder / "history.jsonl").read_text("utf-8").splitlines():
            row = json.loads(line)
            latest = max(latest, datetime.fromisoformat(row["date"]).timestamp())
            for change in row["changes"]:
                if change["status"] == "R":
                    tree.pop(change["old_path"], None)
                tree[change["path"]] = change["new_blob"]
            edits = sum(1 for change in row["changes"] if change["status"] != "A")
            added = tuple(change["path"] for change in row["changes"] if change["status"] == "A")
            yield Commit(
                sha=row["commit"], at=latest, subject=row["subject"], tree=dict(tree), edits=edits, added=added
            )

    def files(self, tree: Mapping[str, str]) -> UpstreamFiles:
        """The tree with its contents."""
        return UpstreamFiles({path: self.blobs(sha) for path, sha in tree.items()}, None)


def tested(path: str, commit: str, data: bytes) -> TestedRecipe:
    """A tested recipe that says what upstream's file says, pinned to it."""
    reading = FORMATS["eugr"].read(UpstreamFiles({path: data}), path, Select())
    first = reading.invocations[0] if reading.invocations else None
    name = path.removeprefix("recipes/").removesuffix(".yaml").replace("/", "-")
    model = first.argv[0] if first else Word("org/unread", HERE)
    source = Source(
        repo=UPSTREAM.repo, path=path, commit=commit, license="MIT", select=Select(), deviations=(), place=HERE
    )
    return TestedRecipe(
        id=name, model=model, image=Word("image@sha256:" + "0" * 64, HERE), hardware="GB10", nodes=1, args=first.argv if first else (),
        env=first.env if first else (), mods=first.mods if first else (), source=source, verified=None, vllm="", place=HERE, file=f"recipes/{name}.yaml",
    )  # fmt: skip


class Replay:
    """One way of working through the history. `merge_after` is how many days a bump stays open."""

    def __init__(self, history: History, policy: BumpConfig, merge_after: float) -> None:
        self.history, self.policy, self.merge_after = history, policy, merge_after * DAY
        self.pins: dict[str, Pin] = {}
        self.existing: dict[int, Existing] = {}
        self.changed: dict[str, float] = {}
        self.result = Result()

    def run(self) -> Result:
        """Every commit in its order and every day between them, then two months in which upstream is still."""
        commits = list(self.history.commits())
        now = commits[0].at
        last = commits[0]
        for commit in commits:
            while now + DAY <= commit.at:
                now += DAY
                self._step(last, now)
            now, last = commit.at, self._arrive(last, commit)
            self._step(commit, now)
        for _ in range(65):
            now += DAY
            self._step(commits[-1], now)
        self._finish(commits[-1])
        return self.result

    def _arrive(self, before: Commit, commit: Commit) -> Commit:
        for path, sha in commit.tree.items():
            if before.tree.get(path) != sha:
                self.changed[path] = commit.at
        for path in commit.added:
            self.pins[path] = Pin(tested(path, commit.sha, self.history.blobs(commit.tree[path])), commit.tree, path)
        return commit

    def _step(self, commit: Commit, now: float) -> None:
        for _ in range(3):  # merging frees a place for another
            self._merge(now)
            judged = {name: judged for pin in self.pins.values() for name, judged in self._look(pin, commit)}
            proposals = [self._proposal(name, *rest) for name, rest in judged.items()]
            known = frozenset(pin.recipe.id for pin in self.pins.values())
            actions = plan(
                BumpState(
                    proposals=proposals, existing=list(self.existing.values()), policy=self.policy, now=now, known=known
                )
            )
            for action in actions:
                self._carry_out(action, {name: found for name, (_, found, _) in judged.items()}, now)
            if self.merge_after or not any(action.what == "open" for action in actions):
                return

    def _look(self, pin: Pin, commit: Commit) -> Iterator[tuple[str, tuple[Pin, Judged, Member]]]:
        before, after = pin.tree, commit.tree
        if after.get(pin.path) == before[pin.path]:
            return
        content = self.history.blobs(before[pin.path])
        read = {
            path: self.history.blobs(after[path])
            for path in candidates(pin.path, before, after, lambda name: matches(name, UPSTREAM.recipes))
        }
        path = follow(pin.path, content, before, after, read).path
        if not path:
            self.result.wrong.append(f"{pin.path} was lost at {commit.sha[:8]}")
            return
        versions = Versions(old=self._one(before, pin.path), new=self._one(after, path), new_path=path)
        judged = _judged(
            pin.recipe.id, before[pin.path], after[path], lambda: judge_move(pin.recipe, versions, UPSTREAM)
        )
        yield pin.recipe.id, (pin, judged, Member(recipe=pin.recipe.id, commit=commit.sha, path=path, blob=after[path]))

    def _one(self, tree: Mapping[str, str], path: str) -> UpstreamFiles:
        return UpstreamFiles({path: self.history.blobs(tree[path])}, None)

    def _proposal(self, name: str, pin: Pin, judged: Judged, member: Member) -> Proposal:
        since = self.changed.get(member.path, 0.0)
        unread = judged.meaning.unread
        blocked = f"upstream's version cannot be read: {unread}" if unread else ""
        commit = pin.recipe.source.commit if pin.recipe.source else ""
        return Proposal(
            recipe=name,
            file=pin.recipe.file,
            pin=commit,
            member=member,
            relevant=judged.relevant,
            since=since,
            blocked=blocked,
        )

    def _carry_out(self, action: Action, judged: Mapping[str, Judged], now: float) -> None:
        if action.what == "open":
            number = len(self.existing) + 1
            self.existing[number] = Existing(
                number=number, branch=action.branch, marker=Marker(tip="0" * 40, members=action.members), created=now
            )
            if action.branch == QUIET:
                self.result.quiet.append(action)
            else:
                self.result.own.append((action, {m.recipe: judged[m.recipe] for m in action.members}))
            self._hold_against_the_comparison(action)
        elif action.what in ("update", "close"):
            there = self.existing[action.number]
            marker = replace(there.marker, members=action.members, ended="bot" if action.what == "close" else "")
            self.existing[action.number] = replace(there, marker=marker, open=action.what == "update")
            self.result.updates += action.what == "update"
            self.result.reverted += action.what == "close"

    def _merge(self, now: float) -> None:
        for number, there in self.existing.items():
            if there.open and there.created + self.merge_after <= now:
                self.existing[number] = replace(there, open=False, merged=True)
                for member in there.marker.members:
                    pin = next(pin for pin in self.pins.values() if pin.recipe.id == member.recipe)
                    pin.tree, pin.path = {member.path: member.blob}, member.path
                    source = pin.recipe.source
                    if source is not None:
                        moved = replace(source, commit=member.commit, path=member.path)
                        pin.recipe = replace(pin.recipe, source=moved)

    def _hold_against_the_comparison(self, action: Action) -> None:
        """Own bumps have a launch change, quiet ones have none, by the comparison alone."""
        for member in action.members:
            pin = next(pin for pin in self.pins.values() if pin.recipe.id == member.recipe)
            changed = self._changes(pin, member.path, member.blob)
            if action.branch == QUIET and changed:
                self.result.wrong.append(f"{member.recipe} is hidden in the quiet group at {member.commit[:8]}")
            if action.branch != QUIET and not changed:
                self.result.wrong.append(f"{member.recipe} has no launch change at {member.commit[:8]}")

    def _changes(self, pin: Pin, path: str, blob: str) -> bool:
        form, version = FORMATS["eugr"], read_version("")
        old = launch_at(form, self._one(pin.tree, pin.path), pin.path, Select(), version)
        new = launch_at(form, UpstreamFiles({path: self.history.blobs(blob)}), path, Select(), version)
        if isinstance(old, Launch) and isinstance(new, Launch):
            return bool(compare(old, new))
        return old != new

    def _finish(self, last: Commit) -> None:
        """After the end no recipe trails by a launch change."""
        for pin in self.pins.values():
            for name, (_, judged, member) in self._look(pin, last):
                if judged.relevant or self._changes(pin, member.path, member.blob):
                    self.result.wrong.append(f"{name} trails by a launch change that no bump offered")


_JUDGED: dict[tuple[str, str, str], Judged] = {}


def _judged(name: str, old: str, new: str, judge: Callable[[], Judged]) -> Judged:
    """Each pair of versions is judged once; a replay looks at it every day."""
    key = (name, old, new)
    if key not in _JUDGED:
        _JUDGED[key] = judge()
    return _JUDGED[key]


def run(shared: Path) -> bool:
    """Replay and print. True where no bump is missing, hidden or without a launch change."""
    if not (shared / CORPUS / "history.jsonl").is_file():
        print(f"no history of eugr/spark-vllm-docker under {shared}")
        return False
    history = History(shared)
    commits = list(history.commits())
    days = (commits[-1].at - commits[0].at) / DAY
    print(
        f"eugr/spark-vllm-docker, {days:.0f} days, {sum(len(c.added) for c in commits)} recipes pinned to their first version"
    )
    print(f"  {'naive, every commit':<58}{EVERY_COMMIT:>5}")
    print(f"  {'naive, every commit that touches a recipe':<58}{len(commits):>5}")
    print(f"  {'one for each edit of a path':<58}{sum(c.edits for c in commits):>5}")
    fine = True
    for title, policy, merge_after in (
        ("ours, nothing held back, merged at once", GENTLE, 0.0),
        ("ours, as configured out of the box, merged after a day", BumpConfig(), 1.0),
        ("ours, as configured out of the box, merged after a week", BumpConfig(), 7.0),
    ):
        result = Replay(history, policy, merge_after).run()
        kept = f"({result.updates} updates of open ones, {result.reverted} closed because upstream went back)"
        print(f"  {title:<58}{len(result.own):>5} on their own, {len(result.quiet):>2} quiet {kept}")
        recovered = sum(1 for _, judged in result.own if any(j.meaning.blind for j in judged.values()))
        if recovered:
            print(f"    of these {recovered} from a version on which upstream's own runner stops")
        for wrong in dict.fromkeys(result.wrong):
            print(f"    wrong: {wrong}")
        fine = fine and not result.wrong
    print("  each on its own has a launch change, none with one is missed or quiet: " + ("yes" if fine else "NO"))
    return fine


if __name__ == "__main__":
    raise SystemExit(0 if run(Path(sys.argv[1] if len(sys.argv) > 1 else "../shared")) else 1)

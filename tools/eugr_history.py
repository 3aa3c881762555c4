"""Reads every stored version of eugr's recipes, and says of every edit which settings of the launch it changes.

    python -m tools.eugr_history ../shared

A version is read where each word of its command is in a setting, a refusal or a note, or where it is said why upstream's
own runner would stop on it. An edit is a commit's change of a recipe that was there before, renamed or not.
"""

from __future__ import annotations

import json
import shlex
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from recipediff.core.compare import compare
from recipediff.core.launch import Invocation, Launch
from recipediff.core.setting import Setting
from recipediff.parse.formats.eugr.reader import read_recipe
from recipediff.parse.vllm.launch import ReadVersion, read_version, understand

CORPUS = Path("corpus") / "eugr-spark-vllm-docker"
NAME = "eugr/spark-vllm-docker"
EDITS = ("M", "R")
_SIGNS = {"added": "+", "dropped": "-", "changed": "~"}


@dataclass(frozen=True, slots=True)
class Content:
    """One stored version: its launch, what keeps it from being compared, and the words that nothing speaks of."""

    launch: Launch | None
    reasons: tuple[str, ...] = ()
    remainder: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One commit's change of one recipe. `settings` are `+name`, `-name` and `~name`; `launcher` those of the launcher."""

    commit: str
    path: str
    settings: tuple[str, ...] = ()
    launcher: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    """Keys beside the launch that changed: container, build arguments."""
    reason: str = ""
    """Why the two versions cannot be compared; empty where they can."""

    @property
    def kind(self) -> str:
        """The class of the edit."""
        if self.reason:
            return "not comparable"
        if self.settings:
            return "settings"
        return "launcher's own" if self.launcher else "no launch change"


@dataclass
class History:
    """What came of the whole history."""

    contents: dict[str, Content] = field(default_factory=dict)
    edits: list[Edit] = field(default_factory=list)
    added: int = 0
    seconds: float = 0.0

    def count(self, kind: str) -> int:
        """How many edits are of that class."""
        return sum(1 for edit in self.edits if edit.kind == kind)

    @property
    def unexplained(self) -> dict[str, tuple[str, ...]]:
        """The versions with words that nothing speaks of."""
        return {name: content.remainder for name, content in self.contents.items() if content.remainder}


def understood(data: bytes, path: str, version: ReadVersion) -> Content:
    """One version, read. The file describes one launch; more or none is a reason of its own."""
    reading = read_recipe(data, path)
    if len(reading.invocations) != 1:
        reasons = tuple(problem.message for problem in reading.problems)
        return Content(None, reasons or (f"{len(reading.invocations)} launches",))
    invocation = reading.invocations[0]
    launch = understand(invocation, version)
    reasons = tuple(problem.message for problem in (*reading.problems, *launch.problems))
    return Content(launch, reasons, remainder(invocation, launch))


def remainder(invocation: Invocation, launch: Launch) -> tuple[str, ...]:
    """The words of a command that are in no setting and that no refusal or note stands at."""
    said = {*(one.place for one in launch.refused), *(one.place for one in launch.notes)}
    words = Counter(word.text for word in invocation.argv if word.place not in said)
    for setting in (*launch.settings, *launch.launcher, *([launch.model] if launch.model else [])):
        words.subtract(_spoken_for(setting))
    for note in launch.notes:
        words.subtract(_quoted(note.message))
    return tuple(text for text, count in words.items() if count > 0)


def _spoken_for(setting: Setting) -> Sequence[str]:
    """The words that a setting may have been made of: its option, its value, both in one."""
    if setting.kind != "flag":
        return ()
    values = [setting.value] if isinstance(setting.meaning, dict | str) else shlex.split(setting.value)
    return (setting.written, *values, f"{setting.written}={setting.value}")


def _quoted(message: str) -> Sequence[str]:
    """The words of `-tp 2 is given again later …`: what a note says is overridden."""
    before, found, _ = message.partition(" is given again later")
    return shlex.split(before) if found else ()


def measure(shared: Path) -> History:
    """Read every version and classify every edit."""
    folder = shared / CORPUS
    history = History()
    version = read_version("")
    started = time.perf_counter()
    for path in sorted((folder / "blobs").glob("*.yaml")):
        history.contents[path.stem] = understood(path.read_bytes(), "recipe.yaml", version)
    for line in (folder / "history.jsonl").read_text("utf-8").splitlines():
        commit = json.loads(line)
        for change in commit["changes"]:
            if change["status"] in EDITS:
                history.edits.append(_edit(commit["commit"], change, history.contents))
            else:
                history.added += change["status"] == "A"
    history.seconds = time.perf_counter() - started
    return history


def _edit(commit: str, change: Mapping[str, str], contents: Mapping[str, Content]) -> Edit:
    before, after = contents[change["old_blob"]], contents[change["new_blob"]]
    path = change["path"].removeprefix("recipes/")
    reasons = dict.fromkeys((*before.reasons, *after.reasons))
    if before.launch is None or after.launch is None or reasons:
        return Edit(commit=commit, path=path, reason="; ".join(reasons))
    found = compare(before.launch, after.launch)
    return Edit(
        commit=commit,
        path=path,
        settings=tuple(f"{_SIGNS[d.direction]}{d.setting}" for d in found),
        launcher=_launcher(before.launch, after.launch),
        beside=_beside(before.launch, after.launch),
    )


def _launcher(before: Launch, after: Launch) -> tuple[str, ...]:
    a, b = ({s.name: s.value for s in launch.launcher} for launch in (before, after))
    names = [name for name in (*a, *(n for n in b if n not in a)) if a.get(name) != b.get(name)]
    return tuple(("+" if name not in a else "-" if name not in b else "~") + name for name in names)


def _beside(before: Launch, after: Launch) -> tuple[str, ...]:
    a, b = ([(name, value) for name, value, _ in launch.advisory] for launch in (before, after))
    return tuple(dict.fromkeys(name for name, value in (*a, *b) if ((name, value) in a) != ((name, value) in b)))


def report(history: History) -> str:
    """The figures, then one line an edit."""
    total = len(history.contents)
    read = sum(1 for content in history.contents.values() if not content.reasons and not content.remainder)
    explained = sum(1 for content in history.contents.values() if content.reasons and not content.remainder)
    edits = len(history.edits)
    classified = edits - sum(1 for edit in history.edits if edit.reason and not _stops(edit))
    lines = [
        f"{NAME}: versions without an unexplained remainder {read + explained}/{total} in {history.seconds:.2f} s",
    ]
    for name, content in history.contents.items():
        if content.reasons:
            lines.append(f"  {name[:10]}: upstream's own runner stops: {'; '.join(content.reasons)}")
        if content.remainder:
            lines.append(f"  {name[:10]}: unexplained: {shlex.join(content.remainder)}")
    kinds = ("settings", "launcher's own", "no launch change", "not comparable")
    counts = ", ".join(f"{history.count(kind)} {kind}" for kind in kinds)
    lines.append(f"{NAME}: edits classified {classified}/{edits} ({counts}; {history.added} additions)")
    lines += [f"  {edit.commit[:8]} {edit.path}: {_described(edit)}" for edit in history.edits]
    return "\n".join(lines)


def _stops(edit: Edit) -> bool:
    """Whether the reason is upstream's: a placeholder that nothing fills."""
    return "has no default" in edit.reason


def _described(edit: Edit) -> str:
    if edit.reason:
        return f"not comparable: {edit.reason}"
    parts = [" ".join(edit.settings) or "no launch change"]
    if edit.launcher:
        parts.append(f"the launcher's own: {' '.join(edit.launcher)}")
    if edit.beside:
        parts.append(f"beside the launch: {', '.join(edit.beside)}")
    return "; ".join(parts)


def run(shared: Path) -> bool:
    """Measure and print. True where every version is explained and every edit classified."""
    if not (shared / CORPUS / "history.jsonl").is_file():
        print(f"no history of eugr/spark-vllm-docker under {shared}")
        return False
    history = measure(shared)
    print(report(history))
    return not history.unexplained and all(not edit.reason or _stops(edit) for edit in history.edits)


if __name__ == "__main__":
    raise SystemExit(0 if run(Path(sys.argv[1] if len(sys.argv) > 1 else "../shared")) else 1)

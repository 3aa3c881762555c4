"""What pull requests add, kept on disk by head: a diff is asked for once."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

MAX_KEPT = 2_000_000
"""Characters of one diff; a longer one is asked for again."""


@dataclass(frozen=True, slots=True)
class Diff:
    """The added lines of each file. `whole` is False where GitHub left some out."""

    added: tuple[tuple[str, str], ...]
    whole: bool = True


class DiffCache:
    """One file a head in `folder`; in no folder nothing is kept. A damaged file is no diff."""

    def __init__(self, folder: Path | None, repo: str) -> None:
        self._folder = folder / "diffs" / hashlib.sha256(repo.lower().encode()).hexdigest()[:24] if folder else None

    def get(self, number: int, head: str) -> Diff | None:
        """The diff of a pull request at this head."""
        if self._folder is None or not head:
            return None
        try:
            said = json.loads(self._file(self._folder, number, head).read_text("utf-8"))
            return Diff(tuple((str(file), str(text)) for file, text in said["added"]), bool(said["whole"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, number: int, head: str, diff: Diff) -> None:
        """Whole or not at all."""
        if self._folder is None or not head or sum(len(text) for _, text in diff.added) > MAX_KEPT:
            return
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle, name = tempfile.mkstemp(dir=self._folder, prefix=".new-")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump({"added": diff.added, "whole": diff.whole}, file)
            Path(name).replace(self._file(self._folder, number, head))

    def _file(self, folder: Path, number: int, head: str) -> Path:
        return folder / f"{number}-{hashlib.sha256(head.encode()).hexdigest()[:24]}.json"

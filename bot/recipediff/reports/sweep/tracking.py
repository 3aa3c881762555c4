"""The text of the tracking issue."""

from __future__ import annotations

import re

from recipediff.core.sweep.change import SweepChange
from recipediff.core.sweep.result import SweepResult
from recipediff.reports.escape import code
from recipediff.reports.sweep.markdown import LIMIT, change, render
from recipediff.reports.sweep.summary import Sweep, short

_BEGIN, _END = "<!-- recipediff:move -->", "<!-- /recipediff:move -->"
_MOVE = re.compile(f"{re.escape(_BEGIN)}\n(.{{0,20000}}?)\n{re.escape(_END)}", re.DOTALL)


def title(result: SweepResult) -> str:
    """Always the same for one engine and upstream, so that it can be found by its name; the numbers stand inside."""
    return f"Recipes of {result.upstream} on {result.surface.engine}"


def body(result: SweepResult, moved: SweepChange | None, file: str, kept: str = "") -> str:
    """The whole text. `kept` is what was said of the last move, where there is no newer one."""
    said = kept
    if moved is not None:
        said = f"#### Upstream's last move, to {code(short(result.commit))}\n\n{change(moved)}"
    last = f"{_BEGIN}\n{said}\n{_END}\n\n" if said else ""
    foot = f"\n<sub>Kept up to date from {code(file)} whenever upstream moves. Close this issue to stop that.</sub>\n"
    return last + render(Sweep(result), limit=LIMIT - len(last) - len(foot)) + foot


def move_of(text: str) -> str:
    """What an earlier text says of upstream's last move."""
    found = _MOVE.search(text.replace("\r\n", "\n"))
    return found[1] if found else ""

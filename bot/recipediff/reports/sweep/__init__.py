"""The sweep's report in each format. `summary` words it; the formats only lay it out."""

from __future__ import annotations

from collections.abc import Callable

from recipediff.reports.sweep.html import render as _html
from recipediff.reports.sweep.json_format import render as _json
from recipediff.reports.sweep.markdown import render as _markdown
from recipediff.reports.sweep.summary import Sweep
from recipediff.reports.sweep.terminal import render as terminal

FORMATS: dict[str, Callable[[Sweep], str]] = {
    "terminal": terminal,
    "json": _json,
    "markdown": _markdown,
    "html": _html,
}

__all__ = ["FORMATS", "Sweep", "terminal"]

"""The sweep's report in each format. `summary` words it; the formats only lay it out."""

from __future__ import annotations

from collections.abc import Callable

from bot.reports.sweep.html import render as _html
from bot.reports.sweep.json_format import render as _json
from bot.reports.sweep.markdown import render as _markdown
from bot.reports.sweep.summary import Sweep
from bot.reports.sweep.terminal import render as terminal

FORMATS: dict[str, Callable[[Sweep], str]] = {
    "terminal": terminal,
    "json": _json,
    "markdown": _markdown,
    "html": _html,
}

__all__ = ["FORMATS", "Sweep", "terminal"]

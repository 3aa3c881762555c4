"""The sweep as one JSON document: everything, nothing worded twice."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

from recipediff.core.sweep.change import SweepChange
from recipediff.core.sweep.result import RecipeOutcome, SweepResult
from recipediff.reports.sweep.summary import Sweep, headline

VERSION = 1


def render(sweep: Sweep) -> str:
    """The document, ending in a line break. `version` grows when a key changes its meaning."""
    result = sweep.result
    document = {"version": VERSION, "headline": headline(result), **_result(result)}
    if sweep.change is not None:
        document["change"] = _change(sweep.change)
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _result(result: SweepResult) -> dict[str, Any]:
    surface = result.surface
    return {
        "upstream": {"repo": result.upstream, "format": result.format, "commit": result.commit},
        "engine": {
            "name": surface.engine,
            "release": surface.release,
            "obtained": surface.obtained,
            "notes": surface.notes,
        },
        "count": {"rule": result.rule, "says": result.rule_text},
        "totals": {
            "recipes": len(result.recipes),
            **{outcome.replace(" ", "_"): len(result.having(outcome)) for outcome in ("starts", "stops", "not judged")},
            "flags": len(result.flags),
            "environment": len(result.env),
        },
        "recipes": [_recipe(one) for one in result.recipes],
        "flags": [{**_plain(flag), "uses": flag.uses} for flag in result.flags],
        "environment": _plain(result.env),
        "axes": _plain(result.axes),
        "architectures": _plain(result.architectures),
        "hardware": [{**_plain(row), "listed": len(row.listed)} for row in result.hardware],
        "gaps": _plain(result.gaps),
        "history": _plain(result.history),
        "notes": list(result.notes),
    }


def _recipe(one: RecipeOutcome) -> dict[str, Any]:
    return {**_plain(one), "first": _plain(one.first)}


def _change(change: SweepChange) -> dict[str, Any]:
    return {
        "from": {"commit": change.before.commit, "engine": change.before.surface.title},
        "to": {"commit": change.after.commit, "engine": change.after.surface.title},
        **{
            key: [one.recipe for one in some]
            for key, some in (
                ("newly_start", change.newly_start),
                ("start_no_longer", change.newly_stop),
                ("added", change.added),
                ("removed", change.removed),
            )
        },
        "flags": _plain(change.flags),
        "names_gained": _plain(change.gained),
        "names_lost": _plain(change.lost),
    }


def _plain(value: Any) -> Any:
    """Dataclasses, tuples and mappings as JSON has them."""
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value))
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value

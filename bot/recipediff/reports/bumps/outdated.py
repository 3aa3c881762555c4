"""Recipes that trail their upstream, for a terminal and for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from recipediff.core.bumps.trail import Outdated
from recipediff.core.compare import Difference
from recipediff.core.meaning import Change
from recipediff.reports.bumps.overview import trailing
from recipediff.reports.report import plural
from recipediff.reports.terminal import Paint, plain

__all__ = ["moved", "plain", "render", "render_json"]

VERSION = 1
_WIDTH = 100


def render(trails: Sequence[Outdated], current: Sequence[str], excused: Mapping[str, str], *, colour: bool) -> str:
    """One block for each recipe that trails, then what could not be looked at, then the count."""
    paint = Paint(colour)
    blocks = ["\n".join(_trail(trail, paint)) for trail in trails]
    if excused:
        blocks.append(
            "\n".join(f"{paint('error', 'not looked at')}: {plain(n)}: {plain(w)}" for n, w in excused.items())
        )
    counts = [f"{plural(len(trails), 'recipe')} behind", f"{len(current)} up to date"]
    if excused:
        counts.append(f"{len(excused)} not looked at")
    blocks.append(paint("bold", ", ".join(counts) + "."))
    return "\n\n".join(blocks) + "\n"


def _trail(trail: Outdated, paint: Paint) -> Iterator[str]:
    kind = "warning" if trail.relevant else "note"
    yield f"{paint('bold', plain(trail.recipe))}  {paint(kind, trailing(trail))}"
    arrow = f"{trail.pin[:12]} → {trail.target[:12]}"
    yield paint("faint", f"  {plain(trail.repo)} {plain(trail.path)}  {arrow}")
    if trail.new_path and trail.new_path != trail.path:
        yield f"  renamed upstream to {plain(trail.new_path)}"
    for half in trail.judged.halves:
        count = "cannot be compared" if half.differences is None else f"{plural(half.differences, 'setting')} from ours"
        yield f"  perhaps split upstream: {plain(half.path)} ({count})"
    found = trail.judged.reassigned
    if found is not None:
        now = f"  variant {plain(found.variant)} means {plain(found.model)} now"
        yield now + (f"; ours is {plain(found.successor)}, set source.select.variant" if found.successor else "")
    if trail.licence:
        yield f"  licence changed: {plain(', '.join(trail.licence))}"
    if trail.launcher:
        yield f"  upstream's launcher changed: {plain(', '.join(trail.launcher))}"
    yield from _meaning(trail, paint)
    for step in trail.steps[:10]:
        yield paint("faint", f"    {step.sha[:10]} {step.date[:10]} {plain(step.subject[:120])}")


def _meaning(trail: Outdated, paint: Paint) -> Iterator[str]:
    meaning = trail.judged.meaning
    for change in meaning.changes:
        yield f"  {_change(change, paint)}"
    for consequence in meaning.consequences:
        side = consequence.after or consequence.before
        name = "" if consequence.kind == "flag" else f"{consequence.kind} "
        mark = "" if consequence.declared or consequence.effect == "vanishes" else ", not declared"
        shown = _sides(side) if side else ""
        yield f"  difference {consequence.effect}: {name}{plain(consequence.setting)} {shown}{mark}"
    for one in meaning.declarations:
        if one.standing != "still true":
            yield f"  {paint('warning', f'declaration {one.standing}')}: {plain(one.deviation.setting)}: {plain(one.reason)}"
    for flip in meaning.flips:
        steps = " → ".join(_cut(value) for value in flip.values[-6:])
        yield f"  history: {plain(flip.setting)} went {steps}"
    for text in (*meaning.refused, *([trail.blocked] if trail.blocked else [])):
        yield f"  {paint('error', plain(text))}"


def _change(change: Change, paint: Paint) -> str:
    found = change.difference
    sign = {"added": "+", "dropped": "-", "changed": "~"}[found.direction]
    name = "" if found.kind == "flag" else f"{found.kind} "
    comment = paint("faint", f"  # {plain(change.comment)}") if change.comment else ""
    past = f"  (on the way: {' → '.join(_cut(value) for value in change.past[-6:])})" if change.past else ""
    return f"{sign} {name}{plain(found.setting)} {_sides(found)}{past}{comment}"


def _sides(found: Difference) -> str:
    return f"{_cut(found.left)} → {_cut(found.right)}"


def _cut(text: str | None) -> str:
    if text is None:
        return "(absent)"
    shown = plain(text)
    return shown if len(shown) <= _WIDTH else shown[: _WIDTH - 1] + "…"


def moved(trail: Outdated, *, dry_run: bool) -> str:
    """What `recipediff bump` says of one recipe."""
    verb = "would move" if dry_run else "moved"
    path = f", path {plain(trail.new_path)}" if trail.new_path != trail.path else ""
    return f"{plain(trail.file)}: {verb} {plain(trail.recipe)} from {trail.pin[:12]} to {trail.target[:12]}{path} ({trailing(trail)})"


def render_json(trails: Sequence[Outdated], current: Sequence[str], excused: Mapping[str, str]) -> str:
    """For programs. `version` changes when a field changes its meaning or goes; fields may be added."""
    document = {
        "version": VERSION,
        "outdated": [_document(trail) for trail in trails],
        "current": list(current),
        "not_looked_at": dict(excused),
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _document(trail: Outdated) -> dict[str, Any]:
    meaning, found = trail.judged.meaning, trail.judged.reassigned
    return {
        "recipe": trail.recipe,
        "file": trail.file,
        "upstream": trail.repo,
        "pin": trail.pin,
        "path": trail.path,
        "target": trail.target,
        "target_path": trail.new_path or None,
        "followed": trail.how,
        "launch_changes": trail.relevant,
        "blocked": trail.blocked or None,
        "changes": [
            {**_difference(c.difference), "comment": c.comment or None, "past": list(c.past)} for c in meaning.changes
        ],
        "launcher": [_difference(c.difference) for c in meaning.launcher],
        "history": [{"kind": f.kind, "setting": f.setting, "values": list(f.values)} for f in meaning.flips],
        "differences": [
            {
                "effect": c.effect,
                "kind": c.kind,
                "setting": c.setting,
                "declared": c.declared,
                "before": _difference(c.before) if c.before else None,
                "after": _difference(c.after) if c.after else None,
            }
            for c in meaning.consequences
        ],
        "declarations": [
            {
                "kind": d.deviation.kind,
                "setting": d.deviation.setting,
                "standing": d.standing,
                "reason": d.reason or None,
            }
            for d in meaning.declarations
        ],
        "commits": [{"commit": s.sha, "date": s.date, "subject": s.subject} for s in trail.steps],
        "more_commits": trail.more,
        "split": [{"path": half.path, "differences": half.differences} for half in trail.judged.halves],
        "reassigned": {"variant": found.variant, "model": found.model, "successor": found.successor or None}
        if found
        else None,
        "licence_files": list(trail.licence),
        "launcher_files": list(trail.launcher),
    }


def _difference(found: Difference) -> dict[str, Any]:
    return {
        "kind": found.kind,
        "setting": found.setting,
        "old": found.left,
        "new": found.right,
        "direction": found.direction,
    }

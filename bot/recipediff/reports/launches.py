"""Launches and their differences for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from recipediff.core.compare import Difference
from recipediff.core.launch import Launch, Note
from recipediff.core.place import Problem
from recipediff.core.setting import Setting
from recipediff.reports.report import plural
from recipediff.reports.terminal import Paint, plain

_SIGNS = {"added": ("+", "green"), "dropped": ("-", "error"), "changed": ("~", "warning")}
_WIDTH = 100


class ShownLaunch(Protocol):
    """What is shown of one side."""

    @property
    def launch(self) -> Launch: ...
    @property
    def version_note(self) -> str: ...
    @property
    def roles(self) -> tuple[str, ...]: ...


Side = ShownLaunch | tuple[Problem, ...]


def differences(
    found: Iterable[Difference],
    sides: Mapping[str, Side],
    names: tuple[str, str],
    image_note: Note | None = None,
    *,
    colour: bool,
) -> str:
    """Two sides compared, one setting a line, then what was not understood."""
    paint = Paint(colour)
    rows = list(found)
    lines = [f"{paint('error', '---')} {plain(names[0])}", f"{paint('green', '+++')} {plain(names[1])}"]
    for difference in rows:
        lines.extend(_difference(difference, paint))
    for name, side in sides.items():
        lines.extend(_trouble(name, side, paint))
    versions = {side.version_note: name for name, side in sides.items() if not isinstance(side, tuple)}
    for note, name in versions.items():
        label = "" if len(versions) == 1 else f"{name}: "
        lines.extend([f"{paint('note', 'note')}: {label}{plain(note)}"] if note else [])
    if image_note:
        lines.append(f"{paint('note', 'note')}: {plain(image_note.message)}")
    partly = any(isinstance(side, tuple) or side.launch.problems or side.launch.refused for side in sides.values())
    count = [plural(len(rows), "difference")] if rows else [] if partly else ["No difference"]
    end = "; ".join([*count, *(["not compared in full"] if partly else [])])
    lines.append(paint("bold", f"{end[:1].upper()}{end[1:]}."))
    return "\n".join(lines) + "\n"


def _difference(difference: Difference, paint: Paint) -> Iterator[str]:
    sign, shade = _SIGNS[difference.direction]
    kind = "" if difference.kind == "flag" else f"{difference.kind} "
    name = plain(f"{kind}{difference.setting}")
    if difference.direction == "changed":
        shown = f"{_cut(difference.left)} → {_cut(difference.right)}"
    else:
        shown = _cut(difference.right if difference.direction == "added" else difference.left)
    mark = "  (restates the default)" if difference.default else ""
    value = "" if difference.kind == "mod" else f" = {shown}"
    yield f"{paint(shade, sign)} {paint('bold', name)}{value}{paint('faint', mark)}"
    for key, left, right in difference.keys if difference.direction == "changed" else ():
        yield paint("faint", f"    {plain(key)}: {_cut(left)} → {_cut(right)}")


def _cut(text: str | None) -> str:
    if text is None:
        return "(absent)"
    shown = plain(text)
    return shown if len(shown) <= _WIDTH else shown[: _WIDTH - 1] + "…"


def _trouble(name: str, side: Side, paint: Paint) -> Iterator[str]:
    label = f"{name}: " if name else ""
    if isinstance(side, tuple):
        for problem in side:
            yield f"{paint('error', 'not understood')}: {label}{plain(str(problem))}"
        return
    for problem in side.launch.problems:
        yield f"{paint('error', 'not understood')}: {label}{plain(str(problem))}"
    for refusal in side.launch.refused:
        place = plain(str(refusal.place))
        yield f"{paint('error', 'refused')}: {label}{place}: vLLM {refusal.version}: {plain(refusal.message)}"
        if refusal.hint:
            yield f"{paint('green', '    help')}: {plain(refusal.hint)}"
    for note in side.launch.notes:
        yield f"{paint('note', 'note')}: {label}{plain(str(note.place))}: {plain(note.message)}"


def launch(shown: ShownLaunch, *, colour: bool) -> str:
    """One launch: every setting with its place."""
    paint = Paint(colour)
    found = shown.launch
    lines = [
        f"{paint('bold', plain(' '.join(found.program)))} {plain(found.model.value) if found.model else '(no model)'}"
    ]
    if found.image is not None:
        lines.append(f"  image {plain(found.image.text)}")
    if len(shown.roles) > 1:
        lines.append(f"  role {plain(found.role)} of {plain(', '.join(shown.roles))}")
    for title, settings in (
        ("flags", [s for s in found.settings if s.kind == "flag"]),
        ("environment", [s for s in found.settings if s.kind == "env"]),
        ("mods", [s for s in found.settings if s.kind == "mod"]),
        ("the launcher's own", list(found.launcher)),
    ):
        if settings:
            lines.append(paint("blue", title))
            lines.extend(_setting(setting, paint) for setting in settings)
    if found.advisory:
        lines.append(paint("blue", "advisory"))
        lines.extend(
            f"  {plain(name)} = {_cut(value)}  {paint('faint', plain(str(place)))}"
            for name, value, place in found.advisory
        )
    lines.extend(_trouble("", shown, paint))
    if shown.version_note:
        lines.append(f"{paint('note', 'note')}: {plain(shown.version_note)}")
    return "\n".join(lines) + "\n"


def _setting(setting: Setting, paint: Paint) -> str:
    marks = [
        text for flag, text in ((setting.default, "restates the default"), (not setting.known, "unknown flag")) if flag
    ]
    tail = f"  ({', '.join(marks)})" if marks else ""
    shown = f"  {plain(setting.name)}" + ("" if setting.kind == "mod" else f" = {_cut(setting.value)}")
    return f"{shown}{paint('faint', tail)}  {paint('faint', plain(str(setting.place)))}"

"""The sweep for a terminal: the verdict first, then what decides the order of the work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recipediff.core.sweep.result import SweepResult
from recipediff.reports.sweep import summary
from recipediff.reports.sweep.summary import Sweep, name_of
from recipediff.reports.terminal import Paint, plain

_FLAGS = 40
_NAMES = 24
_WIDE = 110


def render(sweep: Sweep, *, colour: bool = False) -> str:
    """The whole report as text that ends in a line break. `colour` adds ANSI codes."""
    paint, result = Paint(colour), sweep.result
    lines = [paint("bold", plain(summary.headline(result) + ".")), ""]
    lines += [f"{label + ':':<16}{plain(text)}" for label, text in summary.facts(result)]
    for title, body in _sections(sweep, paint):
        lines += ["", paint("bold", title), *body]
    lines += ["", *(f"{paint('note', 'note')}: {plain(note)}" for note in result.notes)] if result.notes else []
    return "\n".join(lines) + "\n"


def _sections(sweep: Sweep, paint: Paint) -> Iterator[tuple[str, list[str]]]:
    result = sweep.result
    if sweep.change is not None:
        yield "The change", [plain(line) for line in summary.change_lines(sweep.change)]
    if result.having("stops"):
        yield "Where recipes stop first", list(_stops(result, paint))
    yield "Flags by demand", list(_flags(result, paint))
    yield "Names by demand", list(_axes(result, paint))
    if result.env:
        yield "Environment", list(_table([(str(len(one.recipes)), one.name, one.state) for one in result.env[:_NAMES]]))
    yield "Architectures", list(_architectures(result))
    if result.hardware:
        yield "Hardware", list(_hardware(result))
    if any(gap.owners is not None for gap in result.gaps):
        yield "Who works on it", list(_owned(result))
    yield "Recipes", list(_recipes(result, paint))


def _table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    widths = [min(max((len(row[i]) for row in rows), default=0), 60) for i in range(len(rows[0]) - 1)] if rows else []
    for row in rows:
        cells = [
            plain(cell).rjust(width) if index == 0 else plain(cell).ljust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=False))
        ]
        yield ("  " + "  ".join([*cells, plain(row[-1])])).rstrip()


def _stops(result: SweepResult, paint: Paint) -> Iterator[str]:
    rows = summary.stopping(result)
    yield from _table([(str(count), word, said) for word, count, said, _ in rows[:_NAMES]])
    if len(rows) > _NAMES:
        yield paint("faint", f"  … {len(rows) - _NAMES} more words")


def _flags(result: SweepResult, paint: Paint) -> Iterator[str]:
    yield plain(summary.coverage(result))
    rows = []
    for flag in result.flags[:_FLAGS]:
        state = "no flag: an option and its value in one item" if flag.run_together else summary.STATES[flag.state]
        refused = f"; its value stops {len(flag.value_stops)}" if flag.value_stops else ""
        rows.append((str(flag.uses), flag.name, state + refused))
    for line, flag in zip(_table(rows), result.flags, strict=False):
        yield paint("error", line) if flag.state == "aborts" else line
    if len(result.flags) > _FLAGS:
        yield paint("faint", f"  … {len(result.flags) - _FLAGS} more flags with less demand (--format json has them)")


def _axes(result: SweepResult, paint: Paint) -> Iterator[str]:
    for axis in result.axes[:6]:
        yield plain(summary.axis_line(axis))
        open_ = [value for value in axis.values if value.resolves is not True]
        shown = open_ if axis.listed else axis.values
        rows = [
            (str(len(value.recipes)), value.name, "" if value.resolves is None else "does not resolve")
            for value in shown[:10]
        ]
        yield from _table(rows)
        if len(shown) > 10:
            yield paint("faint", f"  … {len(shown) - 10} more")


def _architectures(result: SweepResult) -> Iterator[str]:
    yield from map(plain, summary.architecture_lines(result))
    found = result.architectures
    if found is None:
        return
    missing = [row for row in found.rows if row.registered is False]
    yield from _table([(str(len(row.recipes)), row.name, "not registered") for row in missing])
    for reason, some in summary.unverified(result):
        yield plain(f"  unverified, {reason}: {summary.listed(some, 4)}")


def _hardware(result: SweepResult) -> Iterator[str]:
    yield plain(summary.HARDWARE_NOTE)
    for row in result.hardware:
        if row.mine or (row.restricted and row.listed):
            yield plain("  " + summary.profile_line(row))
            if row.mine:
                yield from (plain(f"    {name_of(recipe)}") for recipe in row.listed)


def _owned(result: SweepResult) -> Iterator[str]:
    for gap in result.gaps[:_FLAGS]:
        if gap.owners is None:
            continue
        name = f"{gap.setting} {gap.name}" if gap.kind == "value" else gap.name
        yield plain(f"  {len(gap.recipes):>3}  {name}: " + ("; ".join(summary.owner_lines(gap))))


def _recipes(result: SweepResult, paint: Paint) -> Iterator[str]:
    colours = {"starts": "green", "stops": "error", "not judged": "warning"}
    for one in result.recipes:
        line = plain(f"  {name_of(one.recipe)[:58]:<58}  {summary.recipe_line(one)}")
        yield paint(colours[one.outcome], line if len(line) <= _WIDE * 2 else line[: _WIDE * 2 - 1] + "…")
        for doubt in one.doubts[:2] if one.outcome == "starts" else ():
            yield paint("faint", plain(f"  {'':<58}  in doubt: {doubt}"))

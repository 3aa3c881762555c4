"""The report for a terminal: the offending line with a caret, where upstream says otherwise, and the fix."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterator

from bot.core.finding import Finding
from bot.reports.report import Group, Report, Row

_COLOURS = {"error": "31", "warning": "33", "note": "36", "bold": "1", "faint": "2", "blue": "34", "green": "32"}
_WIDTH = 160


def render(report: Report, *, colour: bool = False) -> str:
    """The whole report as text that ends in a line break. `colour` adds ANSI codes."""
    paint = Paint(colour)
    blocks = ["\n".join(_finding(row, paint)) for group in report.groups for row in _ordered(group)]
    lines = [f"{paint('note', 'note')}: {plain(note)}" for note in report.notes]
    if lines:
        blocks.append("\n".join(lines))
    state = {"pass": "green", "fail": "error", "not evaluated": "warning"}[report.verdict.state]
    blocks.append(paint(state, report.headline()[:1].upper() + report.headline()[1:] + "."))
    return "\n\n".join(blocks) + "\n"


def _ordered(group: Group) -> tuple[Row, ...]:
    return group.rows


class Paint:
    def __init__(self, on: bool) -> None:
        self.on = on

    def __call__(self, name: str, text: str) -> str:
        return f"\033[{_COLOURS[name]}m{text}\033[0m" if self.on else text


def plain(text: str) -> str:
    """Text from a file, with what a terminal would act on made visible."""
    return "".join(c if c.isprintable() or c == "\t" else f"\\u{ord(c):04x}" for c in text)


def _finding(row: Row, paint: Paint) -> Iterator[str]:
    finding = row.finding
    label = f"{finding.severity}[{finding.rule}]" + (f" ({row.status})" if row.status else "")
    yield f"{paint(finding.severity, label)}: {paint('bold', plain(finding.message))}"
    margin = " " * len(str(finding.place.line or ""))
    arrow = paint("blue", "-->")
    yield f"{margin}{arrow} {plain(str(finding.place))}" + (f" ({plain(finding.recipe)})" if finding.recipe else "")
    bar = paint("blue", "|")
    if finding.place.line and finding.line:
        line, caret = _excerpt(finding)
        yield f"{margin} {bar}"
        yield f"{paint('blue', str(finding.place.line))} {bar} {line}"
        yield f"{margin} {bar} {paint(finding.severity, caret)}"
    sign = paint("blue", "=")
    for detail in finding.detail:
        yield f"{margin} {sign} {plain(detail)}"
    for related in finding.related:
        yield f"{margin} {sign} {plain(related.message)}: {plain(str(related.place))}"
    if finding.fix is not None:
        yield f"{margin} {sign} {paint('green', 'help')}: {plain(finding.fix.summary)}"
        for line in textwrap.dedent(finding.fix.snippet).splitlines():
            yield f"{margin}     {plain(line)}"


def _excerpt(finding: Finding) -> tuple[str, str]:
    """The line and its caret, cut to a window around the place, tabs as blanks, wide characters counted twice."""
    place = finding.place
    start = max(place.column - 1, 0)
    stop = place.end_column - 1 if place.end_line == place.line and place.end_column > place.column else start + 1
    text = finding.line
    if not place.column:
        start, stop = len(text) - len(text.lstrip()), len(text.rstrip())
    offset = 0
    if len(text) > _WIDTH:
        offset = max(0, min(start - 20, len(text) - _WIDTH))
        text = ("…" if offset else "") + text[offset : offset + _WIDTH] + "…"
        start, stop = start - offset + bool(offset), min(stop - offset + bool(offset), _WIDTH)
    shown = plain(text.replace("\t", " "))
    lead = sum(_cells(c) for c in shown[:start])
    span = max(1, sum(_cells(c) for c in shown[start:stop]))
    return shown, " " * lead + "^" * span


def _cells(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1

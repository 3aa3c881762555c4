"""The report for a terminal: the offending line with a caret, where upstream says otherwise, and the fix."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterator

from recipediff.core.finding import Finding
from recipediff.reports.report import Report, ReportRow

_COLOURS = {"error": "31", "warning": "33", "note": "36", "bold": "1", "faint": "2", "blue": "34", "green": "32"}
_WIDTH = 160
_NARROWEST = 40
_COLOUR = re.compile(r"\033\[[0-9]+m")


def render(report: Report, *, colour: bool = False, width: int = 0) -> str:
    """The whole report as text that ends in a line break. `colour` adds ANSI codes; 0 as `width` wraps nothing."""
    page = Page(Paint(colour), max(width, _NARROWEST) if width else 0)
    paint = page.paint
    blocks = ["\n".join(_finding(row, page)) for group in report.groups for row in group.rows]
    lines = [line for note in report.notes for line in page.wrapped("", "note", "note", plain(note))]
    if lines:
        blocks.append("\n".join(lines))
    state = {"pass": "green", "fail": "error", "not evaluated": "warning"}[report.verdict.state]
    blocks.append(paint(state, report.headline()[:1].upper() + report.headline()[1:] + "."))
    return "\n\n".join(blocks) + "\n"


class Paint:
    def __init__(self, on: bool) -> None:
        self.on = on

    def __call__(self, name: str, text: str) -> str:
        return f"\033[{_COLOURS[name]}m{text}\033[0m" if self.on else text


class Page:
    """How wide a terminal is, and its colours."""

    def __init__(self, paint: Paint, width: int) -> None:
        self.paint, self.width = paint, width

    def wrapped(self, before: str, shade: str, label: str, text: str, style: str = "") -> Iterator[str]:
        """`before`, a coloured label and a colon, then `text`, its further lines indented; nothing is cut."""
        lead = _COLOUR.sub("", f"{before}{label}: " if label else before)
        first = before + (f"{self.paint(shade, label)}: " if label else "")
        if not self.width or len(lead) + len(text) <= self.width:
            lines = [text]
        else:
            indent = " " * (len(_COLOUR.sub("", before)) + 2)
            whole = textwrap.wrap(
                text, self.width, initial_indent=" " * len(lead), subsequent_indent=indent,
                break_long_words=False, break_on_hyphens=False,
            )  # fmt: skip
            lines = [whole[0][len(lead) :], *whole[1:]] if whole else [""]
        for index, line in enumerate(lines):
            yield ("" if index else first) + (self.paint(style, line) if style else line)


def plain(text: str) -> str:
    """Text from a file, with what a terminal would act on made visible."""
    return "".join(c if c.isprintable() or c == "\t" else f"\\u{ord(c):04x}" for c in text)


def _finding(row: ReportRow, page: Page) -> Iterator[str]:
    finding, paint = row.finding, page.paint
    label = f"{finding.severity}[{finding.rule}]" + (f" ({row.status})" if row.status else "")
    yield from page.wrapped("", finding.severity, label, plain(finding.message), "bold")
    margin = " " * len(str(finding.place.line or ""))
    arrow = paint("blue", "-->")
    yield f"{margin}{arrow} {plain(str(finding.place))}" + (f" ({plain(finding.recipe)})" if finding.recipe else "")
    bar = paint("blue", "|")
    if finding.place.line and finding.line:
        line, caret = _excerpt(finding, min(_WIDTH, page.width - len(margin) - 5) if page.width else _WIDTH)
        yield f"{margin} {bar}"
        yield f"{paint('blue', str(finding.place.line))} {bar} {line}"
        yield f"{margin} {bar} {paint(finding.severity, caret)}"
    sign = paint("blue", "=")
    for detail in finding.detail:
        yield from page.wrapped(f"{margin} {sign} ", "", "", plain(detail))
    for related in finding.related:
        yield f"{margin} {sign} {plain(related.message)}: {plain(str(related.place))}"
    if finding.fix is not None:
        yield from page.wrapped(f"{margin} {sign} ", "green", "help", plain(finding.fix.summary))
        for line in textwrap.dedent(finding.fix.snippet).splitlines():
            yield f"{margin}     {plain(line)}"


def _excerpt(finding: Finding, width: int) -> tuple[str, str]:
    """The line and its caret, cut to a window around the place, tabs as blanks, wide characters counted twice."""
    place = finding.place
    start = max(place.column - 1, 0)
    stop = place.end_column - 1 if place.end_line == place.line and place.end_column > place.column else start + 1
    text = finding.line
    if not place.column:
        start, stop = len(text) - len(text.lstrip()), len(text.rstrip())
    offset = 0
    if len(text) > width:
        offset = max(0, min(start - width // 8, len(text) - width))
        more = offset + width < len(text)
        text = ("…" if offset else "") + text[offset : offset + width] + ("…" if more else "")
        start, stop = start - offset + bool(offset), min(stop - offset + bool(offset), width + bool(offset))
    text = text.replace("\t", " ")
    lead = sum(_cells(c) for c in plain(text[:start]))
    span = max(1, sum(_cells(c) for c in plain(text[start:stop])))
    return plain(text), " " * lead + "^" * span


def _cells(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1

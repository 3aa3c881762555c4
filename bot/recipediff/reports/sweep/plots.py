"""Two plots as inline SVG. Colours come from the page; hatching, shapes and labels carry the same without any colour."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from recipediff.core.sweep.result import Demand, HistoryPoint

_ROW, _LABEL, _BAR = 20, 250, 380
MOST_BARS = 30

PATTERNS = """<defs>
<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
<rect width="6" height="6" class="fill-aborts"/><line x1="0" y1="0" x2="0" y2="6" class="hatching"/></pattern>
<pattern id="dots" width="6" height="6" patternUnits="userSpaceOnUse">
<rect width="6" height="6" class="fill-inert"/><circle cx="3" cy="3" r="1.4" class="dotting"/></pattern>
</defs>"""

_FILL = {"accepted": "", "inert": 'fill="url(#dots)"', "aborts": 'fill="url(#hatch)"'}
_MARK = {"accepted": "", "inert": " · inert", "aborts": " · aborts"}


def coverage(flags: Sequence[Demand]) -> str:
    """Bars of the most wanted flags, by the number of recipes that use each; how a bar is filled says what the engine does."""
    shown = flags[:MOST_BARS]
    most = max((flag.uses for flag in shown), default=1)
    height = _ROW * len(shown) + 8
    bars = "".join(_bar(index, flag, most) for index, flag in enumerate(shown))
    label = f"The {len(shown)} most wanted flags, and what the engine makes of each"
    return (
        f'<svg viewBox="0 0 {_LABEL + _BAR + 120} {height}" role="img" aria-label="{escape(label)}" class="plot">'
        f"{PATTERNS}{bars}</svg>"
    )


def _bar(index: int, flag: Demand, most: int) -> str:
    width = max(2, round(_BAR * flag.uses / most))
    top, name = index * _ROW + 4, escape(flag.name if len(flag.name) <= 34 else flag.name[:33] + "…")
    middle = top + _ROW // 2 + 1
    mark = " · no flag" if flag.run_together else _MARK[flag.state]
    return (
        f'<text x="{_LABEL - 8}" y="{middle + 3}" class="axis end">{name}</text>'
        f'<rect x="{_LABEL}" y="{top + 1}" width="{width}" height="{_ROW - 5}" {_FILL[flag.state]} stroke-width="1" class="bar-{flag.state}">'
        f"<title>{escape(flag.name)}: {flag.uses} recipes{escape(mark)}</title></rect>"
        f'<text x="{_LABEL + width + 6}" y="{middle + 3}" class="axis">{flag.uses}{escape(mark)}</text>'
    )


def over_time(points: Sequence[HistoryPoint]) -> str:
    """Recipes at upstream's commits, oldest first: all of them (dashed, squares), and those that start (solid, circles)."""
    wide, high, left, top = 640, 220, 44, 14
    most = max((point.recipes for point in points), default=1) or 1
    ceiling = _ceiling(most)

    def x(index: int) -> float:
        return left + (wide * index / (len(points) - 1) if len(points) > 1 else wide / 2)

    def y(value: int) -> float:
        return top + high - high * value / ceiling

    all_, some = (
        [(x(i), y(value)) for i, value in enumerate(values)]
        for values in ([p.recipes for p in points], [p.starts for p in points])
    )
    grid = "".join(
        f'<line x1="{left}" x2="{left + wide}" y1="{y(value):.1f}" y2="{y(value):.1f}" class="grid"/>'
        f'<text x="{left - 6}" y="{y(value) + 4:.1f}" class="axis end">{value}</text>'
        for value in (0, ceiling // 2, ceiling)
    )
    squares = "".join(
        f'<rect x="{a - 2.5:.1f}" y="{b - 2.5:.1f}" width="5" height="5" class="mark-all"/>' for a, b in all_
    )
    circles = "".join(
        f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3.5" class="mark-starts"><title>{escape(p.date[:10])} {escape(p.commit[:8])}: {p.starts} of {p.recipes} start</title></circle>'
        for (a, b), p in zip(some, points, strict=True)
    )
    ends = ""
    if points:
        last = points[-1]
        below = 14 if y(last.starts) - y(last.recipes) < 14 else 4
        ends = (
            f'<text x="{x(len(points) - 1) + 8:.1f}" y="{y(last.recipes) + (-4 if below == 14 else 4):.1f}" class="axis">{last.recipes} recipes</text>'
            f'<text x="{x(len(points) - 1) + 8:.1f}" y="{y(last.starts) + below:.1f}" class="axis strong">{last.starts} start</text>'
            f'<text x="{left}" y="{top + high + 20}" class="axis">{escape(points[0].date[:10])}</text>'
            f'<text x="{left + wide}" y="{top + high + 20}" class="axis end">{escape(last.date[:10])}</text>'
        )
    return (
        f'<svg viewBox="0 0 {left + wide + 90} {top + high + 30}" role="img" class="plot" '
        f'aria-label="Recipes that start, over upstream\'s history">{grid}{_line(all_, "line-all")}{_line(some, "line-starts")}{squares}{circles}{ends}</svg>'
    )


def _line(points: Sequence[tuple[float, float]], kind: str) -> str:
    where = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
    return f'<polyline points="{where}" class="{kind}"/>'


def _ceiling(most: int) -> int:
    """A round number above `most` that halves well."""
    step = int(10 ** max(len(str(most)) - 1, 0))
    for factor in (1, 2, 4, 6, 8, 10):
        if most <= step * factor:
            return max(step * factor, 2)
    return step * 20

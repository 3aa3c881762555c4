"""The sweep as Markdown, for an issue or a file: short, most wanted first, whole rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recipediff.core.sweep.change import SweepChange
from recipediff.core.sweep.result import SweepResult
from recipediff.reports.escape import code, prose
from recipediff.reports.sweep import summary
from recipediff.reports.sweep.summary import Sweep, name_of

LIMIT = 60_000
"""Characters; GitHub takes 65,536 in an issue."""
_ROWS = 40


def render(sweep: Sweep, *, limit: int = LIMIT) -> str:
    """The whole report in at most `limit` characters; sections that do not fit are named."""
    result = sweep.result
    head = f"### {prose(summary.headline(result))}\n\n" + "".join(
        f"- {label}: {prose(text)}\n" for label, text in summary.facts(result)
    )
    notes = "".join(f"\n> {prose(note)}\n" for note in result.notes)
    room = limit - len(head) - len(notes) - 300
    parts, left_out = [], []
    for title, body in _sections(sweep):
        text = f"\n#### {title}\n\n{body.strip()}\n"
        if len(text) > room:
            left_out.append(title)
            continue
        room -= len(text)
        parts.append(text)
    cut = (
        f"\nDid not fit here: {', '.join(left_out)}. `recipediff sweep --format json` has everything.\n"
        if left_out
        else ""
    )
    return head + "".join(parts) + cut + notes


def _sections(sweep: Sweep) -> Iterable[tuple[str, str]]:
    result = sweep.result
    if sweep.change is not None:
        yield "The change", change(sweep.change)
    if result.having("stops"):
        rows = [(str(count), code(word), prose(said)) for word, count, said, _ in summary.stopping(result)]
        yield "Where recipes stop first", _table(("recipes", "word", "why"), rows)
    yield "Flags by demand", prose(summary.coverage(result)) + "\n\n" + _flags(result)
    yield "Names by demand", _axes(result)
    yield "Architectures", _architectures(result)
    if result.hardware:
        yield "Hardware", _hardware(result)
    owned = [gap for gap in result.gaps if gap.owners is not None]
    if owned:
        rows = [
            (
                str(len(gap.recipes)),
                code(f"{gap.setting} {gap.name}".strip()),
                prose("; ".join(summary.owner_lines(gap))),
            )
            for gap in owned
        ]
        yield "Who works on it", _table(("recipes", "gap", "owner"), rows)
    every = [(code(name_of(one.recipe)), prose(summary.recipe_line(one))) for one in result.recipes]
    yield (
        "Recipes",
        f"<details><summary>All {len(every)}</summary>\n\n{_table(('recipe', 'outcome'), every, len(every))}\n\n</details>",
    )


def change(moved: SweepChange) -> str:
    """What a move means, as a list."""
    return "\n".join(f"- {prose(line)}" for line in summary.change_lines(moved))


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], most: int = _ROWS) -> str:
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head), *(f"| {' | '.join(row)} |" for row in rows[:most])]
    more = f"\n\n… {len(rows) - most} more rows" if len(rows) > most else ""
    return "\n".join(lines) + more


def _flags(result: SweepResult) -> str:
    rows = []
    for flag in result.flags:
        state = "no flag: an option and its value in one item" if flag.run_together else summary.STATES[flag.state]
        refused = f"; its value stops {len(flag.value_stops)}" if flag.value_stops else ""
        rows.append((str(flag.uses), code(flag.name), state + refused))
    return _table(("recipes", "flag", "engine"), rows)


def _axes(result: SweepResult) -> str:
    parts = []
    for axis in result.axes[:6]:
        rows = [
            (
                str(len(value.recipes)),
                code(value.name),
                {True: "resolves", False: "**does not resolve**", None: "—"}[value.resolves],
            )
            for value in axis.values
        ]
        parts.append(f"{prose(summary.axis_line(axis))}\n\n{_table(('recipes', 'name', 'engine'), rows, 20)}")
    return "\n\n".join(parts) or "No recipe names one."


def _architectures(result: SweepResult) -> str:
    text = " ".join(prose(line) for line in summary.architecture_lines(result))
    found = result.architectures
    if found is None:
        return text
    words = {True: "registered", False: "**not registered**", None: "—"}
    rows = [(str(len(row.recipes)), code(row.name), words[row.registered]) for row in found.rows]
    reasons = "".join(
        f"\n- unverified, {prose(reason)}: {prose(summary.listed(some, 6))}"
        for reason, some in summary.unverified(result)
    )
    return f"{text}\n\n{_table(('recipes', 'architecture', 'engine'), rows)}\n{reasons}"


def _hardware(result: SweepResult) -> str:
    rows = [row for row in result.hardware if row.mine or (row.restricted and row.listed)]
    lines = [f"- {prose(summary.profile_line(row))}" for row in rows]
    mine = [f"  - {code(name_of(recipe))}" for row in rows if row.mine for recipe in row.listed]
    return "\n".join([prose(summary.HARDWARE_NOTE), "", *lines, *mine])

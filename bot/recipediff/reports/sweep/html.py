"""The sweep as one page that needs nothing else: no script, no font, no picture from anywhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from recipediff.core.sweep.result import RecipeOutcome, SweepResult
from recipediff.reports.escape import visible
from recipediff.reports.sweep import plots, summary
from recipediff.reports.sweep.style import STYLE
from recipediff.reports.sweep.summary import Sweep, name_of

_SIGN = {"starts": "✓", "stops": "✗", "not judged": "?"}


def render(sweep: Sweep) -> str:
    """The page."""
    result = sweep.result
    title = f"{result.upstream} on {result.surface.title}"
    body = "".join(
        f'<section aria-labelledby="{key}"><h2 id="{key}">{_text(name)}</h2>{html}</section>'
        for key, name, html in _sections(sweep)
    )
    notes = "".join(f"<li>{_text(note)}</li>" for note in result.notes)
    footer = f"<footer><ul>{notes}</ul></footer>" if notes else ""
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{_text(title)}</title><style>{STYLE}</style></head><body><main>"
        f"<header><h1>{_text(summary.headline(result))}</h1>{_facts(result)}{_tally(result)}</header>{body}{footer}</main></body></html>\n"
    )


def _text(text: str) -> str:
    return escape(visible(text))


def _facts(result: SweepResult) -> str:
    return (
        "<dl>"
        + "".join(f"<dt>{_text(label)}</dt><dd>{_text(text)}</dd>" for label, text in summary.facts(result))
        + "</dl>"
    )


def _tally(result: SweepResult) -> str:
    """One bar of all recipes: those that start, those that start without some part, those that stop, those not judged."""
    partly = [one for one in result.having("stops") if one.base_starts]
    counts = [
        ("starts", "start", len(result.having("starts"))),
        ("partly", "start without some part", len(partly)),
        ("stops", "stop", len(result.having("stops")) - len(partly)),
        ("open", "could not be judged", len(result.having("not judged"))),
    ]
    total = max(len(result.recipes), 1)
    bars = "".join(
        f'<span class="part {kind}" style="flex-grow:{count}">{count if count * 20 >= total else ""}</span>'
        for kind, _, count in counts
        if count
    )
    keys = "".join(
        f'<li><span class="key {kind}"></span>{count} {words}</li>' for kind, words, count in counts if count
    )
    return f'<div class="tally" aria-hidden="true">{bars}</div><ul class="keys">{keys}</ul>'


def _sections(sweep: Sweep) -> Iterator[tuple[str, str, str]]:
    result = sweep.result
    if sweep.change is not None:
        yield (
            "change",
            "The change",
            "<ul>" + "".join(f"<li>{_text(line)}</li>" for line in summary.change_lines(sweep.change)) + "</ul>",
        )
    if result.having("stops"):
        rows = [
            (str(count), f"<code>{_text(word)}</code>", _text(said))
            for word, count, said, _ in summary.stopping(result)
        ]
        yield "stops", "Where recipes stop first", _table(("Recipes", "Word", "Why"), rows)
    yield "flags", "Flags by demand", _flags(result)
    if len(result.history) > 1:
        yield "history", "Recipes that start, over upstream's history", _history(result)
    yield "names", "Names by demand", _axes(result)
    yield "architectures", "Architectures", _architectures(result)
    if result.hardware:
        yield "hardware", "Hardware", _hardware(result)
    owned = [gap for gap in result.gaps if gap.owners is not None]
    if owned:
        rows = [
            (
                str(len(gap.recipes)),
                f"<code>{_text(f'{gap.setting} {gap.name}'.strip())}</code>",
                _text("; ".join(summary.owner_lines(gap))),
            )
            for gap in owned
        ]
        yield "owners", "Who works on it", _table(("Recipes", "Gap", "Owner"), rows)
    yield "recipes", "Recipes", _table(("", "Recipe", "Outcome"), [_recipe(one) for one in result.recipes])


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], caption: str = "") -> str:
    heads = "".join(f'<th scope="col">{name}</th>' for name in head)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    said = f"<caption>{caption}</caption>" if caption else ""
    return f'<div class="wide"><table>{said}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>'


def _flags(result: SweepResult) -> str:
    rows = []
    for flag in result.flags:
        state = "no flag: an option and its value in one item" if flag.run_together else summary.STATES[flag.state]
        refused = f"; its value stops {len(flag.value_stops)}" if flag.value_stops else ""
        rows.append(
            (
                str(flag.uses),
                f"<code>{_text(flag.name)}</code>",
                f'<span class="state {flag.state}">{state}</span>{refused}',
            )
        )
    keys = (
        '<ul class="keys"><li><span class="key starts"></span>accepted (plain)</li>'
        '<li><span class="key inert"></span>accepted, inert (dotted)</li><li><span class="key stops"></span>aborts (hatched)</li></ul>'
    )
    table = f"<details><summary>All {len(rows)} flags</summary>{_table(('Recipes', 'Flag', 'Engine'), rows)}</details>"
    env = [(str(len(one.recipes)), f"<code>{_text(one.name)}</code>", one.state) for one in result.env]
    variables = (
        f"<details><summary>All {len(env)} environment variables</summary>{_table(('Recipes', 'Variable', 'Engine'), env)}</details>"
        if env
        else ""
    )
    return f'<p>{_text(summary.coverage(result))}</p>{keys}<div class="wide">{plots.coverage(result.flags)}</div>{table}{variables}'


def _history(result: SweepResult) -> str:
    rows = [
        (_text(p.date[:10]), f"<code>{_text(p.commit[:8])}</code>", str(p.recipes), str(p.starts))
        for p in reversed(result.history)
    ]
    said = f"<p>{len(result.history)} commits of upstream, each against {_text(result.surface.title)} as it is now.</p>"
    return f'{said}<div class="wide">{plots.over_time(result.history)}</div><details><summary>As a table</summary>{_table(("Date", "Commit", "Recipes", "Start"), rows)}</details>'


def _axes(result: SweepResult) -> str:
    parts = []
    words = {
        True: '<span class="state accepted">resolves</span>',
        False: '<span class="state aborts">does not resolve</span>',
        None: "not listed",
    }
    for axis in result.axes[:8]:
        rows = [
            (str(len(value.recipes)), f"<code>{_text(value.name)}</code>", words[value.resolves])
            for value in axis.values
        ]
        parts.append(
            f"<p>{_text(summary.axis_line(axis))}</p><details><summary>{len(rows)} names</summary>{_table(('Recipes', 'Name', 'Engine'), rows)}</details>"
        )
    return "".join(parts) or "<p>No recipe names one.</p>"


def _architectures(result: SweepResult) -> str:
    text = "".join(f"<p>{_text(line)}</p>" for line in summary.architecture_lines(result))
    found = result.architectures
    if found is None:
        return text
    words = {
        True: '<span class="state accepted">registered</span>',
        False: '<span class="state aborts">not registered</span>',
        None: "not listed",
    }
    rows = [(str(len(row.recipes)), f"<code>{_text(row.name)}</code>", words[row.registered]) for row in found.rows]
    reasons = "".join(
        f"<li>Unverified, {_text(reason)}: {_text(summary.listed(some, 8))}</li>"
        for reason, some in summary.unverified(result)
    )
    return f"{text}{_table(('Recipes', 'Architecture', 'Engine'), rows)}<ul>{reasons}</ul>"


def _hardware(result: SweepResult) -> str:
    rows = []
    for row in result.hardware:
        if row.mine or row.listed:
            stated = ", ".join(f"{len(recipes)} {word}" for word, recipes in row.stated.items())
            kind = ("restricted" if row.restricted else "open") + (", yours" if row.mine else "")
            rows.append((str(len(row.listed)), f"<code>{_text(row.profile)}</code>", kind, _text(stated)))
    mine = "".join(
        f"<li><code>{_text(name_of(recipe))}</code></li>"
        for row in result.hardware
        if row.mine
        for recipe in row.listed
    )
    yours = f"<p>Recipes that list your hardware:</p><ul>{mine}</ul>" if mine else ""
    return f"<p>{_text(summary.HARDWARE_NOTE)}</p>{yours}{_table(('Recipes', 'Profile', 'Kind', 'As listed'), rows)}"


def _recipe(one: RecipeOutcome) -> tuple[str, str, str]:
    kind = {"starts": "accepted", "stops": "aborts", "not judged": "open"}[one.outcome]
    first = f'<br><span class="why">{_text(summary.stop_line(one.first))}</span>' if one.first is not None else ""
    doubt = "".join(f'<br><span class="why">in doubt: {_text(text)}</span>' for text in one.doubts[:3])
    sign = f'<span class="state {kind}" title="{one.outcome}">{_SIGN[one.outcome]}</span>'
    return sign, f"<code>{_text(name_of(one.recipe))}</code>", _text(summary.recipe_line(one)) + first + doubt

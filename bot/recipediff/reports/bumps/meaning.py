"""What a move means, as Markdown: what upstream changed, what becomes of our differences and of each declaration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from recipediff.core.bumps.trail import Outdated
from recipediff.core.compare import Difference
from recipediff.core.meaning import Change, Consequence, Meaning, Rejudged
from recipediff.reports.escape import code, prose
from recipediff.reports.report import plural

ROWS = 40
"""Rows of one table; the rest is counted."""


def value(text: str | None, limit: int = 100) -> str:
    """A value in a table; a dash where the setting is not there."""
    return "—" if text is None else code(text, limit)


def named(kind: str, setting: str) -> str:
    """A setting by kind and name."""
    return code(setting, 80) if kind == "flag" else f"{kind} {code(setting, 80)}"


def sections(trail: Outdated) -> str:
    """Everything about one recipe's move, with the most telling part first."""
    meaning = trail.judged.meaning
    parts = [*_peculiar(trail), *_changes(meaning), *_consequences(meaning), *_declarations(meaning)]
    parts += [*_history(meaning), *_steps(trail), *_aside(trail)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _peculiar(trail: Outdated) -> Iterator[str]:
    """What a maintainer must know before the settings: the file is elsewhere, or means something else."""
    if trail.how in ("same content", "letter case", "similar"):
        how = {"same content": "with the same content", "letter case": "in its letter case only", "similar": ""}
        alike = how.get(trail.how, "") or "and changed on the way"
        yield f"**Renamed upstream** {alike}: {code(trail.path)} is now {code(trail.new_path)}. `source.path` moves with the pin."
    for half in trail.judged.halves:
        count = (
            "cannot be compared" if half.differences is None else f"differs in {plural(half.differences, 'setting')}"
        )
        yield f"**Perhaps split upstream**: {code(half.path)} is new and alike; the recipe {count} from it."
    found = trail.judged.reassigned
    if found is not None:
        now = f"the variant {code(found.variant)} means {code(found.model)} now"
        if found.successor:
            yield (
                f"**Variant reassigned upstream**: {now}; the model of this recipe is the variant {code(found.successor)}. "
                f"What follows compares with that one. Set `source.select.variant` to {code(found.successor)} by hand."
            )
        else:
            yield f"**Variant reassigned upstream**: {now}, and no variant has the model of this recipe any more."
    if trail.licence:
        yield f"**Licence changed upstream**: {', '.join(map(code, trail.licence))}. Check `source.license` and the attribution."
    if trail.launcher:
        files = ", ".join(map(code, trail.launcher))
        yield (
            f"**Upstream's launcher changed**: {files}. What it adds to a launch of several nodes stands in no recipe, "
            "so look whether it matters here."
        )
    if trail.judged.meaning.unread:
        yield f"**Cannot be compared**: {prose(trail.judged.meaning.unread)}"
    if trail.judged.meaning.blind:
        yield f"The pinned version could not be compared ({prose(trail.judged.meaning.blind)}); the new one can."


def _changes(meaning: Meaning) -> Iterator[str]:
    rows = [_change(change) for change in meaning.changes]
    if rows:
        yield "#### What upstream changed\n\n" + _table(("setting", "pinned", "new", "upstream's own words"), rows)
    elif not meaning.unread and not meaning.blind:
        yield "Upstream changed nothing that a launch pinned by digest uses."
    if meaning.launcher:
        names = ", ".join(f"{code(c.difference.setting)} ({_arrow(c.difference)})" for c in meaning.launcher[:10])
        yield f"The launcher's own, not compared: {names}."
    for text in meaning.refused[:10]:
        yield f"⚠️ The new launch has something that this recipe's vLLM refuses: {prose(text)}"


def _change(change: Change) -> tuple[str, ...]:
    found = change.difference
    inner = "".join(f"<br>{code(key, 60)}: {value(a, 60)} → {value(b, 60)}" for key, a, b in _keys(found))
    past = ""
    if change.past:
        back = ", back to a value that it had" if change.returns else ""
        past = f"<br>on the way: {' → '.join(value(text, 40) for text in change.past[-6:])}{back}"
    return (
        named(found.kind, found.setting) + inner + past,
        value(found.left),
        value(found.right),
        prose(change.comment),
    )


def _keys(found: Difference) -> Sequence[tuple[str, str | None, str | None]]:
    return found.keys[:8] if found.direction == "changed" else ()


def _arrow(found: Difference) -> str:
    return f"{value(found.left, 60)} → {value(found.right, 60)}"


def _consequences(meaning: Meaning) -> Iterator[str]:
    rows = [_consequence(one) for one in meaning.consequences]
    if rows:
        title = "#### What becomes of this recipe's differences\n\n"
        yield title + _table(("", "setting", "before", "after", ""), rows)


def _consequence(one: Consequence) -> tuple[str, ...]:
    signs = {"appears": "➕ appears", "vanishes": "✅ vanishes", "changes": "✏️ changes"}
    cells = [_arrow(side) if side is not None else "—" for side in (one.before, one.after)]
    declared = "declared" if one.declared else "**not declared**" if one.effect != "vanishes" else ""
    return (signs[one.effect], named(one.kind, one.setting), *cells, declared)


def _declarations(meaning: Meaning) -> Iterator[str]:
    if not meaning.declarations:
        return
    rows = [_declaration(one) for one in meaning.declarations if one.standing != "still true"]
    held = sum(1 for one in meaning.declarations if one.standing == "still true")
    still = f"{plural(held, 'declaration')} still true." if held else ""
    if not rows:
        yield f"#### Declarations\n\n{still}"
        return
    yield "#### Declarations\n\n" + "\n".join([*_cut(rows), *([f"- {still}"] if still else [])])


def _declaration(one: Rejudged) -> str:
    name = named(one.deviation.kind, one.deviation.setting)
    expected = f" It would be true with {code(one.field)}: {value(one.expected)}." if one.expected is not None else ""
    return f"- {name} is **{one.standing}**: {prose(one.reason)}.{expected}"


def _history(meaning: Meaning) -> Iterator[str]:
    for flip in meaning.flips[:10]:
        steps = " → ".join(value(text, 40) for text in flip.values[-6:])
        yield f"History, not news: {named(flip.kind, flip.setting)} went {steps}, and is where it was."


def _steps(trail: Outdated) -> Iterator[str]:
    if not trail.steps:
        return
    rows = [f"- {code(step.sha[:10])} {step.date[:10]} {prose(step.subject[:160])}" for step in trail.steps[:15]]
    left = len(trail.steps) - len(rows)
    if left or trail.more:
        rows.append(f"- … and {left or ''}{' or more' if trail.more else ''} before".replace("  ", " "))
    yield f"<details><summary>Upstream's commits to this file ({len(trail.steps)}{'+' if trail.more else ''})</summary>\n\n" + "\n".join(rows) + "\n\n</details>"  # fmt: skip


def _aside(trail: Outdated) -> Iterator[str]:
    if trail.judged.meaning.beside:
        yield f"<sub>Beside the launch, not used by a pinned image: {', '.join(map(code, trail.judged.meaning.beside))}.</sub>"


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    lines += [f"| {' | '.join(row)} |" for row in rows[:ROWS]]
    text = "\n".join(lines)
    return text if len(rows) <= ROWS else f"{text}\n\n{plural(len(rows) - ROWS, 'more row')} did not fit here."


def _cut(rows: list[str]) -> Iterable[str]:
    yield from rows[:ROWS]
    if len(rows) > ROWS:
        yield f"- {len(rows) - ROWS} more"

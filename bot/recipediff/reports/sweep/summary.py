"""The sentences and tables of a sweep, worded once for every format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recipediff.core.sweep.change import SweepChange
from recipediff.core.sweep.result import BLIND_SPOT, FAIL_OPEN, Axis, Gap, ProfileRow, RecipeOutcome, Stop, SweepResult
from recipediff.core.sweep.surface import FlagState
from recipediff.reports.report import plural

STATES = {"accepted": "accepted", "inert": "accepted, inert", "aborts": "aborts"}


@dataclass(frozen=True, slots=True)
class Sweep:
    """What is reported: a sweep, and what it means against an earlier one where that was asked for."""

    result: SweepResult
    change: SweepChange | None = None


def short(commit: str) -> str:
    """A commit as people write it; a plain folder has none."""
    if not commit.strip("0"):
        return "no commit (a plain folder, as it is now)"
    return commit[:8] if len(commit) == 40 else commit


def name_of(recipe: str) -> str:
    """A recipe without what all of them share."""
    return recipe.removeprefix("models/").removeprefix("recipes/").removesuffix(".yaml").removesuffix(".yml")


def headline(result: SweepResult) -> str:
    """The sweep in one line."""
    starts, stops, open_ = (len(result.having(outcome)) for outcome in ("starts", "stops", "not judged"))
    rest = f", {open_} could not be judged" if open_ else ""
    total = len(result.recipes)
    return f"{starts} of {plural(total, 'recipe')} {'starts' if starts == 1 else 'start'} on {result.surface.title}, {stops} {'stops' if stops == 1 else 'stop'}{rest}"


def facts(result: SweepResult) -> list[tuple[str, str]]:
    """What a reader must know before the numbers."""
    surface = result.surface
    found = [
        ("Upstream", f"{result.upstream} at {short(result.commit)} ({result.format})"),
        ("Engine", surface.title),
        ("Obtained from", surface.obtained),
        ("Counted", f"{result.rule}: {result.rule_text}"),
    ]
    doubtful = sum(bool(one.doubts) for one in result.having("starts"))
    if doubtful:
        verb = "names" if doubtful == 1 else "name"
        found.append(
            (
                "In doubt",
                f"{doubtful} of those that start {verb} something that the engine may refuse after its parser took it",
            )
        )
    return [*found, ("Its notes", surface.notes)] if surface.notes else found


def coverage(result: SweepResult) -> str:
    """Flags and variables in a sentence."""
    states: tuple[tuple[FlagState, str], ...] = (("accepted", "accepted"), ("inert", "inert"), ("aborts", "abort"))
    by_state = [f"{len(result.flags_in(state))} {words}" for state, words in states]
    broken = [flag for flag in result.flags if flag.run_together]
    text = f"{plural(len(result.flags), 'flag')} as upstream spells them: {', '.join(by_state)}. {plural(len(result.env), 'environment variable')}."
    if broken:
        names = ", ".join(f"“{flag.name}”" for flag in broken)
        text += (
            f" {names} {'is' if len(broken) == 1 else 'are'} no flag: one list item holds an option and its value, and the program "
            f"gets them as one word. Without it there are {len(result.flags) - len(broken)}."
        )
    return text


def stopping(result: SweepResult) -> list[tuple[str, int, str, tuple[str, ...]]]:
    """Where recipes stop first: the word, how many, what is said there, which."""
    found: dict[tuple[str, str], list[RecipeOutcome]] = {}
    for one in result.having("stops"):
        if one.first is not None:
            found.setdefault((one.first.kind, one.first.word), []).append(one)
    rows = sorted(found.items(), key=lambda item: (-len(item[1]), item[0][1]))
    return [(word, len(some), _said(some), tuple(one.recipe for one in some)) for (_, word), some in rows]


def _said(some: Sequence[RecipeOutcome]) -> str:
    messages = list(dict.fromkeys(one.first.message for one in some if one.first is not None))
    more = f" (and {len(messages) - 1} more like it)" if len(messages) > 1 else ""
    return messages[0] + more


def stop_line(stop: Stop) -> str:
    """One stop, with what may be done about it."""
    parts = [stop.message]
    if stop.accepted_by:
        parts.append(
            f"taken by vLLM {stop.accepted_by[0]}"
            + (f" to {stop.accepted_by[-1]}" if len(stop.accepted_by) > 1 else "")
        )
    if stop.hint:
        parts.append(stop.hint)
    return "; ".join(parts)


def recipe_line(one: RecipeOutcome) -> str:
    """What became of a recipe, without its name."""
    if one.outcome == "starts":
        return "starts"
    if one.outcome == "not judged":
        return "not judged: " + "; ".join(one.reasons[:2])
    first = one.first
    text = f"stops at {first.word}" if first is not None else "stops"
    if one.base_starts:
        names = ", ".join(part.removeprefix("features.").removesuffix(".args") for part in one.without[:3])
        more = f" and {len(one.without) - 3} more" if len(one.without) > 3 else ""
        text += f"; starts without {names}{more}"
    return text


def axis_line(axis: Axis) -> str:
    """An axis in a sentence."""
    name = "--" + axis.setting.replace("_", "-")
    count = f"{plural(len(axis.values), 'name')} in {plural(axis.uses, 'recipe')}"
    if not axis.listed:
        return f"{name}: {count}. The surface does not list what resolves."
    resolved = sum(value.resolves is True for value in axis.values)
    tail = "" if axis.checked else " Its parser takes any word; the engine looks the name up later."
    return f"{name}: {count}; {resolved} of the names resolve, which serves {axis.served} of {axis.uses} uses.{tail}"


def architecture_lines(result: SweepResult) -> list[str]:
    """What can be said about architectures, and what cannot."""
    found = result.architectures
    if found is None:
        return ["Architectures were not looked up (--architectures looks up each model's config.json)."]
    lines = [
        f"{found.verified} of {plural(len(result.recipes), 'recipe')} could be verified: {plural(len(found.rows), 'architecture')}."
    ]
    if result.surface.architectures is None:
        lines.append("The surface has no table of architectures to join them with.")
    else:
        missing = [row for row in found.rows if not row.registered]
        wanted = len({recipe for row in missing for recipe in row.recipes})
        lines.append(
            f"{plural(len(missing), 'architecture')} that the engine does not register, in {plural(wanted, 'recipe')}."
        )
    lines.append(BLIND_SPOT)
    return lines


def unverified(result: SweepResult) -> list[tuple[str, list[str]]]:
    """Recipes whose architecture is not known, by the reason."""
    found: dict[str, list[str]] = {}
    for recipe, model, answer in result.architectures.unverified if result.architectures is not None else ():
        reason = f"{answer.state}: {answer.detail}" if answer.detail else answer.state
        found.setdefault(reason, []).append(f"{name_of(recipe)} ({model or 'no model is named'})")
    return sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))


def profile_line(row: ProfileRow) -> str:
    """A hardware profile in a sentence."""
    stated = ", ".join(f"{len(recipes)} {word}" for word, recipes in row.stated.items())
    kind = "restricted profile" if row.restricted else "profile"
    mine = ", yours" if row.mine else ""
    return f"{row.profile} ({kind}{mine}): {plural(len(row.listed), 'recipe')} {'lists' if len(row.listed) == 1 else 'list'} it ({stated or 'none'})"


HARDWARE_NOTE = f"Only what a recipe lists as verified was verified. Everything else that upstream offers is {FAIL_OPEN}: nobody says that it was run."


def owner_lines(gap: Gap) -> Iterator[str]:
    """Who works on a gap."""
    if gap.owners is None:
        return
    if not gap.owners:
        yield "nobody found"
    for owner in gap.owners:
        yield f"{owner.kind} #{owner.number} “{owner.title}” ({owner.where})"


def change_lines(change: SweepChange) -> list[str]:
    """What a move means, in sentences; the lists stand beside them."""
    before, after = change.before, change.after
    if before.surface.title == after.surface.title and before.commit != after.commit:
        what = f"from {short(before.commit)} to {short(after.commit)}"
    elif before.commit == after.commit:
        what = f"from {before.surface.title} to {after.surface.title}"
    else:
        what = (
            f"from {short(before.commit)} on {before.surface.title} to {short(after.commit)} on {after.surface.title}"
        )
    starts = [len(result.having("starts")) for result in (before, after)]
    lines = [f"{what}: {starts[0]} of {len(before.recipes)} started, {starts[1]} of {len(after.recipes)} start."]
    if change.nothing:
        return [*lines, "Nothing else is different."]
    for label, some in (("newly start", change.newly_start), ("start no longer", change.newly_stop)):
        if some:
            lines.append(f"{plural(len(some), 'recipe')} {label}: {listed([name_of(one.recipe) for one in some])}.")
    for label, several in (("new", change.added), ("gone", change.removed)):
        if several:
            there = sum(one.outcome == "starts" for one in several)
            lines.append(
                f"{plural(len(several), 'recipe')} {'is' if len(several) == 1 else 'are'} {label}, of which {there} start{'s' if there == 1 else ''}."
            )
    for label, names in (("resolve now", change.gained), ("resolve no longer", change.lost)):
        for name in names[:10]:
            lines.append(
                f"{name.setting} {name.name} {label.replace('resolve', 'resolves')}: {plural(len(name.recipes), 'recipe')}."
            )
    return lines


def listed(names: Sequence[str], most: int = 12) -> str:
    """Names in a sentence."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more

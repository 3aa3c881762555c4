"""Declared deviations held against the differences that are there. A declaration must be falsifiable."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from recipediff.core.compare import Difference, Direction
from recipediff.core.recipe import Deviation

PROSE_FROM = 32
"""Upstream values longer than this many characters may be described in prose (spec/recipes.md, Declared deviations)."""

_VERBS: dict[Direction, str] = {"added": "an addition", "dropped": "a drop", "changed": "a change"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One declaration: the difference that it describes, and why it does not fit (empty where it does).

    `field` names the part of the declaration that is false, for the place and the fix; `expected` is what would be true.
    """

    deviation: Deviation
    difference: Difference | None
    reason: str = ""
    field: str = ""
    expected: str | None = None


def declared_direction(deviation: Deviation) -> Direction | None:
    """What a declaration claims: empty `ours` dropped, empty `upstream` added, else changed; None where both are empty."""
    if not deviation.ours and not deviation.upstream:
        return None
    return "dropped" if not deviation.ours else "added" if not deviation.upstream else "changed"


def judge(
    deviations: Sequence[Deviation], differences: Iterable[Difference]
) -> tuple[tuple[Judgement, ...], tuple[Difference, ...]]:
    """Each declaration with its judgement, and the differences that nothing declares.

    A difference that a declaration names, rightly or wrongly, is not undeclared as well: it is reported once.
    """
    open_ones = {(d.kind, d.setting): d for d in differences}
    named: set[tuple[str, str]] = set()
    judged = []
    for deviation in deviations:
        key = (deviation.kind, deviation.setting)
        judged.append(_judge_one(deviation, open_ones.get(key), repeated=key in named))
        named.add(key)
    return tuple(judged), tuple(d for key, d in open_ones.items() if key not in named)


def _judge_one(deviation: Deviation, difference: Difference | None, *, repeated: bool) -> Judgement:
    if repeated:
        return Judgement(
            deviation=deviation,
            difference=difference,
            reason="this setting is declared twice; keep one declaration",
            field="setting",
        )
    if difference is None:
        return Judgement(
            deviation=deviation,
            difference=None,
            reason="no difference is left that this declares: the recipe and upstream agree on it, or neither has it",
            field="setting",
        )
    claimed = declared_direction(deviation)
    if claimed is None:
        return Judgement(
            deviation=deviation,
            difference=difference,
            reason="both sides are empty, so it declares nothing",
            field="ours",
            expected=difference.right,
        )
    if claimed != difference.direction:
        return _wrong_direction(deviation, difference, claimed)
    if difference.right is not None and deviation.ours != difference.right:
        reason = f"ours says {_quote(deviation.ours)}, the recipe has {_quote(difference.right)}"
        return Judgement(
            deviation=deviation, difference=difference, reason=reason, field="ours", expected=difference.right
        )
    left = difference.left
    if left is not None and deviation.upstream != left and len(left) <= PROSE_FROM:
        reason = f"upstream says {_quote(deviation.upstream)}, upstream has {_quote(left)}"
        return Judgement(deviation=deviation, difference=difference, reason=reason, field="upstream", expected=left)
    return Judgement(deviation=deviation, difference=difference)


def _wrong_direction(deviation: Deviation, difference: Difference, claimed: Direction) -> Judgement:
    field = (
        "ours"
        if (difference.right or "") != deviation.ours and "upstream" not in _wrong(deviation, difference)
        else "upstream"
    )
    expected = (difference.right or "") if field == "ours" else (difference.left or "")
    reason = f"it declares {_VERBS[claimed]}, but the difference is {_VERBS[difference.direction]}"
    return Judgement(deviation=deviation, difference=difference, reason=reason, field=field, expected=expected)


def _wrong(deviation: Deviation, difference: Difference) -> tuple[str, ...]:
    """The sides of a declaration whose emptiness does not agree with the difference."""
    pairs = (("upstream", deviation.upstream, difference.left), ("ours", deviation.ours, difference.right))
    return tuple(name for name, text, actual in pairs if bool(text) != (actual is not None))


def _quote(text: str) -> str:
    return f"“{text}”" if len(text) <= 80 else f"“{text[:77]}…”"

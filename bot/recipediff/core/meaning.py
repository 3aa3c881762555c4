"""What an upstream move means for one recipe: setting by setting, and for each of its declarations. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from recipediff.core.compare import Difference, compare, same
from recipediff.core.declare import Judgement, judge
from recipediff.core.launch import Launch
from recipediff.core.place import Place
from recipediff.core.recipe import Deviation
from recipediff.core.setting import Setting, SettingKind

Key = tuple[SettingKind, str]
Words = Callable[[Place], str]
"""What a file's author wrote in a comment on a line; empty where there is none."""


@dataclass(frozen=True, slots=True)
class Change:
    """What upstream changed in one setting. `difference` reads from the pinned commit to the new one.

    `past` are the values on the way, oldest first, where there were more than the two ends; None where it was absent.
    """

    difference: Difference
    comment: str = ""
    past: tuple[str | None, ...] = ()

    @property
    def returns(self) -> bool:
        """Whether upstream goes back to a value that it had before."""
        return len(self.past) > 2 and self.past[-1] in self.past[:-2]


@dataclass(frozen=True, slots=True)
class Flip:
    """A setting that changed and changed back: history, not news."""

    kind: SettingKind
    setting: str
    values: tuple[str | None, ...]


Effect = Literal["appears", "vanishes", "changes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Consequence:
    """One of the recipe's own differences from upstream, before and after the move; None where it is not there."""

    effect: Effect
    kind: SettingKind
    setting: str
    before: Difference | None
    after: Difference | None
    declared: bool


Standing = Literal["still true", "no longer needed", "now false", "was false before"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejudged:
    """A declaration held against the new commit. `expected` is what its field `field` would have to say."""

    deviation: Deviation
    standing: Standing
    reason: str = ""
    field: str = ""
    expected: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """The whole of it. `unread` says why the new version cannot be compared, `blind` why the pinned one cannot."""

    changes: tuple[Change, ...] = ()
    launcher: tuple[Change, ...] = ()
    """Changes of flags that a launcher supplies for its own topology."""
    flips: tuple[Flip, ...] = ()
    consequences: tuple[Consequence, ...] = ()
    declarations: tuple[Rejudged, ...] = ()
    refused: tuple[str, ...] = ()
    """What the recipe's vLLM version would refuse in the new launch, and did not before."""
    beside: tuple[str, ...] = ()
    """Keys beside the launch that changed: container, build arguments, image."""
    unread: str = ""
    blind: str = ""

    @property
    def relevant(self) -> bool:
        """Whether a digest-pinned launch uses anything of what changed. What cannot be read is never called quiet."""
        return bool(self.changes or self.unread or self.blind)


def mean(
    deviations: Sequence[Deviation],
    ours: Launch,
    old: Launch,
    new: Launch,
    *,
    words: Words = lambda _place: "",
    earlier: Sequence[Launch] = (),
    between: Sequence[Launch] = (),
) -> Meaning:
    """The meaning of upstream's move from `old` to `new` for a recipe whose launch is `ours`.

    `earlier` are upstream's versions before the pin and `between` those after it and before `new`, oldest first.
    """
    found = compare(old, new)
    line = (*earlier, old, *between, new)
    changes = tuple(Change(d, _comment(d, words), _past(d, line)) for d in found)
    return Meaning(
        changes=changes,
        launcher=tuple(Change(d, _comment(d, words)) for d in _launcher(old, new)),
        flips=_flips(found, (old, *between, new)),
        consequences=_consequences(deviations, compare(old, ours), compare(new, ours)),
        declarations=_rejudged(deviations, compare(old, ours), compare(new, ours)),
        refused=_refused(old, new),
        beside=_beside(old, new),
    )


def _comment(difference: Difference, words: Words) -> str:
    setting = difference.right_setting
    return words(setting.place) if setting is not None else ""


def settings_of(launch: Launch) -> dict[Key, Setting]:
    """Every setting of a launch by kind and name, the model included."""
    found: dict[Key, Setting] = {("flag", "model"): launch.model} if launch.model else {}
    found.update({(s.kind, s.name): s for s in launch.settings})
    return found


def _values(key: Key, line: Iterable[Mapping[Key, Setting]]) -> tuple[str | None, ...]:
    """The values of one setting along the versions, each run of the same value once."""
    values: list[str | None] = []
    last: object = ...
    for settings in line:
        setting = settings.get(key)
        meaning: object = ... if setting is None else setting.meaning
        if not values or not same(meaning, last):
            values.append(setting.value if setting else None)
        last = meaning
    return tuple(values)


def _past(difference: Difference, line: Sequence[Launch]) -> tuple[str | None, ...]:
    values = _values((difference.kind, difference.setting), map(settings_of, line))
    return values if len(values) > 2 else ()


def _flips(found: Iterable[Difference], line: Sequence[Launch]) -> tuple[Flip, ...]:
    """Settings that are the same at both ends and were not in between."""
    if len(line) < 3:
        return ()
    changed = {(d.kind, d.setting) for d in found}
    versions = [settings_of(launch) for launch in line]
    flips = []
    for key in dict.fromkeys(key for settings in versions for key in settings):
        values = _values(key, versions)
        if key not in changed and len(values) > 2 and values[0] == values[-1]:
            flips.append(Flip(key[0], key[1], values))
    return tuple(flips)


def _launcher(old: Launch, new: Launch) -> Iterable[Difference]:
    a, b = ({s.name: s for s in launch.launcher} for launch in (old, new))
    for name in (*a, *(name for name in b if name not in a)):
        one, other = a.get(name), b.get(name)
        if one is None or other is None or not same(one.meaning, other.meaning):
            yield Difference(
                kind="flag",
                setting=name,
                left=one.value if one else None,
                right=other.value if other else None,
                direction="added" if one is None else "dropped" if other is None else "changed",
                left_setting=one,
                right_setting=other,
            )


def _consequences(
    deviations: Sequence[Deviation], before: Iterable[Difference], after: Iterable[Difference]
) -> tuple[Consequence, ...]:
    declared = {(d.kind, d.setting) for d in deviations}
    a = {(d.kind, d.setting): d for d in before}
    b = {(d.kind, d.setting): d for d in after}
    found = []
    for key in (*a, *(key for key in b if key not in a)):
        one, other = a.get(key), b.get(key)
        effect: Effect = "appears" if one is None else "vanishes" if other is None else "changes"
        if one is not None and other is not None and (one.left, one.right) == (other.left, other.right):
            continue
        found.append(
            Consequence(effect=effect, kind=key[0], setting=key[1], before=one, after=other, declared=key in declared)
        )
    return tuple(found)


def _rejudged(
    deviations: Sequence[Deviation], before: Iterable[Difference], after: Iterable[Difference]
) -> tuple[Rejudged, ...]:
    then, _ = judge(deviations, before)
    now, _ = judge(deviations, after)
    return tuple(_one(was, is_) for was, is_ in zip(then, now, strict=True))


def _one(was: Judgement, now: Judgement) -> Rejudged:
    if not now.reason:
        return Rejudged(deviation=now.deviation, standing="still true")
    if now.difference is None and now.field == "setting":
        standing: Standing = "no longer needed" if not was.reason else "was false before"
    else:
        standing = "now false" if not was.reason else "was false before"
    return Rejudged(
        deviation=now.deviation, standing=standing, reason=now.reason, field=now.field, expected=now.expected
    )


def _refused(old: Launch, new: Launch) -> tuple[str, ...]:
    known = {refusal.message for refusal in old.refused}
    return tuple(
        f"vLLM {refusal.version}: {refusal.message}" for refusal in new.refused if refusal.message not in known
    )


def _beside(old: Launch, new: Launch) -> tuple[str, ...]:
    a, b = ([(name, value) for name, value, _ in launch.advisory] for launch in (old, new))
    names = dict.fromkeys(name for name, value in (*a, *b) if ((name, value) in a) != ((name, value) in b))
    images = [launch.image.text if launch.image else "" for launch in (old, new)]
    return (*names, *(("image",) if images[0] != images[1] and "image" not in names else ()))

"""Two launches, setting by setting. Left is upstream's side, right is ours; directions are right relative to left."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from recipediff.core.launch import Launch
from recipediff.core.setting import Json, Setting, SettingKind
from recipediff.core.values import ABSENT, as_written, at, changed_keys, compact, leaves, same, shown, without

__all__ = ["Difference", "Direction", "changed_keys", "compact", "compare", "same", "second_way"]

Direction = Literal["added", "dropped", "changed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A setting whose two sides differ. A side that does not have it is None.

    `keys` are the keys inside a JSON value that differ, as `(path, left text, right text)` with None for an absent side.
    `default` is true where one side restates the default of its vLLM version and the other leaves the setting out.
    """

    kind: SettingKind
    setting: str
    left: str | None
    right: str | None
    direction: Direction
    left_setting: Setting | None = None
    right_setting: Setting | None = None
    keys: tuple[tuple[str, str | None, str | None], ...] = ()
    default: bool = False


def compare(left: Launch, right: Launch) -> tuple[Difference, ...]:
    """Every difference between two launches: the model, then flags, environment and mods, each in the order written."""
    return (
        *_model(left, right),
        *_flags(left, right),
        *_simple("env", left.settings, right.settings),
        *_simple("mod", left.settings, right.settings),
    )


def _model(left: Launch, right: Launch) -> Iterable[Difference]:
    a, b = left.model, right.model
    if (a.meaning if a else None) != (b.meaning if b else None):
        yield _difference("flag", "model", a, b)


def _difference(
    kind: SettingKind,
    name: str,
    left: Setting | None,
    right: Setting | None,
    keys: tuple[tuple[str, str | None, str | None], ...] = (),
    *,
    left_text: str | None = None,
    right_text: str | None = None,
) -> Difference:
    direction: Direction = "added" if left is None else "dropped" if right is None else "changed"
    default = all(side.default for side in (left, right) if side is not None)
    return Difference(
        kind=kind,
        setting=name,
        left=left_text if left_text is not None else (left.value if left else None),
        right=right_text if right_text is not None else (right.value if right else None),
        direction=direction,
        left_setting=left,
        right_setting=right,
        keys=keys,
        default=default,
    )


def _simple(kind: SettingKind, left: Iterable[Setting], right: Iterable[Setting]) -> Iterable[Difference]:
    """Environment and mods: one value a name, compared as text.

    A variable whose value only a shell would know (`PATH=/opt/bin:$PATH`) is noted where it stands; there is nothing in
    it to compare with a side that does not set it.
    """
    a = {s.name: s for s in left if s.kind == kind}
    b = {s.name: s for s in right if s.kind == kind}
    for name in (*a, *(name for name in b if name not in a)):
        one, other = a.get(name), b.get(name)
        if None in (one, other) and not all(s.known for s in (one, other) if s is not None):
            continue
        if one is None or other is None or not same(one.meaning, other.meaning):
            yield _difference(kind, name, one, other)


def _flags(left: Launch, right: Launch) -> Iterable[Difference]:
    a, b = _Side(left), _Side(right)
    for field in (*a.by_field, *(field for field in b.by_field if field not in a.by_field)):
        yield from _field(field, a, b)


def _engine_field(setting: Setting) -> str:
    return setting.route[0] if setting.route else setting.field or setting.name


def _path(setting: Setting) -> tuple[str, ...]:
    """The keys under its engine field that a setting speaks of; empty for the whole field."""
    return setting.route[1:] if setting.route else tuple(setting.name.split(".")[1:]) if setting.known else ()


class _Side:
    """One launch's flags, grouped by the field that the engine sees."""

    def __init__(self, launch: Launch) -> None:
        self.fields = launch.fields
        self.by_field: dict[str, list[Setting]] = {}
        for setting in launch.settings:
            if setting.kind == "flag":
                self.by_field.setdefault(_engine_field(setting), []).append(setting)

    def value(self, field: str) -> Json | object:
        """What the engine sees, `ABSENT` where the side does not speak of the field at all."""
        if field not in self.by_field:
            return ABSENT
        return self.fields.get(field, self.by_field[field][-1].meaning)


def _field(field: str, a: _Side, b: _Side) -> Iterable[Difference]:
    theirs, ours = a.by_field.get(field, []), b.by_field.get(field, [])
    if _twice(theirs) or _twice(ours):
        yield from _each_with_its_like(field, theirs, ours)
    else:
        yield from _value(field, a.value(field), b.value(field), theirs, ours)


def _value(
    field: str, left: Json | object, right: Json | object, theirs: list[Setting], ours: list[Setting]
) -> Iterable[Difference]:
    if left is not ABSENT and right is not ABSENT and same(left, right):
        return
    if any(_path(setting) for setting in theirs or ours) or _beside(theirs) or _beside(ours):
        keyed = tuple(_by_key(field, _Keyed(left, theirs, field), _Keyed(right, ours, field)))
        if keyed:
            yield from keyed
            return
    yield _whole(field, left, right, theirs, ours)


def _beside(settings: list[Setting]) -> bool:
    """Whether a flag that is a second way to write a key stands beside the config itself: two settings, two names."""
    return any(map(second_way, settings)) and not all(map(second_way, settings))


def second_way(setting: Setting) -> bool:
    """Whether it is a flag of its own that the engine keeps under a key of a config."""
    return bool(setting.route) and "." not in setting.name


def _twice(settings: list[Setting]) -> bool:
    """Whether a config says a key that a flag of its own says too, or says nothing at all beside such a flag."""
    if not _beside(settings):
        return False
    stated = _stated([setting for setting in settings if not second_way(setting)])
    return not stated or any(at(stated, _path(setting)) is not ABSENT for setting in settings if second_way(setting))


def _stated(settings: list[Setting]) -> Json | object:
    """What a config's own settings say, without what other flags put into it."""
    if any(not _path(setting) for setting in settings) or not settings:
        return settings[-1].meaning if settings else ABSENT
    whole: dict[str, Json] = {}
    for setting in settings:
        inner = whole
        *way, key = _path(setting)
        for step in way:
            deeper = inner.setdefault(step, {})
            inner = deeper if isinstance(deeper, dict) else {}
        inner[key] = setting.meaning
    return whole


def _each_with_its_like(field: str, theirs: list[Setting], ours: list[Setting]) -> Iterable[Difference]:
    """Flags with flags and config with config: which of two says a key is for vLLM to refuse or to settle."""
    a, b = ({s.name: s for s in side if second_way(s)} for side in (theirs, ours))
    for name in (*a, *(name for name in b if name not in a)):
        one, other = a.get(name), b.get(name)
        if one is None or other is None or not same(one.meaning, other.meaning):
            yield _difference("flag", name, one, other)
    left, right = ([s for s in side if not second_way(s)] for side in (theirs, ours))
    if left or right:
        yield from _value(field, _stated(left), _stated(right), left, right)


def _whole(
    field: str, left: Json | object, right: Json | object, theirs: list[Setting], ours: list[Setting]
) -> Difference:
    """One difference of the flag, under its own name, with the keys that differ inside."""
    a, b = theirs[-1] if theirs else None, ours[-1] if ours else None
    keys: tuple[tuple[str, str | None, str | None], ...] = ()
    if isinstance(left, dict) or isinstance(right, dict):
        keys = changed_keys(left if isinstance(left, dict) else {}, right if isinstance(right, dict) else {}, a, b)
    name = a.name if a is not None and not _path(a) else field
    if a is None and b is not None and not _path(b):
        name = b.name
    return _difference(
        "flag",
        name,
        a,
        b,
        keys,
        left_text=_text(left, theirs) if theirs else None,
        right_text=_text(right, ours) if ours else None,
    )


def _text(value: Json | object, settings: list[Setting]) -> str:
    """How a side's value reads where it is shown under one name."""
    if len(settings) == 1 and not _path(settings[0]):
        return settings[0].value
    paths = {_path(setting): setting for setting in settings if not second_way(setting)}
    return shown(value, paths)


class _Keyed:
    """One side of a field, seen key by key: what was written under a name of its own, and what a JSON value holds."""

    def __init__(self, value: Json | object, settings: list[Setting], field: str) -> None:
        self.settings = {_path(setting): setting for setting in settings}
        self.holder = settings[-1] if settings else None
        self.whole = self.settings.get(())
        self.dotted = any(path and not setting.route for path, setting in self.settings.items())
        self.field = field
        self.value = value

    def has(self, path: tuple[str, ...]) -> bool:
        return path in self.settings or self.at(path) is not ABSENT

    def at(self, path: tuple[str, ...]) -> Json | object:
        found = at(self.value, path)
        return self.settings[path].meaning if found is ABSENT and path in self.settings else found

    def setting(self, path: tuple[str, ...]) -> Setting | None:
        """The setting that speaks of `path`; made from the JSON value where it was not written by itself."""
        if path in self.settings:
            return self.settings[path]
        value, holder = self.at(path), self.holder
        if value is ABSENT or holder is None:
            return None
        name = ".".join((self.field, *path))
        meaning: Json = value  # type: ignore[assignment]
        text = as_written(self.whole, path, value)
        return replace(holder, name=name, value=text, meaning=meaning, field=self.field, route=())

    def leaves(self) -> list[tuple[str, ...]]:
        return [*self.settings, *(path for path in leaves(self.value) if path not in self.settings)]


def _by_key(field: str, a: _Keyed, b: _Keyed) -> Iterable[Difference]:
    """Where dotted keys (or a second route) were written, each key is a setting under its own name.

    A JSON value beside them stays one setting: what it holds apart from those keys is one difference of its flag.
    """
    done: list[tuple[str, ...]] = []
    written = [path for path in (*a.settings, *b.settings) if path]
    whole = a.whole is not None or (b.whole is not None and not a.dotted)
    leaves = () if whole else (*a.leaves(), *b.leaves())
    for path in dict.fromkeys((*written, *leaves)):
        if not path or any(path[: len(other)] == other for other in done):
            continue
        if any(other[: len(path)] == path for other in done) and not (_scalar(a.at(path)) or _scalar(b.at(path))):
            continue  # its keys were taken one by one, and the leaves that follow cover the rest
        done.append(path)
        if a.has(path) and b.has(path) and same(a.at(path), b.at(path)):
            continue
        one, other = a.setting(path), b.setting(path)
        namer = one or other
        if namer is not None:
            yield _difference("flag", namer.name, one, other)
    if whole:
        yield from _rest(field, a, b, done)


def _rest(field: str, a: _Keyed, b: _Keyed, done: list[tuple[str, ...]]) -> Iterable[Difference]:
    """The JSON values of a field, without the keys that were compared by themselves."""
    left, right = without(a.value, done), without(b.value, done)
    if same(left, right):
        return
    yield _whole(
        field,
        left if a.whole or left else ABSENT,
        right if b.whole or right else ABSENT,
        [a.whole] if a.whole else [a.holder] if left and a.holder else [],
        [b.whole] if b.whole else [b.holder] if right and b.holder else [],
    )


def _scalar(value: Json | object) -> bool:
    return value is not ABSENT and not isinstance(value, dict)

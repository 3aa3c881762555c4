"""From readings to settings: what is in force, under the name and with the text in which it was written."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field

from recipediff.core.launch import Note, Word
from recipediff.core.setting import Json, Setting
from recipediff.parse.vllm.grammar.configs import default_of, restates_default, same
from recipediff.parse.vllm.grammar.matching import plain_name
from recipediff.parse.vllm.grammar.readings import OptionReading
from recipediff.parse.vllm.grammar.routes import route_of
from recipediff.parse.vllm.grammar.surface import Flag, Surface
from recipediff.parse.vllm.grammar.token import Dotted

MOST_SAID = 300
"""Characters of a line that a note repeats."""


@dataclass(slots=True)
class InForce:
    """The winners of a line, each with the number of the word at which it stands."""

    settings: list[tuple[int, Setting]] = field(default_factory=list)
    notes: list[tuple[int, Note]] = field(default_factory=list)
    meanings: dict[str, Json] = field(default_factory=dict)
    """Field to meaning, for every known flag that is stated."""


class Settler:
    """Builds the settings of one line."""

    def __init__(self, words: Sequence[Word], surface: Surface) -> None:
        self.words = words
        self.surface = surface
        self.out = InForce()

    def settle(self, readings: Sequence[OptionReading]) -> InForce:
        """Of the readings of each flag the last is in force; flags that collect keep all."""
        by_name: dict[str, list[OptionReading]] = {}
        for reading in readings:
            name = reading.flag.name if reading.flag else "?" + reading.use.name
            by_name.setdefault(name, []).append(reading)
        for group in by_name.values():
            flag = group[0].flag
            if flag is None or flag.repeat != "append":
                for loser in group[:-1]:
                    self._overridden(loser, group[-1])
                group = group[-1:]
            for more in group[1:]:
                self.note(more.use.option.at[0], f"{more.use.name} is given again and adds to what it has")
            if flag is None:
                self._unknown(group[0])
            elif group[0].use.option.dotted:
                self._dotted(flag, group[0])
            else:
                self._plain(flag, group)
        return self.out

    def note(self, at: int, message: str) -> None:
        self.out.notes.append((at, Note(message, self.words[at].place)))

    def replaced(self, dotted: Dotted) -> None:
        """Say that a later dotted key of the same name counts."""
        self.note(dotted.at[0], f"{self._said(dotted.at)} is given again later; the last one counts")

    def _said(self, at: Sequence[int]) -> str:
        """Words as they stand on the line, cut short."""
        text = shlex.join(self.words[i].text for i in dict.fromkeys(at))
        return text if len(text) <= MOST_SAID else text[: MOST_SAID - 1] + "…"

    def _overridden(self, loser: OptionReading, winner: OptionReading) -> None:
        option = loser.use.option
        last = self.words[winner.use.option.at[0]].text.partition("=")[0]
        said = self._said([*option.at, *(i for token in loser.use.values for i in token.at)])
        if not winner.use.option.dotted:
            message = f"{said} is given again later as {last}; the last one counts"
        elif option.dotted:
            message = f"{said} is replaced whole by the dotted keys under {winner.use.name}, which begin later"
        else:
            message = f"{said} is replaced whole by the dotted keys under {winner.use.name}"
        self.note(option.at[0], message)

    def _written(self, reading: OptionReading) -> str:
        text = self.words[reading.use.option.at[0]].text
        if text.startswith("-O") and reading.use.name == "--optimization-level":
            return "-O"
        if not text.startswith("--") and len(reading.use.name) == 2:
            return reading.use.name
        return text.partition("=")[0]

    def _add(self, at: int, setting: Setting) -> None:
        self.out.settings.append((at, setting))

    def _plain(self, flag: Flag, group: Sequence[OptionReading]) -> None:
        first, value = group[0], group[-1].value
        at = first.use.option.at[0]
        texts = [token.text for reading in group for token in reading.use.values]
        meaning = group[-1].stated
        if flag.repeat == "append":
            meaning = [reading.stated for reading in group]
        if not texts:
            text = "false" if meaning is False else "true" if flag.takes in ("none", "optional") else ""
        else:
            text = texts[0] if len(texts) == 1 else shlex.join(texts)
        self.out.meanings[flag.name] = meaning
        self._add(
            at,
            Setting(
                kind="flag",
                name=flag.setting,
                value=text,
                meaning=meaning,
                place=self.words[at].place,
                field=flag.name,
                written=self._written(first),
                route=route_of(flag.name, self.surface),
                default=value is not None and value.default and flag.repeat != "append",
            ),
        )

    def _dotted(self, flag: Flag, reading: OptionReading) -> None:
        whole = reading.stated
        self.out.meanings[flag.name] = whole
        for keys, members in _by_keys(reading.use.option.dotted).items():
            self._key(flag, keys, members, whole, known=True)

    def _key(
        self, flag: Flag | None, keys: tuple[str, ...], members: list[Dotted], whole: Json, *, known: bool
    ) -> None:
        first = members[0]
        head = flag.setting if flag else plain_name(first.head)
        meaning = _at(whole, keys, members[-1].value)
        texts = [dotted.text for dotted in members]
        for more in members[1:]:
            self.note(more.at[0], f"{self._said(more.at)} adds to what it has")
        self._add(
            first.at[0],
            Setting(
                kind="flag",
                name=".".join((head, *keys)),
                value=texts[0] if len(texts) == 1 else shlex.join(texts),
                meaning=meaning,
                place=self.words[first.at[0]].place,
                field=flag.name if flag else "",
                written=self.words[first.at[0]].text.partition("=")[0],
                known=known,
                route=self._key_route(flag, keys),
                default=flag is not None and self._key_default(flag, keys, meaning),
            ),
        )

    def _key_route(self, flag: Flag | None, keys: tuple[str, ...]) -> tuple[str, ...]:
        """Where the engine puts a key right, or keeps the whole flag elsewhere, the way to it is not what was written."""
        if flag is not None and (elsewhere := route_of(flag.name, self.surface)):
            return (*elsewhere, *keys)
        if flag is None or not flag.engine_class or not self.surface.rules.engine_dashes or "-" not in keys[0]:
            return ()
        return (flag.name, keys[0].replace("-", "_"), *keys[1:])

    def _key_default(self, flag: Flag, keys: tuple[str, ...], meaning: Json) -> bool:
        owner = flag.json_class
        for i, key in enumerate(keys):
            entry = self.surface.classes.get(owner, {}).get(key)
            if entry is None:
                return False
            if i == len(keys) - 1:
                if entry.json_class and entry.default_object and isinstance(meaning, dict):
                    return restates_default(meaning, entry.json_class, self.surface)
                return same(meaning, default_of(owner, entry))
            owner = entry.json_class
        return False

    def _unknown(self, reading: OptionReading) -> None:
        use = reading.use
        if use.option.dotted:
            for keys, members in _by_keys(use.option.dotted).items():
                self._key(None, keys, members, reading.stated, known=False)
            return
        at = use.option.at[0]
        texts = [token.text for token in use.values]
        self._add(
            at,
            Setting(
                kind="flag",
                name=plain_name(use.name),
                value=(texts[0] if len(texts) == 1 else shlex.join(texts)) if texts else "true",
                meaning=reading.stated,
                place=self.words[at].place,
                written=self._written(reading),
                known=False,
            ),
        )


def _by_keys(dotted: Sequence[Dotted]) -> dict[tuple[str, ...], list[Dotted]]:
    out: dict[tuple[str, ...], list[Dotted]] = {}
    for one in dotted:
        out.setdefault(one.keys, []).append(one)
    return out


def _at(value: Json, keys: tuple[str, ...], otherwise: Json) -> Json:
    """The value under these keys; `otherwise` where the class dropped them."""
    for key in keys:
        if not isinstance(value, dict) or key not in value:
            return otherwise
        value = value[key]
    return value

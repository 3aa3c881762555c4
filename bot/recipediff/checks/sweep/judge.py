"""Where an engine stops on the words of one block."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from recipediff.checks.sweep.counting import WordGroup
from recipediff.core.launch import Word
from recipediff.core.place import Place
from recipediff.core.sweep.result import Stop
from recipediff.core.sweep.surface import EngineSurface, is_option, ran_together, setting_name
from recipediff.parse.vllm.grammar import surface as tables
from recipediff.parse.vllm.grammar.parse import parse

_SHOWN = 80
_PLACEHOLDER = re.compile(r"\$\{?[A-Z][A-Z0-9_]*\}?")
"""What whoever launches fills in (`$PREFILL_DP_RPC_PORT`): nobody knows yet whether the engine takes it."""


@dataclass(frozen=True, slots=True)
class LineOption:
    """One option of a line: the word that begins it, and the words that follow it up to the next."""

    option: Word
    values: tuple[Word, ...]

    @property
    def name(self) -> str:
        """The option as written, without `=value`."""
        return self.option.text if ran_together(self.option.text) else self.option.text.partition("=")[0]

    @property
    def texts(self) -> tuple[str, ...]:
        """The values as written, that of `--flag=value` first."""
        _, equals, own = self.option.text.partition("=")
        return ((own,) if equals else ()) + tuple(word.text for word in self.values)


def uses(words: Sequence[Word]) -> Iterator[LineOption]:
    """The options of a line, in order. What stands before the first is the model."""
    option: Word | None = None
    values: list[Word] = []
    for word in words:
        if is_option(word.text):
            if option is not None:
                yield LineOption(option, tuple(values))
            option, values = word, []
        else:
            values.append(word)
    if option is not None:
        yield LineOption(option, tuple(values))


def stops(block: WordGroup, surface: EngineSurface) -> tuple[Stop, ...]:
    """Every word of the block at which the engine stops, in order."""
    return tuple(_refused(block, surface) if surface.grammar else _unknown(block, surface))


def _unknown(block: WordGroup, surface: EngineSurface) -> Iterator[Stop]:
    """An engine that is known by lists: an option that is not on them, a name that does not resolve."""
    for use in uses(block.words):
        yield from _of_use(use, block, surface)


def _of_use(use: LineOption, block: WordGroup, surface: EngineSurface) -> Iterator[Stop]:
    setting, word, place = setting_name(use.name), use.option.text, use.option.place
    if ran_together(word) is not None:
        yield Stop(
            word=word, setting=setting, message=_run_together(word), place=place, block=block.name, kind="run together"
        )
    elif surface.state(word) == "aborts":
        yield Stop(
            word=_cut(use.name),
            setting=setting,
            message=f"{surface.engine} takes no {_cut(use.name)}",
            place=place,
            block=block.name,
        )
    elif setting in surface.values and setting not in surface.open_values:
        for text in use.texts[:1]:
            if not surface.resolves(setting, text):
                at = use.option.place if "=" in word else use.values[0].place
                message = f"{surface.engine} resolves no {setting} “{_cut(text)}”"
                yield Stop(word=_cut(text), setting=setting, message=message, place=at, block=block.name, kind="value")


def _run_together(word: str) -> str:
    option, value = ran_together(word) or (word, "")
    return (
        f"one list item holds the option {_cut(option)} and its value {_cut(value)}: the program gets one word and knows no "
        "such option; only a shell, where the command is pasted, splits it"
    )


def _refused(block: WordGroup, surface: EngineSurface) -> Iterator[Stop]:
    """A vLLM version: what its parser and its engine's own checks refuse, flags, values and keys inside JSON."""
    if not block.words:
        return
    line = _read(tuple(word.text for word in block.words), surface.grammar)
    for at, message, setting, accepted, hint in () if line.ok else line.refusals:
        word = block.words[at]
        if _PLACEHOLDER.search(word.text):
            continue
        if ran_together(word.text) is not None:
            yield Stop(
                word=word.text,
                setting=setting_name(word.text),
                message=_run_together(word.text),
                place=word.place,
                block=block.name,
                kind="run together",
            )
            continue
        kind = "flag" if is_option(word.text) and surface.state(word.text) == "aborts" else "value"
        shown = word.text.partition("=")[0] if kind == "flag" else word.text
        yield Stop(
            word=_cut(shown),
            setting=setting,
            message=message,
            place=word.place,
            block=block.name,
            kind="flag" if kind == "flag" else "value",
            accepted_by=accepted,
            hint=hint,
        )


@dataclass(frozen=True, slots=True)
class _Line:
    ok: bool
    """Whether the parser takes it; the engine may refuse more."""
    refusals: tuple[tuple[int, str, str, tuple[str, ...], str], ...]
    """The number of the word, the message, the setting, the versions that take it, a hint."""


@lru_cache(maxsize=50_000)
def _read(texts: tuple[str, ...], version: str) -> _Line:
    """What one version makes of a line. Lines come again across recipes and commits."""
    words = [Word(text, Place(file="line", line=1, column=index + 1)) for index, text in enumerate(texts)]
    line = parse(words, tables.load(version))
    found = ((one.place.column - 1, one.message, one.setting, one.accepted_by, one.hint) for one in line.refusals)
    return _Line(line.ok, tuple(found))


def doubts(block: WordGroup, surface: EngineSurface) -> Iterator[str]:
    """What the parser takes and the engine may refuse later: names that are not known to resolve (unless the recipe brings a
    plug-in for them), and what the engine's own checks say."""
    all_uses = list(uses(block.words))
    own = {setting_name(use.name).removesuffix("_plugin") for use in all_uses if use.name.endswith("-plugin")}
    for use in all_uses:
        setting = setting_name(use.name)
        if setting in surface.open_values and setting not in own:
            for text in use.texts[:1]:
                if not surface.resolves(setting, text):
                    yield f"no {setting} “{_cut(text)}” is known"
    line = _read(tuple(word.text for word in block.words), surface.grammar) if surface.grammar else None
    if line is not None and line.ok:
        for at, message, *_ in line.refusals:
            if not _PLACEHOLDER.search(block.words[at].text):
                yield message


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"

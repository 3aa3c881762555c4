"""Each use of an option with the value that it comes to, or the reasons why it comes to none."""

from __future__ import annotations

from dataclasses import dataclass

from recipediff.core.setting import Json
from recipediff.parse.vllm.grammar.configs import KeyFault, check_keys
from recipediff.parse.vllm.grammar.matching import OptionUse
from recipediff.parse.vllm.grammar.scalars import load_json
from recipediff.parse.vllm.grammar.shapes import Unfit
from recipediff.parse.vllm.grammar.surface import Flag, Surface
from recipediff.parse.vllm.grammar.token import ParseFault
from recipediff.parse.vllm.grammar.values import FlagValue, convert


@dataclass(frozen=True, slots=True)
class OptionReading:
    """One use of an option, understood or refused."""

    use: OptionUse
    value: FlagValue | None
    stated: Json
    """What it means; where it is refused, what was written, as far as it can be read."""
    faults: tuple[ParseFault, ...] = ()

    @property
    def flag(self) -> Flag | None:
        return self.use.flag


def read(use: OptionUse, surface: Surface) -> OptionReading:
    """Convert the words of one use."""
    flag = use.flag
    if flag is None or use.fault is not None:
        return OptionReading(use, None, _stated(use), (use.fault,) if use.fault is not None else ())
    try:
        value = convert(flag, use.name, use.values, surface)
    except Unfit as unfit:
        return _refused(use, flag, unfit, surface)
    return OptionReading(use, value, value.meaning)


def _refused(use: OptionUse, flag: Flag, unfit: Unfit, surface: Surface) -> OptionReading:
    stated = _stated(use)
    if not flag.json_class or not isinstance(stated, dict):
        return OptionReading(use, None, stated, (_fault(use, flag, unfit),))
    try:
        stated, faults = check_keys(stated, flag.json_class, surface)
    except RecursionError:
        faults = []
    if not faults:
        return OptionReading(use, None, stated, (_fault(use, flag, unfit),))
    return OptionReading(use, None, stated, tuple(_key_fault(use, flag, fault) for fault in faults))


def _key_fault(use: OptionUse, flag: Flag, fault: KeyFault) -> ParseFault:
    made = _fault(use, flag, fault.unfit)
    return ParseFault(
        message=made.message, setting=made.setting, at=made.at, hint=made.hint, entry=(fault.key, fault.value)
    )


def _fault(use: OptionUse, flag: Flag, unfit: Unfit) -> ParseFault:
    """The refusal of a value, at the word that carries it: of dotted keys the one that is to blame."""
    setting = ".".join((flag.setting, *unfit.path))
    place = use.values[-1].at[-1] if use.values else use.option.at[0]
    name = f"{use.name}.{'.'.join(unfit.path)}" if unfit.path else use.name
    for dotted in use.option.dotted:
        if unfit.path[: len(dotted.keys)] == dotted.keys or dotted.keys[: len(unfit.path)] == unfit.path:
            place = dotted.at[0]
            setting = ".".join((flag.setting, *dotted.keys))
    return ParseFault(message=f"{name}: {unfit.message}", setting=setting, at=place)


def _stated(use: OptionUse) -> Json:
    """What was written after an option that was not understood: JSON where it is some, one text or several."""
    if use.option.dotted:
        return (use.values[0] if use.values else use.option).value
    texts: list[Json] = [token.text for token in use.values]
    if not texts:
        return True if use.flag is None or use.flag.takes in ("none", "optional") else ""
    if len(texts) > 1:
        return texts
    text = use.values[0].text
    if use.flag is not None and use.flag.type in ("json", "json_or_str"):
        try:
            return load_json(text)
        except (ValueError, RecursionError):
            return text
    return text

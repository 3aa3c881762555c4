"""Each use of an option with the value that it comes to, or the reason why it comes to none."""

from __future__ import annotations

from dataclasses import dataclass

from bot.core.setting import Json
from bot.parse.grammar.matching import Use
from bot.parse.grammar.shapes import Unfit
from bot.parse.grammar.surface import Flag, Surface
from bot.parse.grammar.token import Fault
from bot.parse.grammar.values import Value, convert


@dataclass(frozen=True, slots=True)
class Reading:
    """One use of an option, understood or refused."""

    use: Use
    value: Value | None
    fault: Fault | None = None

    @property
    def flag(self) -> Flag | None:
        return self.use.flag


def read(use: Use, surface: Surface) -> Reading:
    """Convert the words of one use."""
    flag = use.flag
    if flag is None or use.fault is not None:
        return Reading(use, None, use.fault)
    try:
        return Reading(use, convert(flag, use.name, use.values, surface))
    except Unfit as unfit:
        return Reading(use, None, _fault(use, flag, unfit))


def _fault(use: Use, flag: Flag, unfit: Unfit) -> Fault:
    """The refusal of a value, at the word that carries it: of dotted keys the one that is to blame."""
    path = ".".join((flag.setting, *unfit.path))
    place = use.values[-1].at[-1] if use.values else use.option.at[0]
    for dotted in use.option.dotted:
        if unfit.path[: len(dotted.keys)] == dotted.keys or dotted.keys[: len(unfit.path)] == unfit.path:
            place = dotted.at[0]
    where = f"{use.name}.{'.'.join(unfit.path)}" if unfit.path else use.name
    return Fault(f"{where}: {unfit.message}", path, place)


def stated_text(use: Use) -> Json:
    """What was written after an option that was not understood: true, one text or several."""
    texts: list[Json] = [token.text for token in use.values]
    if not texts:
        return True
    return texts[0] if len(texts) == 1 else texts

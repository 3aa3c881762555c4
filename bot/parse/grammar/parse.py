"""One command line, as vLLM's parser reads it."""

from __future__ import annotations

from collections.abc import Sequence

from bot.core.launch import Word
from bot.core.setting import Json
from bot.parse.grammar.command_line import CommandLine
from bot.parse.grammar.matching import match
from bot.parse.grammar.shapes import Unfit
from bot.parse.grammar.surface import Surface
from bot.parse.grammar.values import convert
from bot.parse.grammar.words import Files, prepare


def parse(words: Sequence[Word], surface: Surface, files: Files | None = None) -> CommandLine:
    prepared = prepare([w.text for w in words], surface, files)
    m = match(prepared.tokens, surface)
    errs = [f.message for f in prepared.faults]
    values: dict[str, Json] = {}
    explicit = set()
    for u in m.uses:
        if u.fault:
            errs.append(u.fault.message)
            continue
        try:
            v = convert(u.flag, u.name, u.values, surface)
        except Unfit as e:
            errs.append(f"{u.name}: {'.'.join(e.path)} {e.message}")
            continue
        f = u.flag
        explicit.add(f.name)
        if f.repeat == "append":
            values[f.name] = values.get(f.name, []) + [v.encoded]
        elif v.bare:
            values.pop(f.name, None)
        else:
            values[f.name] = v.encoded
    if m.model:
        explicit.add("model_tag")
        values["model_tag"] = m.model.text
    errs += [f"unrecognized {t.text}" for t in m.extras]
    return CommandLine(surface.version, not errs, errs[0] if errs else "", values, frozenset(explicit))

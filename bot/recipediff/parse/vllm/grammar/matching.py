"""Which option takes which words: argparse's rules, over the tables of one version.

Follows what Python 3.11's argparse does with vLLM's parser (prefixes stand for options, also with one dash; one-letter
names take a glued value; the model is the first word that no option takes), but goes on after a refusal.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from recipediff.parse.vllm.grammar.surface import Flag, Surface, load
from recipediff.parse.vllm.grammar.token import ArgumentToken, ParseFault

_NEGATIVE_NUMBER = re.compile(r"-\d+|-\d*\.\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionUse:
    """One option with the arguments that it takes."""

    option: ArgumentToken
    name: str
    """The option string that was meant (`--max-model-len` for `--max-model`); as written where it is unknown."""
    flag: Flag | None
    values: tuple[ArgumentToken, ...] = ()
    fault: ParseFault | None = None


@dataclass(slots=True)
class Matched:
    """What every argument is for."""

    uses: list[OptionUse] = field(default_factory=list)
    model: ArgumentToken | None = None
    model_after: OptionUse | None = None
    """The option right before the model, if any."""
    extras: list[ArgumentToken] = field(default_factory=list)
    """Words that nothing takes."""


@dataclass(frozen=True, slots=True)
class Option:
    flag: Flag | None
    name: str
    explicit: str | None = None
    fault: str = ""


_Class = Option | Literal["word", "end"]


def match(tokens: list[ArgumentToken], surface: Surface) -> Matched:
    """Give every argument to an option, to the model or to the extras."""
    classes = _classify(tokens, surface)
    out = Matched()
    i = 0
    model_taken = False
    while i < len(tokens):
        kind = classes[i]
        if isinstance(kind, Option):
            i = _take(tokens, classes, i, kind, out, surface)
            continue
        if model_taken:
            out.extras.append(tokens[i])
            i += 1
            continue
        # the model is `-- X`, `X --` or X, whichever comes first; the `--` itself goes with it
        model_taken = True
        i += kind == "end"
        if i < len(tokens) and classes[i] == "word":
            out.model = tokens[i]
            out.model_after = out.uses[-1] if out.uses else None
            i += 1
        i += i < len(tokens) and classes[i] == "end"
    return out


def _classify(tokens: list[ArgumentToken], surface: Surface) -> list[_Class]:
    classes: list[_Class] = []
    for i, token in enumerate(tokens):
        if token.text == "--":
            classes.append("end")
            classes += ["word"] * (len(tokens) - i - 1)
            break
        classes.append(find_option(token.text, surface) or "word")
    return classes


def find_option(text: str, surface: Surface) -> Option | None:
    """The option that `text` stands for; None for a plain word."""
    if not text.startswith("-") or text == "-":
        return None
    if (flag := surface.options.get(text)) is not None:
        return Option(flag, text)
    name, equals, explicit = text.partition("=")
    if equals and (flag := surface.options.get(name)) is not None:
        return Option(flag, name, explicit)
    found = list(_prefixed(text, surface))
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(option.name for option in found[:8]) + (", …" if len(found) > 8 else "")
        return Option(None, name, explicit if equals else None, f"{name} is ambiguous: it could be {names}")
    if _NEGATIVE_NUMBER.fullmatch(text) or " " in text:
        return None
    return Option(None, name, explicit if equals else None)


def _prefixed(text: str, surface: Surface) -> list[Option]:
    name, equals, explicit = text.partition("=")
    if text.startswith("--"):
        names = _starting_with(name, surface.version) if len(name) < 80 else ()
        return [Option(surface.options[option], option, explicit if equals else None) for option in names]
    found = [
        Option(surface.options[option], option)
        for option in (_starting_with(text, surface.version) if len(text) < 80 else ())
    ]
    if text[:2] in surface.options and len(text) > 2:
        found.append(Option(surface.options[text[:2]], text[:2], text[2:]))
    return found


@lru_cache(maxsize=4096)
def _starting_with(prefix: str, version: str) -> tuple[str, ...]:
    return tuple(option for option in load(version).options if option.startswith(prefix))


def _take(
    tokens: list[ArgumentToken], classes: list[_Class], i: int, option: Option, out: Matched, surface: Surface
) -> int:
    """Append the use of the option at `i` and return where to go on."""
    token, name, flag, explicit = tokens[i], option.name, option.flag, option.explicit
    follow = i + 1
    while follow < len(tokens) and classes[follow] == "word":
        follow += 1
    words = tuple(tokens[i + 1 : follow])
    if flag is None:
        if token.dotted:
            # its own JSON, and nothing of what stands behind
            follow = min(follow, i + 2)
            words = words[:1]
        values = words if explicit is None else (ArgumentToken(text=explicit, at=token.at),)
        fault = ParseFault(
            message=option.fault or f"{name} is no option of vllm serve", setting=plain_name(name), at=token.at[0]
        )
        out.uses.append(OptionUse(option=token, name=name, flag=None, values=values, fault=fault))
        return follow if explicit is None else i + 1
    while explicit and flag.takes == "none" and not name.startswith("--"):
        # `-ab` where `-a` takes nothing is `-a -b`
        after = surface.options.get("-" + explicit[0])
        if after is None:
            break
        out.uses.append(OptionUse(option=token, name=name, flag=flag))
        name, flag, explicit = "-" + explicit[0], after, explicit[1:] or None
    if explicit is not None:
        out.uses.append(_explicit(token, name, flag, explicit))
        return i + 1
    count, problem = _count(flag, len(words))
    trouble = ParseFault(message=f"{name} {problem}", setting=flag.setting, at=token.at[0]) if problem else None
    out.uses.append(OptionUse(option=token, name=name, flag=flag, values=words[:count], fault=trouble))
    return i + 1 + count


def _count(flag: Flag, available: int) -> tuple[int, str]:
    if flag.takes == "none":
        return 0, ""
    if flag.takes == "optional":
        return min(available, 1), ""
    if not available:
        return 0, "expects at least one value" if flag.takes == "many" else "expects one value"
    return (available if flag.takes == "many" else 1), ""


def _explicit(token: ArgumentToken, name: str, flag: Flag, explicit: str) -> OptionUse:
    """`--x=value` and `-qfp8`."""
    value = (ArgumentToken(text=explicit, at=token.at),)
    if flag.takes == "none":
        fault = ParseFault(
            message=f"{name} takes no value, but {explicit!r} is given",
            setting=flag.setting,
            at=token.at[0],
            hint=_switch_hint(flag, name),
        )
        return OptionUse(option=token, name=name, flag=flag, values=value, fault=fault)
    if explicit != "--":
        return OptionUse(option=token, name=name, flag=flag, values=value)
    # argparse drops a value that is just `--`, and what is left is an empty list
    return OptionUse(option=token, name=name, flag=flag)


def _switch_hint(flag: Flag, name: str) -> str:
    off = sorted(flag.sets_false - {name} - flag.hidden_options) or sorted(flag.sets_false - {name})
    return f"{name} alone turns it on, {off[0]} turns it off" if off else f"write {name} alone"


def plain_name(option: str) -> str:
    """The setting's name of an option as written."""
    return option.lstrip("-").replace("-", "_")

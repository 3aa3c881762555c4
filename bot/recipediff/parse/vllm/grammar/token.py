"""The arguments of a line on their way through the parser."""

from __future__ import annotations

from dataclasses import dataclass, field

from recipediff.core.setting import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Dotted:
    """One dotted key as written: `-cc.pass_config.fuse_norm_quant true`."""

    head: str
    """The option before the first dot, after `_` became `-`."""
    keys: tuple[str, ...]
    text: str
    """The value as written."""
    value: Json
    written: str
    """The option with its keys, as written."""
    at: tuple[int, ...]
    """The numbers of its words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentToken:
    """One argument as argparse sees it, and the numbers of the words that it came from."""

    text: str
    at: tuple[int, ...]
    dotted: tuple[Dotted, ...] = ()
    """On the option and the value that stand for a group of dotted keys."""
    value: Json = None
    """The merged value of that group."""
    model_option: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseFault:
    """A refusal in the making: what is wrong, and at which word."""

    message: str
    setting: str
    at: int
    hint: str = ""
    entry: tuple[str, Json] | None = None
    """The key of a config, and its value, that is to blame."""


@dataclass(slots=True)
class Prepared:
    """The arguments for argparse, and what went wrong or got lost on the way."""

    tokens: list[ArgumentToken] = field(default_factory=list)
    faults: list[ParseFault] = field(default_factory=list)
    overridden: list[Dotted] = field(default_factory=list)
    """Dotted keys that a later one of the same name replaced."""
    config: tuple[int, ...] = ()
    """`--config FILE`, taken out: its contents would come before the rest of the line."""

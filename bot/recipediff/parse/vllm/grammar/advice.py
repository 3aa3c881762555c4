"""What a person can do about a refusal: which versions take it, and what to write instead."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from functools import lru_cache

from recipediff.core.setting import Json
from recipediff.parse.vllm.grammar.configs import class_check
from recipediff.parse.vllm.grammar.matching import OptionUse, find_option, plain_name
from recipediff.parse.vllm.grammar.routes import Objection, examine
from recipediff.parse.vllm.grammar.shapes import Unfit
from recipediff.parse.vllm.grammar.surface import Surface, load, versions
from recipediff.parse.vllm.grammar.token import ArgumentToken
from recipediff.parse.vllm.grammar.values import convert

GONE = {
    "task": "gone: --runner pooling for embedding, reranking and reward models, with --convert embed or classify",
    "enable_reasoning": "gone: --reasoning-parser alone turns reasoning on",
    "disable_log_requests": "requests are logged with --enable-log-requests only; leave it out",
    "guided_decoding_backend": "gone: use --structured-outputs-config.backend",
    "rope_scaling": "gone: use --hf-overrides",
    "rope_theta": "gone: use --hf-overrides",
    "cuda_graph_sizes": "gone: use --cudagraph-capture-sizes",
    "override_pooler_config": "gone: use --pooler-config",
    "log_config_file": "use --logging-config.pylogging_config_file",
    "swap_space": "gone; leave it out",
    "num_scheduler_steps": "gone; leave it out",
    "use_v2_block_manager": "gone; leave it out",
}
"""Flags that were taken away, and what took their place, as the measured rules say."""
SHORT = 500
LONGEST = 20_000
"""Characters; longer values are not tried in other versions."""


def accepted_by(use: OptionUse, surface: Surface, entry: tuple[str, Json] | None = None) -> tuple[str, ...]:
    """The measured versions that take this option with these words, oldest first; of a config, that take this entry."""
    texts = tuple(token.text for token in use.values)
    if sum(map(len, texts)) + len(use.option.text) > LONGEST:
        return ()
    if entry is not None and use.flag is not None:
        return tuple(v for v in versions() if v != surface.version and _takes_entry(use.flag.name, entry, load(v)))
    if use.option.dotted or sum(map(len, texts)) > SHORT:
        return _tried(use, surface.version)
    return _known(use.option.text, texts, surface.version)


def _takes_entry(field: str, entry: tuple[str, Json], surface: Surface) -> bool:
    key, value = entry
    flag = surface.flags.get(field)
    if flag is None or key not in surface.classes.get(flag.json_class, ()):
        return False
    try:
        class_check(surface.version, flag.json_class, whole=False)({key: value})
    except (Unfit, RecursionError):
        return False
    return True


def engine_accepts(objection: Objection, meanings: Mapping[str, Json], surface: Surface) -> tuple[str, ...]:
    """The measured versions whose engine has no such objection."""
    if objection.path:
        value = meanings[objection.field]
        entry = value.get(objection.path[0]) if isinstance(value, dict) else value
        stated: dict[str, Json] = {objection.field: {objection.path[0]: entry}}
    else:
        stated = {objection.field: meanings[objection.field]}
    if len(repr(stated)) > LONGEST or objection.several:
        return ()
    others = [load(version) for version in versions() if version != surface.version]
    return tuple(o.version for o in others if _knows(objection, o) and not examine(stated, o).objections)


def _knows(objection: Objection, surface: Surface) -> bool:
    flag = surface.flags.get(objection.field)
    return flag is not None and (not objection.path or objection.path[0] in surface.classes.get(flag.engine_class, ()))


@lru_cache(maxsize=2048)
def _known(option: str, texts: tuple[str, ...], besides: str) -> tuple[str, ...]:
    """The same lines come again and again: across recipes, versions and revisions."""
    use = OptionUse(
        option=ArgumentToken(text=option, at=()),
        name=option,
        flag=None,
        values=tuple(ArgumentToken(text=text, at=()) for text in texts),
    )
    return _tried(use, besides)


def _tried(use: OptionUse, besides: str) -> tuple[str, ...]:
    return tuple(version for version in versions() if version != besides and _takes(use, load(version)))


def _takes(use: OptionUse, surface: Surface) -> bool:
    found = find_option(use.option.text, surface)
    if found is None or found.flag is None:
        return False
    values = use.values
    if found.explicit is not None:
        values = (ArgumentToken(text=found.explicit, at=()),)
    wants = {"none": not values, "one": len(values) == 1, "optional": len(values) < 2}
    if not wants.get(found.flag.takes, bool(values)):
        return False
    try:
        convert(found.flag, found.name, values, surface)
    except Unfit:
        return False
    return True


def hint(use: OptionUse, surface: Surface, key: str = "") -> str:
    """What to write instead, where that is known."""
    if use.flag is None:
        return GONE.get(plain_name(use.name)) or _similar_option(use.name, surface)
    owner = use.flag.json_class or use.flag.engine_class
    if key and owner in surface.classes and key not in surface.classes[owner]:
        close = difflib.get_close_matches(key.replace("-", "_").lower(), surface.classes[owner], n=1, cutoff=0.75)
        return f"did you mean {close[0]}?" if close else ""
    if use.flag.choices is not None and len(use.values) == 1 and len(use.values[0].text) < 60:
        names = [choice for choice in use.flag.choices if isinstance(choice, str)]
        close = difflib.get_close_matches(use.values[0].text.lower(), names, n=1, cutoff=0.75)
        return f"did you mean {close[0]}?" if close else ""
    return ""


def _similar_option(name: str, surface: Surface) -> str:
    if name.startswith("--") and name[1:] in surface.options:
        return f"{name[1:]} has one dash"
    return _closest(name.lower(), surface.version) if len(name) <= 60 and name.startswith("--") else ""


@lru_cache(maxsize=2048)
def _closest(name: str, version: str) -> str:
    close = difflib.get_close_matches(name, load(version).options, n=1, cutoff=0.8)
    return f"did you mean {close[0]}?" if close else ""

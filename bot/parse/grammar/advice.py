"""What a person can do about a refusal: which versions take it, and what to write instead."""

from __future__ import annotations

import difflib

from bot.parse.grammar.matching import Use, find_option, plain_name
from bot.parse.grammar.shapes import Unfit
from bot.parse.grammar.surface import Surface, load, versions
from bot.parse.grammar.values import convert

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
LONGEST = 20_000
"""Characters; longer values are not tried in other versions."""


def accepted_by(use: Use, surface: Surface) -> tuple[str, ...]:
    """The measured versions that take this option with these words, oldest first."""
    if sum(len(token.text) for token in use.values) > LONGEST:
        return ()
    return tuple(version for version in versions() if version != surface.version and _takes(use, load(version)))


def _takes(use: Use, surface: Surface) -> bool:
    found = find_option(use.option.text, surface)
    if found is None or found.flag is None:
        return False
    wants = {"none": use.values == (), "one": len(use.values) == 1, "optional": len(use.values) < 2}
    if not wants.get(found.flag.takes, bool(use.values)):
        return False
    try:
        convert(found.flag, found.name, use.values, surface)
    except Unfit:
        return False
    return True


def hint(use: Use, surface: Surface, key: str = "") -> str:
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
    if len(name) > 60 or not name.startswith("--"):
        return ""
    close = difflib.get_close_matches(name.lower(), surface.options, n=1, cutoff=0.8)
    return f"did you mean {close[0]}?" if close else ""

"""A measured vLLM version as an engine's surface."""

from __future__ import annotations

from recipediff.core.sweep.surface import EngineSurface, setting_name
from recipediff.parse.vllm.grammar import surface as tables


def surface_of_vllm(version: str) -> EngineSurface:
    """The surface of a stated vLLM version; where that was not measured, of the nearest one below, which `obtained` says.

    Raises `ValueError` for words that are no version.
    """
    table = tables.nearest(version)
    known = tables.load(table)
    names: set[str] = set()
    for option in known.options:
        names.add(setting_name(option))
    names.update(f"{flag.setting}.*" for flag in known.flags.values() if flag.json_class or flag.engine_class)
    values: dict[str, tuple[str, ...]] = {}
    unchecked: set[str] = set()
    for flag in known.flags.values():
        listed = [choice for choice in flag.choices or () if isinstance(choice, str)] or list(flag.known_values or ())
        if listed:
            values[flag.setting] = tuple(listed)
            if not flag.choices:
                unchecked.add(flag.setting)
    for setting, names_known in (
        ("reasoning_parser", known.reasoning_parsers),
        ("tool_call_parser", known.tool_call_parsers),
    ):
        if names_known is not None:
            values[setting] = names_known
            unchecked.add(setting)
    obtained = f"the command-line table of vLLM {table}, measured from its own parser"
    if table != version.strip().removeprefix("v"):
        obtained += f" (vLLM {version} was not measured; this is the nearest below)"
    return EngineSurface(
        engine="vLLM",
        release=table,
        obtained=obtained,
        accepted=frozenset(names),
        values=values,
        open_values=frozenset(unchecked),
        architectures=frozenset(known.architectures) if known.architectures is not None else None,
        env=frozenset(known.env),
        grammar=table,
    )

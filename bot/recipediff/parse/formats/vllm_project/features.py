"""Features of a recipe: words that are added when one is switched on, with modes and limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from recipediff.core.launch import Word
from recipediff.core.place import Place
from recipediff.parse.documents.document import MappingNode, Node
from recipediff.parse.formats.vllm_project.fields import Args, FieldReader, keys, shown
from recipediff.parse.formats.vllm_project.overrides import read_states

_SHOWN = "description label note"
_MODE = keys(f"{_SHOWN} args hardware hardware_overrides variants strategies")
_FEATURE = _MODE | {"modes", "default_mode"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A feature without modes, or one mode of a feature."""

    args: Args
    overrides: Mapping[str, Args]
    states: Mapping[str, Word]
    variants: frozenset[str] | None
    strategies: frozenset[str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """One feature. `base` holds its own words, `modes` those of its modes."""

    name: str
    place: Place
    base: Choice
    modes: Mapping[str, Choice] = field(default_factory=dict)
    default_mode: str = ""


def read_feature(node: Node, name: str, fields: FieldReader) -> Feature | None:
    """One entry of `features`."""
    what = f"features.{name}"
    mapping = fields.mapping(node, what)
    if mapping is None:
        return None
    fields.unknown(mapping, _FEATURE, what)
    modes = fields.keyed(mapping.get("modes"), f"{what}.modes", lambda value, name: _mode(value, name, fields))
    default = fields.text(mapping.get("default_mode"), f"{what}.default_mode")
    known = {mode: choice for mode, choice in modes.items() if choice is not None}
    if default is not None and default.text not in known:
        fields.complain(f"{what}.default_mode {shown(default.text)} is none of its modes", default.place)
    return Feature(
        name=name,
        place=mapping.place,
        base=_choice(mapping, what, fields),
        modes=known,
        default_mode=default.text if default else "",
    )


def _mode(node: Node, what: str, fields: FieldReader) -> Choice | None:
    mapping = fields.mapping(node, what)
    if mapping is None:
        return None
    fields.unknown(mapping, _MODE, what)
    return _choice(mapping, what, fields)


def _choice(mapping: MappingNode, what: str, fields: FieldReader) -> Choice:
    def names(key: str) -> frozenset[str] | None:
        if key not in mapping:
            return None
        return frozenset(word.text for word in fields.words(mapping.get(key), f"{what}.{key}"))

    def override(node: Node, name: str) -> Args:
        block = fields.mapping(node, name)
        if block is None:
            return ()
        fields.unknown(block, frozenset({"args", "description", "note"}), name)
        return fields.args(block.get("args"), f"{name}.args")

    return Choice(
        args=fields.args(mapping.get("args"), f"{what}.args"),
        overrides=fields.keyed(mapping.get("hardware_overrides"), f"{what}.hardware_overrides", override),
        states=read_states(mapping.get("hardware"), f"{what}.hardware", fields),
        variants=names("variants"),
        strategies=names("strategies"),
    )

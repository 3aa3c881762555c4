"""The blocks that amend a launch: by hardware, by strategy, by role of a prefill/decode pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from recipediff.core.launch import Word
from recipediff.parse.documents.document import MappingNode, Node, ScalarNode
from recipediff.parse.formats.vllm_project.fields import NOTHING, Count, FieldReader, Patch, keys, shown

_PATCH = keys("extra_args extra_env docker_image install_note note description")
_STRATEGY = keys(
    "extra_args extra_env vllm_args env tp hardware_overrides prefill decode pool_modes router description note"
)
_ROLE = keys("vllm_args env extra_args extra_env parallelism tp nodes hardware_overrides description note")
_STATES = ("verified", "supported", "unsupported")
_POOLS = ("tp", "tep", "dep")


@dataclass(frozen=True, slots=True)
class RoleOverride:
    """What a recipe says of one pool of a prefill/decode pair."""

    patch: Patch = NOTHING
    parallelism: Word | None = None
    tp: Count | None = None
    overrides: Mapping[str, Patch] = field(default_factory=dict)


NO_ROLE = RoleOverride()


@dataclass(frozen=True, slots=True)
class StrategyOverride:
    """What a recipe changes about one strategy."""

    patch: Patch = NOTHING
    tp: Mapping[str, Count] = field(default_factory=dict)
    overrides: Mapping[str, Patch] = field(default_factory=dict)
    roles: Mapping[str, RoleOverride] = field(default_factory=dict)


NO_OVERRIDE = StrategyOverride()


def read_patch(node: Node, what: str, fields: FieldReader) -> Patch:
    """`extra_args`, `extra_env` and `docker_image` of one hardware block."""
    mapping = fields.mapping(node, what)
    if mapping is None:
        return NOTHING
    fields.unknown(mapping, _PATCH, what)
    return Patch(
        fields.args(mapping.get("extra_args"), f"{what}.extra_args"),
        fields.env(mapping.get("extra_env"), f"{what}.extra_env"),
        fields.text(mapping.get("docker_image"), f"{what}.docker_image"),
    )


def read_patches(node: Node | None, what: str, fields: FieldReader) -> Mapping[str, Patch]:
    """Hardware blocks by hardware key."""
    return fields.keyed(node, what, lambda value, name: read_patch(value, name, fields))


def read_sizes(node: Node | None, what: str, fields: FieldReader) -> Mapping[str, Count]:
    """Whole numbers by key; a plain number stands under the empty key."""
    if isinstance(node, ScalarNode):
        size = fields.count(node, what)
        return {"": size} if size else {}
    sizes = fields.keyed(node, what, fields.count)
    return {key: size for key, size in sizes.items() if size is not None}


def read_states(node: Node | None, what: str, fields: FieldReader) -> Mapping[str, Word]:
    """`verified`, `supported` or `unsupported` by hardware key."""
    found = {}
    for key, word in fields.keyed(node, what, fields.text).items():
        if word is None:
            continue
        if word.text not in _STATES:
            fields.complain(
                f"{what}.{key}: {shown(word.text)} is not understood", word.place, f"known: {', '.join(_STATES)}"
            )
        found[key] = word
    return found


def read_images(node: Node | None, what: str, fields: FieldReader) -> Mapping[str, Word]:
    """Images by brand. A plain text is the NVIDIA image; of images by CUDA version the first one counts."""
    if isinstance(node, ScalarNode):
        word = fields.text(node, what)
        return {"nvidia": word} if word else {}
    mapping = fields.mapping(node, what)
    found = {}
    for brand, value in mapping.entries.items() if mapping else ():
        if isinstance(value, MappingNode) and value.entries:
            value = next(iter(value.entries.values()))
        word = fields.text(value, f"{what}.{brand}")
        if word is not None:
            found[brand] = word
    return found


def _amendment(mapping: MappingNode, what: str, fields: FieldReader) -> Patch:
    """`vllm_args` and `env`, then `extra_args` and `extra_env`: both spellings add."""
    return Patch(
        fields.args(mapping.get("vllm_args"), f"{what}.vllm_args")
        + fields.args(mapping.get("extra_args"), f"{what}.extra_args"),
        fields.env(mapping.get("env"), f"{what}.env") + fields.env(mapping.get("extra_env"), f"{what}.extra_env"),
    )


def read_strategy_override(node: Node, what: str, fields: FieldReader) -> StrategyOverride:
    """One entry of `strategy_overrides`."""
    mapping = fields.mapping(node, what)
    if mapping is None:
        return NO_OVERRIDE
    fields.unknown(mapping, _STRATEGY, what)
    roles = {}
    for role in ("prefill", "decode"):
        value = mapping.get(role)
        if value is not None:
            roles[role] = _role(value, f"{what}.{role}", fields)
    return StrategyOverride(
        patch=_amendment(mapping, what, fields),
        tp=read_sizes(mapping.get("tp"), f"{what}.tp", fields),
        overrides=read_patches(mapping.get("hardware_overrides"), f"{what}.hardware_overrides", fields),
        roles=roles,
    )


def _role(node: Node, what: str, fields: FieldReader) -> RoleOverride:
    mapping = fields.mapping(node, what)
    if mapping is None:
        return NO_ROLE
    fields.unknown(mapping, _ROLE, what)
    parallelism = fields.text(mapping.get("parallelism"), f"{what}.parallelism")
    if parallelism is not None and parallelism.text not in _POOLS:
        fields.complain(
            f"{what}.parallelism {shown(parallelism.text)} is not understood",
            parallelism.place,
            f"known: {', '.join(_POOLS)}",
        )
        parallelism = None
    return RoleOverride(
        patch=_amendment(mapping, what, fields),
        parallelism=parallelism,
        tp=fields.count(mapping.get("tp"), f"{what}.tp"),
        overrides=read_patches(mapping.get("hardware_overrides"), f"{what}.hardware_overrides", fields),
    )

"""`strategies/*.yaml` and `kv_store/*.yaml`: how a launch is laid out over GPUs and nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from recipediff.core.launch import Word
from recipediff.core.place import Place
from recipediff.parse.documents.document import Document, MappingNode
from recipediff.parse.formats.vllm_project.fields import NOTHING, Count, FieldReader, Patch, keys, shown

DEPLOY_TYPES = ("single_node", "multi_node", "pd_cluster", "kv_store_lb")
LAYOUTS = ("", "tp_pp", "tp_dp")
TENSOR, DATA = "--tensor-parallel-size", "--data-parallel-size"

_SHOWN = "name display_name description orientation label order docs_url"
_STRATEGY = keys(f"{_SHOWN} deploy_type hardware_match vllm_args env parallel_flag parallelism prefill decode router")
# Processes beside `vllm serve` (router, master, store) and their files are not part of its launch.
_STORE = keys(
    f"{_SHOWN} deploy_type router vllm pd mooncake_master mooncake_store_config mooncake_vllm_config "
    "min_vllm_version default_instances"
)
_ROLE = frozenset({"vllm_args", "env"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Strategy:
    """One serving strategy, or one KV store that is laid over a serving strategy."""

    name: str
    deploy_type: str
    patch: Patch
    flag: Word
    """The option that takes the parallel size, with the place where the file names it."""
    layout: str
    expert: bool
    """Whether it switches expert parallelism on."""
    place: Place
    roles: Mapping[str, Patch] = field(default_factory=dict)
    instances: Count | None = None
    min_version: Word | None = None


def read_strategy(document: Document, fields: FieldReader) -> Strategy | None:
    """The strategy of one file; None where it cannot be used, which is reported."""
    root = fields.mapping(document.root, "the strategy")
    if root is None:
        fields.complain("the file describes no strategy", Place(file=document.file))
        return None
    name = fields.text(root.get("name"), "name")
    kind = fields.text(root.get("deploy_type"), "deploy_type")
    if name is None or kind is None:
        fields.complain("a strategy needs a name and a deploy_type", root.place)
        return None
    if kind.text not in DEPLOY_TYPES:
        fields.complain(
            f"deploy_type {shown(kind.text)} is not understood", kind.place, f"known: {', '.join(DEPLOY_TYPES)}"
        )
        return None
    if kind.text == "kv_store_lb":
        return _store(root, name.text, kind, fields)
    fields.unknown(root, _STRATEGY, "the strategy")
    return _serving(root, name.text, kind, fields)


def _patch(node: MappingNode | None, what: str, fields: FieldReader) -> Patch:
    if node is None:
        return NOTHING
    prefix = f"{what}." if what else ""
    return Patch(fields.args(node.get("vllm_args"), f"{prefix}vllm_args"), fields.env(node.get("env"), f"{prefix}env"))


def _serving(root: MappingNode, name: str, kind: Word, fields: FieldReader) -> Strategy | None:
    patch = _patch(root, "", fields)
    layout = fields.text(root.get("parallelism"), "parallelism")
    if layout is not None and layout.text not in LAYOUTS:
        fields.complain(f"parallelism {shown(layout.text)} is not understood", layout.place, "known: tp_pp, tp_dp")
        return None
    flag = fields.text(root.get("parallel_flag"), "parallel_flag") or Word(TENSOR, kind.place)
    if flag.text not in (TENSOR, DATA):
        fields.complain(f"parallel_flag {shown(flag.text)} is not understood", flag.place, f"known: {TENSOR}, {DATA}")
        return None
    roles = {}
    for role in ("prefill", "decode") if kind.text == "pd_cluster" else ():
        node = fields.mapping(root.get(role), role)
        if node is not None:
            fields.unknown(node, _ROLE, role)
        roles[role] = _patch(node, role, fields)
    return Strategy(
        name=name,
        deploy_type=kind.text,
        patch=patch,
        flag=flag,
        layout=layout.text if layout else "",
        expert=any(key == "--enable-expert-parallel" for key, _ in patch.args),
        place=kind.place,
        roles=roles,
    )


def _store(root: MappingNode, name: str, kind: Word, fields: FieldReader) -> Strategy:
    fields.unknown(root, _STORE, "the KV store")
    vllm = fields.mapping(root.get("vllm"), "vllm")
    if vllm is None:
        fields.complain("a KV store needs a vllm block", root.place)
    else:
        fields.unknown(vllm, frozenset({"vllm_args", "env", "install", "port"}), "vllm")
    return Strategy(
        name=name,
        deploy_type=kind.text,
        patch=_patch(vllm, "vllm", fields),
        flag=Word(TENSOR, kind.place),
        layout="",
        expert=False,
        place=kind.place,
        instances=fields.count(root.get("default_instances"), "default_instances"),
        min_version=fields.text(root.get("min_vllm_version"), "min_vllm_version"),
    )

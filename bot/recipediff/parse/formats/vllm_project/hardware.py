"""`taxonomy.yaml`: the hardware profiles, and the three names under which a recipe may speak of one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from recipediff.core.place import Place, Problem
from recipediff.parse.documents.document import Document, MappingNode
from recipediff.parse.formats.vllm_project.fields import Count, FieldReader, keys

T = TypeVar("T")

_RACK = re.compile(r"gb[0-9]")

_KNOWN = keys("brand generation display_name description gpu_count vram_gb multi_node scalable restricted")


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One hardware profile: a node with `gpus` accelerators and `vram` GB of memory on them together."""

    id: str
    brand: str
    generation: str
    gpus: Count
    vram: float
    scalable: bool
    restricted: bool
    place: Place
    family: tuple[str, str] = ("", "")
    """The names for its kind, the narrower first: generation, brand."""
    rack: bool = False
    """Whether nodes share one NVLink domain (the Grace-Blackwell racks): upstream keeps multi-node NVLink variables
    there alone. Seen in the published commands of pd_cluster."""


def exact_or_family(table: Mapping[str, T], profile: Profile) -> T | None:
    """What `table` says for a profile: by its id, else its generation, else its brand."""
    if not table:
        return None
    for key in (profile.id, *profile.family):
        found = table.get(key)
        if found is not None:
            return found
    return None


def of_family(table: Mapping[str, T], profile: Profile) -> T | None:
    """What `table` says for a profile's generation, else its brand."""
    if not table:
        return None
    for key in profile.family:
        found = table.get(key)
        if found is not None:
            return found
    return None


def read_profiles(
    document: Document, fields: FieldReader
) -> tuple[Mapping[str, Profile], Mapping[str, tuple[Problem, ...]]]:
    """The profiles in the order of the file, and what is wrong in each that can be used all the same. What makes one
    unusable stays in `fields`, since it bears on the choice among them."""
    root = fields.mapping(document.root, "the taxonomy")
    table = fields.mapping(root.get("hardware_profiles") if root else None, "hardware_profiles")
    if table is None:
        fields.complain("no hardware_profiles are given", Place(file=document.file), "the taxonomy must list them")
        return {}, {}
    found: dict[str, Profile] = {}
    wrong: dict[str, tuple[Problem, ...]] = {}
    for name, node in table.entries.items():
        own = FieldReader(document.file)
        mapping = own.mapping(node, f"hardware_profiles.{name}")
        profile = _profile(name, mapping, own) if mapping else None
        if profile is None:
            fields.problems += own.problems
            continue
        found[name] = profile
        if own.problems:
            wrong[name] = tuple(own.problems)
    return found, wrong


def _profile(name: str, mapping: MappingNode, fields: FieldReader) -> Profile | None:
    what = f"hardware_profiles.{name}"
    fields.unknown(mapping, _KNOWN, what)
    brand = fields.text(mapping.get("brand"), f"{what}.brand")
    generation = fields.text(mapping.get("generation"), f"{what}.generation")
    gpus = fields.count(mapping.get("gpu_count"), f"{what}.gpu_count")
    vram = fields.amount(mapping.get("vram_gb"), f"{what}.vram_gb")
    if brand is None or gpus is None or vram is None:
        fields.complain(f"{what} needs brand, gpu_count and vram_gb", mapping.place)
        return None
    return Profile(
        id=name,
        brand=brand.text,
        generation=generation.text if generation else "",
        gpus=gpus,
        vram=vram,
        scalable=fields.truth(mapping.get("scalable"), f"{what}.scalable", True),
        restricted=fields.truth(mapping.get("restricted"), f"{what}.restricted", False),
        place=brand.place,
        family=(generation.text if generation else "", brand.text.lower()),
        rack=_RACK.match(name) is not None,
    )

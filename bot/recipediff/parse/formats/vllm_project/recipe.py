"""`models/**/*.yaml`: one model's recipe as data. What it means for a launch is decided elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from recipediff.core.launch import Assignment, Note, Word
from recipediff.core.place import Place, Problem
from recipediff.parse.documents.document import Document, MappingNode, Node
from recipediff.parse.formats.vllm_project.features import Feature, read_feature
from recipediff.parse.formats.vllm_project.fields import Args, Count, FieldReader, Patch, keys
from recipediff.parse.formats.vllm_project.overrides import (
    StrategyOverride,
    read_images,
    read_patches,
    read_sizes,
    read_states,
    read_strategy_override,
)

_TOP = keys(
    "meta model dependencies features opt_in_features hardware_opt_in_features variants compatible_strategies "
    "default_strategy strategy_hardware strategy_min_gpus strategy_overrides hardware_overrides hardware_notes "
    "kv_offload_support guide omni"
)
_META = keys(
    "title slug provider description date_added date_updated difficulty tasks performance_headline related_recipes "
    "platforms hardware default_hardware"
)
# flashinfer_autotune, supports_dcp, docker_source, install: switches of upstream's page, absent from every published command.
_MODEL = keys(
    "model_id min_vllm_version nightly_required docker_image docker_source install architecture parameter_count "
    "active_parameters context_length flashinfer_autotune supports_dcp base_args base_env"
)
_VARIANT = keys(
    "model_id label precision precision_hardware vram_minimum_gb description supported_hardware tp extra_args "
    "extra_env docker_image hardware_overrides default_modes min_vllm_version nightly_required"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One checkpoint of the model. `needs` restricts the hardware by profile field (`brand`, `generation`)."""

    name: str
    model_id: Word | None
    precision: str
    vram: float
    place: Place
    tp: Mapping[str, Count]
    supported: frozenset[str] | None
    needs: Mapping[str, str] | None
    args: Args
    env: tuple[Assignment, ...]
    images: Mapping[str, Word]
    overrides: Mapping[str, Patch]
    default_modes: Mapping[str, str]
    min_version: Word | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A recipe as read. `notes` name the keys that nobody reads."""

    model_id: Word
    base_args: Args
    base_env: tuple[Assignment, ...]
    images: Mapping[str, Word]
    nightly: bool
    min_version: Word | None
    features: Mapping[str, Feature]
    variants: Mapping[str, Variant]
    compatible: tuple[Word, ...]
    default_strategy: str
    granted: Mapping[str, Mapping[str, Word]]
    """strategy -> hardware key -> `supported` or `unsupported`."""
    min_gpus: Mapping[str, Count]
    """By strategy or by hardware key."""
    opt_in: frozenset[str]
    hardware_opt_in: Mapping[str, frozenset[str]]
    overrides: Mapping[str, Patch]
    strategy_overrides: Mapping[str, StrategyOverride]
    hardware: Mapping[str, Word]
    """`meta.hardware`: what upstream says about a profile (`verified`, `supported`, `unsupported`)."""
    default_hardware: Word | None
    tasks: frozenset[str]
    place: Place
    notes: tuple[Note, ...] = ()
    advisory: tuple[tuple[str, str, Place], ...] = ()

    @property
    def verified(self) -> tuple[str, ...]:
        """The hardware that the recipe lists as verified."""
        return tuple(key for key, state in self.hardware.items() if state.text == "verified")

    @property
    def model_ids(self) -> Mapping[str, str]:
        """Every variant, with the model id that it serves."""
        return {name: (v.model_id or self.model_id).text for name, v in self.variants.items()}


def read_recipe(document: Document) -> tuple[Recipe | None, tuple[Problem, ...]]:
    """The recipe of one file, and what was wrong with it; None where too little of it could be read."""
    fields = FieldReader(document.file)
    root = fields.mapping(document.root, "the recipe")
    if root is None:
        fields.complain("the file describes no recipe", Place(file=document.file), "is it a models/*.yaml file?")
        return None, tuple(fields.problems)
    fields.unknown(root, _TOP, "the recipe")
    model = fields.mapping(root.get("model"), "model")
    model_id = fields.text(model.get("model_id"), "model.model_id") if model else None
    variants = fields.keyed(root.get("variants"), "variants", lambda node, what: _variant(node, what, fields))
    usable = {name: variant for name, variant in variants.items() if variant is not None}
    if model is None or model_id is None:
        fields.complain("no model.model_id is given", root.place, "is it a models/*.yaml file of vllm-project/recipes?")
        return None, tuple(fields.problems)
    if not usable:
        fields.complain("no variant can be read", root.place, "a recipe needs `variants:` with `default:` below it")
        return None, tuple(fields.problems)
    recipe = _recipe(root, model, model_id, usable, fields)
    return recipe, tuple(fields.problems)


def _recipe(
    root: MappingNode, model: MappingNode, model_id: Word, variants: Mapping[str, Variant], fields: FieldReader
) -> Recipe:
    meta = fields.mapping(root.get("meta"), "meta") or MappingNode(entries={}, keys={}, place=root.place)
    fields.unknown(model, _MODEL, "model")
    fields.unknown(meta, _META, "meta")
    version = fields.text(model.get("min_vllm_version"), "model.min_vllm_version")
    default_strategy = fields.text(root.get("default_strategy"), "default_strategy")
    values = _Values(fields)
    features = fields.keyed(root.get("features"), "features", values.feature)
    read = Recipe(
        model_id=model_id,
        base_args=fields.args(model.get("base_args"), "model.base_args"),
        base_env=fields.env(model.get("base_env"), "model.base_env"),
        images=read_images(model.get("docker_image"), "model.docker_image", fields),
        nightly=fields.truth(model.get("nightly_required"), "model.nightly_required", False),
        min_version=version,
        features={name: feature for name, feature in features.items() if feature is not None},
        variants=variants,
        compatible=fields.words(root.get("compatible_strategies"), "compatible_strategies"),
        default_strategy=default_strategy.text if default_strategy else "",
        granted=fields.keyed(root.get("strategy_hardware"), "strategy_hardware", values.states),
        min_gpus=read_sizes(root.get("strategy_min_gpus"), "strategy_min_gpus", fields),
        opt_in=values.names(root.get("opt_in_features"), "opt_in_features"),
        hardware_opt_in=fields.keyed(root.get("hardware_opt_in_features"), "hardware_opt_in_features", values.names),
        overrides=read_patches(root.get("hardware_overrides"), "hardware_overrides", fields),
        strategy_overrides=fields.keyed(root.get("strategy_overrides"), "strategy_overrides", values.strategy),
        hardware=values.words(meta.get("hardware"), "meta.hardware"),
        default_hardware=fields.text(meta.get("default_hardware"), "meta.default_hardware"),
        tasks=values.names(meta.get("tasks"), "meta.tasks"),
        place=root.place,
        notes=(),
        advisory=(("min_vllm_version", version.text, version.place),) if version else (),
    )
    # Notes are complete only now that everything was read.
    return replace(read, notes=tuple(fields.notes))


class _Values:
    """Readers of one value each, in the form that `Fields.keyed` takes."""

    def __init__(self, fields: FieldReader) -> None:
        self._fields = fields

    def names(self, node: Node | None, what: str) -> frozenset[str]:
        return frozenset(word.text for word in self._fields.words(node, what))

    def words(self, node: Node | None, what: str) -> Mapping[str, Word]:
        found = self._fields.keyed(node, what, self._fields.text)
        return {name: word for name, word in found.items() if word is not None}

    def states(self, node: Node, what: str) -> Mapping[str, Word]:
        return read_states(node, what, self._fields)

    def feature(self, node: Node, what: str) -> Feature | None:
        return read_feature(node, what.split(".", 1)[1], self._fields)

    def strategy(self, node: Node, what: str) -> StrategyOverride:
        return read_strategy_override(node, what, self._fields)


def _variant(node: Node, what: str, fields: FieldReader) -> Variant | None:
    mapping = fields.mapping(node, what)
    if mapping is None:
        return None
    fields.unknown(mapping, _VARIANT, what)
    vram = fields.amount(mapping.get("vram_minimum_gb"), f"{what}.vram_minimum_gb")
    precision = fields.text(mapping.get("precision"), f"{what}.precision")
    needs = fields.keyed(mapping.get("precision_hardware"), f"{what}.precision_hardware", fields.text)
    for key in needs.keys() - {"brand", "generation", "id"}:
        fields.complain(f"{what}.precision_hardware.{key} is not understood", mapping.keys["precision_hardware"].place)
    modes = fields.keyed(mapping.get("default_modes"), f"{what}.default_modes", fields.text)
    supported = None
    if "supported_hardware" in mapping:
        supported = _Values(fields).names(mapping.get("supported_hardware"), f"{what}.supported_hardware")
    return Variant(
        name=what.split(".", 1)[1],
        model_id=fields.text(mapping.get("model_id"), f"{what}.model_id"),
        precision=precision.text if precision else "",
        vram=vram or 0.0,
        place=mapping.place,
        tp=read_sizes(mapping.get("tp"), f"{what}.tp", fields),
        supported=supported,
        needs={key: word.text for key, word in needs.items() if word} if "precision_hardware" in mapping else None,
        args=fields.args(mapping.get("extra_args"), f"{what}.extra_args"),
        env=fields.env(mapping.get("extra_env"), f"{what}.extra_env"),
        images=read_images(mapping.get("docker_image"), f"{what}.docker_image", fields),
        overrides=read_patches(mapping.get("hardware_overrides"), f"{what}.hardware_overrides", fields),
        default_modes={name: word.text for name, word in modes.items() if word},
        min_version=fields.text(mapping.get("min_vllm_version"), f"{what}.min_vllm_version"),
    )

"""One chosen launch as invocations: each process with its words, environment and image."""

from __future__ import annotations

from recipediff.core.launch import Assignment, Invocation, Note, Word
from recipediff.core.place import Place, Problem
from recipediff.parse.formats.vllm_project import pools, sizes
from recipediff.parse.formats.vllm_project.choose import ROLES
from recipediff.parse.formats.vllm_project.fields import Args, Patch
from recipediff.parse.formats.vllm_project.pools import Pool
from recipediff.parse.formats.vllm_project.render import (
    Chosen,
    hardware_patches,
    image,
    merge,
    merge_env,
    variant_patch,
)

HEAD, FIRST_INSTANCE = "$HEAD_IP", "$VLLM_INSTANCE_1"


def invocations(chosen: Chosen) -> tuple[Invocation, ...]:
    """Every process of the launch that runs `vllm serve`, the head first."""
    kind = chosen.strategy.deploy_type
    if kind == "pd_cluster":
        return tuple(_pool(chosen, pools.pool(chosen, role)) for role in ROLES)
    hardware = hardware_patches(chosen)
    env = _environment(chosen, hardware)
    if kind == "single_node":
        argv = _arguments(chosen, chosen.strategy.patch, sizes.single_node(chosen), (), hardware)
        return (_finished(chosen, "serve", argv, env, hardware),)
    head = HEAD
    if chosen.store is not None and chosen.store.instances is not None and chosen.store.instances.value > 1:
        head = FIRST_INSTANCE
    found = []
    for rank in range(chosen.nodes):
        argv = _arguments(chosen, chosen.strategy.patch, sizes.multi_node(chosen, rank, head), (), hardware)
        found.append(_finished(chosen, f"worker-{rank}" if rank else "head", argv, env, hardware))
    return tuple(found)


def _arguments(chosen: Chosen, strategy: Patch, parallel: Args, role: Args, hardware: list[Patch]) -> tuple[Word, ...]:
    return merge(
        chosen.model_id,
        chosen.recipe.base_args,
        chosen.variant.args,
        variant_patch(chosen).args,
        strategy.args,
        parallel,
        chosen.override.patch.args,
        role,
        *(patch.args for patch in hardware),
        chosen.features,
        chosen.store.patch.args if chosen.store else (),
    )


def _environment(chosen: Chosen, hardware: list[Patch]) -> tuple[Assignment, ...]:
    return merge_env(
        (
            chosen.recipe.base_env,
            chosen.variant.env,
            variant_patch(chosen).env,
            chosen.strategy.patch.env,
            chosen.store.patch.env if chosen.store else (),
            chosen.override.patch.env,
            *(patch.env for patch in hardware),
        )
    )


def _pool(chosen: Chosen, one: Pool) -> Invocation:
    own, amended = chosen.strategy.roles[one.role], one.override.patch
    hardware = hardware_patches(chosen, one.override)
    argv = _arguments(chosen, own, pools.sizes(chosen, one), amended.args, hardware)
    env = merge_env(
        (
            chosen.recipe.base_env,
            chosen.variant.env,
            variant_patch(chosen).env,
            own.env,
            pools.placement(chosen, one),
            chosen.override.patch.env,
            amended.env,
            *(patch.env for patch in hardware),
        )
    )
    notes: tuple[Note, ...] = ()
    if one.several:
        text = f"the {one.role} pool has {one.nodes} nodes; upstream publishes the command of the first"
        notes = (Note(text, one.place),)
    return _finished(chosen, one.role, argv, pools.allowed(chosen, env), hardware, notes)


def _finished(
    chosen: Chosen,
    role: str,
    argv: tuple[Word, ...],
    env: tuple[Assignment, ...],
    hardware: list[Patch],
    notes: tuple[Note, ...] = (),
) -> Invocation:
    return Invocation(
        role=role,
        argv=argv,
        env=env,
        image=image(chosen),
        model=chosen.model_id,
        advisory=_advisory(chosen),
        problems=_unproven(chosen, hardware),
        notes=notes,
    )


def _unproven(chosen: Chosen, hardware: list[Patch]) -> tuple[Problem, ...]:
    """Statements that no published command has shown the effect of."""
    found = [
        Problem("an image in this block is not known to reach the launch", patch.image.place, "compare it by hand")
        for patch in hardware
        if patch.image is not None
    ]
    if chosen.override.tp and not sizes.takes_stated_tp(chosen):
        place = next(iter(chosen.override.tp.values())).place
        text = f"a `tp` for {chosen.strategy.name} is not known to reach the launch"
        found.append(Problem(text, place, "compare it by hand"))
    return tuple(found)


def _advisory(chosen: Chosen) -> tuple[tuple[str, str, Place], ...]:
    version = chosen.variant.min_version
    facts = [("min_vllm_version", version.text, version.place)] if version else list(chosen.recipe.advisory)
    if chosen.store is not None and chosen.store.min_version is not None:
        facts.append(("kv_min_vllm_version", chosen.store.min_version.text, chosen.store.min_version.place))
    return tuple(facts)

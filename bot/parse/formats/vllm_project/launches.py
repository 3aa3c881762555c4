"""One chosen launch as invocations: each process with its words, environment and image."""

from __future__ import annotations

from bot.core.launch import Assignment, Invocation, Note, Word
from bot.core.place import Place
from bot.parse.formats.vllm_project import pools, sizes
from bot.parse.formats.vllm_project.choose import ROLES
from bot.parse.formats.vllm_project.fields import Args
from bot.parse.formats.vllm_project.overrides import NO_ROLE, RoleOverride
from bot.parse.formats.vllm_project.pools import Pool
from bot.parse.formats.vllm_project.render import Chosen, hardware_patches, image, merge, merge_env, variant_patch

HEAD, FIRST_INSTANCE = "$HEAD_IP", "$VLLM_INSTANCE_1"


def invocations(chosen: Chosen) -> tuple[Invocation, ...]:
    """Every process of the launch that runs `vllm serve`, the head first."""
    kind = chosen.strategy.deploy_type
    if kind == "pd_cluster":
        return tuple(_pool(chosen, pools.pool(chosen, role)) for role in ROLES)
    env = _environment(chosen)
    if kind == "single_node":
        return (_invocation(chosen, "serve", sizes.single_node(chosen), env),)
    head = HEAD
    if chosen.store is not None and chosen.store.instances is not None and chosen.store.instances.value > 1:
        head = FIRST_INSTANCE
    return tuple(
        _invocation(chosen, f"worker-{rank}" if rank else "head", sizes.multi_node(chosen, rank, head), env)
        for rank in range(chosen.nodes)
    )


def _arguments(chosen: Chosen, strategy: Args, parallel: Args, amended: Args, role: RoleOverride) -> tuple[Word, ...]:
    recipe, variant = chosen.recipe, chosen.variant
    store = chosen.store.patch.args if chosen.store else ()
    hardware = [patch.args for patch in hardware_patches(chosen, role)]
    parts = (variant.args, variant_patch(chosen).args, strategy, parallel, amended, *hardware, chosen.features, store)
    return merge(chosen.model_id, recipe.base_args, *parts)


def _environment(chosen: Chosen) -> tuple[Assignment, ...]:
    override = chosen.override
    store = chosen.store.patch.env if chosen.store else ()
    return merge_env(
        (
            chosen.recipe.base_env,
            chosen.variant.env,
            variant_patch(chosen).env,
            chosen.strategy.patch.env,
            store,
            override.patch.env,
            *(patch.env for patch in hardware_patches(chosen)),
        )
    )


def _invocation(chosen: Chosen, role: str, parallel: Args, env: tuple[Assignment, ...]) -> Invocation:
    amended = chosen.override.patch.args
    return _finished(chosen, role, _arguments(chosen, chosen.strategy.patch.args, parallel, amended, NO_ROLE), env, ())


def _pool(chosen: Chosen, one: Pool) -> Invocation:
    own, override = chosen.strategy.roles[one.role], chosen.override
    amended = override.patch.args + one.override.patch.args
    argv = _arguments(chosen, own.args, pools.sizes(chosen, one), amended, one.override)
    env = merge_env(
        (
            chosen.recipe.base_env,
            chosen.variant.env,
            variant_patch(chosen).env,
            own.env,
            pools.placement(chosen, one),
            override.patch.env,
            one.override.patch.env,
            *(patch.env for patch in hardware_patches(chosen, one.override)),
        )
    )
    notes: tuple[Note, ...] = ()
    if one.several:
        text = f"the {one.role} pool has {one.nodes} nodes; upstream publishes the command of the first"
        notes = (Note(text, one.place),)
    return _finished(chosen, one.role, argv, pools.allowed(chosen, env), notes)


def _finished(
    chosen: Chosen, role: str, argv: tuple[Word, ...], env: tuple[Assignment, ...], notes: tuple[Note, ...]
) -> Invocation:
    return Invocation(
        role=role,
        argv=argv,
        env=env,
        image=image(chosen),
        model=chosen.model_id,
        advisory=_advisory(chosen),
        notes=notes,
    )


def _advisory(chosen: Chosen) -> tuple[tuple[str, str, Place], ...]:
    version = chosen.variant.min_version
    facts = [("min_vllm_version", version.text, version.place)] if version else list(chosen.recipe.advisory)
    if chosen.store is not None and chosen.store.min_version is not None:
        facts.append(("kv_min_vllm_version", chosen.store.min_version.text, chosen.store.min_version.place))
    return tuple(facts)

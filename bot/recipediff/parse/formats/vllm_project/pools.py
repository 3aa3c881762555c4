"""The two pools of a prefill/decode pair. Upstream publishes the command of the first node of each."""

from __future__ import annotations

from dataclasses import dataclass

from recipediff.core.launch import Assignment
from recipediff.core.place import Place
from recipediff.parse.formats.vllm_project.choose import pool_nodes, pool_style
from recipediff.parse.formats.vllm_project.fields import Args
from recipediff.parse.formats.vllm_project.overrides import NO_ROLE, RoleOverride
from recipediff.parse.formats.vllm_project.render import Chosen, option, switch
from recipediff.parse.formats.vllm_project.sizes import ranks
from recipediff.parse.formats.vllm_project.strategies import DATA, TENSOR

# Kept on hardware whose nodes share one NVLink domain, dropped elsewhere.
_RACK_ONLY = frozenset(
    {"NCCL_CUMEM_ENABLE", "NCCL_MNNVL_ENABLE", "NCCL_NVLS_ENABLE", "UCX_NET_DEVICES", "VLLM_USE_NCCL_SYMM_MEM"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """One pool. `nodes` is 0 where both pools share one node, each with half of its GPUs."""

    role: str
    style: str
    nodes: int
    override: RoleOverride
    place: Place

    @property
    def several(self) -> bool:
        """Whether it spans nodes."""
        return self.nodes > 1


def pool(chosen: Chosen, role: str) -> Pool:
    """The pool of a role, as the recipe and the hardware make it."""
    override = chosen.override.roles.get(role, NO_ROLE)
    style = pool_style(chosen.recipe, chosen.strategy.name, role)
    place = override.parallelism.place if override.parallelism else chosen.strategy.flag.place
    return Pool(
        role=role,
        style=style,
        nodes=pool_nodes(chosen.recipe, chosen.variant, chosen.profile, style),
        override=override,
        place=place,
    )


def sizes(chosen: Chosen, one: Pool) -> Args:
    """Sizes and rendezvous of the pool's first node."""
    gpus, here = chosen.profile.gpus, one.place
    count = max(1, one.nodes) * gpus.value
    name = one.role.upper()
    address = f"${name}_NODE_1"
    if one.style != "dep":
        count = count if one.nodes else max(1, gpus.value // 2)
        found = [option(TENSOR, count, here, gpus.place)]
        if one.style == "tep":
            found.append(switch("--enable-expert-parallel", here))
        return (*found, *ranks(one.nodes, 0, address, here)) if one.several else tuple(found)
    tp = one.override.tp
    each = tp.value if tp else 1
    found = [option(TENSOR, each, here, tp.place)] if tp else []
    found += [
        option(DATA, max(1, count // each), here, gpus.place),
        option("--data-parallel-size-local", max(1, gpus.value // each), here, gpus.place),
        option("--data-parallel-start-rank", 0, here, here),
        option("--data-parallel-address", address, here, here),
        option("--data-parallel-rpc-port", f"${name}_DP_RPC_PORT", here, here),
    ]
    if one.several:
        found.append(switch("--data-parallel-hybrid-lb", here))
    return (*found, switch("--enable-expert-parallel", here))


def placement(chosen: Chosen, one: Pool) -> tuple[Assignment, ...]:
    """The variables that place the pool on its GPUs and network."""
    gpus = chosen.profile.gpus
    first, last = 0, gpus.value
    if not one.nodes:
        half = max(1, gpus.value // 2)
        first, last = (0, half) if one.role == "prefill" else (half, 2 * half)
    found = [Assignment("CUDA_VISIBLE_DEVICES", ",".join(map(str, range(first, last))), gpus.place)]
    if one.several:
        here = chosen.strategy.place
        found += [Assignment(name, "$IFACE_NAME", here) for name in ("GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME")]
    return tuple(found)


def allowed(chosen: Chosen, env: tuple[Assignment, ...]) -> tuple[Assignment, ...]:
    """`env` without what upstream drops on this hardware."""
    if chosen.profile.rack:
        return env
    return tuple(item for item in env if item.name not in _RACK_ONLY)

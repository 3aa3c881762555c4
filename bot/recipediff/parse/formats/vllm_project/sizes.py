"""Parallel sizes and the options that tie nodes together, as computed words with the places of their facts."""

from __future__ import annotations

from collections.abc import Mapping

from recipediff.core.place import Place
from recipediff.parse.formats.vllm_project.fields import Args, Count
from recipediff.parse.formats.vllm_project.hardware import Profile, exact_or_family
from recipediff.parse.formats.vllm_project.render import Chosen, option, switch
from recipediff.parse.formats.vllm_project.strategies import DATA, TENSOR

PIPELINE = "--pipeline-parallel-size"


def stated_tp(sizes: Mapping[str, Count], profile: Profile) -> Count | None:
    """The tensor-parallel size stated for a profile. A size for this hardware stands as it is; a general one is cut to
    the GPUs of the node."""
    exact = exact_or_family(sizes, profile)
    if exact is not None:
        return exact
    general = sizes.get("")
    return Count(min(general.value, profile.gpus.value), general.place) if general else None


def takes_stated_tp(chosen: Chosen) -> bool:
    """Whether a stated size bears on the strategy: on one node, where it is not data that runs in parallel."""
    return chosen.strategy.deploy_type == "single_node" and chosen.strategy.flag.text == TENSOR


def single_node(chosen: Chosen) -> Args:
    """The parallel size on one node."""
    flag, gpus = chosen.strategy.flag, chosen.profile.gpus
    if flag.text == DATA:
        return (option(DATA, gpus.value, flag.place, gpus.place),)
    amended, own = (stated_tp(sizes, chosen.profile) for sizes in (chosen.override.tp, chosen.variant.tp))
    # The variant's own size is for plain tensor parallelism: experts are spread over the whole node.
    size = (amended or gpus) if chosen.strategy.expert else (own or amended)
    if size is None:
        one = chosen.variant.vram <= chosen.profile.vram / gpus.value
        size = Count(1 if one else gpus.value, gpus.place)
    return (option(TENSOR, size.value, flag.place, size.place),)


def multi_node(chosen: Chosen, rank: int, head: str) -> Args:
    """Sizes and rendezvous of one node of several; `head` is the address of the first."""
    strategy, nodes, gpus = chosen.strategy, chosen.nodes, chosen.profile.gpus
    flag, here = strategy.flag.place, strategy.place
    if strategy.layout == "tp_dp":
        sizes = [
            option(TENSOR, gpus.value, flag, gpus.place),
            option(DATA, nodes, flag, here),
            *_data_ranks(1, rank, head, here, gpus.place),
        ]
        return tuple(sizes)
    if strategy.flag.text == DATA:
        sizes = [
            option(DATA, nodes * gpus.value, flag, gpus.place),
            *_data_ranks(gpus.value, rank, head, here, gpus.place),
        ]
        return tuple(sizes)
    if strategy.layout == "tp_pp":
        sizes = [option(TENSOR, gpus.value, flag, gpus.place), option(PIPELINE, nodes, flag, here)]
    else:
        sizes = [option(TENSOR, nodes * gpus.value, flag, gpus.place)]
    return (*sizes, *ranks(nodes, rank, head, here))


def _data_ranks(local: int, rank: int, head: str, here: Place, gpus: Place) -> Args:
    options = [
        option("--data-parallel-size-local", local, here, gpus),
        option("--data-parallel-address", head, here, here),
    ]
    if rank:
        options.append(option("--data-parallel-start-rank", rank * local, here, gpus))
    return tuple(options)


def ranks(nodes: int, rank: int, head: str, here: Place) -> Args:
    """The rendezvous of a group that shares one tensor- or pipeline-parallel engine."""
    options = [
        option("--nnodes", nodes, here, here),
        option("--node-rank", rank, here, here),
        option("--master-addr", head, here, here),
    ]
    if rank:
        options.append(switch("--headless", here))
    return tuple(options)

"""Parallel sizes and the options that tie nodes together, as computed words with the places of their facts."""

from __future__ import annotations

from bot.core.place import Place
from bot.parse.formats.vllm_project.fields import Args, Count
from bot.parse.formats.vllm_project.hardware import exact_or_family
from bot.parse.formats.vllm_project.render import Chosen, option, switch
from bot.parse.formats.vllm_project.strategies import DATA, TENSOR

PIPELINE = "--pipeline-parallel-size"


def stated_tp(chosen: Chosen) -> Count | None:
    """The tensor-parallel size that the recipe states: the variant's, else the one of the strategy's amendment. A size
    for this hardware stands as it is; a general one is cut to the GPUs of the node."""
    gpus = chosen.profile.gpus.value
    for sizes in (chosen.variant.tp, chosen.override.tp):
        exact = exact_or_family(sizes, chosen.profile)
        if exact is not None:
            return exact
        general = sizes.get("")
        if general is not None:
            return Count(min(general.value, gpus), general.place)
    return None


def single_node(chosen: Chosen) -> Args:
    """The parallel size on one node."""
    flag, gpus = chosen.strategy.flag, chosen.profile.gpus
    if flag.text == DATA or chosen.strategy.expert:
        return (option(flag.text, gpus.value, flag.place, gpus.place),)
    size = stated_tp(chosen)
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
            option(DATA, nodes, flag, gpus.place),
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
        sizes = [option(TENSOR, gpus.value, flag, gpus.place), option(PIPELINE, nodes, flag, gpus.place)]
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

"""Two routes to one setting, and words of equal meaning: what the engine sees of what the parser took.

Source: the `equivalences` and `engine_checks` of the measured tables (both commands were turned into vLLM's whole engine
config and compared). A route holds in each version that has both the flag and the key.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from recipediff.core.setting import Json
from recipediff.parse.vllm.grammar.configs import check_keys, identical
from recipediff.parse.vllm.grammar.surface import Flag, Surface


@dataclass(frozen=True, slots=True)
class ConfigRoute:
    """A flag that is a key of a config. `both`: what the engine does where both are given."""

    flag: str
    config: str
    key: str
    both: Literal["refused", "flag wins"]


ROUTES = (
    ConfigRoute("attention_backend", "attention_config", "backend", "refused"),
    ConfigRoute("moe_backend", "kernel_config", "moe_backend", "flag wins"),
    ConfigRoute("linear_backend", "kernel_config", "linear_backend", "flag wins"),
    ConfigRoute("sparse_indexer_topk_backend", "kernel_config", "sparse_indexer_topk_backend", "flag wins"),
    ConfigRoute("enable_flashinfer_autotune", "kernel_config", "enable_flashinfer_autotune", "flag wins"),
    ConfigRoute("ir_op_priority", "kernel_config", "ir_op_priority", "flag wins"),
    ConfigRoute("cudagraph_capture_sizes", "compilation_config", "cudagraph_capture_sizes", "refused"),
    ConfigRoute("max_cudagraph_capture_size", "compilation_config", "max_cudagraph_capture_size", "refused"),
    ConfigRoute("log_level", "logging_config", "log_level", "flag wins"),
    ConfigRoute("log_config_file", "logging_config", "pylogging_config_file", "flag wins"),
    ConfigRoute("spec_method", "speculative_config", "method", "refused"),
    ConfigRoute("spec_model", "speculative_config", "model", "refused"),
    ConfigRoute("spec_tokens", "speculative_config", "num_speculative_tokens", "refused"),
)
SYNONYMS: Mapping[str, Mapping[str, str]] = {"dtype": {"half": "float16", "float": "float32"}}
_CAPITALS = ("attention_backend", "mm_encoder_attn_backend")
_LEVELS = {"0": 0, "1": 1, "2": 2, "3": 3}
_EXECUTORS = ("ray", "mp", "uni", "external_launcher")


@dataclass(frozen=True, slots=True)
class Objection:
    """What the engine refuses after the parser took it."""

    field: str
    message: str
    path: tuple[str, ...] = ()
    several: bool = False
    """It takes more than this field to bring it about."""


@dataclass(slots=True)
class Folded:
    """The fields as the engine will see them, and what it would refuse."""

    fields: dict[str, Json] = field(default_factory=dict)
    objections: list[Objection] = field(default_factory=list)

    def object(self, flag: Flag, message: str, *path: str, several: bool = False) -> None:
        """Add an objection; more than a person reads are left out."""
        if len(self.objections) < 50:
            self.objections.append(Objection(flag.name, message, path, several))


def route_of(name: str, surface: Surface) -> tuple[str, ...]:
    """Where the engine keeps a flag's value: `("attention_config", "backend")`; empty where that is the flag itself."""
    for route in ROUTES:
        if route.flag == name and _holds(route, surface):
            return (route.config, route.key)
    return ()


def _holds(route: ConfigRoute, surface: Surface) -> bool:
    flag, config = surface.flags.get(route.flag), surface.flags.get(route.config)
    owner = surface.classes.get((config.json_class or config.engine_class) if config else "")
    return flag is not None and owner is not None and route.key in owner


def fold(values: Mapping[str, Json], surface: Surface) -> dict[str, Json]:
    """`values` (field to meaning, stated ones only) as the engine will see them.

    Flags that are another way to write a key of a config are moved there; words of equal meaning become one word. A
    config object holds the keys that are stated, not the defaults.
    """
    return examine(values, surface).fields


def examine(values: Mapping[str, Json], surface: Surface) -> Folded:
    """Like `fold`, with what the engine refuses."""
    out = Folded()
    for name, value in values.items():
        flag = surface.flags.get(name)
        out.fields[name] = value if flag is None else _canonical(flag, value, surface, out)
    for route in ROUTES:
        if route.flag in out.fields and _holds(route, surface):
            _follow(route, surface, out)
    return out


def _canonical(flag: Flag, value: Json, surface: Surface, out: Folded) -> Json:
    if flag.engine_class and isinstance(value, dict):
        return _engine_object(flag, value, surface, out)
    if not isinstance(value, str):
        return value
    value = SYNONYMS.get(flag.name, {}).get(value, value)
    if flag.name in _CAPITALS:
        value = value.upper()
        if flag.name == "attention_backend" and value not in (*surface.attention_backends, "AUTO"):
            out.object(flag, f"the engine knows no attention backend {value!r}")
    elif flag.enum == "OptimizationLevel":
        if value not in _LEVELS:
            out.object(flag, f"the engine knows no optimization level {value!r}, only 0 to 3")
        return _LEVELS.get(value, value)
    elif flag.enum:
        value = value.upper()
    elif flag.name == "distributed_executor_backend" and surface.rules.executor_checked:
        known = value in _EXECUTORS or "." in value
        if not known:
            out.object(flag, f"the engine knows no executor {value!r}, only {', '.join(_EXECUTORS)} or a class")
    return value


def _engine_object(flag: Flag, value: dict[str, Json], surface: Surface, out: Folded) -> Json:
    """Free JSON for the parser, a config class for the engine: each key as that class takes it."""
    owner = flag.engine_class
    written = {}
    for key in value:
        spelled = key.replace("-", "_") if surface.rules.engine_dashes and key not in surface.classes[owner] else key
        written[spelled] = key
    try:
        folded, faults = check_keys({name: value[key] for name, key in written.items()}, owner, surface)
    except RecursionError:
        out.object(flag, f"{owner}: nested too deep")
        return value
    for fault in faults:
        out.object(flag, f"{flag.long}.{fault.key}: {fault.unfit.message}", written[fault.key])
    return {key: _as_stated(value[written[key]], taken) if key in written else taken for key, taken in folded.items()}


def _as_stated(stated: Json, taken: Json) -> Json:
    """1 and 1.0 are two values to the parser, and stay two, whatever the engine's class makes of the second."""
    kept = isinstance(stated, float) and isinstance(taken, int) and not isinstance(taken, bool) and stated == taken
    return stated if kept else taken


def _follow(route: ConfigRoute, surface: Surface, out: Folded) -> None:
    stated = out.fields.pop(route.flag)
    flag = surface.flags[route.flag]
    there = out.fields.get(route.config)
    config = dict(there) if isinstance(there, dict) else {}
    given = config.get(route.key)
    if given is not None and route.both == "refused" and stated is not None:
        out.object(
            flag, f"{flag.long} and {route.key} of --{route.config.replace('_', '-')} exclude each other", several=True
        )
    elif given is not None and (identical(stated, flag.default) or stated is None):
        # a flag that states its default does not overrule the config
        return
    config[route.key] = stated
    out.fields[route.config] = config

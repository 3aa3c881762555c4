"""What single config classes do beyond their types: words that they convert first, and what they check or fill in last.

Each entry names the class. They were read off the measured examples and vLLM's documentation of its configs.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping

from recipediff.core.setting import Json
from recipediff.parse.vllm.grammar.shapes import Unfit, listed, show

Values = dict[str, Json]
After = Callable[[Values, Mapping[str, object]], None]
"""Check or complete the values in place; the second argument are the fields that the class has in this version."""

DEFAULTS: Mapping[tuple[str, str], Json] = {
    # declared as null or as a function, but this after the object is built (CPU platform, empty environment)
    ("KVEventsConfig", "publisher"): "null",
    ("KVTransferConfig", "kv_buffer_device"): "cpu",
    ("CompilationConfig", "compile_cache_save_format"): "binary",
    ("CompilationConfig", "backend"): "inductor",
    ("DynamicShapesConfig", "type"): "BACKED",
    ("LoggingConfig", "log_level"): "INFO",
    ("LoggingConfig", "configure_logging"): True,
}
MLA_PREFILL = (
    "FLASH_ATTN",
    "FLASHINFER",
    "CUDNN",
    "TRTLLM_RAGGED",
    "TOKENSPEED_MLA",
    "ROCM_AITER_FA",
    "AITER_ASM",
    "CUSTOM",
)
"""The MLA prefill backends of all versions together: which version has which was not measured."""
OFF_ON_CPU = frozenset(
    (
        "enable_qk_norm_rope_fusion",
        "fuse_act_padding",
        "fuse_mla_dual_rms_norm",
        "fuse_rope_kvcache",
        "fuse_qk_norm_rope_kvcache",
        "fuse_rope_kvcache_cat_mla",
    )
)
"""Keys of PassConfig that the CPU platform turns off. The measured tables come from there; a meaning keeps what is stated."""
NULL_MEANS_LATER = frozenset(("CompilationConfig", "PassConfig", "KernelConfig"))
"""Classes whose keys with the default null take null again, whatever their type: the engine fills them in."""
AT_LEAST: Mapping[tuple[str, str], int] = {
    ("ProfilerConfig", "delay_iterations"): 0,
    ("ProfilerConfig", "max_iterations"): 0,
    ("ProfilerConfig", "warmup_iterations"): 0,
    ("ProfilerConfig", "active_iterations"): 1,
    ("ProfilerConfig", "wait_iterations"): 0,
    ("EPLBConfig", "window_size"): 1,
    ("EPLBConfig", "step_interval"): 1,
    ("EPLBConfig", "num_redundant_experts"): 0,
    ("EPLBConfig", "log_balancedness_interval"): 1,
}
_QUANT_KEYS = frozenset(
    (
        "fp8_per_tensor_static",
        "fp8_per_tensor_dynamic",
        "fp8_per_token",
        "fp8_per_channel_static",
        "fp8_per_block_static",
        "fp8_per_block_dynamic",
        "mxfp8",
        "mxfp4",
        "int8_per_channel_static",
    )
)
_SHORTHANDS = frozenset(
    ("fp8_per_tensor", "fp8_per_block", "fp8_per_channel", "mxfp8", "mxfp4", "int8_per_channel_weight_only")
)


def before(owner: str, key: str, value: Json) -> Json:
    """What the class makes of a key's value before its type is checked."""
    if not isinstance(value, str):
        return value
    if owner == "KernelConfig" and key.endswith("_backend"):
        return value.lower().replace("-", "_")
    if owner == "IrOpPriorityConfig":
        return list(value.replace(" ", "").split(","))
    if owner == "QuantizationConfigArgs" and key in ("linear", "moe"):
        if value not in _SHORTHANDS | _QUANT_KEYS:
            msg = f"{show(value)} is no quantization name"
            raise Unfit(msg)
        return {"weight": value}
    return value


def quant_key(value: Json) -> Json:
    """A quantization name, or null."""
    if value is None or (isinstance(value, str) and value in _QUANT_KEYS | _SHORTHANDS):
        return value
    msg = f"{show(value)} is no quantization name"
    raise Unfit(msg)


def _fail(message: str, *path: str) -> None:
    raise Unfit(message, path)


def _pooler(values: Values, fields: Mapping[str, object]) -> None:
    for old, new in (("logit_bias", "logit_mean"), ("logit_scale", "logit_sigma")):
        if values.get(old) is None:
            continue
        if values.get(new) is not None:
            _fail(f"{old} and {new} exclude each other", old)
        if new in fields:
            given = values.pop(old)
            if old == "logit_scale":
                if given == 0:
                    _fail("logit_scale cannot be 0", old)
                given = 1.0 / float(str(given))
            values[new] = given
    if values.get("logit_sigma") == 0:
        _fail("logit_sigma cannot be 0", "logit_sigma")
    kind = values.get("pooling_type")
    if not kind or "seq_pooling_type" not in fields:
        return
    for other in ("seq_pooling_type", "tok_pooling_type"):
        if values.get(other) is not None:
            _fail(f"pooling_type and {other} exclude each other", other)
    values["tok_pooling_type" if kind in ("ALL", "STEP") else "seq_pooling_type"] = kind


def _profiler(values: Values, fields: Mapping[str, object]) -> None:
    kind = values.get("profiler")
    folder = values.get("torch_profiler_dir")
    if folder and kind != "torch":
        _fail("torch_profiler_dir goes with profiler torch only", "torch_profiler_dir")
    if kind == "torch" and not folder:
        _fail("profiler torch needs torch_profiler_dir", "profiler")
    if values.get("capture_torch_profiler") and kind != "torch":
        _fail("capture_torch_profiler goes with profiler torch only", "capture_torch_profiler")
    if isinstance(folder, str) and folder.startswith("/"):
        values["torch_profiler_dir"] = posixpath.normpath(folder)
    proton = values.get("proton_profiler_dir")
    if proton and kind != "proton":
        _fail("proton_profiler_dir goes with profiler proton only", "proton_profiler_dir")
    if kind == "proton" and not proton:
        _fail("profiler proton needs proton_profiler_dir", "profiler")


def _structured(values: Values, fields: Mapping[str, object]) -> None:
    backend = values.get("backend", "auto")
    if values.get("disable_any_whitespace") and backend not in ("xgrammar", "guidance"):
        _fail("disable_any_whitespace goes with backend xgrammar or guidance only", "disable_any_whitespace")
    if values.get("disable_additional_properties") and backend != "guidance":
        _fail("disable_additional_properties goes with backend guidance only", "disable_additional_properties")


def _transfer(prefix: str) -> After:
    def after(values: Values, fields: Mapping[str, object]) -> None:
        if values.get(f"{prefix}_connector") is not None and values.get(f"{prefix}_role") is None:
            _fail(f"{prefix}_connector needs {prefix}_role", f"{prefix}_connector")
        if values.get("engine_id") is None:
            # left out or null: a random one
            values.pop("engine_id", None)

    return after


def _kv_events(values: Values, fields: Mapping[str, object]) -> None:
    if values.get("publisher") is None and values.get("enable_kv_cache_events"):
        values["publisher"] = "zmq"


def _eplb(values: Values, fields: Mapping[str, object]) -> None:
    usual = getattr(fields.get("use_async"), "default", False)
    if values.get("use_async", usual) and values.get("communicator") in ("torch_nccl", "pynccl"):
        _fail(f"{show(values['communicator'])} does not go with use_async", "communicator")


def _encoder_cache(values: Values, fields: Mapping[str, object]) -> None:
    if values.get("manager_config") and values.get("encoder_cache_manager_cls") is None:
        _fail("manager_config needs encoder_cache_manager_cls", "manager_config")


def _quantization(values: Values, fields: Mapping[str, object]) -> None:
    if values.get("targets") is not None and (values.get("linear") or values.get("moe")):
        _fail("targets excludes linear and moe", "targets")
    targets = values.get("targets")
    for name, scheme in (targets if isinstance(targets, dict) else {}).items():
        if scheme not in _SHORTHANDS:
            _fail(f"{show(scheme)} is no quantization name", "targets", name)


def _compilation(values: Values, fields: Mapping[str, object]) -> None:
    if values.get("level") is not None and "mode" in fields and values.get("mode") is None:
        values["mode"] = values["level"]
    ops = values.get("custom_ops")
    ops = list(ops) if isinstance(ops, list) else []
    if ops.count("none") + ops.count("all") > 1:
        _fail("custom_ops takes one of none and all, once", "custom_ops")
    for op in ops:
        if str(op)[:1] not in ("+", "-") and op not in ("all", "none"):
            _fail(f"{show(op)} is none of all, none, +op and -op", "custom_ops")
    backend = values.get("backend")
    if values.get("mode") == "VLLM_COMPILE" and backend not in (None, "", "eager", "inductor"):
        _fail(f"{show(backend)} does not go with mode 3", "backend")
    if backend == "":
        values["backend"] = "inductor"
    inductor = values.get("inductor_compile_config")
    if isinstance(inductor, dict):
        values["inductor_compile_config"] = {"enable_auto_functionalized_v2": False, **inductor}
    if isinstance(values.get("inductor_passes"), dict) and values["inductor_passes"]:
        _fail("functions named here are looked up in the image, which cannot be done here", "inductor_passes")


AFTER: Mapping[str, After] = {
    "PoolerConfig": _pooler,
    "ProfilerConfig": _profiler,
    "StructuredOutputsConfig": _structured,
    "KVTransferConfig": _transfer("kv"),
    "ECTransferConfig": _transfer("ec"),
    "KVEventsConfig": _kv_events,
    "EPLBConfig": _eplb,
    "EncoderCacheManagerConfig": _encoder_cache,
    "QuantizationConfigArgs": _quantization,
    "CompilationConfig": _compilation,
}


def enum_member(members: Mapping[str, Json], *, auto: bool = False) -> Callable[[Json], Json]:
    """An enumeration by name in any case or by number; the answer is the member's name. `auto` is a word for null."""
    by_number = {number: name for name, number in members.items() if isinstance(number, int)}

    def check(value: Json) -> Json:
        if isinstance(value, str):
            if auto and value.lower() == "auto":
                return None
            name = value.upper()
            if name in members:
                return name
        elif isinstance(value, int | float) and value in by_number:
            return by_number[int(value)]
        msg = f"{show(value)} is none of {listed(members)}"
        raise Unfit(msg)

    return check

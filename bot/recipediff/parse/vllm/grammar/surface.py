"""vLLM's command line by version: what `vllm serve` accepts, read from `data/vllm.json` (made by `tools/build_grammar.py`)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from recipediff.core.setting import Json

Raw = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """One flag of one version, as the measured tables describe it."""

    name: str
    """The parser's field: the first long option without dashes, with underscores."""
    options: tuple[str, ...]
    type: str
    takes: str
    """none, one, many or optional."""
    choices: tuple[Json, ...] | None = None
    known_values: tuple[str, ...] | None = None
    """An open list: the parser takes any word."""
    default: Json = None
    default_object: str = ""
    """The default is an object of that class."""
    nullable: bool = False
    """The words `None` and the empty string mean null."""
    normalise: str = ""
    const: Json = None
    json_class: str = ""
    engine_class: str = ""
    """The class that checks the JSON later, after the parser."""
    annotation: str = ""
    sets_false: frozenset[str] = frozenset()
    hidden_options: frozenset[str] = frozenset()
    repeat: str = "last_wins"
    action: str = ""
    enum: str = ""
    """The engine turns the word into a member of that enumeration."""
    deprecated: str = ""
    group: str = ""

    @property
    def long(self) -> str:
        """The first long option as it would be written."""
        return next((option for option in self.options if option.startswith("--")), self.options[0])

    @property
    def setting(self) -> str:
        """The name of its setting."""
        return self.long.lstrip("-").replace("-", "_")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassField:
    """One key of a JSON config."""

    name: str
    type: str
    default: Json = None
    default_object: str = ""
    json_class: str = ""
    required: bool = False


@dataclass(frozen=True, slots=True)
class EnvVar:
    """An environment variable that the version reads."""

    name: str
    type: str = ""
    default: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ParserRules:
    """How a version's parser treats a line before it looks at single options."""

    o: str = "level"
    model_option: bool = False
    model_first: bool = False
    dotted_suffix: bool = False
    json_suffix: bool = False
    config_nested: bool = False
    backend_auto: bool = False
    """`auto` is a word for a null attention backend."""
    executor_checked: bool = False
    """The engine refuses an executor that is neither known nor a class."""
    engine_dashes: bool = False
    """`-` in a key of a config that the engine checks is put right."""
    unknown_keys: str = "refused"
    """Unknown keys of a config: refused, ignored, or `refused in A B` for some classes."""
    lora_fields: tuple[str, ...] = ()
    """What a LoRA module is made of."""

    def refuses_unknown_keys(self, owner: str) -> bool:
        """Whether a config class refuses a key that it does not have."""
        return self.unknown_keys == "refused" or owner in self.unknown_keys.split()


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """Everything that is known about one measured version."""

    version: str
    flags: Mapping[str, Flag]
    """By field name, in the parser's order."""
    options: Mapping[str, Flag]
    """By option string, in the parser's order: `--max-model-len`, `-tp`, `--no-enable-lora`, …"""
    classes: Mapping[str, Mapping[str, ClassField]]
    rules: ParserRules
    enums: Mapping[str, Any]
    """Other closed lists by name (`cudagraph_modes`, `kv_connectors`, …)."""
    attention_backends: tuple[str, ...]
    _raw: Raw = field(repr=False, compare=False)

    def _words(self, key: str) -> tuple[str, ...] | None:
        numbers = self._raw.get(key)
        return None if numbers is None else tuple(_data()["words"][n] for n in numbers)

    def listed(self, name: str) -> tuple[str, ...] | None:
        """One of the version's lists by its name (`reasoning_parsers`, `architectures`, `load_formats`, …); None where the
        version has no such list."""
        return self._words(name)

    @property
    def reasoning_parsers(self) -> tuple[str, ...] | None:
        return self._words("reasoning_parsers")

    @property
    def tool_call_parsers(self) -> tuple[str, ...] | None:
        return self._words("tool_call_parsers")

    @property
    def architectures(self) -> tuple[str, ...] | None:
        return self._words("architectures")

    @property
    def architectures_removed(self) -> Mapping[str, str]:
        """Architectures that are gone, with the last version that had each."""
        removed: Mapping[str, str] = _data()["lists"][self._raw["architectures_removed"]]
        return removed

    @property
    def env(self) -> Mapping[str, EnvVar]:
        """The environment variables that the version reads, by name."""
        rows = (_data()["env"][n] for n in self._raw["env"])
        return {row["name"]: EnvVar(**row) for row in rows}

    @property
    def late_defaults(self) -> Sequence[Raw]:
        """What a null `max_num_batched_tokens` / `max_num_seqs` becomes on some GPUs."""
        rows: Sequence[Raw] = _data()["lists"][self._raw["late_defaults"]] or ()
        return rows


def versions() -> tuple[str, ...]:
    """The measured versions, oldest first."""
    return tuple(_data()["versions"])


def newest() -> str:
    """The newest measured version."""
    return versions()[-1]


def nearest(version: str) -> str:
    """The measured version to use for a stated one: itself, else the newest that is not above it, else the oldest.

    Compare the answer with what was asked: where they differ, the reader has to be told. Raises `ValueError` for words
    that are no version (`nightly`).
    """
    asked = _numbers(version)
    below = [known for known in versions() if _numbers(known) <= asked]
    return below[-1] if below else versions()[0]


def _numbers(version: str) -> tuple[int, ...]:
    release = version.strip().removeprefix("v").split("+")[0]
    digits = []
    for part in release.split("."):
        head = part[: len(part) - len(part.lstrip("0123456789"))]
        if head and len(head) < 10:
            digits.append(int(head))
        if head != part or not head:
            break
    if len(digits) < 2:
        shown = version if len(version) <= 40 else f"{version[:39]}…"
        msg = f"{shown!r} is no vLLM version; write it like 0.32.0"
        raise ValueError(msg)
    return (*digits, 0) if len(digits) == 2 else tuple(digits)


@cache
def load(version: str) -> Surface:
    """The surface of a measured version. Raises `KeyError` for any other (ask `nearest` first)."""
    raw: Raw = _data()["versions"][version]
    flags = {}
    for number in raw["flags"]:
        flag = _flag(number)
        flags[flag.name] = flag
    classes = {}
    for number in raw["classes"]:
        name, fields = _data()["classes"][number]
        classes[name] = {key: ClassField(name=key, **row) for key, row in (_data()["fields"][n] for n in fields)}
    return Surface(
        version=version,
        flags=flags,
        options={option: flag for flag in flags.values() for option in flag.options},
        classes=classes,
        rules=ParserRules(**{**raw["rules"], "lora_fields": tuple(raw["rules"]["lora_fields"])}),
        enums=_data()["lists"][raw["enums"]],
        attention_backends=tuple(_data()["words"][n] for n in raw.get("attention_backends", ())),
        _raw=raw,
    )


@cache
def _flag(number: int) -> Flag:
    row = dict(_data()["flags"][number])
    row.pop("nargs", None)  # follows from `takes`
    for key in ("choices", "known_values"):
        if key in row:
            row[key] = tuple(_data()["lists"][row[key]])
    for key in ("sets_false", "hidden_options"):
        if key in row:
            row[key] = frozenset(row[key])
    row["options"] = tuple(row["options"])
    row.pop("default_suppressed", None)  # the field does not exist unless given: compares like null
    return Flag(**row)


@cache
def _data() -> Raw:
    text = resources.files(__package__).joinpath("data/vllm.json").read_text("utf-8")
    data: Raw = json.loads(text)
    return data

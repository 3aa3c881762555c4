"""Build `bot/recipediff/parse/vllm/grammar/data/vllm.json` from the measured tables of vLLM's command line.

    python tools/build_grammar.py ../shared/data

Only facts go in: names, types, defaults, lists, and which of the parser's rules hold in which version. What several
versions share is written once (a pool of records, and for each version the numbers of its records), so that one file
serves all versions and loads in a few milliseconds.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

Row = dict[str, Any]
TARGET = Path(__file__).resolve().parent.parent / "bot/recipediff/parse/vllm/grammar/data/vllm.json"
FLAG_KEYS = [
    "options",
    "takes",
    "nargs",
    "type",
    "const",
    "nullable",
    "normalise",
    "default",
    "default_object",
    "default_suppressed",
    "json_class",
    "engine_class",
    "annotation",
    "sets_false",
    "hidden_options",
    "repeat",
    "action",
    "enum",
    "deprecated",
    "group",
]
FIELD_KEYS = ("type", "default", "default_object", "json_class", "required")
LISTS = [
    "reasoning_parsers",
    "tool_call_parsers",
    "architectures",
    "quantization_methods",
    "quantization_methods_deprecated",
    "attention_backends",
    "mamba_attention_backends",
    "load_formats",
    "moe_backends",
    "linear_backends",
]


class Pool:
    """Equal records get one number."""

    def __init__(self) -> None:
        self.rows: list[Any] = []
        self._index: dict[str, int] = {}

    def put(self, row: object) -> int:
        key = json.dumps(row, sort_keys=True)
        if key not in self._index:
            self._index[key] = len(self.rows)
            self.rows.append(row)
        return self._index[key]


def plain(source: Mapping[str, Any], keys: Iterable[str]) -> Row:
    """The stated facts only: null, false, empty and the usual are left out."""
    usual = {"repeat": "last_wins"}
    return {k: source[k] for k in keys if source.get(k) not in (None, False, []) and usual.get(k) != source[k]} | (
        {"default": source["default"]} if "default" in keys and source.get("default") is not None else {}
    )


def flag(row: Mapping[str, Any], lists: Pool) -> Row:
    out: Row = {"name": row["name"]} | plain(row, FLAG_KEYS)
    for key in ("choices", "known_values"):
        if row.get(key) is not None:
            out[key] = lists.put(row[key])
    return out


# seen in the lines of the grammar tables, not stated by a rule: until pydantic was told otherwise, config classes
# dropped keys that they do not have
UNKNOWN_KEYS = {"0.11.0": "ignored", "0.14.1": "refused in CompilationConfig PassConfig"}

# `auto` as a word for a null attention backend came in between
NO_BACKEND_AUTO = ("0.11.0", "0.14.1")


def rule_facts(rules: Iterable[Mapping[str, Any]]) -> Row:
    """How this version's parser treats a line before it looks at single options; read off the measured examples."""
    seen = {rule["id"]: rule["observed"] for rule in rules}

    def accepted(rule: str) -> bool:
        return "set" in seen[rule]

    def sets(rule: str, text: str) -> bool:
        return text in json.dumps(seen[rule].get("set", {}))

    facts = {
        # -O3: "level" where it is --optimization-level, "compilation" where it is a key of --compilation-config
        "o": "level" if sets("O-glued", "optimization_level") else "compilation",
        # --model X is moved to the front (else refused)
        "model_option": accepted("model-option"),
        # with --served-model-name the model has to be the first word
        "model_first": not accepted("model-served-first"),
        # 1k in a dotted value is a number
        "dotted_suffix": seen["json-suffix-raw"].get("error", "").startswith("vllm serve: error: argument"),
        # 1K inside the JSON of a flag with a json_class is a number
        "json_suffix": accepted("json-suffix-class"),
        # a mapping in a --config file becomes JSON (else Python's spelling of it, which is refused)
        "config_nested": accepted("config"),
    }
    lora = seen["list-lora"]["set"]["lora_modules"][0]
    facts["lora_fields"] = [key for key in lora if key != "__class__"]
    return {name: value for name, value in facts.items() if value}


def unstated(version: str) -> Row:
    facts: Row = {"unknown_keys": UNKNOWN_KEYS[version]} if version in UNKNOWN_KEYS else {}
    return facts if version in NO_BACKEND_AUTO else facts | {"backend_auto": True}


def engine_facts(checks: Iterable[Mapping[str, Any]]) -> Row:
    """Read off the measured engine checks; a version without any gets the strict answer of its neighbours."""
    seen = {row["command"]: row["engine"] for row in checks}

    def outcome(part: str) -> str:
        return next((text for command, text in seen.items() if part in command), "")

    facts = {
        "executor_checked": outcome("--distributed-executor-backend weird").startswith("engine:"),
        "engine_dashes": outcome("-sc.num-speculative-tokens 3") == "accepted",
    }
    return {name: value for name, value in facts.items() if value}


def version_entry(data: Mapping[str, Any], pools: Mapping[str, Pool]) -> Row:
    lists = pools["lists"]
    classes = {
        name: [pools["fields"].put([key, plain(field, FIELD_KEYS)]) for key, field in fields.items()]
        for name, fields in data["json_classes"].items()
    }
    entry: Row = {
        "rules": rule_facts(data["rules"]) | unstated(data["version"]) | engine_facts(data["engine_checks"] or ()),
        "flags": [pools["flags"].put(flag(row, lists)) for row in data["flags"]],
        "classes": {name: pools["classes"].put([name, fields]) for name, fields in classes.items()},
        "env": [
            pools["env"].put(
                {"name": row["name"]} | plain({**row, "default": row.get("default_declared")}, ("type", "default"))
            )
            for row in data["env_vars"]
        ],
        "enums": lists.put(data["other_enumerations"]),
        "architectures_removed": lists.put(data["architectures_removed"]),
        "late_defaults": lists.put(data["late_defaults"]),
    }
    entry["classes"] = sorted(entry["classes"].values())
    for name in LISTS:
        if data.get(name) is not None:
            entry[name] = [pools["words"].put(word) for word in data[name]]
    return entry


def build(folder: Path) -> Row:
    """The whole file as one object. `folder` holds `vllm-surface-<version>.json`."""
    pools = {name: Pool() for name in ("flags", "fields", "classes", "env", "lists", "words")}
    found = {}
    for path in folder.glob("vllm-surface-*.json"):
        if match := re.fullmatch(r"vllm-surface-(\d+(?:\.\d+)+)\.json", path.name):
            found[match[1]] = path
    versions: Row = {}
    for version in sorted(found, key=lambda v: [int(part) for part in v.split(".")]):
        versions[version] = version_entry(json.loads(found[version].read_text("utf-8")), pools)
    head = {
        "about": "What `vllm serve` accepts, by version: facts read from vLLM's releases (Apache-2.0). "
        "Written by tools/build_grammar.py; not to be edited by hand.",
        "licence": "facts read from vLLM, Apache-2.0",
    }
    return head | {name: pool.rows for name, pool in pools.items()} | {"versions": versions}


def dump(data: Mapping[str, Any]) -> str:
    """One record a line, so that a diff of two builds reads well."""
    parts = []
    for key, value in data.items():
        if isinstance(value, list):
            rows = ",\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in value)
            parts.append(f'"{key}":[\n{rows}\n]')
        elif isinstance(value, dict):
            items = (
                f"{json.dumps(k)}:{json.dumps(v, ensure_ascii=False, separators=(',', ':'))}" for k, v in value.items()
            )
            parts.append(f'"{key}":{{\n' + ",\n".join(items) + "\n}")
        else:
            parts.append(f'"{key}":{json.dumps(value, ensure_ascii=False)}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main(argv: list[str]) -> int:
    if len(argv) != 1 or not Path(argv[0]).is_dir():
        print("usage: build_grammar.py FOLDER  (the folder with vllm-surface-*.json)", file=sys.stderr)
        return 2
    text = dump(build(Path(argv[0])))
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(text, "utf-8")
    print(f"{TARGET.name}: {len(text.encode()):,} bytes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

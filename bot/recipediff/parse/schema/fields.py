"""The fields of a tested recipe: one table, from which come the reader, its messages and the JSON Schemas."""

from __future__ import annotations

from recipediff.parse.schema.shapes import Field, ListOf, MapOf, Number, Record, Text

COMMIT = r"^[0-9a-f]{40}$"
IMAGE = r"^[^\s@]+@sha256:[0-9a-f]{64}$"
REPO = r"^[A-Za-z0-9][A-Za-z0-9-]*/(?!\.{1,2}$)[A-Za-z0-9._-]+$"
PATH = r"^(?!(.*/)?\.{0,2}(/|$))[^\\\x00-\x1f]+$"
FINGERPRINT = r"^sha256:[0-9a-f]{64}$"
# `--flag value` in one item is one word with a blank in it, which no parser takes for a flag; `--flag=some text` is meant.
_ARG = r"^(?!--?[A-Za-z][^\s=]*\s)"

IMAGE_TEXT = Text(IMAGE, "the image by its digest: name@sha256: and 64 hex digits")
VLLM_TEXT = Text(r"^[0-9]{1,4}\.[0-9]{1,4}(\.[0-9]{1,4}[0-9A-Za-z.+-]*)?$", 'a version in quotes, such as "0.32.0"')
FINGERPRINT_TEXT = Text(FINGERPRINT, "sha256: and 64 hex digits")

_WORD = Text(r"\S", "text")
_ANY = Text(wants="text", empty=True)
_NODES = Number(1, wants="a whole number from 1 up")

_TOPOLOGY = Record(
    (
        Field(name="hardware", shape=_WORD, doc="The hardware that the recipe was measured on, one kind: what each node is.",
              required=True, add="`hardware:` with what each node is, such as GB10", several="topology-in-id", examples=("GB10",)),
        Field(name="nodes", shape=_NODES, doc="How many nodes the launch spans. Another number of nodes is another recipe, with an id of its own.",
              required=True, add="`nodes:` with the number of machines", several="topology-in-id", examples=(2,)),
    ),
    wants="a mapping with `hardware` and `nodes`",
)  # fmt: skip

_SELECT = Record(
    (
        Field(name="hardware", shape=_WORD, doc="Upstream's name of the hardware."),
        Field(name="variant", shape=_WORD, doc="Upstream's name of the variant."),
        Field(name="strategy", shape=_WORD, doc="Upstream's name of the serving strategy."),
        Field(name="features", shape=ListOf(_WORD, "a list of names"),
              doc="Exactly these features. Left out: upstream's own default selection. An empty list: none."),
        Field(name="nodes", shape=_NODES, doc="The number of nodes that upstream is asked for."),
        Field(name="role", shape=_WORD, doc="Which process of the deployment: serve, head, worker-1, prefill, decode.",
              examples=("head",)),
    ),
    wants="a mapping with some of hardware, variant, strategy, features, nodes, role",
)  # fmt: skip

_DEVIATION = Record(
    (
        Field(name="kind", shape=Text(values=("flag", "env", "mod"), wants="flag, env or mod"),
              doc="Where the setting lives: `flag` in args, `env` in the environment, `mod` in the list of mods.",
              required=True, add="`kind:` flag, env or mod"),
        Field(name="setting", shape=_WORD, doc="The setting as upstream names it: the flag without its dashes and with underscores "
              "(`max_model_len`, or `default_chat_template_kwargs.thinking` where upstream writes dotted keys), the environment key, or the mod path.",
              required=True, add="`setting:` with its name", also=("flag", "name", "key"), examples=("max_model_len",)),
        Field(name="upstream", shape=_ANY, doc="Upstream's value as text, exactly. Empty: upstream does not have the setting (we added it). "
              "Where upstream's value is longer than 32 characters, prose may describe it.",
              required=True, add='`upstream:` with upstream\'s value, "" where it has none', also=("theirs",), examples=("8000",)),
        Field(name="ours", shape=_ANY, doc="This recipe's value as text, exactly as it is written above. Empty: we dropped the setting.",
              required=True, add='`ours:` with the recipe\'s value, "" where it was dropped', also=("value",), examples=("8001",)),
        Field(name="why", shape=_WORD, doc="The reason, in a sentence that somebody can check: a measurement, or the code that proves it.",
              required=True, rule="misdeclared", add="`why:` with the reason", also=("reason", "comment")),
    ),
    wants="a mapping with kind, setting, upstream, ours and why",
)  # fmt: skip

_SOURCE = Record(
    (
        Field(name="repo", shape=Text(REPO, "owner/name"), doc="The upstream repository, as owner/name.", required=True,
              rule="unpinned-source", also=("repository", "url"), examples=("eugr/spark-vllm-docker",)),
        Field(name="path", shape=Text(PATH, "a path from the repository's root, without `..`"),
              doc="The upstream file, from the repository's root.", required=True, rule="unpinned-source", also=("file",),
              examples=("recipes/deepseek-v4-flash-0731.yaml",)),
        Field(name="commit", shape=Text(COMMIT, "a full commit id: 40 hex digits in lower case"),
              doc="The upstream commit that this recipe was compared with: 40 hex digits. A bump moves this line.",
              required=True, rule="unpinned-source", also=("sha", "rev", "ref")),
        Field(name="license", shape=Text(r"\S", "the licence as an SPDX identifier, such as MIT"), doc="Upstream's licence, as an SPDX identifier. Derived data carries the attribution.",
              required=True, rule="unpinned-source", also=("licence",), examples=("MIT", "Apache-2.0")),
        Field(name="select", shape=_SELECT, doc="Which launch is meant, for upstreams that describe several in one file."),
        Field(name="deviations", shape=ListOf(_DEVIATION, "a list of declared differences"),
              doc="Every difference from upstream that is meant, each with its reason. What is not declared is reported."),
    ),
    wants="a mapping with repo, path, commit and license",
)  # fmt: skip

SOURCE_TEXTS: dict[str, Text] = {
    one.name: one.shape for one in _SOURCE.fields if one.rule == "unpinned-source" and isinstance(one.shape, Text)
}
"""What pins a source, and what each part looks like."""

_VERIFIED = Record(
    (
        Field(name="context", shape=Number(1, wants="a whole number of tokens"),
              doc="The context that was served when it was measured, in tokens. `--max-model-len` says the same.",
              required=True, add="`context:` with the number of tokens that were served", also=("max_model_len",),
              examples=(262144,)),
        Field(name="kv_tokens", shape=Number(0, above=True, wants="a whole number of tokens"),
              doc="Tokens that the KV cache held, as the server logged it.", examples=(664817,)),
        Field(name="concurrency", shape=Number(0, whole=False, above=True, wants="a number, without the x"),
              doc="How many requests of full context fit at once, as the server logged it.", examples=(2.53,)),
        Field(name="load_seconds", shape=Number(0, whole=False, above=True, wants="a number of seconds"),
              doc="Seconds from start to ready.", also=("load",), examples=(161,)),
        Field(name="when", shape=Text(r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$", "a date such as 2026-11-30"),
              doc="The day of the measurement. Left out where it is not known.", also=("date",)),
        Field(name="on", shape=_WORD, doc="What it was measured on, in words.", also=("hardware",)),
        Field(name="fingerprint", shape=FINGERPRINT_TEXT,
              doc="The fingerprint of the launch that was measured: model, image, args, env, mods and nodes. When one of "
              "them changes, these numbers belong to another launch; `recipediff check` gives the present value.",
              required=True, rule="stale-measurement"),
    ),
    wants="a mapping with `context` and the numbers that were measured",
)  # fmt: skip

_ID = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"
_ID_FIELD = Field(
    name="id",
    shape=Text(_ID, "letters, digits, dots, dashes and underscores, such as deepseek-v4-flash-2spark"),
    doc="The id of this recipe: one model on one topology. In a file of its own it is the file's name, and may be left out.",
    add="`id:` with a name of its own",
    also=("name",),
    examples=("deepseek-v4-flash-2spark",),
)

_FIELDS = (
    Field(name="model", shape=Text(r"^\S+$", "a repository id without blanks"), doc="The model: its repository id on Hugging Face. It joins the recipe to its upstream.",
          required=True, add="`model:` with the repository id", also=("model_id",), examples=("deepseek-ai/DeepSeek-V4-Flash-0731",)),
    Field(name="topology", shape=_TOPOLOGY, doc="The one topology that was measured.", required=True,
          add="`topology:` with `hardware` and `nodes`", several="topology-in-id", also=("cluster", "hardware", "nodes")),
    Field(name="image", shape=IMAGE_TEXT,
          doc="The container image by digest, `name@sha256:…`. A tag moves, and then this is another launch.",
          required=True, rule="unpinned-image", also=("container", "docker_image")),
    Field(name="vllm", shape=VLLM_TEXT,
          doc="The vLLM version inside the image, in quotes. Its command line is the grammar that args are read with.",
          also=("vllm_version", "version", "min_vllm_version"), examples=("0.32.0",)),
    Field(name="args", shape=ListOf(Text(_ARG, "one word an item, or --flag=value", empty=True), "a list of words"),
          doc="The words after `vllm serve MODEL`, one an item, or `--flag=value`. Numbers stand in quotes, JSON in single quotes.",
          required=True, add="`args:` with the words after `vllm serve`, or [] where there are none",
          also=("command", "base_args", "arguments", "cmd", "defaults")),
    Field(name="env", shape=MapOf(Text(r"^[A-Za-z_][A-Za-z0-9_]*$", "the name of an environment variable"), _ANY, "a mapping of names to text"),
          doc="The environment of the server. Values are text: numbers stand in quotes. An empty text is set, not unset.",
          also=("environment", "base_env")),
    Field(name="mods", shape=ListOf(Text("/", "a path such as mods/some-mod"), "a list of paths"),
          doc="Upstream's mods that the launch applies, each by its path.", also=("mod",)),
    Field(name="port", shape=Number(1, wants="a port number"), doc="The port that the server listens on. It says the same as `--port` in args."),
    Field(name="source", shape=_SOURCE, doc="The upstream file that this recipe was derived from, pinned.", required=True,
          rule="unpinned-source", also=("upstream", "provenance")),
    Field(name="verified", shape=_VERIFIED, doc="What was measured, on the launch that stands here.", required=True,
          add="`verified:` with `context` and the numbers that were measured; a recipe that nobody ran is not a tested one",
          also=("measured", "meta")),
    Field(name="notes", shape=_ANY, doc="Anything a reader should know. No rule reads it.", also=("note", "description", "comment")),
)  # fmt: skip

RECIPE = Record((_ID_FIELD, *_FIELDS), wants="a mapping: model, topology, image, args, source, verified")
"""One recipe in a file of its own; the id may be left out."""

ENTRY = Record(
    (Field(name=_ID_FIELD.name, shape=_ID_FIELD.shape, doc=_ID_FIELD.doc, required=True, add=_ID_FIELD.add, also=_ID_FIELD.also,
           examples=_ID_FIELD.examples), *_FIELDS),
    wants=RECIPE.wants,
)  # fmt: skip
"""One recipe of a list; the id stands inside."""

LIST = ListOf(ENTRY, wants="a list of recipes")

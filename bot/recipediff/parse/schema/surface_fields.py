"""The fields of an engine's surface file."""

from __future__ import annotations

from recipediff.parse.schema.shapes import Field, ListOf, MapOf, Record, Text

_FLAG = Text(
    r"^-{0,2}[A-Za-z0-9?][A-Za-z0-9_.*-]*$", "a flag such as max_model_len, --max-model-len or -tp, without a value"
)
_NAME = Text(r"^\S+$", "a name without blanks")
_PROSE = Text(r"\S", "text")

_FLAGS = Record(
    (
        Field(name="accepted", shape=ListOf(_FLAG, "a list of flags"),
              doc="Flags that the engine's argument parser takes and that have an effect, by their long name. `kernel_config.*` "
              "stands for every dotted key below `kernel_config`; a one-dash name is written with its dash.",
              required=True, add="`accepted:` with the flags that the argument parser takes",
              also=("supported", "effective"), examples=("max_model_len",)),
        Field(name="inert", shape=ListOf(_FLAG, "a list of flags"),
              doc="Flags that are taken and change nothing: they must not stop the server, and that is all.",
              also=("ignored", "noop", "no_op"), examples=("trust_remote_code",)),
    ),
    wants="a mapping with accepted and inert",
)  # fmt: skip

SURFACE = Record(
    (
        Field(name="engine", shape=_NAME, doc="The engine's name.", required=True, add="`engine:` with its name", also=("name",),
              examples=("vllm.cpp",)),
        Field(name="version", shape=Text(r"^\S+$", 'a version in quotes, such as "0.4.1"'), doc="The engine's version, in quotes.",
              also=("release",), examples=("0.4.1",)),
        Field(name="commit", shape=Text(r"^\S+$", "a commit id, in quotes where it is all digits"), doc="The engine's commit, where it has no version.",
              also=("sha", "rev"), examples=("d85906ae",)),
        Field(name="obtained", shape=_PROSE,
              doc="How the lists were made: read from the argument parser, printed by the engine itself. Not by searching its "
              "repository for names: a name in a benchmark script or a comment is not coverage.", also=("source", "how")),
        Field(name="flags", shape=_FLAGS, doc="What the argument parser does with each flag. Anything else stops the engine at start.",
              required=True, add="`flags:` with accepted and inert", also=("arguments", "options")),
        Field(name="values", shape=MapOf(_FLAG, ListOf(_NAME, "a list of names"), "a mapping of flags to the names that resolve"),
              doc="For flags whose value names something that the engine must resolve: the names that resolve.",
              also=("axes", "choices")),
        Field(name="architectures", shape=ListOf(_NAME, "a list of names"),
              doc="The model architectures that the engine registers, as `architectures` in a model's config.json has them.",
              also=("models", "archs"), examples=("Qwen3ForCausalLM",)),
        Field(name="env", shape=ListOf(Text(r"^[A-Za-z_][A-Za-z0-9_]*$", "the name of an environment variable"), "a list of names"),
              doc="The environment variables that the engine reads.", also=("environment", "variables")),
        Field(name="hardware", shape=ListOf(_NAME, "a list of upstream's hardware profiles"),
              doc="Your own boxes, by the names of upstream's hardware profiles. Recipes that list one of them are shown.",
              also=("boxes", "profiles"), examples=("dgx_spark_gb10",)),
        Field(name="notes", shape=_PROSE, doc="Anything a reader should know. It is shown in the report.", also=("note", "description")),
    ),
    wants="a mapping: engine, flags, values",
)  # fmt: skip

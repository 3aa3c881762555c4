"""The fields of `.github/recipediff.yml`."""

from __future__ import annotations

from recipediff.parse.schema.bump_fields import BUMPS
from recipediff.parse.schema.fields import PATH, REPO
from recipediff.parse.schema.record_fields import RECORDS
from recipediff.parse.schema.shapes import Field, ListOf, Record, Text

_GLOB = Text(
    r"^(?!/)(?!(.*/)?\.\.(/|$))(?!([^*]*\*){9})[^\\\x00-\x1f]+$",
    "a pattern such as recipes/*.yaml, without a leading / or .., with at most 8 stars",
)

UPSTREAM = Record(
    (
        Field(name="repo", shape=Text(REPO, "owner/name"), doc="The repository, as owner/name.", required=True, add="`repo:` as owner/name",
              also=("repository", "name"), examples=("eugr/spark-vllm-docker",)),
        Field(name="format", shape=Text(values=("eugr", "vllm-project"), wants="eugr or vllm-project"),
              doc="How its recipes are written.", required=True, add="`format:` eugr or vllm-project", also=("type", "parser")),
        Field(name="branch", shape=Text(wants="a branch name"), doc="The branch that is followed. Default: main.", also=("ref",)),
        Field(name="license", shape=Text(wants="an SPDX identifier"), doc="Its licence, as an SPDX identifier.", also=("licence",),
              examples=("MIT",)),
        Field(name="authority", shape=Text(values=("image", "model"), wants="image or model"),
              doc="What it is believed about: `image` (backend names, loader, mods, build arguments, its own environment) or "
              "`model` (repository ids, variants, minimum vLLM version, verified hardware). Default: model."),
        Field(name="recipes", shape=ListOf(_GLOB, "a list of patterns"), doc="Where its recipe files are. Default: every YAML file.",
              also=("paths", "files")),
        Field(name="launcher", shape=ListOf(_GLOB, "a list of patterns"),
              doc="The files that start its recipes. Where they change, a recipe of several nodes may start otherwise though its own "
              "file says the same. Default: none.", also=("runner",), examples=("run-recipe.py",)),
    ),
    wants="a mapping with repo and format",
)  # fmt: skip

SURFACE_CONFIG = Record(
    (
        Field(name="file", shape=Text(PATH.removesuffix("$") + r"\.(ya?ml|json)$", "a path from the repository's root that ends in .yaml, .yml or .json"),
              doc="The engine's surface file (schemas/surface.schema.json). A pull request that changes it is told what it wins or loses.",
              required=True, add="`file:` with its path", also=("path",), examples=("engine.yaml",)),
        Field(name="upstream", shape=Text(REPO, "owner/name"), doc="The upstream whose recipes are to run on the engine; one of `upstreams`.",
              required=True, add="`upstream:` as owner/name", also=("repo",), examples=("vllm-project/recipes",)),
        Field(name="engine-repo", shape=Text(REPO, "owner/name"),
              doc="Where work on the engine is seen: its open issues and pull requests are searched for who works on a gap.",
              also=("engine_repo", "engine")),
    ),
    wants="a mapping with file and upstream",
)  # fmt: skip

CONFIG = Record(
    (
        Field(name="recipes", shape=ListOf(_GLOB, "a list of patterns"),
              doc="Where the tested recipes of this repository are. Default: recipes/*.yaml, recipes/*.yml and recipes/tested.json.",
              also=("paths", "files", "globs"), examples=("recipes/*.yaml",)),
        Field(name="upstreams", shape=ListOf(UPSTREAM, "a list of upstreams"),
              doc="The repositories that recipes may be derived from; nothing else is ever read. "
              "Default: eugr/spark-vllm-docker and vllm-project/recipes.", also=("upstream", "sources")),
        Field(name="fail-on", shape=Text(values=("new", "any"), wants="new or any"),
              doc="`new`: the check fails for findings that a pull request adds or changes. `any`: for every one on its head. "
              "Default: new.", also=("fail_on", "failon")),
        Field(name="comment", shape=Text(values=("findings", "never"), wants="findings or never"),
              doc="`findings`: one comment where there is something to say. `never`: the check run alone. Default: findings.",
              also=("comments",)),
        Field(name="bumps", shape=BUMPS, doc="How pin bumps are made: the pull requests that move `source.commit`.", also=("bump", "pins")),
        Field(name="records", shape=RECORDS, doc="The keyed tables in Markdown that are guarded, and what points at their rows.",
              also=("record", "guard")),
        Field(name="surface", shape=SURFACE_CONFIG, doc="The surface file of an engine that published recipes are to run on.", also=("sweep",)),
    ),
    wants="a mapping: recipes, upstreams, fail-on, comment, bumps, records, surface",
)  # fmt: skip

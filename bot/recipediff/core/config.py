"""What a repository configures, as data; `recipediff.parse.config.repository` reads `.github/recipediff.yml` into it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from recipediff.core.bumps.config import BumpConfig
from recipediff.core.records import RecordsConfig

Authority = Literal["image", "model"]
FailOn = Literal["new", "any"]
CommentPolicy = Literal["findings", "never"]

CONFIG_PATH = ".github/recipediff.yml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """A repository that recipes are derived from.

    `authority` is what it is believed about: `image` (backend names, loader, mods, its own env) or `model` (repository ids,
    variants, minimum vLLM version, verified hardware). `recipes` are globs of its recipe files.
    """

    repo: str
    format: str
    branch: str = "main"
    license: str = ""
    authority: Authority = "model"
    recipes: tuple[str, ...] = ("**/*.yaml",)
    launcher: tuple[str, ...] = ()
    """Globs of the files that start the recipes; what they add to a launch of several nodes stands in no recipe."""


_LAUNCHER = ("run-recipe.py", "run-recipe.sh", "launch-cluster.sh", "run-cluster-node.sh", "autodiscover.sh")

DEFAULT_UPSTREAMS = (
    Upstream(
        repo="eugr/spark-vllm-docker",
        format="eugr",
        branch="main",
        license="MIT",
        authority="image",
        recipes=("recipes/**/*.yaml",),
        launcher=_LAUNCHER,
    ),
    Upstream(
        repo="vllm-project/recipes",
        format="vllm-project",
        branch="main",
        license="Apache-2.0",
        authority="model",
        recipes=("models/**/*.yaml",),
    ),
)


@dataclass(frozen=True, slots=True)
class SurfaceConfig:
    """The surface file of an engine that this repository keeps, and the upstream whose recipes are to run on it."""

    file: str
    upstream: str
    engine_repo: str = ""
    """Where work on the engine is seen, as `owner/name`: who works on a gap is looked up there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The configuration in force. Without a file, the defaults here: recipes in `recipes/`, and both known upstreams."""

    recipes: tuple[str, ...] = ("recipes/*.yaml", "recipes/*.yml", "recipes/tested.json")
    upstreams: tuple[Upstream, ...] = DEFAULT_UPSTREAMS
    fail_on: FailOn = "new"
    comment: CommentPolicy = "findings"
    bumps: BumpConfig = field(default_factory=BumpConfig)
    records: RecordsConfig = field(default_factory=RecordsConfig)
    surface: SurfaceConfig | None = None

    def upstream(self, repo: str) -> Upstream | None:
        """The configured upstream named `repo` (letter case aside, as GitHub has it), or None."""
        return next((u for u in self.upstreams if u.repo.lower() == repo.lower()), None)

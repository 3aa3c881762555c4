"""A small world for reviews: an upstream recipe, and a repository with a tested recipe pinned to it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx

from recipediff.adapters.github.auth import AppIdentity
from recipediff.adapters.github.connect import BUMP, GitHubForge, Settings
from recipediff.app.review.review import Circumstances, ReviewOutcome, Subject, review
from recipediff.core.fingerprint import fingerprint
from recipediff.parse.tested.read import read_recipes
from recipediff.ports.forge import Home, PullRequest
from sandbox import Sandbox
from sandbox.model import InstallationRecord, IssueRecord, Repo
from tests.contract.contract import Contract

UPSTREAM = "eugr/spark-vllm-docker"
UPSTREAM_PATH = "recipes/tiny.yaml"
RECIPE_PATH = "recipes/tiny-1spark.yaml"

UPSTREAM_TEXT = """\
# A small recipe in upstream's format.
recipe_version: "1"
name: Tiny
description: A tiny model on one node
model: org/tiny
container: vllm-node
mods: []
defaults:
  port: 8000
  max_model_len: 32768
  max_num_seqs: 8
env:
  VLLM_SKIP: "0"
command: |
  vllm serve org/tiny \\
      --port {port} \\
      --max-model-len {max_model_len} \\
      --max-num-seqs {max_num_seqs} \\
      --enable-prefix-caching
"""

_RECIPE = """\
# yaml-language-server: $schema=../schemas/recipe.schema.json
model: org/tiny
topology:
  hardware: GB10
  nodes: 1
image: example/vllm@sha256:1111111111111111111111111111111111111111111111111111111111111111
vllm: "0.32.0"
args:
  - --port
  - "8001"
  - --max-model-len
  - "32768"
  - --max-num-seqs
  - "{seqs}"
  - --enable-prefix-caching
env:
  VLLM_SKIP: "{skip}"
source:
  repo: {repo}
  path: recipes/tiny.yaml
  commit: {commit}
  license: MIT
  deviations:
    - kind: flag
      setting: port
      upstream: "8000"
      ours: "{declared_port}"
      why: The router in front of the server speaks to 8001.
verified:
  context: 32768
  fingerprint: {fingerprint}
"""


def recipe_text(
    commit: str, *, seqs: str = "8", skip: str = "0", declared_port: str = "8001", repo: str = UPSTREAM
) -> str:
    """A tested recipe with the right fingerprint. The defaults differ from upstream in the one declared setting."""
    values = {"commit": commit, "seqs": seqs, "skip": skip, "declared_port": declared_port, "repo": repo}
    draft = _RECIPE.format(fingerprint="sha256:" + "0" * 64, **values)
    (recipe,) = read_recipes(draft.encode(), RECIPE_PATH).recipes
    return _RECIPE.format(fingerprint=fingerprint(recipe), **values)


@dataclass(slots=True, kw_only=True)
class World:
    """The running sandbox and what stands in it."""

    sandbox: Sandbox
    upstream: Repo
    repo: Repo
    installation: InstallationRecord
    forge: GitHubForge
    pin: str
    contract: Contract
    started: int = field(default=0)

    @property
    def home(self) -> Home:
        """The repository as the use cases see it."""
        return self.forge.home(self.repo.full_name, self.installation.id, BUMP)

    @property
    def author(self) -> str:
        """The account that the App comments under."""
        return f"{self.installation.app.slug}[bot]"

    def open(self, files: dict[str, str | bytes | None], branch: str = "topic", title: str = "Change") -> IssueRecord:
        """A pull request with one commit."""
        self.sandbox.commit(self.repo, branch, files, title)
        return self.sandbox.open_pull(self.repo, branch, title)

    async def pull(self, number: int) -> PullRequest:
        """As the API tells it."""
        return await self.home.pulls.get(number)

    async def review(self, number: int, **about: object) -> ReviewOutcome:
        """One review, as a job would run it."""
        return await self.review_of(await self.pull(number), **about)

    async def review_of(self, pull: PullRequest, **about: object) -> ReviewOutcome:
        """One review of a pull request that is known already."""
        subject = Subject.of(pull)
        return await review(self.home, subject, self.forge, Circumstances(author=self.author, **about))  # type: ignore[arg-type]

    def count(self) -> int:
        """Requests since the last call."""
        total = len(self.sandbox.requests)
        made, self.started = total - self.started, total
        return made


@asynccontextmanager
async def world(*, interval: float = 0.0) -> AsyncIterator[World]:
    """A sandbox whose every request and answer is held against GitHub's own description."""
    sandbox = await Sandbox.start()
    try:
        async for made in _filled(sandbox, interval):
            yield made
    finally:
        await sandbox.stop()


async def _filled(sandbox: Sandbox, interval: float) -> AsyncIterator[World]:
    contract = Contract()
    sandbox.observers.append(contract)
    upstream = sandbox.create_repo(UPSTREAM, {UPSTREAM_PATH: UPSTREAM_TEXT, "README.md": "recipes\n"})
    pin = upstream.git.ref("refs/heads/main") or ""
    repo = sandbox.create_repo("lab/models", {RECIPE_PATH: recipe_text(pin), "README.md": "# models\n"})
    installation = sandbox.install(sandbox.register_app("http://127.0.0.1:9/webhook"), "lab", [repo])
    identity = AppIdentity(str(installation.app.id), installation.app.private_key)
    async with httpx.AsyncClient(verify=False, timeout=10) as connection:
        forge = GitHubForge(connection, identity, Settings(base_url=sandbox.api_url, interval=interval, burst=3))
        yield World(
            sandbox=sandbox,
            upstream=upstream,
            repo=repo,
            installation=installation,
            forge=forge,
            pin=pin,
            contract=contract,
        )
    contract.check()

"""One recipe with something of everything, checked for real: what the reports are held to."""

from __future__ import annotations

from recipediff.checks.recipes.check import RecipesSnapshot, check
from recipediff.core.config import Config
from recipediff.core.upstream import UpstreamFiles
from recipediff.core.verdict import Evaluation
from recipediff.reports.report import Report, build, ratchet

PIN = "c" * 40
FILE = "recipes/m-2spark.yaml"
UPSTREAM_PATH = "recipes/m.yaml"

RECIPE = f"""\
model: org/m
topology:
  hardware: DGX Spark (GB10)
  nodes: 2
image: example/image:nightly
vllm: "0.32.0"
args:
  - --max-model-len
  - "32768"
  - --max-num-seqs=32
  - --speculative-config
  - '{{"method": "mtp", "num_speculative_tokens": 3}}'
  - --seed
  - "0"
  - --enable-metrics
env:
  VLLM_USE_MEGA_AOT_ARTIFACT: "-1"
source:
  repo: eugr/spark-vllm-docker
  path: {UPSTREAM_PATH}
  commit: {PIN}
  license: MIT
  deviations:
    - kind: flag
      setting: max_num_seqs
      upstream: "8"
      ours: "16"
      why: measured with two and with four users
    - kind: env
      setting: VLLM_GONE
      upstream: "1"
      ours: ""
      why: the image sets it
verified:
  context: 16384
"""

UPSTREAM = """\
recipe_version: "1"
name: example
model: org/m
container: image
container: image
mods:
  - mods/fix-kv
env:
  VLLM_USE_MEGA_AOT_ARTIFACT: 1
command: |
  vllm serve org/m --max-model-len 32K --max-num-seqs 8 \\
    --speculative-config '{{"method":"mtp","num_speculative_tokens":2}}' --enable-prefix-caching
"""


def evaluation(text: str = RECIPE, upstream: str = UPSTREAM) -> Evaluation:
    """What the check makes of one recipe and its upstream file."""
    fetched = UpstreamFiles({UPSTREAM_PATH: upstream.encode()}, frozenset({UPSTREAM_PATH, "mods/other/run.sh"}))
    pins = {("eugr/spark-vllm-docker", PIN): fetched}
    return check(RecipesSnapshot(files={FILE: text.encode()}, upstream=pins, config=Config()))


def report() -> Report:
    """The report of the command, which has no base."""
    return build(evaluation(), {FILE: RECIPE})


def pull_request() -> Report:
    """The report of a pull request: new, open and fixed findings."""
    base = RECIPE.replace("--enable-metrics", "--enable-mfu-metrics").replace(
        'VLLM_USE_MEGA_AOT_ARTIFACT: "-1"', 'A: "1"'
    )
    return ratchet(evaluation(), evaluation(base), texts={FILE: RECIPE})

"""What is peculiar about a move: reassigned variants, splits, launchers, licences, versions that cannot be read."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from recipediff.checks.moves import Versions, judge_move
from recipediff.core.bumps.trail import Judged
from recipediff.core.config import DEFAULT_UPSTREAMS
from recipediff.core.launch import Select, Word
from recipediff.core.place import Place
from recipediff.core.recipe import Source, TestedRecipe
from recipediff.parse.documents.comments import Remarks
from recipediff.parse.formats.format import UpstreamFiles
from tests.app.bumps.test_life import QUIET, SEQS
from tests.app.bumps.world import BRANCH, Lab, lab
from tests.app.review.world import RECIPE_PATH, UPSTREAM_PATH, recipe_text
from tests.parse.formats.vllm_project.tree import FILES, changed, launch

HERE = Place(file="recipe.yaml", line=1, column=1)
UPSTREAM = next(upstream for upstream in DEFAULT_UPSTREAMS if upstream.format == "vllm-project")
DENSE = "models/example/dense.yaml"
SWAPPED = (
    ("  default:\n    precision: bf16\n", "  default:\n    model_id: example/dense-0813\n    precision: bf16\n"),
    ("  fp8:\n    model_id: example/dense-FP8\n    precision: fp8\n", "  fp8:\n    precision: fp8\n"),
)


@pytest.fixture
async def here() -> AsyncIterator[Lab]:
    async with lab() as made:
        yield made


def pinned(select: Select) -> TestedRecipe:
    """A recipe that follows upstream's launch word by word."""
    one = launch("dense", select.hardware, variant=select.variant)[0]
    source = Source(
        repo=UPSTREAM.repo, path=DENSE, commit="0" * 40, license="Apache-2.0", select=select, deviations=(), place=HERE
    )
    image = Word("i@sha256:" + "0" * 64, HERE)
    return TestedRecipe(
        id="r",
        model=one.argv[0],
        image=image,
        hardware="x",
        nodes=1,
        args=one.argv,
        env=one.env,
        mods=(),
        source=source,
        verified=None,
        vllm="",
        place=HERE,
        file="recipe.yaml",
    )


def judged(select: Select, new: UpstreamFiles) -> Judged:
    return judge_move(pinned(select), Versions(old=FILES, new=new, new_path=DENSE), UPSTREAM)


def test_a_variant_that_means_another_model_names_its_successor() -> None:
    found = judged(Select(hardware="b200"), changed(DENSE, *SWAPPED))
    assert found.relevant
    assert found.reassigned is not None
    assert (found.reassigned.variant, found.reassigned.model) == ("default", "example/dense-0813")
    assert found.reassigned.successor == "fp8"
    assert all(change.difference.setting != "model" for change in found.meaning.changes)


def test_a_variant_whose_model_is_nowhere_any_more_says_so() -> None:
    found = judged(Select(hardware="b200"), changed(DENSE, SWAPPED[0]))
    assert found.reassigned is not None
    assert found.reassigned.successor == ""
    assert any(change.difference.setting == "model" for change in found.meaning.changes)


def test_only_what_the_select_sees_is_a_change() -> None:
    new = changed(DENSE, ("    tp: 2\n", "    tp: 4\n"))
    assert not judged(Select(hardware="h200"), new).relevant
    assert judged(Select(hardware="b200", variant="fp8"), new).relevant


def test_a_version_that_cannot_be_read_is_never_quiet() -> None:
    new = UpstreamFiles({**FILES.blobs, DENSE: b"a: [\n"})
    found = judged(Select(hardware="h200"), new)
    assert found.relevant
    assert "not YAML" in found.meaning.unread
    back = judge_move(pinned(Select(hardware="h200")), Versions(old=new, new=FILES, new_path=DENSE), UPSTREAM)
    assert back.relevant
    assert back.meaning.blind


async def test_a_new_version_that_cannot_be_read_holds_and_keeps_what_is_open(here: Lab) -> None:
    here.upstream(SEQS)
    await here.run()
    (bump,) = here.bumps()
    here.world.sandbox.commit(here.world.upstream, "main", {UPSTREAM_PATH: here.text + "command: [\n"}, "Break it")
    kept = await here.run()
    assert ("keep", "blocked") in [(a.what, a.code) for a in kept.actions]
    assert bump.state == "open"


async def test_a_split_names_the_half_that_is_nearer(here: Lab) -> None:
    half = here.text.replace("--enable-prefix-caching", "--enable-prefix-caching --seed 1")
    here.world.sandbox.commit(here.world.upstream, "main", {"recipes/tiny-seed.yaml": half}, "Split")
    here.upstream(SEQS)
    await here.run()
    (bump,) = here.bumps()
    assert "**Perhaps split upstream**: `recipes/tiny-seed.yaml` is new and alike" in (bump.body or "")
    assert "the recipe differs in 2 settings from it" in (bump.body or "")


async def test_a_licence_that_changed_is_said(here: Lab) -> None:
    here.world.sandbox.commit(here.world.upstream, "main", {"LICENSE": "All rights reserved\n"}, "Relicense")
    here.upstream(SEQS)
    await here.run()
    (bump,) = here.bumps()
    assert "**Licence changed upstream**: `LICENSE`" in (bump.body or "")


@pytest.mark.parametrize(("nodes", "branch"), [(1, "recipediff/bump/quiet"), (2, BRANCH)])
async def test_a_launcher_that_changed_matters_to_several_nodes(here: Lab, nodes: int, branch: str) -> None:
    text = recipe_text(here.world.pin).replace("nodes: 1", f"nodes: {nodes}")
    here.world.sandbox.commit(here.world.repo, "main", {RECIPE_PATH: text}, "Span nodes")
    here.world.sandbox.commit(here.world.upstream, "main", {"run-recipe.py": "print()\n"}, "Change the default backend")
    here.upstream(QUIET)
    await here.run()
    (bump,) = here.bumps()
    assert bump.pull is not None
    assert bump.pull.head_ref == branch
    assert ("launcher changed" in (bump.body or "")) == (nodes > 1)


async def test_a_deleted_upstream_commit_is_never_replaced_by_another(here: Lab) -> None:
    here.world.sandbox.commit(here.world.repo, "main", {RECIPE_PATH: recipe_text("f" * 40)}, "Pin nothing")
    here.upstream(SEQS)
    kept = await here.run()
    assert [finding.rule for finding in kept.seen.findings] == ["unreachable-pin"]
    assert "does not exist" in kept.seen.lost["tiny-1spark"]
    assert here.bumps("all") == []


def test_remarks_are_upstreams_own_words() -> None:
    text = (
        "defaults:\n  seqs: 8  # measured '#1'\n  # two lines\n  # above it\n  port: 1\n"
        "env:\n  A: '#no' # yes\n  B: 'x # no'\n"
        "command: |\n  vllm serve m \\\n    --max-num-seqs {seqs} \\\n    --port {port} \\\n    --x '{{\"a\": {port}}}'\n"
    )
    remarks = Remarks("r.yaml", text.encode())
    at = [remarks.at(Place(file="r.yaml", line=line, column=1)) for line in range(1, 14)]
    assert at == ["", "measured '#1'", "", "two lines", "two lines above it", "", "yes", "", "", "", "measured '#1'", "two lines above it", "two lines above it"]  # fmt: skip
    assert remarks.at(Place(file="other.yaml", line=2, column=1)) == ""
    assert remarks.at(Place(file="r.yaml", line=99, column=1)) == ""
    assert len(Remarks("r.yaml", b"a: 1 # " + b"x" * 5000).at(Place(file="r.yaml", line=1, column=1))) <= 240


def test_a_recipe_that_cannot_be_read_itself_still_knows_quiet_from_loud() -> None:
    recipe = replace(pinned(Select(hardware="h200")), unread=("env.FOO",))
    quiet = judge_move(
        recipe, Versions(old=FILES, new=changed(DENSE, ("    tp: 2\n", "    tp: 4\n")), new_path=DENSE), UPSTREAM
    )
    assert not quiet.relevant

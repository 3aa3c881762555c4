"""What a review costs in requests, and that it needs few trips one after the other."""

from __future__ import annotations

import pytest

from sandbox.server import ServedRequest
from tests.app.review.world import RECIPE_PATH, World, recipe_text, world

TOKEN = "access_tokens"


async def cost(lab: World, number: int, **about: object) -> list[ServedRequest]:
    """The requests of one review as the worker runs it: the pull request comes with the webhook, the token is warm."""
    pull = await lab.pull(number)
    before = len(lab.sandbox.requests)
    await lab.review_of(pull, **about)
    return [e for e in list(lab.sandbox.requests)[before:] if TOKEN not in e.path]


def table(title: str, made: list[ServedRequest]) -> str:
    rows = [f"  {e.method:5} {e.path}" for e in made]
    return "\n".join([f"{title}: {len(made)} requests", *rows])


async def test_a_changed_recipe_with_cold_caches_costs_at_most_11(capsys: pytest.CaptureFixture[str]) -> None:
    async with world() as lab:
        lab.sandbox.commit(lab.repo, "main", {".github/recipediff.yml": "fail-on: new\n"}, "Configure")
        pull = lab.open({RECIPE_PATH: recipe_text(lab.pin, seqs="32")})
        made = await cost(lab, pull.number, fresh=True, first=True)
        with capsys.disabled():
            print("\n" + table("one recipe changed, cold", made))
        assert len(made) <= 11


async def test_a_changed_recipe_costs_at_most_8_where_the_blobs_were_seen() -> None:
    async with world() as lab:
        lab.sandbox.commit(lab.repo, "main", {".github/recipediff.yml": "fail-on: new\n"}, "Configure")
        pull = lab.open({RECIPE_PATH: recipe_text(lab.pin, seqs="32")})
        await cost(lab, pull.number, fresh=True, first=True)
        lab.sandbox.commit(lab.repo, "topic", {RECIPE_PATH: recipe_text(lab.pin, seqs="16")}, "Again")
        made = await cost(lab, pull.number, fresh=True)
        assert len(made) <= 8, table("seen before", made)


@pytest.mark.parametrize("files", [3, 400])
async def test_a_change_without_a_recipe_costs_at_most_6_however_many_files(files: int) -> None:
    async with world() as lab:
        pull = lab.open({f"docs/{number}.md": f"{number}\n" for number in range(files)})
        made = await cost(lab, pull.number, fresh=True)
        assert len(made) <= 6, table("no recipe", made)


async def test_many_changed_files_beside_one_recipe_cost_the_same() -> None:
    async with world() as lab:
        files: dict[str, str | bytes | None] = {f"data/{number}.json": "{}\n" for number in range(400)}
        pull = lab.open({**files, RECIPE_PATH: recipe_text(lab.pin, seqs="32")})
        made = await cost(lab, pull.number, fresh=True, first=True)
        assert len(made) <= 11, table("400 files", made)

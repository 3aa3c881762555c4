"""A poll costs one conditional request for each upstream that is still, however many recipes follow it."""

from __future__ import annotations

import pytest

from recipediff.app.bumps.move import About, keep_bumps
from recipediff.app.bumps.watch import Watch
from recipediff.core.bumps.calendar import DAY
from recipediff.ports.errors import Unavailable
from sandbox.faults import FaultKind
from tests.app.bumps.test_life import SEQS
from tests.app.bumps.world import Lab, lab
from tests.app.review.world import UPSTREAM_PATH, UPSTREAM_TEXT, recipe_text

OTHER = "vllm-project/recipes"
CONFIG = f"""\
upstreams:
  - {{repo: eugr/spark-vllm-docker, format: eugr, recipes: ["recipes/**/*.yaml"]}}
  - {{repo: {OTHER}, format: eugr, recipes: ["recipes/**/*.yaml"]}}
bumps: {{overview: never}}
"""


async def _many(here: Lab, count: int) -> None:
    """`count` recipes, half of them on each of two upstreams."""
    world = here.world
    other = world.sandbox.create_repo(OTHER, {UPSTREAM_PATH: UPSTREAM_TEXT})
    pins = {"eugr/spark-vllm-docker": world.pin, OTHER: other.git.ref("refs/heads/main") or ""}
    texts = {repo: recipe_text(pin, repo=repo) for repo, pin in pins.items()}
    files = {f"recipes/r{n}.yaml": texts[OTHER if n % 2 else "eugr/spark-vllm-docker"] for n in range(count)}
    world.sandbox.commit(world.repo, "main", {**files, ".github/recipediff.yml": CONFIG}, "Many")


async def test_a_quiet_poll_of_a_thousand_recipes_is_two_conditional_requests() -> None:
    async with lab() as here:
        await _many(here, 1000)
        watch, home, forge = Watch(), here.world.home, here.world.forge
        assert await watch.due(home, forge, 0.0)
        watch.saw(home.name, await here.run())
        await watch.due(home, forge, 0.0)
        here.world.count()
        assert not await watch.due(home, forge, 0.0)
        asked = list(here.world.sandbox.requests)[-here.world.count() :]
        assert [(e.operation, e.status) for e in asked] == [("git/get-ref", 304)] * 2
        print(f"quiet poll of 1,000 recipes on two upstreams: {len(asked)} conditional requests")


async def test_a_move_a_date_and_a_failure_are_each_a_reason_to_look() -> None:
    async with lab() as here:
        watch, home, forge = Watch(), here.world.home, here.world.forge
        watch.saw(home.name, await here.run())
        assert not await watch.due(home, forge, 0.0)
        here.upstream(SEQS)
        assert await watch.due(home, forge, 0.0)
        now = here.world.sandbox.world.clock().timestamp()
        kept = await keep_bumps(home, forge, About(author=here.world.author, now=now))
        watch.saw(home.name, kept)
        assert kept.until > now
        assert not await watch.due(home, forge, now)
        assert await watch.due(home, forge, now + DAY + 60)
        here.world.sandbox.faults.add(FaultKind.SERVER_ERROR, "git/get-ref", times=None)
        with pytest.raises(Unavailable):
            await watch.due(home, forge, now)
        here.world.sandbox.faults.clear()


async def test_an_upstream_that_could_not_be_looked_at_is_looked_at_again() -> None:
    async with lab() as here:
        watch, home, forge = Watch(), here.world.home, here.world.forge
        here.world.upstream.deleted = True
        watch.saw(home.name, await here.run())
        here.world.upstream.deleted = False
        assert await watch.due(home, forge, 0.0)

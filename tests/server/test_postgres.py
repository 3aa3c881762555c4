"""Two replicas over one PostgreSQL: each pull request is reviewed once, whichever of them heard of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from recipediff.wiring import server as compose
from tests.app.review.world import RECIPE_PATH
from tests.postgres import postgres_cluster, postgres_database
from tests.server.stage import stage

__all__ = ["postgres_cluster", "postgres_database"]


@pytest.mark.postgres
async def test_two_replicas_keep_one_check_and_one_comment(tmp_path: Path, postgres_database: str) -> None:
    async with (
        stage(tmp_path, database_url=postgres_database) as here,
        compose.serving(here.config, here.credentials) as other,
    ):
        issues = []
        for number in range(3):
            # Contents of their own: three commits of one second would otherwise be one commit, and so one head.
            issues.append(here.open(f"# {number}\n{here.bad()}", f"topic-{number}"))
            here.installation.app.webhook_url = f"http://127.0.0.1:{other if number % 2 else here.port}/webhook"
        for issue in issues:
            assert (await here.concluded(issue, seconds=40)).conclusion == "failure"
            assert len(here.said(issue)) == 1
        here.sandbox.commit(here.repo, "topic-1", {RECIPE_PATH: here.good()}, "Fix")
        assert (await here.concluded(issues[1], seconds=40)).conclusion == "success"
        (comment,) = here.said(issues[1])
        assert "resolved" in comment.body

"""Bumps through the whole server: webhooks in, pull requests and the overview out."""

from __future__ import annotations

from pathlib import Path

from recipediff.app.bumps.events import closed_or_reopened, pushed, ticks
from recipediff.app.bumps.overview import LABEL
from recipediff.app.events import Me, plan
from recipediff.app.payload import PayloadFields
from recipediff.core.bumps.boxes import MARKER, box
from sandbox.model import IssueRecord
from tests.app.review.world import UPSTREAM_PATH, UPSTREAM_TEXT
from tests.server.stage import Stage, stage, until

BRANCH = "recipediff/bump/tiny-1spark"
CONFIG = "bumps: {cooldown: 0, labels: [], open: %s}\n"


def bumps(here: Stage) -> list[IssueRecord]:
    return [i for i in here.sandbox.world.pulls(here.repo) if i.pull and i.pull.head_ref == BRANCH]


def overview(here: Stage) -> IssueRecord | None:
    found = [i for i in here.repo.issues.values() if any(label.name == LABEL for label in i.labels)]
    return found[0] if found else None


async def test_a_tick_in_the_overview_opens_a_bump_and_an_order_closes_it(tmp_path: Path) -> None:
    async with stage(tmp_path, serve=False) as here:
        here.sandbox.commit(here.repo, "main", {".github/recipediff.yml": CONFIG % "asked"}, "Configure")
        here.sandbox.commit(
            here.upstream,
            "main",
            {UPSTREAM_PATH: UPSTREAM_TEXT.replace("max_num_seqs: 8", "max_num_seqs: 16")},
            "Raise",
        )
        async with here.serving():

            async def shown() -> bool:
                return overview(here) is not None

            await until(shown, 30)
            issue = overview(here)
            assert issue is not None
            assert bumps(here) == []
            here.sandbox.edit(issue, body=(issue.body or "").replace("- [ ]", "- [x]"))

            async def opened() -> bool:
                return bool(bumps(here))

            await until(opened, 30)
            (bump,) = bumps(here)
            assert (await here.concluded(bump, seconds=30)).conclusion == "failure"
            here.sandbox.comment(bump, "@recipediff ignore this move", author="org")

            async def closed() -> bool:
                return bump.state == "closed"

            await until(closed, 30)


ME = Me(7, "recipediff")
WHERE = {"repository": {"full_name": "o/r", "default_branch": "main"}, "installation": {"id": 3}}
PERSON, BOT = {"login": "ada"}, {"login": "recipediff[bot]"}


def keys(event: str, payload: dict[str, object]) -> list[str]:
    return [asked.key for asked in plan(event, {**WHERE, **payload}, ME).asked]


def test_pushes_that_matter_ask_for_a_look() -> None:
    def push(ref: str, sender: dict[str, str]) -> list[str]:
        return keys("push", {"ref": f"refs/heads/{ref}", "after": "a" * 40, "sender": sender, "commits": []})

    assert "bump:o/r" in push("main", PERSON)
    assert "bump:o/r" in push(BRANCH, PERSON)
    assert "bump:o/r" not in push(BRANCH, BOT)
    assert "bump:o/r" not in push("topic", PERSON)


def test_a_bump_that_people_close_or_reopen_asks_for_a_look() -> None:
    def fields(action: str, ref: str, sender: dict[str, str]) -> PayloadFields:
        return PayloadFields({"action": action, "pull_request": {"head": {"ref": ref}}, "sender": sender})

    assert closed_or_reopened(fields("closed", BRANCH, PERSON), "recipediff")
    assert closed_or_reopened(fields("reopened", BRANCH, PERSON), "recipediff")
    assert not closed_or_reopened(fields("closed", BRANCH, BOT), "recipediff")
    assert not closed_or_reopened(fields("closed", "topic", PERSON), "recipediff")
    assert not closed_or_reopened(fields("labeled", BRANCH, PERSON), "recipediff")
    assert not pushed(PayloadFields({"ref": "refs/heads/x", **WHERE, "sender": PERSON}), "recipediff")


def test_each_tick_is_work_of_its_own() -> None:
    body = f"{MARKER}\n{box('a').replace('[ ]', '[x]')}\n{box('b')}\n{box('c d').replace('[ ]', '[X]')}\n"

    def edited(sender: dict[str, str], author: dict[str, str], action: str = "edited") -> dict[str, object]:
        return {"action": action, "issue": {"number": 1, "body": body, "user": author}, "sender": sender}

    assert keys("issues", edited(PERSON, BOT)) == ["ask:o/r#a", "ask:o/r#c%20d"]
    assert keys("issues", edited(BOT, BOT)) == []
    assert keys("issues", edited(PERSON, PERSON)) == []
    assert keys("issues", edited(PERSON, BOT, "closed")) == []
    assert ticks(PayloadFields({"action": "edited", "issue": {"body": None}}), "recipediff") == ()

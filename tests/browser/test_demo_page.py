"""What `make demo` shows, in a real browser: red with the line that is wrong, then green after the fix."""

from __future__ import annotations

import time

import pytest
from playwright.async_api import Browser, Page, async_playwright

from sandbox import Sandbox
from sandbox.model import IssueRecord, Repo
from tests.browser.chromium import ARGUMENTS, CHROMIUM, needs_chromium
from tools import demo

pytestmark = [pytest.mark.browser, needs_chromium]
MINUTE = 60.0


async def red(page: Page) -> None:
    """Two things are wrong; each is named where a person looks for it."""
    assert await page.get_by_role("heading", name="1 of 1 check was not successful").is_visible()
    comment = page.get_by_role("article", name="recipediff[bot] commented")
    for setting in ("max_num_seqs", "port"):
        assert await comment.get_by_role("cell", name=setting).first.is_visible()
    assert await comment.get_by_text("1 undeclared, 1 misdeclared").is_visible()
    assert not await comment.get_by_text("why:").first.is_visible()
    await comment.get_by_text("What to do").click()
    assert await comment.get_by_text("why:").first.is_visible()
    line = await page.get_by_text("--max-num-seqs").last.bounding_box()
    note = await page.get_by_text("max_num_seqs is “8” upstream and “32” here").bounding_box()
    assert line is not None
    assert note is not None
    assert 0 < note["y"] - line["y"] < 90, "the annotation does not stand at its line"
    link = await comment.get_by_role("link", name="line 29").get_attribute("href")
    assert link is not None
    assert link.endswith("#L29")


async def green(page: Page) -> None:
    """The same comment, resolved."""
    assert await page.get_by_role("heading", name="All checks have passed").is_visible()
    assert await page.get_by_role("article", name="recipediff[bot] commented").count() == 1
    assert await page.get_by_text("what was reported here is resolved").is_visible()
    assert await page.get_by_text("(new)").count() == 0


async def test_the_demo_turns_red_and_then_green(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = iter((red, green))
    began = time.monotonic()

    async def look(browser: Browser, sandbox: Sandbox, pull: IssueRecord) -> None:
        page = await browser.new_page(viewport={"width": 1100, "height": 900})
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        await page.goto(sandbox.page(pull))
        assert asked == [sandbox.page(pull)], "the page fetches something"
        await next(looks)(page)
        await page.close()

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)

        async def shown(sandbox: Sandbox, repo: Repo, pull: IssueRecord, took: float) -> None:
            del repo, took
            await look(browser, sandbox, pull)

        monkeypatch.setattr(demo, "verdict", shown)
        sandbox = await Sandbox.start()
        try:
            await demo.review(sandbox)
        finally:
            await sandbox.stop()
            await browser.close()
    assert next(looks, None) is None
    assert time.monotonic() - began < MINUTE

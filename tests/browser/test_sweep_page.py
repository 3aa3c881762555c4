"""The sweep's page in a real browser: alone, in both colour schemes, readable without colour, nothing cut off."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from playwright.async_api import Browser, Page, async_playwright

from recipediff.core.sweep.change import change
from recipediff.core.sweep.result import HistoryPoint
from recipediff.reports.sweep import FORMATS, Sweep
from tests.app.sweep.upstream import PLAIN, engine, swept
from tests.browser.chromium import ARGUMENTS, CHROMIUM, needs_chromium
from tests.browser.test_pull_page import CONTRAST

pytestmark = [pytest.mark.browser, needs_chromium]


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        made = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield made
        await made.close()


@pytest.fixture
def page_file(tmp_path: Path) -> Path:
    less = swept(engine((", tool_call_parser]", "]")))
    result = swept(
        engine((", tool_call_parser]", "]")), evil=PLAIN.replace('"32768"]', '"1", "--<img src=x onerror=alert(1)>"]')
    )
    points = tuple(HistoryPoint(f"{n:040x}", f"2026-0{n + 1}-01", 3 + n, 1 + n) for n in range(8))
    file = tmp_path / "sweep.html"
    file.write_text(FORMATS["html"](Sweep(replace(result, history=points), change(less, result))), "utf-8")
    return file


async def opened(
    browser: Browser, file: Path, scheme: Literal["light", "dark"] = "light", width: int = 1000
) -> tuple[Page, list[str], list[str]]:
    page = await browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    await page.goto(file.as_uri())
    await page.evaluate("document.querySelectorAll('details').forEach((node) => { node.open = true; })")
    return page, asked, said


async def test_a_person_sees_the_verdict_and_both_plots_and_nothing_is_fetched(
    browser: Browser, page_file: Path
) -> None:
    page, asked, said = await opened(browser, page_file)
    assert (asked, said) == ([page_file.as_uri()], [])
    assert await page.get_by_role("heading", level=1).inner_text() == "1 of 4 recipes starts on tiny 1, 3 stop"
    for name in ("most wanted flags", "over upstream's history"):
        box = await page.get_by_role("img", name=name).bounding_box()
        assert box
        assert box["width"] > 500
    assert await page.locator("img, script").count() == 0
    assert await page.locator("svg text", has_text="aborts").count() > 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_all_text_stands_out_from_what_is_behind_it(
    browser: Browser, page_file: Path, scheme: Literal["light", "dark"]
) -> None:
    page, _, _ = await opened(browser, page_file, scheme)
    # The numbers inside the bar stand on hatching and have a halo of their own; they are repeated below it.
    await page.evaluate("document.querySelector('.tally').remove()")
    await page.evaluate("document.querySelectorAll('svg title').forEach((node) => node.remove())")
    assert await page.evaluate(CONTRAST) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_states_differ_without_any_colour(
    browser: Browser, page_file: Path, scheme: Literal["light", "dark"]
) -> None:
    page, _, _ = await opened(browser, page_file, scheme)
    fills = await page.eval_on_selector_all(
        "svg rect[class^=bar-]",
        "nodes => nodes.map((node) => [node.getAttribute('class'), node.getAttribute('fill') || 'plain'])",
    )
    assert {(kind, fill) for kind, fill in fills} == {
        ("bar-accepted", "plain"),
        ("bar-inert", "url(#dots)"),
        ("bar-aborts", "url(#hatch)"),
    }
    dash = await page.eval_on_selector_all(
        "polyline", "nodes => nodes.map((node) => getComputedStyle(node).strokeDasharray)"
    )
    assert len(set(dash)) == 2


async def test_a_narrow_screen_does_not_scroll_sideways(browser: Browser, page_file: Path) -> None:
    page, _, _ = await opened(browser, page_file, width=380)
    assert await page.evaluate("document.documentElement.scrollWidth") <= 380


async def test_the_page_is_named_and_ordered_for_a_screen_reader(browser: Browser, page_file: Path) -> None:
    page, _, _ = await opened(browser, page_file)
    assert await page.title() == "vllm-project/recipes on tiny 1"
    assert await page.locator("html").get_attribute("lang") == "en"
    ids = await page.eval_on_selector_all("[id]", "nodes => nodes.map((node) => node.id)")
    assert len(ids) == len(set(ids))
    named = await page.eval_on_selector_all(
        "section", "nodes => nodes.every((node) => document.getElementById(node.getAttribute('aria-labelledby')))"
    )
    assert named

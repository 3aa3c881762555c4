"""The page of a pull request in a real browser: readable in both colour schemes, nothing fetched, nothing cut off."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Literal

import httpx
import pytest
from playwright.async_api import Browser, Page, async_playwright

from sandbox import Sandbox
from tests.browser.chromium import ARGUMENTS, CHROMIUM, needs_chromium
from tests.sandbox.client import Client

pytestmark = [pytest.mark.browser, needs_chromium]
COMMENT = '### 1 finding\n\n| | setting | upstream | ours |\n|-|-|-|-|\n| ✗ | `max_model_len` | `131072` | `65536` |\n\n```suggestion\n  why: ""\n```\n\n<details><summary>Open before</summary>\n\nold things\n\n</details>\n'


@pytest.fixture
async def sandbox() -> AsyncIterator[Sandbox]:
    made = await Sandbox.start()
    app = made.register_app()
    repo = made.create_repo("octo-org/recipes", {"recipes/a.yaml": "id: a\nargs:\n  max-model-len: 131072\n"})
    place = made.install(app, "octo-org")
    made.protect(repo, "main", [("recipediff", app.id)])
    tip = made.commit(repo, "topic", {"recipes/a.yaml": "id: a\nargs:\n  max-model-len: 65536\n"}, "Halve the context")
    made.open_pull(repo, "topic", "Halve the context", "It does not fit.")
    mark = {
        "path": "recipes/a.yaml",
        "start_line": 3,
        "end_line": 3,
        "annotation_level": "failure",
        "title": "Undeclared",
        "message": "max_model_len differs from upstream",
    }
    async with httpx.AsyncClient(base_url=made.api_url, verify=False) as session:
        bot = await Client(session).installed(place)
        await bot.post("/repos/octo-org/recipes/issues/1/comments", {"body": COMMENT})
        output = {"title": "1 finding", "summary": "**1** new", "annotations": [mark]}
        await bot.post(
            "/repos/octo-org/recipes/check-runs",
            {"name": "recipediff", "head_sha": tip, "conclusion": "failure", "output": output},
        )
    yield made
    await made.stop()


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        made = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield made
        await made.close()


async def opened(
    browser: Browser, sandbox: Sandbox, scheme: Literal["light", "dark"] = "light", width: int = 1100
) -> tuple[Page, list[str], list[str]]:
    page = await browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    await page.goto(f"{sandbox.url}/octo-org/recipes/pull/1")
    return page, asked, said


async def test_a_person_sees_verdict_comment_and_annotated_line(browser: Browser, sandbox: Sandbox) -> None:
    page, asked, said = await opened(browser, sandbox)
    assert (asked, said) == ([f"{sandbox.url}/octo-org/recipes/pull/1"], [])
    assert await page.get_by_role("heading", level=1).inner_text() == "Halve the context #1"
    assert await page.get_by_role("heading", name="1 of 1 check was not successful").is_visible()
    said_by_bot = page.get_by_role("article", name="recipediff[bot] commented")
    assert await said_by_bot.get_by_role("cell", name="max_model_len").is_visible()
    assert await said_by_bot.get_by_text("Suggested change").is_visible()
    assert not await said_by_bot.get_by_text("old things").is_visible()
    await said_by_bot.get_by_text("Open before").click()
    assert await said_by_bot.get_by_text("old things").is_visible()
    line, note = page.get_by_text("max-model-len: 65536"), page.get_by_text("max_model_len differs from upstream")
    line_box, note_box = await line.bounding_box(), await note.bounding_box()
    assert line_box
    assert note_box
    assert 0 < note_box["y"] - line_box["y"] < 90
    await page.get_by_role("link", name="Details of recipediff").click()
    assert page.url.endswith(f"#check-{next(iter(sandbox.world.repo('octo-org/recipes').check_runs))}")  # type: ignore[union-attr]


CONTRAST = """() => {
  const light = (text) => {
    const [r, g, b] = text.match(/[\\d.]+/g).map(Number).map((c) => { c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (node) => {
    for (; node; node = node.parentElement) {
      const colour = getComputedStyle(node).backgroundColor;
      if (!/, 0\\)$|transparent/.test(colour)) return colour;
    }
    return getComputedStyle(document.documentElement).backgroundColor;
  };
  const bad = [];
  for (const node of document.querySelectorAll('body *')) {
    const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
    if (!own || node.closest('.hidden, .skip')) continue;
    const [one, two] = [light(getComputedStyle(node).color), light(behind(node))];
    const ratio = (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
    if (ratio < 4.5) bad.push(`${node.tagName}.${node.className} "${node.textContent.slice(0, 30)}" ${ratio.toFixed(2)}`);
  }
  return bad;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_all_text_stands_out_from_what_is_behind_it(
    browser: Browser, sandbox: Sandbox, scheme: Literal["light", "dark"]
) -> None:
    page, _, _ = await opened(browser, sandbox, scheme)
    await page.evaluate("document.querySelectorAll('details').forEach((node) => { node.open = true; })")
    assert await page.evaluate(CONTRAST) == []


async def test_a_narrow_screen_does_not_scroll_sideways(browser: Browser, sandbox: Sandbox) -> None:
    page, _, _ = await opened(browser, sandbox, width=380)
    assert await page.evaluate("document.documentElement.scrollWidth") <= 380


async def test_the_page_is_named_and_ordered_for_a_screen_reader(browser: Browser, sandbox: Sandbox) -> None:
    page, _, _ = await opened(browser, sandbox)
    assert await page.title() == "Halve the context · Pull request #1 · octo-org/recipes"
    assert await page.locator("html").get_attribute("lang") == "en"
    assert [await page.locator(name).count() for name in ("main", "h1", "header", "footer")] == [1, 1, 1, 1]
    ids = await page.eval_on_selector_all("[id]", "nodes => nodes.map((node) => node.id)")
    assert len(ids) == len(set(ids))
    await page.keyboard.press("Tab")
    assert await page.evaluate("document.activeElement.textContent") == "Skip to content"

"""The texts of bumps and of the overview: within GitHub's limits, and nothing in them pings, links or breaks out."""

from __future__ import annotations

import json
import re

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from recipediff.core.bumps import marker as bump_marker
from recipediff.core.bumps.boxes import asked, box
from recipediff.core.bumps.marker import Marker
from recipediff.core.bumps.trail import Judged, Outdated, UpstreamCommit
from recipediff.core.compare import Difference
from recipediff.core.meaning import Change, Meaning
from recipediff.reports.bumps import outdated, overview
from recipediff.reports.bumps import pull as bump

NASTY = st.one_of(
    st.text(max_size=60),
    st.sampled_from(
        ["@octocat", "#12", "GH-12", "owner/name#3", "https://github.com/o/r/issues/1", "fixes #4", "a1" * 20, "--> x", "</details>",
         "| a | b |", "`x`", "```", "<script>", "<!-- recipediff:bump {} -->", "\n# head", "- [x] y", "![i](u)", "www.example.org"]
    ),
)  # fmt: skip


@st.composite
def trails(draw: st.DrawFn) -> Outdated:
    def difference() -> Difference:
        left, right = draw(NASTY), draw(NASTY)
        return Difference(
            kind="flag",
            setting=draw(NASTY),
            left=left,
            right=right,
            direction="changed",
            keys=((draw(NASTY), left, None),),
        )

    changes = tuple(
        Change(difference(), draw(NASTY), (draw(NASTY), None, draw(NASTY))) for _ in range(draw(st.integers(0, 3)))
    )
    meaning = Meaning(
        changes=changes, beside=(draw(NASTY),), refused=(draw(NASTY),), unread=draw(st.sampled_from(["", "@x #1"]))
    )
    steps = tuple(UpstreamCommit("b" * 40, draw(NASTY), "2026-01-02T03:04:05Z") for _ in range(draw(st.integers(0, 3))))
    return Outdated(
        recipe=draw(NASTY), file="recipes/x.yaml", repo="eugr/spark", pin="a" * 40, path=draw(NASTY), target="c" * 40, new_path=draw(NASTY),
        how=draw(st.sampled_from(["kept", "similar", "letter case"])), judged=Judged(meaning), blob="blob", steps=steps, more=False, since=1e9, licence=(draw(NASTY),),
    )  # fmt: skip


def shown(text: str) -> str:
    """What a reader sees outside of code, as HTML."""
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    html = re.sub(r"<!--.*?-->", "", html, flags=re.S)
    return re.sub(r"<code>.*?</code>", "", html, flags=re.S)


def harmless(text: str, name: str) -> None:
    html = shown(text).replace(name, "")
    assert not re.search(r"(?<![\w`])@[A-Za-z0-9]", html), html
    assert not re.search(r"(?<![\w&])#[0-9]", html), html
    assert not re.search(r"\b(?=[a-f]*[0-9])[0-9a-f]{40}\b", html), html
    assert "<script" not in html
    assert "<img" not in html
    assert "https://" not in html
    assert html.count("<details") == html.count("</details")


@given(st.lists(trails(), min_size=1, max_size=3), st.booleans())
@settings(max_examples=80, deadline=None)
def test_a_body_pings_nobody_and_keeps_its_marker(found: list[Outdated], quiet: bool) -> None:
    marker = Marker(tip="d" * 40, members=tuple(trail.member("e") for trail in found))
    text = bump.body(found, marker, name="@recipediff", quiet=quiet)
    assert bump_marker.read(text) == marker
    harmless(text, "@recipediff")
    for line in (bump.title(found, quiet=quiet), *bump.message(found, quiet=quiet).split("\n")):
        assert not re.search(r"[@#<>`\[\]]", line), line
        assert len(line) <= 200
    again = bump.remarked(text, Marker(tip="f" * 40, members=marker.members, noticed=True), name="@recipediff")
    assert again.count("left alone") == 1
    assert bump_marker.read(again) == Marker(tip="f" * 40, members=marker.members, noticed=True)


def test_fifty_long_recipes_fit_into_one_body() -> None:
    change = Change(
        Difference(kind="flag", setting="x" * 80, left="a" * 500, right="b" * 500, direction="changed"), "c" * 240
    )
    steps = tuple(UpstreamCommit("b" * 40, "s" * 200, "2026-01-02") for _ in range(30))
    found = [
        Outdated(
            recipe=f"recipe-{n}",
            file="f",
            repo="o/r",
            pin="a" * 40,
            path="p",
            target="c" * 40,
            new_path="p",
            how="kept",
            judged=Judged(Meaning(changes=(change,) * 60)),
            blob="x",
            steps=steps,
        )
        for n in range(50)
    ]
    marker = Marker(tip="d" * 40, members=tuple(trail.member("e" * 40) for trail in found))
    text = bump.body(found, marker, name="@recipediff", quiet=False)
    assert len(text) < 65_536
    assert "did not fit here" in text
    assert bump_marker.read(text) == marker


def test_an_overview_of_five_thousand_recipes_fits() -> None:
    lines = tuple(
        overview.OverviewLine(recipe=f"recipe-{n}", repo="o/r", pin="a" * 40, state="behind" if n > 4990 else "")
        for n in range(5000)
    )
    held = tuple(overview.Held(branch="b", recipes=(f"recipe-{n}",), reason="r" * 200, until=1e9) for n in range(300))
    text = overview.render(overview.Overview(lines, held, {f"u{n}": "x" * 300 for n in range(3000)}))
    assert len(text) < 65_536
    assert "recipe-4999" in text
    assert "did not fit here" in text


@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=40), unique=True, max_size=5))
def test_a_tick_is_heard_whatever_the_recipe_is_called(names: list[str]) -> None:
    text = "\r\n".join(f"{box(name)} **x**" for name in names)
    assert asked(text) == frozenset()
    assert asked(text.replace("- [ ]", "- [x]")) == frozenset(names)


@given(trails())
@settings(max_examples=50, deadline=None)
def test_a_terminal_gets_no_control_characters_and_programs_get_json(found: Outdated) -> None:
    text = outdated.render([found], ["b"], {"c": "why\x1b[31m"}, colour=False)
    assert all(c.isprintable() or c in "\n\t" for c in text)
    assert json.loads(outdated.render_json([found], ["b"], {}))["outdated"][0]["pin"] == "a" * 40

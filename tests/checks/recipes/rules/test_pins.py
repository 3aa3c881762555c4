"""The source and the image are pinned."""

from __future__ import annotations

import pytest

from tests.checks.recipes.rules.cases import case
from tests.parse.tested.examples import COMMIT, GOOD, IMAGE

SOURCE = GOOD[GOOD.index("source:") : GOOD.index("verified:")]


def test_a_pinned_source_and_image_pass() -> None:
    assert case().findings("unpinned-source") == []
    assert case().findings("unpinned-image") == []
    tagged = IMAGE.replace("server@", "server:v1@")
    assert case(edits=((IMAGE, tagged),)).findings("unpinned-image") == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (SOURCE, "", "names no upstream source"),
        (COMMIT, "main", "a branch or a tag, which moves"),
        (COMMIT, COMMIT[:8], "8 of 40 digits"),
        (COMMIT, COMMIT[:39], "39 of 40 digits"),
        (COMMIT, COMMIT + "0", "has 41 digits"),
        (COMMIT, COMMIT.upper(), "capital letters"),
        (f"  commit: {COMMIT}\n", "", "no commit"),
        ("  license: MIT\n", "", "no license"),
        ("license: MIT", "license: ''", "no license"),
        ("license: MIT", "license: ' '", "source.license"),
        ("  repo: owner/upstream\n  path", "  path", "no repo"),
        ("owner/upstream", "upstream", "source.repo"),
        ("owner/upstream", "https://github.com/owner/upstream", "source.repo"),
        ("owner/upstream", "owner/..", "source.repo"),
        ("recipes/some-model.yaml", "../some-model.yaml", "source.path"),
        ("recipes/some-model.yaml", "recipes/../some-model.yaml", "source.path"),
        ("recipes/some-model.yaml", "/etc/passwd", "source.path"),
        ("recipes/some-model.yaml", "recipes//x.yaml", "source.path"),
        ("recipes/some-model.yaml", "recipes/", "source.path"),
        ("recipes/some-model.yaml", r"recipes\x.yaml", "source.path"),
        ("recipes/some-model.yaml", "./x.yaml", "source.path"),
        ("recipes/some-model.yaml", "''", "no path"),
    ],
)
def test_what_does_not_pin_the_source(old: str, new: str, message: str) -> None:
    (found,) = case(edits=((old, new),)).findings("unpinned-source")
    assert message in found.message
    assert found.fix is not None
    assert found.place.line


def test_names_that_only_look_odd_are_paths_and_repositories() -> None:
    for path in ("x..y.yaml", ".hidden/x.yaml", "a/...b", "with blank.yaml", "~x/y"):
        assert case(edits=(("recipes/some-model.yaml", path),)).findings("unpinned-source") == []
    assert case(edits=(("owner/upstream", "o-1/.github"),)).findings("unpinned-source") == []


@pytest.mark.parametrize(
    ("image", "message"),
    [
        ("vendor/server:latest", "the tag “latest”"),
        ("vendor/server", "whatever `latest` is"),
        ("registry:5000/vendor/server", "whatever `latest` is"),
        (f"vendor/server:nightly-{COMMIT}", "can move or be deleted"),
        ("vendor/server@sha256:abc", "not 64 hex digits"),
        ("vendor/server@sha256:" + "AB" * 32, "capital letters"),
        ("vendor/server@sha512:" + "ab" * 64, "not sha256"),
        ('"@sha256:' + "ab" * 32 + '"', "without the image's name"),
        ('""', "names no image"),
    ],
)
def test_what_does_not_pin_the_image(image: str, message: str) -> None:
    (found,) = case(edits=((IMAGE, image),)).findings("unpinned-image")
    assert message in found.message
    assert found.place.line == 5
    assert found.fix is not None
    assert "@sha256:" in found.fix.summary


def test_what_could_not_be_read_is_not_judged_a_second_time() -> None:
    assert case(edits=((IMAGE, "[x]"),)).findings("unpinned-image") == []
    assert case(edits=((COMMIT, "[x]"),)).findings("unpinned-source") == []
    assert case(edits=((SOURCE, "source: none\n"),)).findings("unpinned-source") == []

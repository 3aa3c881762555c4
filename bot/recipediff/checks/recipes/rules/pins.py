"""The source is pinned, and so is the image (spec/recipes.md, Provenance and Invariants)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recipediff.checks.recipes.rules.own import say, unread
from recipediff.core.finding import Finding
from recipediff.core.launch import Launch
from recipediff.core.recipe import TestedRecipe
from recipediff.parse.schema.fields import IMAGE_TEXT, SOURCE_TEXTS
from recipediff.parse.tested.shape import cut

_HEX = re.compile(r"[0-9a-fA-F]+")


def source(recipe: TestedRecipe, _launch: Launch) -> Iterator[Finding]:
    """A repository, a path, a full commit and a licence."""
    pinned = recipe.source
    if pinned is None:
        if not unread(recipe, "source"):
            fix = "add `source:` with repo, path, commit and license of the upstream file it was derived from"
            yield say(recipe, "unpinned-source", "the recipe names no upstream source", recipe.place, fix, key="source")
        return
    values = {"repo": pinned.repo, "path": pinned.path, "commit": pinned.commit, "license": pinned.license}
    for name, shape in SOURCE_TEXTS.items():
        value = values[name]
        if shape.fits(value) or unread(recipe, f"source.{name}"):
            continue
        place = pinned.places.get(name, pinned.place)
        message = _commit(value) if name == "commit" and value else _plain(name, value)
        yield say(recipe, "unpinned-source", message, place, f"write {shape.wants}", key=f"source.{name}")


def _plain(name: str, value: str) -> str:
    return f"source.{name} is “{cut(value)}”" if value else f"the source has no {name}"


def _commit(value: str) -> str:
    if not _HEX.fullmatch(value):
        return f"source.commit is “{cut(value)}”, a branch or a tag, which moves"
    if len(value) < 40:
        return f"source.commit has {len(value)} of 40 digits; a short id can come to mean another commit"
    if len(value) > 40:
        return f"source.commit has {len(value)} digits; a commit has 40"
    return "source.commit has capital letters; a commit is written in lower case"


def image(recipe: TestedRecipe, _launch: Launch) -> Iterator[Finding]:
    """The image by its digest; a tag moves, or is deleted (cases B04, B06)."""
    text = recipe.image.text
    if IMAGE_TEXT.fits(text) or unread(recipe, "image"):
        return
    fix = f"write {IMAGE_TEXT.wants}; `docker buildx imagetools inspect IMAGE` prints it"
    yield say(recipe, "unpinned-image", _image(text), recipe.image.place, fix, key="image")


def _image(text: str) -> str:
    if not text:
        return "the recipe names no image"
    name, at, digest = text.partition("@")
    if at:
        algorithm, _, digits = digest.partition(":")
        if algorithm != "sha256":
            return f"the image's digest begins with “{cut(algorithm)}”, not sha256"
        if not name:
            return "the digest stands without the image's name"
        if digits.lower() != digits and len(digits) == 64:
            return "the image's digest has capital letters; a digest is written in lower case"
        return f"the image's digest is not 64 hex digits (it has {len(digits)} characters)"
    tag = name.rsplit("/", 1)[-1].partition(":")[2]
    if not tag:
        return "the image has no digest, so it means whatever `latest` is at the time"
    return f"the image is named by the tag “{cut(tag)}”, which can move or be deleted"

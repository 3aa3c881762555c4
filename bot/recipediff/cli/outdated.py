"""`recipediff outdated`."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass
from pathlib import Path

import click

from recipediff.app.bumps.outdated import Seen, look
from recipediff.app.bumps.upstream import Sight
from recipediff.cli.check import find_files
from recipediff.cli.context import Adapters
from recipediff.cli.workbench import bench, fail, locals_by_repo, read_config, read_file
from recipediff.core.config import Config
from recipediff.core.recipe import TestedRecipe
from recipediff.parse.tested.read import read_recipes
from recipediff.reports.bumps import outdated as text

UPSTREAM = click.option("--upstream", "upstreams", multiple=True, metavar="NAME=PATH",
                        help="Read this upstream from a local git checkout. May be given several times.")  # fmt: skip
CONFIG = click.option(
    "--config", metavar="FILE", help="The configuration. Default: .github/recipediff.yml, if it is there."
)


@dataclass(frozen=True, slots=True)
class Looked:
    """What a command has found out about recipes and their upstreams."""

    files: dict[str, bytes]
    recipes: tuple[TestedRecipe, ...]
    seen: Seen


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@UPSTREAM
@CONFIG
@click.option("--format", "form", type=click.Choice(["terminal", "json"]), default="terminal", show_default=True)
@click.pass_context
def outdated(
    ctx: click.Context, paths: tuple[str, ...], upstreams: tuple[str, ...], config: str | None, form: str
) -> None:
    """List the recipes that trail their upstream: by how much, and what moving the pin would mean.

    PATH is a recipe, a list of recipes or a folder of them; without one, those that the configuration names.

    Exit status: 0 every pin says what upstream says, 1 some trail, 2 some could not be looked at.
    """
    looked = look_at(ctx, paths, upstreams, config)
    if form == "json":
        click.echo(text.render_json(looked.seen.trails, looked.seen.current, excuses(looked.seen)), nl=False)
    else:
        shown = text.render(looked.seen.trails, looked.seen.current, excuses(looked.seen), colour=sys.stdout.isatty())
        click.echo(shown, nl=False)
    ctx.exit(2 if excuses(looked.seen) else 1 if looked.seen.trails else 0)


def excuses(seen: Seen) -> dict[str, str]:
    """The recipes that could not be looked at, with the reason."""
    return dict(sorted({**seen.unfollowed, **seen.lost, **seen.unknown}.items()))


def look_at(ctx: click.Context, paths: tuple[str, ...], upstreams: tuple[str, ...], config: str | None) -> Looked:
    """Read the recipes and look at their upstreams; fails with one line where there is nothing to look at."""
    settings = read_config(config)
    local = locals_by_repo(upstreams, settings)
    files = {name: read_file(name) for name in find_files(paths, settings)}
    if not files:
        fail(f"no recipe found in {', '.join(paths) or ', '.join(settings.recipes)}; name a file or a folder")
    read = [read_recipes(data, name) for name, data in files.items()]
    for one in read:
        if not one.recipes and one.findings:
            fail(f"{one.findings[0].place}: {one.findings[0].message}")
    recipes = tuple(recipe for one in read for recipe in one.recipes)
    seen = asyncio.run(_look(recipes, settings, bench(ctx).adapters, local))
    return Looked(files, recipes, seen)


async def _look(recipes: tuple[TestedRecipe, ...], config: Config, adapters: Adapters, local: dict[str, Path]) -> Seen:
    def open_upstream(repo: str) -> Sight:
        path = local.get(repo.lower())
        past = adapters.past(repo, path)
        if past is None:
            fail(f"{path} is a plain folder; to see what moved, name a git checkout of {repo}")
        return Sight(adapters.upstream(repo, path), past)

    try:
        return await look(recipes, config, open_upstream)
    finally:
        await adapters.close()

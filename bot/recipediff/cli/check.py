"""`recipediff check`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from shutil import get_terminal_size

import click

from recipediff.app.review.snapshot import gather, sources_of, survey
from recipediff.checks.recipes.check import RecipesSnapshot
from recipediff.checks.recipes.check import check as check_recipes
from recipediff.cli.context import Adapters
from recipediff.cli.progress import progress
from recipediff.cli.workbench import bench, fail, locals_by_repo, read_config, read_file
from recipediff.core.config import Config
from recipediff.parse.globs import matches
from recipediff.ports.repository import Repository
from recipediff.reports import FORMATS, terminal
from recipediff.reports.report import build

_STATUS = {"pass": 0, "fail": 1, "not evaluated": 2}


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--upstream", "upstreams", multiple=True, metavar="NAME=PATH",
              help="Read this upstream from a local git checkout or folder. May be given several times.")  # fmt: skip
@click.option("--config", metavar="FILE", help="The configuration. Default: .github/recipediff.yml, if it is there.")
@click.option("--format", "form", type=click.Choice(list(FORMATS)), default="terminal", show_default=True,
              help="How the report is written.")  # fmt: skip
@click.pass_context
def check(
    ctx: click.Context, paths: tuple[str, ...], upstreams: tuple[str, ...], config: str | None, form: str
) -> None:
    """Compare every tested recipe with its source at the pinned commit.

    PATH is a recipe, a list of recipes (tested.json) or a folder of them. Without one, the recipes that the
    configuration names are checked (recipes/*.yaml by default).

    Upstream is read over GitHub's API unless --upstream names a local copy; a token is taken from GITHUB_TOKEN or
    GH_TOKEN. What was fetched at a commit is kept on disk.
    """
    settings = read_config(config)
    local = locals_by_repo(upstreams, settings)
    files = {name: read_file(name) for name in find_files(paths, settings)}
    if not files:
        wanted = ", ".join(paths) or ", ".join(settings.recipes)
        fail(f"no recipe found in {wanted}; name a file or a folder")
    snapshot = asyncio.run(_gather(files, settings, bench(ctx).adapters, local))
    texts = {name: data.decode("utf-8", "replace") for name, data in files.items()} if form == "markdown" else {}
    report = build(check_recipes(snapshot), texts)
    if form == "terminal":
        seen = sys.stdout.isatty()
        text = terminal.render(report, colour=seen, width=get_terminal_size().columns if seen else 0)
    else:
        text = FORMATS[form](report)
    click.echo(text, nl=False)
    if report.verdict.state == "not evaluated":
        click.echo("Without a network, name a local copy: --upstream NAME=PATH", err=True)
    ctx.exit(_STATUS[report.verdict.state])


async def _gather(
    files: dict[str, bytes], config: Config, adapters: Adapters, local: dict[str, Path]
) -> RecipesSnapshot:
    def open_upstream(repo: str) -> Repository:
        return adapters.upstream(repo, local.get(repo.lower()))

    remote = {s.commit for s in sources_of(files) if config.upstream(s.repo) and s.repo.lower() not in local}
    try:
        with progress("Reading upstream", len(remote)) as step:
            snapshot = await gather(files, config, open_upstream, step)
        if len(local) < 2:
            return snapshot
        return replace(snapshot, beside=await survey(config, {repo: open_upstream(repo) for repo in local}))
    finally:
        await adapters.close()


def find_files(paths: tuple[str, ...], config: Config) -> Iterator[str]:
    """The recipe files that the arguments name, in order, each once."""
    seen: set[str] = set()
    for name in _named(paths) if paths else _configured(config):
        if name not in seen:
            seen.add(name)
            yield name


def _named(paths: tuple[str, ...]) -> Iterator[str]:
    for name in paths:
        path = Path(name)
        if path.is_dir():
            inside = path / "recipes" if (path / "recipes").is_dir() else path
            yield from (p.as_posix() for p in sorted(inside.iterdir()) if _is_recipe(p))
        elif path.is_file():
            yield path.as_posix()
        else:
            fail(f"there is no file or folder {name}")


def _is_recipe(path: Path) -> bool:
    return _there(path) and (path.suffix in (".yaml", ".yml") or path.name == "tested.json")


def _there(path: Path) -> bool:
    """A file, or a link that leads nowhere: that one must not be passed over."""
    return path.is_file() or (path.is_symlink() and not path.exists())


def _configured(config: Config) -> Iterator[str]:
    roots = {pattern.split("/", 1)[0] if "/" in pattern else "." for pattern in config.recipes}
    for root in sorted(roots):
        start = Path() if any(c in root for c in "*?[") else Path(root)
        for path in sorted(p for p in start.rglob("*") if _there(p)) if start.is_dir() else ():
            if matches(path.as_posix(), config.recipes):
                yield path.as_posix()

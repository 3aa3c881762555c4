"""`recipediff bump`."""

from __future__ import annotations

import os
import tempfile
from difflib import get_close_matches
from pathlib import Path

import click

from recipediff.cli.outdated import CONFIG, UPSTREAM, Looked, excuses, look_at
from recipediff.cli.workbench import fail
from recipediff.core.bumps.trail import Outdated
from recipediff.parse.tested.edit import CannotEdit, Repin, repin
from recipediff.reports.bumps import outdated as text


@click.command()
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--path", "paths", multiple=True, metavar="PATH", help="A recipe, a list of recipes or a folder of them.")
@click.option("--dry-run", is_flag=True, help="Say what would be moved, and write nothing.")
@UPSTREAM
@CONFIG
@click.pass_context
def bump(
    ctx: click.Context,
    ids: tuple[str, ...],
    paths: tuple[str, ...],
    dry_run: bool,
    upstreams: tuple[str, ...],
    config: str | None,
) -> None:
    """Move the pin of recipes to where upstream is: `source.commit`, after a rename `source.path` too, and nothing else.

    ID is a recipe's id; without one, every recipe that trails is moved. `recipediff outdated` says what that means, and
    `recipediff check` judges the result.

    Exit status: 0 done, or nothing to do; 1 a pin could not be moved; 2 an upstream could not be looked at.
    """
    looked = look_at(ctx, paths, upstreams, config)
    wanted = _wanted(looked, ids)
    excused = {name: why for name, why in excuses(looked.seen).items() if not ids or name in ids}
    for name, why in excused.items():
        click.echo(click.style("not looked at", fg="red") + f": {name}: {text.plain(why)}", err=True)
    stuck = [trail for trail in wanted if trail.blocked]
    for trail in stuck:
        click.echo(click.style("not moved", fg="red") + f": {trail.recipe}: {text.plain(trail.blocked)}", err=True)
    failed = _write(looked, [trail for trail in wanted if not trail.blocked], dry_run=dry_run)
    if not wanted and not excused:
        click.echo("Every pin says what upstream says.")
    ctx.exit(2 if excused else 1 if stuck or failed else 0)


def _wanted(looked: Looked, ids: tuple[str, ...]) -> list[Outdated]:
    known = [recipe.id for recipe in looked.recipes]
    for name in ids:
        if name not in known:
            close = get_close_matches(name, known, 1)
            fail(f"there is no recipe “{name}”" + (f"; did you mean {close[0]}?" if close else ""))
    return [trail for trail in looked.seen.trails if not ids or trail.recipe in ids]


def _write(looked: Looked, trails: list[Outdated], *, dry_run: bool) -> bool:
    """Rewrite each file once, with all of its pins. True where one could not be."""
    failed = False
    for file in dict.fromkeys(trail.file for trail in trails):
        own = [trail for trail in trails if trail.file == file]
        moves = [Repin(t.recipe, t.target, t.new_path if t.new_path != t.path else "") for t in own]
        try:
            after = repin(looked.files[file], file, *moves)
        except CannotEdit as error:
            click.echo(click.style("not moved", fg="red") + f": {error}", err=True)
            failed = True
            continue
        if not dry_run:
            _replace(Path(file), after)
        for trail in own:
            click.echo(text.moved(trail, dry_run=dry_run))
    return failed


def _replace(path: Path, data: bytes) -> None:
    """Whole or not at all: written beside its place, with its mode, and moved there."""
    target = path.resolve()
    try:
        mode = target.stat().st_mode & 0o7777
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".recipediff-")
        try:
            with os.fdopen(handle, "wb") as new:
                new.write(data)
            Path(name).chmod(mode)
            Path(name).replace(target)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        fail(f"cannot write {path}: {error.strerror}")

"""`recipediff review`."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from recipediff.app.review.workflow import Unsuitable
from recipediff.cli.context import services
from recipediff.cli.hosting import explained, fail
from recipediff.reports import FORMATS

_STATUS = {"pass": 0, "fail": 1, "not evaluated": 2}


@click.command()
@click.option("--event", required=True, type=click.Path(path_type=Path), metavar="FILE",
              help='The event: "$GITHUB_EVENT_PATH".')  # fmt: skip
@click.option("--kind", default="", metavar="NAME", help="The event's name. Default: GITHUB_EVENT_NAME.")
@click.option("--format", "form", type=click.Choice(list(FORMATS)), default="terminal", show_default=True,
              help="How the report is printed.")  # fmt: skip
@click.option("--summary", type=click.Path(path_type=Path), metavar="FILE",
              help='Append the report as Markdown: "$GITHUB_STEP_SUMMARY".')  # fmt: skip
@click.pass_context
def review(ctx: click.Context, event: Path, kind: str, form: str, summary: Path | None) -> None:
    """Review a pull request from a workflow, with the workflow's token (GITHUB_TOKEN) instead of an App.

    Check run and comment are brought to what they should be, written by github-actions. Where the token may not write, as
    for a pull request from a fork, the report is printed and the exit status tells.

    Exit status: 0 pass, 1 findings that count, 2 not evaluated.
    """
    with explained():
        try:
            reviewed = asyncio.run(services(ctx).review(event, kind))
        except Unsuitable as error:
            fail(str(error))
            return
    click.echo(FORMATS[form](reviewed.report), nl=False)
    if not reviewed.said:
        click.echo("nothing was written at GitHub: the token may not, or a newer commit came", err=True)
    if summary is not None:
        with explained(), summary.open("a", encoding="utf-8") as file:
            file.write(FORMATS["markdown"](reviewed.report))
    ctx.exit(_STATUS[reviewed.report.verdict.state])

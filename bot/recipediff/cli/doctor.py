"""`recipediff doctor`."""

from __future__ import annotations

import asyncio

import click

from recipediff.cli.context import services
from recipediff.cli.hosting import explained

_MARKS = {"good": ("✓", "green"), "warning": ("!", "yellow"), "bad": ("✗", "red")}


@click.command()
@click.argument("name", required=False, default="", metavar="[OWNER/NAME]")
@click.pass_context
def doctor(ctx: click.Context, name: str) -> None:
    """Find out what is wrong with the App, and with one repository: what it is and where to click.

    Permissions, events, the webhook and its secret, the clock, deliveries that failed; for a repository the installation,
    the required check on the default branch, and the merge queue. Exit status 1 where something is bad.
    """
    with explained():
        remarks = asyncio.run(services(ctx).doctor(name))
    for remark in remarks:
        mark, colour = _MARKS[remark.state]
        click.echo(f"{click.style(mark, fg=colour)} {remark.text}")
        if remark.hint and remark.state != "good":
            click.echo(f"    {remark.hint}")
    ctx.exit(1 if any(remark.state == "bad" for remark in remarks) else 0)

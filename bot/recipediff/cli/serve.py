"""`recipediff serve`."""

from __future__ import annotations

import asyncio

import click

from recipediff.cli.context import services
from recipediff.cli.hosting import explained


@click.command()
@click.option("--host", metavar="ADDRESS", help="Listen here. Default: RECIPEDIFF_HOST, else 127.0.0.1.")
@click.option("--port", type=click.IntRange(0, 65535), help="Default: PORT, else 8080; 0 takes a free one.")
@click.pass_context
def serve(ctx: click.Context, host: str | None, port: int | None) -> None:
    """Run the GitHub App: take webhooks, review pull requests.

    Without the App's credentials in the environment or the data folder, a page is served that makes the App at GitHub;
    its address is printed. docs/hosting.md lists the settings.
    """
    with explained():
        asyncio.run(services(ctx).serve(host, port))

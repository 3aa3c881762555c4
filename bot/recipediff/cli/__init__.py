"""The `recipediff` command. Each subcommand stands in a module of its own and is imported only when it runs."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

COMMANDS = {
    "check": ("recipediff.cli.check:check", "Compare tested recipes with their sources at the pin."),
    "diff": ("recipediff.cli.diff:diff", "Compare two launches, setting by setting."),
    "show": ("recipediff.cli.diff:show", "Show one launch as it is understood."),
    "outdated": ("recipediff.cli.outdated:outdated", "List recipes whose upstream has moved, and what that means."),
    "bump": ("recipediff.cli.bump:bump", "Move the pin of recipes in their files."),
    "sweep": ("recipediff.cli.sweep:sweep", "Find out which published recipes run on an engine."),
    "records": ("recipediff.cli.records:records", "Guard keyed tables in Markdown, and what points at their rows."),
    "rules": ("recipediff.cli.rules:rules", "List the rules, or read a rule's page."),
    "review": ("recipediff.cli.review:review", "Review a pull request from a workflow."),
    "serve": ("recipediff.cli.serve:serve", "Run the GitHub App."),
    "inbox": ("recipediff.cli.inbox:inbox", "See and replay what the server has to do."),
    "doctor": ("recipediff.cli.doctor:doctor", "Find out what is wrong with the App's settings."),
}


class _Lazy(click.Group):
    """A group that knows its commands by name and imports one when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches

            close = get_close_matches(args[0], COMMANDS, 1)
            if close:
                raise click.UsageError(f"No such command “{args[0]}”. Did you mean “{close[0]}”?", ctx) from error
            raise


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="recipediff")
def main(**_: Any) -> None:
    """Keep measured vLLM launch recipes honest against the upstream recipes that they came from.

    Exit status: 0 nothing to report, 1 findings or differences, 2 the work could not be done.
    """

"""`recipediff rules`."""

from __future__ import annotations

from difflib import get_close_matches

import click

from recipediff.cli.workbench import fail
from recipediff.core.rules import RULES
from recipediff.reports.pages import page


@click.command()
@click.argument("rule_id", required=False, metavar="[ID]")
def rules(rule_id: str | None) -> None:
    """List every rule with its summary, or print the page of one."""
    if rule_id is None:
        _list()
        return
    if rule_id not in RULES:
        close = get_close_matches(rule_id, RULES, 1)
        fail(f"there is no rule “{rule_id}”" + (f"; did you mean {close[0]}?" if close else "; see recipediff rules"))
    click.echo(page(rule_id), nl=False)


def _list() -> None:
    width = max(map(len, RULES))
    group = ""
    for rule in RULES.values():
        if rule.group != group:
            click.echo(("\n" if group else "") + click.style(rule.group, bold=True))
            group = rule.group
        click.echo(f"  {rule.id:<{width}}  {rule.summary}")

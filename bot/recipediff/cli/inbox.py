"""`recipediff inbox`: what waits, what runs, what could not be done."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import TypeVar

import click

from recipediff.cli.context import services
from recipediff.cli.hosting import explained, fail
from recipediff.inbox.contract import Delivery, Inbox, JobEntry, JobState

T = TypeVar("T")


@click.group()
def inbox() -> None:
    """Look at the inbox of the server, and put right what is stuck.

    It is the inbox that `serve` uses: DATABASE_URL, else the file in RECIPEDIFF_DATA. The server may run meanwhile.
    """


def _with(ctx: click.Context, use: Callable[[Inbox], Awaitable[T]]) -> T:
    async def opened() -> T:
        async with services(ctx).inbox() as box:
            return await use(box)

    with explained():
        return asyncio.run(opened())


@inbox.command("list")
@click.option("--state", type=click.Choice(["waiting", "running", "dead"]), help="Only these.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=100, show_default=True, help="At most so many.")
@click.option("--after", default="", metavar="KEY", help="Go on from this key.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@click.pass_context
def list_(ctx: click.Context, state: JobState | None, limit: int, after: str, as_json: bool) -> None:
    """List jobs, the dead ones with their reason."""
    entries = _with(ctx, lambda box: box.entries(state, limit=limit, after=after))
    if as_json:
        for entry in entries:
            click.echo(json.dumps(_facts(entry)))
        return
    if not entries:
        click.echo("nothing is in the inbox" if state is None else f"no job is {state}")
    for entry in entries:
        why = f"  {entry.reason}: {entry.message}" if entry.reason else ""
        click.echo(f"{entry.state:8} {_when(entry.due)}  {entry.key}{why[:160]}")
    if len(entries) == limit:
        click.echo(f"there may be more: --after '{entries[-1].key}'", err=True)


@inbox.command()
@click.argument("key")
@click.pass_context
def show(ctx: click.Context, key: str) -> None:
    """Show one job, and the deliveries that asked for it."""

    async def look(box: Inbox) -> tuple[JobEntry | None, list[Delivery]]:
        return await box.show(key), await box.deliveries(key)

    entry, deliveries = _with(ctx, look)
    if entry is None and not deliveries:
        fail(f"there is no job {key!r}; `recipediff inbox list` shows them")
    if entry is not None:
        for name, value in _facts(entry).items():
            click.echo(f"{name:9} {json.dumps(value) if isinstance(value, dict) else value}")
    else:
        click.echo(f"{key} is done")
    for delivery in deliveries:
        click.echo(f"delivery  {_when(delivery.received)}  {delivery.id}  {delivery.event} {delivery.action}".rstrip())


@inbox.command()
@click.argument("keys", nargs=-1, metavar="KEY...")
@click.option("--dead", is_flag=True, help="All that are dead.")
@click.pass_context
def replay(ctx: click.Context, keys: tuple[str, ...], dead: bool) -> None:
    """Run jobs now, with their attempts counted afresh."""
    _each(ctx, keys, dead, lambda box, key: box.replay(key), "runs again")


@inbox.command()
@click.argument("keys", nargs=-1, metavar="KEY...")
@click.option("--dead", is_flag=True, help="All that are dead.")
@click.pass_context
def drop(ctx: click.Context, keys: tuple[str, ...], dead: bool) -> None:
    """Forget jobs. The hourly reconciliation asks again for what is still wanted."""
    _each(ctx, keys, dead, lambda box, key: box.drop(key), "dropped")


def _each(
    ctx: click.Context, keys: tuple[str, ...], dead: bool, do: Callable[[Inbox, str], Awaitable[bool]], done: str
) -> None:
    if not keys and not dead:
        fail("name a job's key, or pass --dead")

    async def all_of_them(box: Inbox) -> list[tuple[str, bool]]:
        named = [*keys, *(await _dead(box) if dead else ())]
        return [(key, await do(box, key)) for key in dict.fromkeys(named)]

    results = _with(ctx, all_of_them)
    for key, well in results:
        click.echo(f"{key} {done}" if well else f"{key} is not there, or runs already", err=not well)
    ctx.exit(0 if all(well for _, well in results) else 1)


async def _dead(box: Inbox) -> list[str]:
    keys: list[str] = []
    while page := await box.entries("dead", limit=1000, after=keys[-1] if keys else ""):
        keys += [entry.key for entry in page]
    return keys


def _facts(entry: JobEntry) -> dict[str, object]:
    return {
        "key": entry.key,
        "state": entry.state,
        "due": _when(entry.due),
        "since": _when(entry.since),
        "attempts": entry.attempts,
        "asked": entry.asked,
        "priority": entry.priority,
        "delivery": entry.delivery,
        "reason": entry.reason,
        "message": entry.message,
        "data": dict(entry.data),
    }


def _when(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%SZ")

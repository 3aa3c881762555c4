"""`recipediff records`."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

import click

from recipediff.adapters.local import Folder, GitCheckout, IsolatedProcess
from recipediff.adapters.local.merges import Merge, merge_of
from recipediff.adapters.local.worktree import WorkTree
from recipediff.app.records.reader import Reader
from recipediff.checks.records import Snapshot
from recipediff.checks.records.guard import RecordsSnapshot, check
from recipediff.cli.workbench import fail, read_config
from recipediff.core.config import CONFIG_PATH
from recipediff.core.place import Place
from recipediff.core.records import RecordsConfig, TableRule
from recipediff.core.verdict import Evaluation
from recipediff.ports.errors import Missing, Unavailable
from recipediff.reports import FORMATS, terminal
from recipediff.reports.report import build

LARGEST = 16 * 1024 * 1024
MOST_FILES = 100_000
MOST_BYTES = 512 * 1024 * 1024
SECONDS = 120
MEGABYTES = 4_096
_STATUS = {"pass": 0, "fail": 1, "not evaluated": 2}


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--config", metavar="FILE", help="The configuration. Default: .github/recipediff.yml, if it is there.")
@click.option("--table", "tables", multiple=True, metavar="FILE=COLUMN",
              help="A keyed table and its key column, beside those that the configuration declares. Such tables share their keys.")  # fmt: skip
@click.option("--links", is_flag=True, help="Look at relative links too, whatever the configuration says.")
@click.option("--anchors", is_flag=True, help="Look at `path:line` anchors too, whatever the configuration says.")
@click.option("--base", metavar="REF",
              help="The branch that this one would be merged into: what it has gained is held against the tables here.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(list(FORMATS)), default="terminal", show_default=True,
              help="How the report is written.")  # fmt: skip
@click.pass_context
def records(
    ctx: click.Context,
    paths: tuple[str, ...],
    config: str | None,
    tables: tuple[str, ...],
    links: bool,
    anchors: bool,
    base: str | None,
    form: str,
) -> None:
    """Guard the keyed tables of this working tree, and what points at their rows.

    With PATH, only findings in these files and folders are reported. Rows that a merge lost are looked for in a merge
    that is being made, and with --base also in the newest merge since that branch.

    Exit status: 0 nothing to report, 1 findings, 2 not evaluated.
    """
    root = asyncio.run(_root())
    declared = _declared(config, root, tables)
    declared = replace(declared, links=declared.links or links, anchors=declared.anchors or anchors)
    if not declared:
        fail(f"no keyed records are declared: write `records:` in {CONFIG_PATH}, or give --table FILE=COLUMN")
    inside = [_inside(root or Path.cwd(), name) for name in paths]
    try:
        evaluation = asyncio.run(_evaluate(root, declared, base))
    except Missing as error:
        fail(str(error))
    except Unavailable as error:
        evaluation = Evaluation(findings=(), notes=(str(error),), reason=error.reason)
    report = build(_only(evaluation, inside) if inside else evaluation)
    text = terminal.render(report, colour=sys.stdout.isatty()) if form == "terminal" else FORMATS[form](report)
    click.echo(text, nl=False)
    ctx.exit(_STATUS[report.verdict.state])


async def _root() -> Path | None:
    """The top of the checkout around the current folder; None outside of one."""
    try:
        return await GitCheckout(Path.cwd()).root()
    except (Missing, Unavailable):
        return None


def _declared(config: str | None, root: Path | None, tables: tuple[str, ...]) -> RecordsConfig:
    usual = (root or Path.cwd()) / CONFIG_PATH
    named = config or (str(usual) if usual.is_file() else None)
    found = read_config(named).records if named else RecordsConfig()
    return replace(found, tables=(*found.tables, *(_table(text) for text in tables)))


def _table(text: str) -> TableRule:
    file, equals, column = text.rpartition("=")
    if not equals or not file or not column:
        fail(f"--table takes FILE=COLUMN, not “{text}”")
    return TableRule(file=file.removeprefix("./"), key=column, space="--table", place=Place(file="--table"))


def _inside(root: Path, name: str) -> str:
    path = Path(name)
    if not path.exists():
        fail(f"there is no file or folder {name}")
    try:
        return path.resolve().relative_to(root.resolve()).as_posix()
    except ValueError:
        fail(f"{name} is not in {root}")


def _only(evaluation: Evaluation, inside: list[str]) -> Evaluation:
    """What concerns these files and folders."""

    def fits(file: str) -> bool:
        return any(name == "." or file == name or file.startswith(f"{name}/") for name in inside)

    findings = tuple(finding for finding in evaluation.findings if fits(finding.place.file))
    return replace(evaluation, findings=findings, looked_at=tuple(filter(fits, evaluation.looked_at)))


async def _evaluate(root: Path | None, config: RecordsConfig, base: str | None) -> Evaluation:
    isolation = IsolatedProcess(seconds=SECONDS, megabytes=MEGABYTES)
    if root is None and base:
        fail("--base needs a git checkout")
    here = WorkTree(root, max_blob=LARGEST) if root else Folder(Path.cwd(), max_blob=LARGEST)
    reader = Reader(
        repository=here,
        config=config,
        isolation=isolation,
        largest=LARGEST,
        most_files=MOST_FILES,
        most_bytes=MOST_BYTES,
    )
    (snapshot,) = await reader.snapshots(await here.tree())
    if root is not None:
        past = Reader(
            repository=GitCheckout(root, max_blob=LARGEST),
            config=config,
            isolation=isolation,
            largest=LARGEST,
            most_files=MOST_FILES,
            most_bytes=MOST_BYTES,
        )
        snapshot = await _with_past(snapshot, past, root, base)
    return await isolation(check, RecordsSnapshot(tree=snapshot, config=config))


async def _with_past(snapshot: Snapshot, past: Reader, root: Path, base: str | None) -> Snapshot:
    """The snapshot with the tables of the base, and of the parents of the merge that is being made or was made last."""
    checkout = GitCheckout(root)

    async def tables(commit: str) -> dict[str, bytes]:
        return dict(await past.tables(await past.repository.tree(commit)))

    if base:
        tip = await checkout.resolve(base)
        fork = await checkout.merge_base(tip, "HEAD")
        snapshot = replace(snapshot, base=await tables(tip), fork=await tables(fork))
    merge: Merge | None = await merge_of(root, base)
    if merge is None:
        return snapshot
    one, other = merge.parents
    return replace(
        snapshot,
        parents=(await tables(one), await tables(other)),
        parted=await tables(await checkout.merge_base(one, other)),
        merged=await tables(merge.commit) if merge.commit else None,
    )

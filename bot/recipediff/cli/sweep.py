"""`recipediff sweep`."""

from __future__ import annotations

import asyncio
import shlex
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import click

from recipediff.app.sweep import sweep as use_case
from recipediff.checks.sweep.counting import BadCount, described
from recipediff.checks.sweep.run import SweepSnapshot
from recipediff.checks.sweep.run import sweep as run_sweep
from recipediff.cli.context import SweepSources, Workbench
from recipediff.cli.progress import progress
from recipediff.cli.workbench import bench, fail, locals_by_repo, named_upstream, read_config, read_file
from recipediff.core.config import Config, Upstream
from recipediff.core.place import Unreadable
from recipediff.core.sweep.change import change
from recipediff.core.sweep.result import SweepResult
from recipediff.core.sweep.surface import EngineSurface
from recipediff.parse.engine import surface_in, surface_of_help, surface_of_vllm
from recipediff.parse.engine.file import read_surface
from recipediff.ports.errors import Missing, Unavailable
from recipediff.ports.repository import Repository
from recipediff.reports.sweep import FORMATS, Sweep, terminal

SAMPLES = 24
"""Commits of upstream's history that are judged for the plot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Options:
    at: str
    rule: str
    hardware: tuple[str, ...]
    architectures: bool
    network: bool
    engine_repo: str
    plotted: bool


@click.command()
@click.argument("source", required=False, default="vllm-project", metavar="[UPSTREAM|PATH]")
@click.option("--at", default="", metavar="REF", help="A commit, branch or tag of upstream. Default: the newest.")
@click.option("--surface", "surface", default="", metavar="FILE|vllm:VERSION",
              help="The engine: a surface file, a saved --help text (help:FILE), or a vLLM version.")  # fmt: skip
@click.option("--surface-command", default="", metavar="CMD",
              help="A program of yours that prints the engine's surface or its help. It is run without a shell.")  # fmt: skip
@click.option("--against", default="", metavar="REF|SURFACE", help="Say what is different from there.")
@click.option("--count", "rule", default="published", show_default=True, metavar="RULE",
              help="What is counted: published, everything, launches, or hardware:ID.")  # fmt: skip
@click.option(
    "--hardware", multiple=True, metavar="ID", help="A box of yours, by upstream's name. Several times if need be."
)
@click.option("--architectures", is_flag=True, help="Look up each model's architecture at Hugging Face.")
@click.option("--owners", "engine_repo", default="", metavar="OWNER/NAME",
              help="Look into this repository's open issues and pull requests for who works on the gaps.")  # fmt: skip
@click.option("--no-network", is_flag=True, help="Use only what is on this machine, and say what is missing.")
@click.option("--upstream", "upstreams", multiple=True, metavar="NAME=PATH",
              help="Read this upstream from a local git checkout or folder.")  # fmt: skip
@click.option("--config", metavar="FILE", help="The configuration. Default: .github/recipediff.yml, if it is there.")
@click.option("--format", "form", type=click.Choice(list(FORMATS)), default="terminal", show_default=True,
              help="How the report is written.")  # fmt: skip
@click.pass_context
def sweep(
    ctx: click.Context, source: str, at: str, surface: str, surface_command: str, against: str, rule: str,
    hardware: tuple[str, ...], architectures: bool, engine_repo: str, no_network: bool, upstreams: tuple[str, ...],
    config: str | None, form: str,
) -> None:  # fmt: skip
    """Which published recipes run on an engine?

    Every recipe of an upstream (vllm-project by default, or a folder) is held against what the engine's argument parser
    accepts: which start, which stop, at which word, and which flags and names are wanted most.

    Exit status: 0 every recipe starts, 1 some do not, 2 the work could not be done.
    """
    try:
        described(rule)
    except BadCount as error:
        fail(str(error))
    settings = read_config(config)
    if settings.surface is not None and not surface and not surface_command:
        surface = settings.surface.file
    upstream, local = _upstream(source, upstreams, settings)
    options = _Options(
        at=at,
        rule=rule,
        hardware=hardware,
        architectures=architectures,
        network=not no_network,
        engine_repo=engine_repo,
        plotted=form in ("html", "json"),
    )
    work = _Work(bench(ctx), upstream, local, options)
    try:
        report = asyncio.run(work.report(surface, surface_command, against))
    except (Missing, Unavailable, BadCount) as error:
        fail(str(error))
    text = terminal(report, colour=sys.stdout.isatty()) if form == "terminal" else FORMATS[form](report)
    click.echo(text, nl=False)
    ctx.exit(0 if len(report.result.having("starts")) == len(report.result.recipes) else 1)


def _upstream(source: str, pairs: tuple[str, ...], config: Config) -> tuple[Upstream, Path | None]:
    """The upstream and where it is on this machine, if it is."""
    path = Path(source)
    if path.is_dir():
        form = "vllm-project" if (path / "taxonomy.yaml").is_file() or (path / "models").is_dir() else "eugr"
        known = next((one for one in config.upstreams if one.format == form), None)
        recipes = known.recipes if known is not None else ("**/*.yaml",)
        return Upstream(repo=path.resolve().name, format=form, recipes=recipes), path
    upstream = named_upstream(source, config)
    return upstream, locals_by_repo(pairs, config).get(upstream.repo.lower())


class _Work:
    """One run: an engine, an upstream, and what is to be compared with what."""

    def __init__(self, bench_: Workbench, upstream: Upstream, local: Path | None, options: _Options) -> None:
        if bench_.sweeping is None:
            fail("the command was started without its adapters")
        self.adapters = bench_.adapters
        self.sources: SweepSources = bench_.sweeping
        self.upstream = upstream
        self.local = local
        self.options = options
        self.repository: Repository

    async def report(self, surface: str, command: str, against: str) -> Sweep:
        """The whole report. Raises `Missing`, `Unavailable` or `BadCount`."""
        try:
            engine = await self._surface(surface, command)
            if self.local is None and not self.options.network:
                fail(
                    f"--no-network: name a local copy of {self.upstream.repo} with --upstream {self.upstream.format}=PATH"
                )
            self.repository = self.adapters.upstream(self.upstream.repo, self.local)
            commit = await self.sources.commit(self.repository, self.upstream, self.local, self.options.at)
            snapshot, result = await self._swept(engine, commit)
            if self.options.engine_repo:
                result = await self._owned(result)
            if self.options.plotted and self.local is not None:
                result = await self._history(result, engine)
            earlier = await self._earlier(against, snapshot) if against else None
            return Sweep(result, change(earlier, result) if earlier is not None else None)
        finally:
            await self.sources.close()
            await self.adapters.close()

    async def _swept(self, engine: EngineSurface, commit: str) -> tuple[SweepSnapshot, SweepResult]:
        snapshot = await use_case.gather(self._question(engine, commit), self.repository)
        if self.options.architectures:
            wanted = len(snapshot.paths) if self.options.network else 0
            with progress("Looking up models", wanted) as step:
                snapshot = await use_case.with_models(snapshot, self.sources.models(self.options.network), step)
        return snapshot, run_sweep(snapshot)

    def _question(self, engine: EngineSurface, commit: str) -> use_case.Question:
        return use_case.Question(
            upstream=self.upstream,
            commit=commit,
            surface=engine,
            rule=self.options.rule,
            hardware=self.options.hardware,
        )

    async def _earlier(self, against: str, snapshot: SweepSnapshot) -> SweepResult:
        """The other side: another surface on the same commit, or another commit under the same surface."""
        if against.startswith(("vllm:", "help:")) or Path(against).is_file():
            return run_sweep(replace(snapshot, surface=await self._surface(against, "")))
        commit = await self.sources.commit(self.repository, self.upstream, self.local, against)
        question = self._question(snapshot.surface, commit)
        return run_sweep(replace(await use_case.gather(question, self.repository), models=snapshot.models))

    async def _owned(self, result: SweepResult) -> SweepResult:
        if not self.options.network:
            note = "nobody was asked who works on the gaps: the network was not to be used"
            return replace(result, notes=(*result.notes, note))
        with progress(f"Looking into {self.options.engine_repo}", 1) as step:
            return await use_case.with_owners(result, self.sources.gaps(self.options.engine_repo), step)

    async def _history(self, result: SweepResult, engine: EngineSurface) -> SweepResult:
        folders = sorted({pattern.split("/", 1)[0] for pattern in self.upstream.recipes if "/" in pattern})
        commits = await self.sources.commits(self.local or Path(), result.commit, folders, SAMPLES)
        if len(commits) < 2:
            return result
        with progress("Going back in history", len(commits)) as step:
            points = await use_case.history(self._question(engine, result.commit), self.repository, commits, step)
        return replace(result, history=points)

    async def _surface(self, name: str, command: str) -> EngineSurface:
        if bool(name) == bool(command):
            fail("name the engine: --surface FILE, --surface vllm:0.32.0 or --surface-command CMD (one of them)")
        try:
            if command:
                return await self._asked(command)
            if name.startswith("vllm:"):
                return surface_of_vllm(name.removeprefix("vllm:"))
            if name.startswith("help:"):
                file = name.removeprefix("help:")
                text = read_file(file).decode("utf-8", "replace")
                return surface_of_help(text, Path(file).stem or "engine", f"the help text in {file}")
        except (Unreadable, ValueError) as error:
            fail(str(error))
        surface, findings = read_surface(read_file(name), name)
        if surface is None:
            first = findings[0]
            more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
            fail(f"{first.place}: {first.message}" + (f"; {first.fix.summary}" if first.fix else "") + more)
        return surface

    async def _asked(self, command: str) -> EngineSurface:
        try:
            words = shlex.split(command)
        except ValueError as error:
            fail(f"--surface-command cannot be split into words: {error}")
        if not words:
            fail("--surface-command is empty")
        answer = await self.sources.ask(words)
        return surface_in(answer, Path(words[0]).name, f"what `{command}` printed")

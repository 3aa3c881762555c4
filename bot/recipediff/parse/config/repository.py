"""`.github/recipediff.yml` read into a `Config`, every violation of its shape at its place."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from recipediff.core.config import Config, SurfaceConfig, Upstream
from recipediff.core.finding import Finding, Fix
from recipediff.core.place import Unreadable
from recipediff.parse.config.bumps import bump_config
from recipediff.parse.config.records import records_config
from recipediff.parse.documents.document import MappingNode, plain, read
from recipediff.parse.schema.config_fields import CONFIG
from recipediff.parse.tested.shape import Sink, record

RULE = "config"


def read_config(data: bytes, file: str) -> tuple[Config, tuple[Finding, ...]]:
    """The configuration in `data`, and what is wrong with it. What is wrong is left at its default. Never raises."""
    try:
        document = read(data, file)
    except Unreadable as error:
        problem = error.problem
        fix = Fix(problem.hint) if problem.hint else None
        return Config(), (
            Finding(
                rule=RULE,
                severity="error",
                recipe="",
                message=problem.message,
                place=problem.place,
                fix=fix,
                key="file",
            ),
        )
    if document.root is None:
        return Config(), ()
    sink = Sink(file=file, lines=document.lines, recipe="", noun="the configuration", malformed=RULE)
    record(document.root, CONFIG, "", sink)
    if not isinstance(document.root, MappingNode):
        return Config(), sink.done()
    # Where some faults were only counted, nobody knows where they are.
    wrong = {finding.key for finding in sink.findings} | (document.root.entries.keys() if sink.more else set())
    records = records_config(document.root.get("records"), wrong)
    for problem in records.problems():
        place = problem.place
        sink.add(RULE, f"records:{problem.message}", problem.message, place, Fix(problem.hint))
    return replace(_build(plain(document.root), wrong), records=records.usable()), sink.done()


def _build(values: Any, wrong: set[str]) -> Config:
    """The parts of the file that have their shape, over the defaults."""
    whole = {key: value for key, value in values.items() if not any(_touches(path, key) for path in wrong)}
    default = Config()
    upstreams = whole.get("upstreams")
    return Config(
        recipes=tuple(whole.get("recipes") or default.recipes),
        upstreams=default.upstreams if upstreams is None else tuple(_upstream(item) for item in upstreams),
        fail_on=whole.get("fail-on", default.fail_on),
        comment=whole.get("comment", default.comment),
        bumps=bump_config(values.get("bumps"), broken=any(_touches(path, "bumps") for path in wrong)),
        surface=_surface(whole.get("surface")),
    )


def _surface(item: dict[str, Any] | None) -> SurfaceConfig | None:
    return SurfaceConfig(item["file"], item["upstream"], item.get("engine-repo", "")) if item else None


def _touches(path: str, key: str) -> bool:
    return path == key or path.startswith((f"{key}.", f"{key}["))


def _upstream(item: dict[str, Any]) -> Upstream:
    default = Upstream(repo="", format="")
    return Upstream(
        repo=item["repo"],
        format=item["format"],
        branch=item.get("branch", default.branch),
        license=item.get("license", default.license),
        authority=item.get("authority", default.authority),
        recipes=tuple(item.get("recipes") or default.recipes),
        launcher=tuple(item.get("launcher") or default.launcher),
    )

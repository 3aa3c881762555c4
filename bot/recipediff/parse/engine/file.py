"""An engine's surface file (`engine.yaml`), every violation of its shape at its place."""

from __future__ import annotations

from typing import Any

from recipediff.core.finding import Finding, Fix
from recipediff.core.place import Place, Unreadable
from recipediff.core.sweep.surface import EngineSurface, setting_name
from recipediff.parse.documents.document import MappingNode, plain, read
from recipediff.parse.schema.surface_fields import SURFACE
from recipediff.parse.tested.shape import Sink, record

RULE = "malformed-surface"


def read_surface(data: bytes, file: str, obtained: str = "") -> tuple[EngineSurface | None, tuple[Finding, ...]]:
    """The surface in `data`, and what is wrong with it. With a finding there is no surface: half of a list of flags would
    call the other half missing. `obtained` says how the file came here, where it does not say so itself. Never raises."""
    try:
        document = read(data, file)
    except Unreadable as error:
        problem = error.problem
        fix = Fix(problem.hint) if problem.hint else None
        return None, (
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
    sink = Sink(file=file, lines=document.lines, recipe="", noun="the surface", malformed=RULE)
    if document.root is None:
        sink.add(RULE, "", "the file is empty", Place(file=file), Fix(f"write {SURFACE.wants}"))
        return None, sink.done()
    record(document.root, SURFACE, "", sink)
    if isinstance(document.root, MappingNode) and not sink.findings:
        _twice(document.root, sink)
    findings = sink.done()
    if findings:
        return None, findings
    values: Any = plain(document.root)
    return build(values, obtained or f"the file {file}"), ()


def _twice(root: MappingNode, sink: Sink) -> None:
    """A flag cannot be both effective and inert."""
    flags = root.entries["flags"]
    lists: Any = plain(flags)
    both = {setting_name(name) for name in lists.get("accepted") or ()} & set(
        map(setting_name, lists.get("inert") or ())
    )
    for name in sorted(both):
        message = f"`{name}` is listed as accepted and as inert"
        sink.add(RULE, f"flags.{name}", message, flags.place, Fix("keep it in one of the two lists"))


def build(values: dict[str, Any], obtained: str) -> EngineSurface:
    """A surface out of plain values that have the shape of a surface file."""
    flags = values["flags"]
    said = values.get("obtained")
    listed = values.get("values") or {}
    return EngineSurface(
        engine=values["engine"],
        release=values.get("version") or values.get("commit") or "",
        obtained=f"{obtained}, which says: {said}" if said else obtained,
        accepted=frozenset(map(setting_name, flags["accepted"])),
        inert=frozenset(map(setting_name, flags.get("inert") or ())),
        values={setting_name(name): tuple(names) for name, names in listed.items()},
        architectures=frozenset(values["architectures"]) if values.get("architectures") is not None else None,
        env=frozenset(values["env"]) if values.get("env") is not None else None,
        hardware=tuple(values.get("hardware") or ()),
        notes=values.get("notes") or "",
    )

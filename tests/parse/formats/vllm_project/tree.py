"""The small upstream tree of these tests, and short ways to ask for a launch of it."""

from __future__ import annotations

from pathlib import Path

from recipediff.core.launch import Invocation, Select
from recipediff.core.place import Problem
from recipediff.parse.formats.format import FormatReading, UpstreamFiles
from recipediff.parse.formats.vllm_project import VllmProject

FOLDER = Path(__file__).resolve().parents[3] / "fixtures" / "vllm_project"
BLOBS = {path.relative_to(FOLDER).as_posix(): path.read_bytes() for path in sorted(FOLDER.rglob("*.yaml"))}
FILES = UpstreamFiles(BLOBS)
UPSTREAM = VllmProject()


def changed(path: str, *edits: tuple[str, str]) -> UpstreamFiles:
    """The tree with texts of one file replaced; each must be there."""
    text = BLOBS[path].decode()
    for before, after in edits:
        assert before in text, f"{before!r} is not in {path}"
        text = text.replace(before, after)
    return UpstreamFiles({**BLOBS, path: text.encode()})


def read(model: str, select: Select | None = None, files: UpstreamFiles = FILES) -> FormatReading:
    """The reading of `models/example/<model>.yaml`."""
    return UPSTREAM.read(files, f"models/example/{model}.yaml", select or Select())


def launch(
    model: str,
    hardware: str = "",
    strategy: str = "",
    variant: str = "",
    features: tuple[str, ...] | None = None,
    nodes: int = 0,
    files: UpstreamFiles = FILES,
) -> tuple[Invocation, ...]:
    """The invocations of a launch that must read clean."""
    reading = read(
        model, Select(hardware=hardware, variant=variant, strategy=strategy, features=features, nodes=nodes), files
    )
    assert reading.problems == ()
    assert all(one.problems == () for one in reading.invocations)
    assert reading.invocations
    return reading.invocations


def line(one: Invocation) -> str:
    """The words after `vllm serve`."""
    return " ".join(word.text for word in one.argv)


def env(one: Invocation) -> dict[str, str | None]:
    """The environment."""
    return {item.name: item.value for item in one.env}


def problems(reading: FormatReading) -> list[Problem]:
    """Every problem, of the reading and of its invocations."""
    found = [*reading.problems, *(problem for one in reading.invocations for problem in one.problems)]
    return list(dict.fromkeys(found))

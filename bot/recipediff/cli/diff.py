"""`recipediff diff` and `recipediff show`."""

from __future__ import annotations

import json
import shlex
import sys
from typing import Any

import click

from recipediff.app.specs import BadSpec, Shown, images_apart, parse_spec, read_launch
from recipediff.cli.workbench import fail, local_files
from recipediff.core.compare import Difference, compare
from recipediff.core.launch import Note
from recipediff.core.place import Place, Problem
from recipediff.reports import launches as text
from recipediff.reports.terminal import plain

_VLLM = click.option("--vllm", metavar="VERSION", default="", help="Read with the grammar of this vLLM version.")


def _launch(spec: str, vllm: str) -> Shown | tuple[Problem, ...]:
    try:
        return read_launch(parse_spec(spec), local_files(), vllm)
    except BadSpec as error:
        fail(str(error))


@click.command()
@click.argument("left")
@click.argument("right")
@click.option("--format", "form", type=click.Choice(["terminal", "json"]), default="terminal", show_default=True)
@_VLLM
@click.pass_context
def diff(ctx: click.Context, left: str, right: str, form: str, vllm: str) -> None:
    """Compare two launches, setting by setting. What is added, dropped or changed is said of RIGHT relative to LEFT.

    \b
    LEFT and RIGHT are one of
      recipe:FILE[#ID]      a tested recipe, or one entry of a list
      eugr:FILE             a recipe of eugr/spark-vllm-docker
      vllm-project:FILE?hardware=…&variant=…&strategy=…&features=a,b&nodes=2&role=head
      command:FILE          a file with a command line; command:- reads standard input
    """
    if left == right == "command:-":
        fail("standard input can be read once; put one side into a file")
    sides = {"left": _launch(left, vllm), "right": _launch(right, vllm)}
    differences: tuple[Difference, ...] = ()
    image_note: Note | None = None
    one, other = sides["left"], sides["right"]
    if isinstance(one, Shown) and isinstance(other, Shown):
        differences = compare(one.launch, other.launch)
        image_note = images_apart(one.launch, other.launch)
    if form == "json":
        click.echo(json.dumps(_document(differences, sides, image_note), ensure_ascii=False, indent=2))
    else:
        shown = text.differences(differences, sides, (left, right), image_note, colour=sys.stdout.isatty())
        click.echo(shown, nl=False)
    ctx.exit(1 if differences or any(_not_understood(name, side) for name, side in sides.items()) else 0)


def _document(
    differences: tuple[Difference, ...], sides: dict[str, Shown | tuple[Problem, ...]], image_note: Note | None
) -> dict[str, Any]:
    rows = [
        {
            "kind": d.kind,
            "setting": d.setting,
            "left": d.left,
            "right": d.right,
            "direction": d.direction,
            "restates_default": d.default,
            "keys": [{"key": key, "left": a, "right": b} for key, a, b in d.keys],
            "left_place": _place(d.left_setting.place) if d.left_setting else None,
            "right_place": _place(d.right_setting.place) if d.right_setting else None,
        }
        for d in differences
    ]
    return {
        "differences": rows,
        "not_understood": [row for name, side in sides.items() for row in _not_understood(name, side)],
        "notes": [
            *(row for name, side in sides.items() for row in _notes(name, side)),
            *([_said("right", image_note.message, image_note.place)] if image_note else []),
        ],
    }


def _not_understood(name: str, side: Shown | tuple[Problem, ...]) -> list[dict[str, Any]]:
    """Problems, and what vLLM would refuse: a refused line has no meaning and is equal to nothing."""
    if not isinstance(side, Shown):
        return [_said(name, p.message, p.place, hint=p.hint) for p in side]
    launch = side.launch
    refused = [
        _said(name, f"vLLM {r.version} refuses it: {r.message}", r.place, hint=r.hint, accepted_by=list(r.accepted_by))
        for r in launch.refused
    ]
    return [*(_said(name, p.message, p.place, hint=p.hint) for p in launch.problems), *refused]


def _notes(name: str, side: Shown | tuple[Problem, ...]) -> list[dict[str, Any]]:
    if not isinstance(side, Shown):
        return []
    notes = [_said(name, note.message, note.place) for note in side.launch.notes]
    if side.version_note:
        notes.append(_said(name, side.version_note, Place(file=side.spec.file)))
    for setting in side.launch.launcher:
        notes.append(
            _said(name, f"{setting.name} = {setting.value} is the launcher's; it is not compared", setting.place)
        )
    return notes


def _said(side: str, message: str, place: Place, **more: Any) -> dict[str, Any]:
    return {"side": side, "message": message, "place": _place(place), **{k: v for k, v in more.items() if v}}


def _place(place: Place) -> str:
    return str(place)


@click.command()
@click.argument("spec")
@click.option(
    "--format", "form", type=click.Choice(["terminal", "json", "argv"]), default="terminal", show_default=True
)
@_VLLM
@click.pass_context
def show(ctx: click.Context, spec: str, form: str, vllm: str) -> None:
    """Show one launch as it is understood: each setting, where it stood, and what was not understood.

    SPEC is one of those that `recipediff diff` takes. --format argv prints the command as a shell would need it.
    """
    shown = _launch(spec, vllm)
    if not isinstance(shown, Shown):
        if form == "json":
            click.echo(
                json.dumps({"settings": [], "not_understood": _not_understood("", shown)}, ensure_ascii=False, indent=2)
            )
        else:
            for problem in shown:
                click.echo(click.style("not understood", fg="red") + f": {plain(str(problem))}", err=True)
        ctx.exit(1)
    if form == "argv":
        click.echo(shlex.join([*shown.invocation.program, *(word.text for word in shown.invocation.argv)]))
    elif form == "json":
        click.echo(json.dumps(_shown(shown), ensure_ascii=False, indent=2))
    else:
        click.echo(text.launch(shown, colour=sys.stdout.isatty()), nl=False)
    ctx.exit(1 if shown.launch.problems or shown.launch.refused else 0)


def _shown(shown: Shown) -> dict[str, Any]:
    launch, invocation = shown.launch, shown.invocation
    return {
        "role": invocation.role,
        "roles": list(shown.roles),
        "vllm": launch.version,
        "model": launch.model.value if launch.model else None,
        "image": invocation.image.text if invocation.image else None,
        "argv": [*invocation.program, *(word.text for word in invocation.argv)],
        "env": {a.name: a.value for a in invocation.env},
        "mods": [word.text for word in invocation.mods],
        "settings": [_setting(s) for s in launch.settings],
        "launcher": [_setting(s) for s in launch.launcher],
        "advisory": [{"name": name, "value": value, "place": str(place)} for name, value, place in launch.advisory],
        "not_understood": _not_understood("", shown),
        "notes": _notes("", shown),
    }


def _setting(setting: Any) -> dict[str, Any]:
    return {
        "kind": setting.kind,
        "setting": setting.name,
        "value": setting.value,
        "meaning": setting.meaning,
        "written": setting.written or None,
        "known": setting.known,
        "restates_default": setting.default,
        "place": str(setting.place),
    }

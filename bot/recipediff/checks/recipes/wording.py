"""How the recipe check words its findings: one method a rule."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from recipediff.checks.recipes.declaring import declaration
from recipediff.core.compare import Difference
from recipediff.core.declare import Judgement
from recipediff.core.finding import Finding, Fix, Related
from recipediff.core.launch import Note
from recipediff.core.place import Place, Problem
from recipediff.core.recipe import TestedRecipe
from recipediff.core.setting import Refusal
from recipediff.parse.vllm.launch import ReadVersion

_SECTIONS = {"flag": "args", "env": "env", "mod": "mods"}
_SHOWN = 200


def quoted(text: str | None) -> str:
    """A value as it is shown in a sentence; long ones are cut."""
    if text is None:
        return "nothing"
    return f"“{text}”" if len(text) <= _SHOWN else f"“{text[: _SHOWN - 1]}…”"


class Wording:
    """Findings on one recipe."""

    def __init__(self, recipe: TestedRecipe, version: ReadVersion) -> None:
        self.recipe = recipe
        self.version = version

    def version_notes(self) -> Iterator[str]:
        """What a reader must know about the grammar that was used."""
        if self.version.note:
            yield self.version.note

    def refused(self, refusal: Refusal) -> Finding:
        """What would abort at start. Only where the recipe states its version is that a verdict."""
        stated = self.version.stated
        takes = (
            f"accepted by vLLM {_span(refusal.accepted_by)}" if refusal.accepted_by else "no measured vLLM accepts it"
        )
        detail = [takes] if stated else [takes, "the recipe does not state the vLLM version inside its image"]
        hint = Fix(refusal.hint) if refusal.hint else None
        return Finding(
            rule="refused",
            severity="error" if stated else "note",
            recipe=self.recipe.id,
            message=f"vLLM {refusal.version} would not start: {refusal.message}",
            place=refusal.place,
            kind="flag",
            setting=refusal.setting,
            detail=tuple(detail),
            fix=hint,
        )

    def unread(self, problem: Problem) -> Finding:
        """Arguments of ours that could not be parsed."""
        return self._problem("unread-args", problem.message, problem)

    def not_checked(self, problem: Problem) -> Finding:
        """Nobody could compare this entry."""
        inside = problem.place.file != self.recipe.file
        source = self.recipe.source
        where = source.place if source is not None else self.recipe.place
        place = where if inside else problem.place
        related = (Related("here", problem.place),) if inside else ()
        hint = Fix(problem.hint) if problem.hint else None
        message = f"not compared with upstream: {problem.message}"
        key = f"{problem.message}"
        return Finding(
            rule="not-checked",
            severity="error",
            recipe=self.recipe.id,
            message=message,
            place=place,
            fix=hint,
            related=related,
            key=key,
        )

    def _problem(self, rule: str, message: str, problem: Problem) -> Finding:
        hint = Fix(problem.hint) if problem.hint else None
        return Finding(
            rule=rule,
            severity="error",
            recipe=self.recipe.id,
            message=message,
            place=problem.place,
            fix=hint,
            key=message,
        )

    def upstream_inconsistent(self, note: Note) -> Finding:
        """Upstream's own contradiction; not this recipe's fault, so it does not fail."""
        source = self.recipe.source
        place = source.places.get("path", source.place) if source is not None else self.recipe.place
        related = (Related("upstream", note.place),)
        return Finding(
            rule="upstream-inconsistent",
            severity="note",
            recipe=self.recipe.id,
            message=note.message,
            place=place,
            related=related,
            key=note.message,
        )

    def undeclared(self, difference: Difference, also: Sequence[str] = ()) -> Finding:
        """A difference that nothing declares; `also` is what else is known about it."""
        name = f"{difference.setting}"
        if difference.direction == "dropped":
            message = f"{name} is {quoted(difference.left)} upstream and missing here"
        elif difference.direction == "added":
            message = f"{name} is {quoted(difference.right)} here and missing upstream"
        else:
            message = f"{name} is {quoted(difference.left)} upstream and {quoted(difference.right)} here"
        detail = [_key_line(*row) for row in difference.keys if difference.direction == "changed"]
        if difference.default:
            detail.append(f"restates the default of vLLM {self.version.table}")
        detail.extend(also)
        related = (Related("upstream", difference.left_setting.place),) if difference.left_setting else ()
        return Finding(
            rule="undeclared",
            severity="error",
            recipe=self.recipe.id,
            message=message,
            place=self._place(difference),
            kind=difference.kind,
            setting=difference.setting,
            upstream=difference.left,
            ours=difference.right,
            detail=tuple(detail),
            fix=declaration(difference, self.recipe),
            related=related,
            key=f"{difference.kind}:{difference.setting}:{difference.direction}:{difference.left}:{difference.right}",
        )

    def _place(self, difference: Difference) -> Place:
        if difference.right_setting is not None:
            return difference.right_setting.place
        section = _SECTIONS[difference.kind]
        return self.recipe.places.get(section, self.recipe.place)

    def misdeclared(self, judgement: Judgement, advice: str = "") -> Finding:
        """A declaration that does not fit; `advice` says what to do where there is no edit that does it."""
        deviation = judgement.deviation
        place = deviation.places.get(judgement.field, deviation.place)
        left = judgement.difference.left_setting if judgement.difference else None
        fix = None
        if judgement.expected is not None and judgement.field in deviation.places:
            fix = Fix(f"write {judgement.field}: {json.dumps(judgement.expected, ensure_ascii=False)}", place,
                      json.dumps(judgement.expected, ensure_ascii=False))  # fmt: skip
        elif judgement.difference is None and judgement.field == "setting":
            fix = Fix("remove the declaration, or name the setting that differs")
        elif advice:
            fix = Fix(advice)
        return Finding(
            rule="misdeclared",
            severity="error",
            recipe=self.recipe.id,
            message=f"{deviation.setting}: {judgement.reason}",
            place=place,
            kind=deviation.kind,
            setting=deviation.setting,
            upstream=judgement.difference.left if judgement.difference else None,
            ours=judgement.difference.right if judgement.difference else None,
            fix=fix,
            related=(Related("upstream", left.place),) if left is not None else (),
            key=f"{deviation.kind}:{deviation.setting}:{judgement.reason}",
        )


def _key_line(path: str, left: str | None, right: str | None) -> str:
    return f"{path}: {quoted(left)} upstream, {quoted(right)} here"


def _span(versions: tuple[str, ...]) -> str:
    return versions[0] if len(versions) == 1 else f"{versions[0]} to {versions[-1]} (as measured)"

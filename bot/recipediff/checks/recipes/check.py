"""The recipe check: every tested recipe against its source at the pin. Pure: a snapshot goes in, findings come out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from recipediff.checks.recipes import authority
from recipediff.checks.recipes import hints as upstream_side
from recipediff.checks.recipes import rules as entry
from recipediff.checks.recipes.wording import Wording
from recipediff.core.compare import compare
from recipediff.core.config import Config, Upstream
from recipediff.core.declare import judge
from recipediff.core.finding import Finding, Fix
from recipediff.core.fingerprint import fingerprint
from recipediff.core.launch import Invocation, Launch
from recipediff.core.place import Place, Problem
from recipediff.core.recipe import Source, TestedRecipe
from recipediff.core.upstream import Fetched, NotFetched, UpstreamFiles
from recipediff.core.verdict import Evaluation
from recipediff.parse.documents.document import MAX_BYTES
from recipediff.parse.formats import FORMATS
from recipediff.parse.tested.read import read_recipes
from recipediff.parse.vllm.launch import ReadVersion, read_version, recipe_invocation, understand

Pin = tuple[str, str]
"""A repository (`owner/name`, lower case) and a full commit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipesSnapshot:
    """All that the check looks at: recipe files by path, upstream's files by pin, and the configuration of the base."""

    files: Mapping[str, bytes]
    upstream: Mapping[Pin, Fetched] = field(default_factory=dict)
    config: Config = field(default_factory=Config)
    too_large: Mapping[str, int] = field(default_factory=dict)
    """Recipe files that are not read at all, with their bytes."""
    beside: Mapping[str, UpstreamFiles] = field(default_factory=dict)
    """All recipe files of upstreams that could be surveyed whole, by repository in lower case: for rule 6."""


def pin_of(source: Source) -> Pin:
    """The key under which a source's files stand in a snapshot."""
    return (source.repo.lower(), source.commit)


def check(snapshot: RecipesSnapshot) -> Evaluation:
    """Every finding on every recipe of the snapshot, in the order of the files; nothing that fails is left out."""
    findings: list[Finding] = []
    looked_at: list[str] = []
    notes: dict[str, None] = {}
    reason = ""
    uncompared: set[str] = set()
    recipes: list[TestedRecipe] = []
    for path in sorted(snapshot.files):
        read = read_recipes(snapshot.files[path], path)
        recipes.extend(read.recipes)
        findings.extend(read.findings)
    findings.extend(_too_large(path, size) for path, size in sorted(snapshot.too_large.items()))
    findings.extend(entry.across(recipes))
    for recipe in recipes:
        looked_at.append(recipe.id)
        result = check_recipe(recipe, snapshot)
        findings.extend(result.findings)
        notes.update(dict.fromkeys(result.notes))
        reason = reason or result.reason
        uncompared.update(result.uncompared)
    lines = {path: data.decode("utf-8", "replace").split("\n") for path, data in snapshot.files.items()}
    shown = tuple(_with_line(finding, lines) for finding in findings)
    return Evaluation(
        findings=shown, looked_at=tuple(looked_at), notes=tuple(notes), reason=reason, uncompared=frozenset(uncompared)
    )


def altered(head: RecipesSnapshot, base: RecipesSnapshot) -> frozenset[str]:
    """The recipes of the head whose launch, source or declarations are not as on the base."""
    before, after = ({r.id: _compared_of(r) for r in _recipes(side)} for side in (base, head))
    return frozenset(name for name, what in after.items() if before.get(name) != what)


def _recipes(snapshot: RecipesSnapshot) -> Iterator[TestedRecipe]:
    for path in sorted(snapshot.files):
        yield from read_recipes(snapshot.files[path], path).recipes


def _compared_of(recipe: TestedRecipe) -> tuple[object, ...]:
    """What a comparison looks at, without the places where it stands."""
    source = recipe.source
    entries = () if source is None else tuple((d.kind, d.setting, d.upstream, d.ours) for d in source.deviations)
    pin = None if source is None else (source.repo, source.path, source.commit, source.select)
    return fingerprint(recipe), recipe.vllm, recipe.unread, pin, entries


def _too_large(path: str, size: int) -> Finding:
    message = f"the file has {size:,} bytes, more than the {MAX_BYTES:,} that are read"
    fix = Fix("split it, or keep measurements and logs in files of their own")
    return Finding(
        rule="malformed-recipe",
        severity="error",
        recipe=PurePosixPath(path).stem,
        message=message,
        place=Place(file=path),
        fix=fix,
        key="file",
    )


def _with_line(finding: Finding, lines: Mapping[str, list[str]]) -> Finding:
    rows = lines.get(finding.place.file, [])
    if finding.line or not 0 < finding.place.line <= len(rows):
        return finding
    return replace(finding, line=rows[finding.place.line - 1].rstrip("\r"))


def check_recipe(recipe: TestedRecipe, snapshot: RecipesSnapshot) -> Evaluation:
    """One recipe: its own rules, what vLLM would refuse, the comparison with its source, and which upstream it believed."""
    version = read_version(recipe.vllm)
    ours = understand(recipe_invocation(recipe), version)
    result = _against_source(recipe, ours, version, snapshot)
    if not snapshot.beside:
        return result
    said = authority.spoken(recipe, snapshot.beside, snapshot.config, version)
    return replace(result, findings=authority.joined(result.findings, authority.believed(recipe, ours, said)))


def _against_source(recipe: TestedRecipe, ours: Launch, version: ReadVersion, snapshot: RecipesSnapshot) -> Evaluation:
    say = Wording(recipe, version)
    findings = list(entry.check(recipe, ours))
    findings.extend(say.refused(refusal) for refusal in ours.refused)
    notes = list(say.version_notes())
    findings.extend(say.unread(problem) for problem in ours.problems)
    unknown = frozenset({recipe.id})
    if recipe.source is None or recipe.unread or ours.problems:
        return Evaluation(findings=tuple(findings), looked_at=(recipe.id,), notes=tuple(notes), uncompared=unknown)
    theirs = _upstream(recipe, recipe.source, snapshot)
    if isinstance(theirs, _NotChecked):
        findings.extend(entry.declarations(recipe, ours))
        findings.extend(say.not_checked(problem) for problem in theirs.problems)
        return Evaluation(
            findings=tuple(findings),
            looked_at=(recipe.id,),
            notes=tuple(notes),
            reason=theirs.reason,
            uncompared=unknown,
        )
    launch = understand(theirs.invocation, version)
    if launch.problems:
        findings.extend(say.not_checked(problem) for problem in launch.problems)
        return Evaluation(findings=tuple(findings), looked_at=(recipe.id,), notes=tuple(notes), uncompared=unknown)
    notes.extend(theirs.notes)
    findings.extend(say.upstream_inconsistent(note) for note in (*theirs.invocation.notes,))
    findings.extend(_compared(recipe, launch, ours, say, snapshot))
    return Evaluation(findings=tuple(findings), looked_at=(recipe.id,), notes=tuple(notes))


def _compared(
    recipe: TestedRecipe, theirs: Launch, ours: Launch, say: Wording, snapshot: RecipesSnapshot
) -> Iterator[Finding]:
    """Misdeclared deviations first, then what nothing declares."""
    assert recipe.source is not None  # noqa: S101  (narrowed by the caller)
    judgements, undeclared = judge(recipe.source.deviations, compare(theirs, ours))
    for judgement in judgements:
        misfit = entry.judge_entry(judgement.deviation, recipe, ours.settings)
        if misfit is not None and misfit.field != judgement.field:
            false_here = replace(judgement, reason=misfit.reason, field=misfit.field, expected=None)
            yield say.misdeclared(false_here, misfit.fix)
        elif judgement.reason:
            yield say.misdeclared(judgement, misfit.fix if misfit else "")
    for difference in undeclared:
        also = upstream_side.refused(difference, theirs)
        if difference.kind == "flag" and difference.setting == "model":
            also += upstream_side.successors(recipe, snapshot.upstream.get(pin_of(recipe.source)), snapshot.config)
        yield say.undeclared(difference, also)


@dataclass(frozen=True, slots=True)
class _NotChecked:
    problems: tuple[Problem, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Theirs:
    invocation: Invocation
    notes: tuple[str, ...] = ()


def _upstream(recipe: TestedRecipe, source: Source, snapshot: RecipesSnapshot) -> _Theirs | _NotChecked:
    """The one invocation that the source names, or why there is none."""
    upstream = snapshot.config.upstream(source.repo)
    where = source.places.get("repo", source.place)
    if upstream is None:
        known = ", ".join(u.repo for u in snapshot.config.upstreams) or "none"
        hint = f"configured are: {known}; add it under upstreams in the configuration"
        return _NotChecked((Problem(f"{source.repo} is not a configured upstream", where, hint),))
    form = FORMATS.get(upstream.format)
    if form is None:
        hint = f"known formats: {', '.join(FORMATS)}"
        return _NotChecked((Problem(f"no parser for the format “{upstream.format}” of {upstream.repo}", where, hint),))
    fetched = snapshot.upstream.get(pin_of(source))
    if fetched is None or isinstance(fetched, NotFetched):
        return _missing(source, fetched)
    if source.path not in fetched.blobs:
        return _NotChecked((_no_such_file(source, fetched),))
    reading = form.read(fetched, source.path, source.select)
    if reading.problems or not reading.invocations:
        nothing = (Problem(f"{source.path} describes no launch", Place(file=source.path)),)
        return _NotChecked(reading.problems or nothing)
    return _chosen(recipe, source, reading.invocations, fetched, upstream)


def _missing(source: Source, fetched: NotFetched | None) -> _NotChecked:
    where = source.places.get("commit", source.place)
    if fetched is None:
        return _NotChecked((Problem(f"nothing was read of {source.repo} at {source.commit[:12]}", where),))
    hint = "try again later" if fetched.temporary else "pin a commit that exists in that repository"
    return _NotChecked((Problem(fetched.message, where, hint),), fetched.reason if fetched.temporary else "")


def _no_such_file(source: Source, fetched: UpstreamFiles) -> Problem:
    where = source.places.get("path", source.place)
    paths = fetched.paths or frozenset(fetched.blobs)
    twin = next((path for path in sorted(paths) if path.lower() == source.path.lower()), None)
    hint = f"letter case differs: {twin}" if twin else "check path and commit"
    return Problem(f"{source.path} does not exist in {source.repo} at {source.commit[:12]}", where, hint)


def _chosen(
    recipe: TestedRecipe,
    source: Source,
    invocations: tuple[Invocation, ...],
    fetched: UpstreamFiles,
    upstream: Upstream,
) -> _Theirs | _NotChecked:
    role = source.select.role
    found = next((i for i in invocations if i.role == role), None) if role else invocations[0]
    if found is None:
        where = source.places.get("select", source.place)
        roles = ", ".join(i.role for i in invocations)
        return _NotChecked((Problem(f"upstream's launch has no role “{role}”", where, f"its roles: {roles}"),))
    if found.problems:
        return _NotChecked(found.problems)
    notes = []
    if fetched.moved:
        notes.append(
            f"{upstream.repo} has moved: the commit was read from {fetched.moved}. Name its new home in the "
            "configuration and in `source.repo`, or make sure that it is still upstream."
        )
    if not fetched.pinned:
        notes.append(
            f"{upstream.repo} was read from a plain folder; that it is at {source.commit[:12]} was not checked."
        )
    return _Theirs(found, tuple(notes))

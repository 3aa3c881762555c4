"""The checks on a pull request's page: the box that says whether it may be merged, and each run in full."""

from __future__ import annotations

from sandbox.api.pulls import PASSING, missing_checks
from sandbox.model import App, CheckRunRecord, IssueRecord, Repo
from sandbox.pages.html import Html, join, tag
from sandbox.pages.markdown import render

STATES = {
    "success": ("✓", "good"),
    "failure": ("✗", "bad"),
    "timed_out": ("✗", "bad"),
    "action_required": ("!", "warn"),
    "cancelled": ("–", "muted"),
}


def latest_runs(repo: Repo, sha: str) -> list[CheckRunRecord]:
    """The newest run of each name and App on a commit."""
    runs = [run for run in repo.check_runs.values() if run.suite.head_sha == sha]
    return list({(run.suite.app.id, run.name): run for run in runs}.values())


def _sign(run: CheckRunRecord) -> tuple[str, str, str]:
    """Icon, colour and words of a check run."""
    if run.status != "completed":
        return "●", "warn", run.status.replace("_", " ").capitalize()
    sign, kind = STATES.get(run.conclusion or "", ("■", "muted"))
    return sign, kind, (run.conclusion or "").replace("_", " ").capitalize()


def _icon(run: CheckRunRecord) -> Html:
    sign, kind, words = _sign(run)
    return join(tag("span", sign, class_=f"icon {kind}", aria_hidden="true"), tag("span", words, class_="hidden"))


def merge_box(issue: IssueRecord, runs: list[CheckRunRecord]) -> Html:
    """What stands between this pull request and its base."""
    if issue.pull is None or issue.state == "closed":
        return Html("")
    waiting = missing_checks(issue.repo, issue.pull.base_ref, issue.pull.head_sha)
    running, bad = (
        [run for run in runs if run.status != "completed"],
        [run for run in runs if run.status == "completed" and run.conclusion not in PASSING],
    )
    if bad:
        words, kind = (
            f"{len(bad)} of {len(runs)} {'check was' if len(runs) == 1 else 'checks were'} not successful",
            "bad",
        )
    elif running or waiting:
        words, kind = "Some checks have not completed yet", "warn"
    else:
        words, kind = ("All checks have passed" if runs else "No checks have run"), "good" if runs else "muted"
    rows = [_check_row(run, required=run.name in required_names(issue)) for run in runs]
    expected = [
        tag(
            "li",
            tag("span", "●", class_="icon warn", aria_hidden="true"),
            tag("strong", label),
            " Expected: waiting for status to be reported",
            tag("span", "Required", class_="pill"),
        )
        for label in waiting
        if all(run.name != label for run in runs)
    ]
    end = (
        "Merging is blocked: a required check has not passed."
        if waiting
        else "This branch may be merged."
        if not bad
        else "Merging is not blocked by a rule."
    )
    return tag(
        "section",
        tag("h2", words, class_=kind),
        tag("ul", *rows, *expected),
        tag("p", end, class_="end"),
        class_=f"merge {kind}",
        aria_label="Checks",
    )


def required_names(issue: IssueRecord) -> set[str]:
    """The names of the checks that the base branch requires."""
    base = issue.pull.base_ref if issue.pull else ""
    names = {label for label, _ in issue.repo.protections[base].checks} if base in issue.repo.protections else set()
    for rule in issue.repo.rules:
        if rule.kind == "required_status_checks" and rule.branch in (base, "~ALL") and rule.parameters:
            names |= {item["context"] for item in rule.parameters["required_status_checks"]}
    return names


def _check_row(run: CheckRunRecord, *, required: bool) -> Html:
    title = tag("span", f" {run.title}", class_="muted") if run.title else None
    link = tag("a", "Details", href=f"#check-{run.id}", aria_label=f"Details of {run.name}")
    return tag(
        "li",
        _icon(run),
        tag("strong", run.name),
        title,
        tag("span", "Required", class_="pill") if required else None,
        link,
    )


def check_section(run: CheckRunRecord) -> Html:
    """One check run in full."""
    _, kind, words = _sign(run)
    app: App = run.suite.app
    took = (
        f" in {max(int((run.completed - run.started).total_seconds()), 0)} s" if run.completed and run.started else ""
    )
    head = tag("h3", _icon(run), f"{run.name}: {run.title or words}")
    facts = tag(
        "p",
        tag("span", words, class_=kind),
        f" · {app.name} · commit {run.suite.head_sha[:7]}{took} · {len(run.annotations)} annotation{'s' if len(run.annotations) != 1 else ''}",
        class_="muted",
    )
    texts = [tag("div", render(part), class_="markdown") for part in (run.summary, run.text) if part]
    buttons = (
        tag("p", *(tag("span", item["label"], class_="button", title=item["description"]) for item in run.actions))
        if run.actions
        else None
    )
    return tag(
        "section",
        head,
        facts,
        *texts,
        buttons,
        class_=f"check {kind}",
        id=f"check-{run.id}",
        aria_label=f"Check {run.name}",
    )

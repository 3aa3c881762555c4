"""The page of a pull request: what is asked, what was said, what the checks say, and the files with their annotations."""

from __future__ import annotations

from datetime import datetime

from sandbox.model import Account, CheckRunRecord, CommentRecord, IssueRecord, PullRecord, Repo
from sandbox.objects import CommitObject
from sandbox.pages.checks import check_section, latest_runs, merge_box
from sandbox.pages.files import files_section
from sandbox.pages.html import Html, join, tag
from sandbox.pages.markdown import render


def moment(time: datetime) -> Html:
    return tag("time", time.strftime("%Y-%m-%d %H:%M UTC"), datetime=time.isoformat())


def avatar(who: Account) -> Html:
    return tag(
        "span",
        who.login[0].upper(),
        class_=f"avatar hue{who.id % 6}{' app' if who.kind == 'Bot' else ''}",
        aria_hidden="true",
    )


def name(who: Account) -> Html:
    return join(
        tag("strong", who.login.removesuffix("[bot]")), tag("span", "bot", class_="pill") if who.kind == "Bot" else None
    )


def state_badge(issue: IssueRecord) -> Html:
    """Open, Draft, Merged or Closed."""
    word, kind = ("Closed", "bad") if issue.state == "closed" else ("Open", "good")
    if issue.pull and issue.pull.merged:
        word, kind = "Merged", "merged"
    elif issue.pull and issue.pull.draft and issue.state == "open":
        word, kind = "Draft", "muted"
    return tag("span", word, class_=f"state {kind}")


def header(repo: Repo) -> Html:
    """The bar at the top: whose repository this is, and its lists."""
    here = f"/{repo.full_name}"
    trail = tag(
        "p",
        repo.owner.login,
        " / ",
        tag("a", tag("strong", repo.name), href=here),
        tag("span", "Private" if repo.private else "Public", class_="pill"),
        class_="repo",
    )
    links = tag(
        "nav",
        tag("a", "Pull requests", href=f"{here}/pulls"),
        tag("a", "Issues", href=f"{here}/issues"),
        aria_label="Repository",
    )
    return tag("header", trail, links)


def talk(
    author: Account,
    when: datetime,
    body: str | None,
    *,
    edited: bool = False,
    anchor: str | None = None,
    what: str = "commented",
) -> Html:
    """One box of the conversation."""
    said = (
        tag("div", render(body), class_="markdown")
        if body
        else tag("p", tag("em", "No description provided."), class_="muted")
    )
    head = tag(
        "div",
        avatar(author),
        tag("span", name(author), f" {what} ", moment(when), " · edited" if edited else None),
        class_="talk-head",
    )
    return tag(
        "article",
        head,
        tag("div", said, class_="talk-body"),
        class_="talk",
        id=anchor,
        aria_label=f"{author.login} {what}",
    )


def comment_box(item: CommentRecord) -> Html:
    return talk(
        item.author, item.created, item.body, edited=item.updated > item.created, anchor=f"issuecomment-{item.id}"
    )


def _commit_row(commit: CommitObject) -> Html:
    subject = commit.message.split("\n", 1)[0]
    return tag("li", tag("span", subject), tag("code", commit.sha[:7]), class_="commit")


def _intro(issue: IssueRecord, pull: PullRecord, commits: int) -> Html:
    """Who wants what to go where."""
    where = pull.head_ref
    if pull.head is not issue.repo:
        where = f"{'unknown repository' if pull.head.deleted else pull.head.owner.login}:{where}"
    verb = "merged" if pull.merged else "wants to merge"
    counted = f" {verb} {commits} commit{'s' if commits != 1 else ''} into "
    words = tag(
        "span", name(pull.merged_by or issue.author), counted, tag("code", pull.base_ref), " from ", tag("code", where)
    )
    return tag("p", state_badge(issue), words, class_="intro")


def _tabs(commits: int, checks: int) -> Html:
    places = (
        ("Conversation", "content"),
        (f"Commits {commits}", "commits"),
        (f"Checks {checks}", "checks"),
        ("Files changed", "files"),
    )
    return tag(
        "nav",
        *(tag("a", words, href=f"#{anchor}") for words, anchor in places),
        class_="tabs",
        aria_label="Pull request",
    )


def _conversation(issue: IssueRecord, commits: list[CommitObject], runs: list[CheckRunRecord]) -> Html:
    """What was asked, the commits, what was said since, and whether it may be merged."""
    labels = (
        tag("p", *(tag("span", label.name, class_="pill label") for label in issue.labels), class_="labels")
        if issue.labels
        else None
    )
    rows = tag("ul", *(_commit_row(commit) for commit in commits))
    said = sorted(
        (item for item in issue.repo.comments.values() if item.issue is issue), key=lambda item: (item.created, item.id)
    )
    return join(
        talk(issue.author, issue.created, issue.body, what="opened this"),
        labels,
        tag("section", rows, id="commits", aria_label="Commits", class_="commits"),
        *(comment_box(item) for item in said),
        merge_box(issue, runs),
    )


def _checks(runs: list[CheckRunRecord]) -> Html:
    nothing = None if runs else tag("p", "No checks yet.", class_="muted")
    return tag(
        "section",
        tag("h2", "Checks"),
        *(check_section(run) for run in runs),
        nothing,
        id="checks",
        aria_label="All checks",
    )


def pull_page(issue: IssueRecord) -> tuple[str, Html, bool]:
    """Title, body, and whether a check is still at work."""
    pull, repo = issue.pull, issue.repo
    if pull is None:
        raise ValueError(f"#{issue.number} is no pull request")
    commits = [repo.git.commit(sha) for sha in reversed(repo.git.history(pull.head_sha, pull.base_sha))]
    runs = latest_runs(repo, pull.head_sha)
    files = files_section(issue, [item for run in runs for item in run.annotations])
    main = tag(
        "main",
        tag("h1", issue.title, " ", tag("span", f"#{issue.number}", class_="muted")),
        _intro(issue, pull, len(commits)),
        _tabs(len(commits), len(runs)),
        _conversation(issue, commits, runs),
        _checks(runs),
        tag("section", tag("h2", "Files changed"), files, id="files", aria_label="Files changed"),
        id="content",
    )
    at_work = any(run.status != "completed" for run in runs)
    return f"{issue.title} · Pull request #{issue.number} · {repo.full_name}", join(header(repo), main), at_work

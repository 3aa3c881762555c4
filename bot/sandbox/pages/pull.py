"""The page of a pull request: what is asked, what was said, what the checks say, and the files with their annotations."""

from __future__ import annotations

from datetime import datetime

from bot.sandbox.model import Account, Comment, Issue, Repo
from bot.sandbox.objects import Commit
from bot.sandbox.pages.checks import check_section, latest_runs, merge_box
from bot.sandbox.pages.files import files_section
from bot.sandbox.pages.html import Html, Part, join, tag
from bot.sandbox.pages.markdown import render
from bot.sandbox.world import World


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


def state_badge(issue: Issue) -> Html:
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


def comment_box(item: Comment) -> Html:
    return talk(
        item.author, item.created, item.body, edited=item.updated > item.created, anchor=f"issuecomment-{item.id}"
    )


def _commit_row(repo: Repo, commit: Commit) -> Html:
    subject = commit.message.split("\n", 1)[0]
    return tag("li", tag("span", subject), tag("code", commit.sha[:7]), class_="commit")


def pull_page(world: World, issue: Issue) -> tuple[str, Html, bool]:
    """Title, body, and whether a check is still at work."""
    pull, repo = issue.pull, issue.repo
    if pull is None:
        raise ValueError(f"#{issue.number} is no pull request")
    commits = [repo.git.commit(sha) for sha in reversed(repo.git.history(pull.head_sha, pull.base_sha))]
    runs = latest_runs(repo, pull.head_sha)
    where = (
        pull.head_ref
        if pull.head is repo
        else f"{'unknown repository' if pull.head.deleted else pull.head.owner.login}:{pull.head_ref}"
    )
    verb = "merged" if pull.merged else "wants to merge"
    intro = tag(
        "p",
        state_badge(issue),
        tag(
            "span",
            name(pull.merged_by or issue.author),
            f" {verb} {len(commits)} commit{'s' if len(commits) != 1 else ''} into ",
            tag("code", pull.base_ref),
            " from ",
            tag("code", where),
        ),
        class_="intro",
    )
    notes = [run for run in runs if run.annotations]
    said: list[tuple[datetime, int, Html]] = [
        (item.created, item.id, comment_box(item)) for item in repo.comments.values() if item.issue is issue
    ]
    labels = (
        tag("p", *(tag("span", label.name, class_="pill label") for label in issue.labels), class_="labels")
        if issue.labels
        else None
    )
    tabs: list[Part] = [
        tag("a", words, href=f"#{anchor}")
        for words, anchor in (
            ("Conversation", "content"),
            (f"Commits {len(commits)}", "commits"),
            (f"Checks {len(runs)}", "checks"),
            ("Files changed", "files"),
        )
    ]
    body = join(
        header(repo),
        tag(
            "main",
            tag("h1", issue.title, " ", tag("span", f"#{issue.number}", class_="muted")),
            intro,
            tag("nav", *tabs, class_="tabs", aria_label="Pull request"),
            talk(issue.author, issue.created, issue.body, what="opened this"),
            labels,
            tag(
                "section",
                tag("ul", *(_commit_row(repo, commit) for commit in commits)),
                id="commits",
                aria_label="Commits",
                class_="commits",
            ),
            *(box for _, _, box in sorted(said, key=lambda entry: entry[:2])),
            merge_box(issue, runs),
            tag(
                "section",
                tag("h2", "Checks"),
                *(check_section(run) for run in runs),
                tag("p", "No checks yet.", class_="muted") if not runs else None,
                id="checks",
                aria_label="All checks",
            ),
            tag(
                "section",
                tag("h2", "Files changed"),
                files_section(issue, [item for run in notes for item in run.annotations]),
                id="files",
                aria_label="Files changed",
            ),
            id="content",
        ),
    )
    return (
        f"{issue.title} · Pull request #{issue.number} · {repo.full_name}",
        body,
        any(run.status != "completed" for run in runs),
    )

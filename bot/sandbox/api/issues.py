"""Issues, and what pull requests share with them: comments, labels, assignees, reactions."""

from __future__ import annotations

from sandbox import actions, events
from sandbox.api.pulls import change_state
from sandbox.model import Account, CommentRecord, IssueRecord, Reaction
from sandbox.routing import Answer, Call, ErrorAnswer, invalid, not_found
from sandbox.shapes.base import when
from sandbox.shapes.pull import REACTIONS, comment_json, issue_json, label_json, reaction_json

BODY_LIMIT = 65_536
"""Characters that a body or comment may have."""


def _body(call: Call, resource: str) -> str:
    body = call.field("body", resource=resource)
    if not body.strip():
        raise invalid(resource, "body", "missing_field")
    if len(body) > BODY_LIMIT:
        raise invalid(resource, "body", "custom", f"body is too long (maximum is {BODY_LIMIT} characters)")
    return str(body)


async def list_issues(call: Call) -> Answer:
    """GET issues: pull requests are among them, as at GitHub."""
    found, query = list(call.repo.issues.values()), call.query
    if query.get("state", "open") != "all":
        found = [issue for issue in found if issue.state == query.get("state", "open")]
    if query.get("creator"):
        found = [issue for issue in found if issue.author.login == query["creator"]]
    for name in filter(None, query.get("labels", "").split(",")):
        found = [issue for issue in found if any(label.name.casefold() == name.casefold() for label in issue.labels)]
    if query.get("since"):
        found = [issue for issue in found if (when(issue.updated) or "") >= query["since"]]
    key = query.get("sort", "created")
    found.sort(
        key=lambda issue: (issue.updated if key == "updated" else issue.created, issue.number),
        reverse=query.get("direction", "desc") == "desc",
    )
    return call.page(found, lambda issue: issue_json(call.world, issue))


async def get_issue(call: Call) -> Answer:
    return Answer(200, issue_json(call.world, call.issue))


async def create_issue(call: Call) -> Answer:
    title, body = call.field("title", resource="Issue"), call.body.get("body")
    _fits(body)
    made = actions.add_issue(call.world, call.repo, title, body, call.actor)
    _set_labels(call, made, call.body.get("labels") or [])
    made.assignees = _assignable(call, made, call.body.get("assignees") or [])
    events.issues(call.world, made, "opened", call.actor)
    return Answer(201, issue_json(call.world, made))


async def update_issue(call: Call) -> Answer:
    issue = call.issue
    _fits(call.body.get("body"))
    actions.edit(call.world, issue, call.actor, call.body.get("title"), call.body.get("body"))
    if "labels" in call.body:
        _set_labels(call, issue, call.body["labels"] or [])
    if "assignees" in call.body:
        issue.assignees = _assignable(call, issue, call.body["assignees"] or [])
    change_state(call, issue)
    return Answer(200, issue_json(call.world, issue))


def _fits(body: str | None) -> None:
    if body and len(body) > BODY_LIMIT:
        raise invalid("Issue", "body", "custom", f"body is too long (maximum is {BODY_LIMIT} characters)")


# comments


async def list_comments(call: Call) -> Answer:
    issue, since = call.issue, call.query.get("since", "")
    found = [
        item for item in call.repo.comments.values() if item.issue is issue and (when(item.updated) or "") >= since
    ]
    return call.page(found, lambda item: comment_json(call.world, item))


async def create_comment(call: Call) -> Answer:
    issue = call.issue
    if issue.locked:
        raise ErrorAnswer(403, "Unable to create comment because issue is locked.")
    made = actions.comment(call.world, issue, call.actor, _body(call, "IssueComment"), call.by_app)
    return Answer(201, comment_json(call.world, made), {"Location": comment_json(call.world, made)["url"]})


async def get_comment(call: Call) -> Answer:
    return Answer(200, comment_json(call.world, call.comment))


def _own(call: Call) -> CommentRecord:
    """A comment that the caller may change: its own, or anybody's for those with write access."""
    found = call.comment
    if (
        found.author is not call.actor
        and call.repo.permissions.get(call.actor.login) not in ("admin", "maintain", "write")
        and call.by_app is None
    ):
        raise ErrorAnswer(403, "Must have admin rights to Repository.")
    return found


async def update_comment(call: Call) -> Answer:
    found = _own(call)
    before, found.body = found.body, _body(call, "IssueComment")
    found.updated = found.issue.updated = call.world.clock()
    events.issue_comment(call.world, found, "edited", call.actor, changes={"body": {"from": before}})
    return Answer(200, comment_json(call.world, found))


async def delete_comment(call: Call) -> Answer:
    found = _own(call)
    del call.repo.comments[found.id]
    events.issue_comment(call.world, found, "deleted", call.actor)
    return Answer(204)


async def create_reaction(call: Call) -> Answer:
    found, content = call.comment, call.field("content", resource="Reaction")
    if content not in REACTIONS:
        raise invalid("Reaction", "content")
    same = next((item for item in found.reactions if item.account is call.actor and item.content == content), None)
    if same:
        return Answer(200, reaction_json(call.world, same))
    made = Reaction(call.world.new_id("reaction"), call.actor, content, call.world.clock())
    found.reactions.append(made)
    return Answer(201, reaction_json(call.world, made))


async def list_reactions(call: Call) -> Answer:
    wanted = call.query.get("content")
    return call.page(
        [item for item in call.comment.reactions if wanted in (None, item.content)],
        lambda item: reaction_json(call.world, item),
    )


# labels and assignees


def _set_labels(call: Call, issue: IssueRecord, names: list[object]) -> None:
    texts = [str(name["name"]) if isinstance(name, dict) else str(name) for name in names]
    issue.labels = [call.world.label(issue.repo, name) for name in dict.fromkeys(texts)]
    issue.updated = call.world.clock()


def _labels(call: Call) -> Answer:
    return Answer(200, [label_json(call.world, call.repo, label) for label in call.issue.labels])


def _asked(call: Call) -> list[object]:
    names = call.body.get("labels", [])
    return list(names) if isinstance(names, list) else [names]


async def list_labels(call: Call) -> Answer:
    return call.page(list(call.issue.labels), lambda label: label_json(call.world, call.repo, label))


async def add_labels(call: Call) -> Answer:
    issue = call.issue
    before = [label.name for label in issue.labels]
    _set_labels(call, issue, [*before, *_asked(call)])
    for label in issue.labels:
        if label.name not in before:
            send = events.pull_request if issue.pull else events.issues
            send(call.world, issue, "labeled", call.actor, label=label_json(call.world, issue.repo, label))
    return _labels(call)


async def set_labels(call: Call) -> Answer:
    _set_labels(call, call.issue, _asked(call))
    return _labels(call)


async def remove_label(call: Call) -> Answer:
    issue, name = call.issue, call.params["name"].casefold()
    if all(label.name.casefold() != name for label in issue.labels):
        raise ErrorAnswer(404, "Label does not exist")
    issue.labels = [label for label in issue.labels if label.name.casefold() != name]
    return _labels(call)


def _assignable(call: Call, issue: IssueRecord, logins: list[str]) -> list[Account]:
    """The accounts that may be assigned; GitHub drops the others without a word."""
    known = (call.world.accounts.get(str(login).casefold()) for login in logins)
    return [who for who in known if who and (who is issue.repo.owner or who.login in issue.repo.permissions)]


async def add_assignees(call: Call) -> Answer:
    issue = call.issue
    issue.assignees += [
        who for who in _assignable(call, issue, call.body.get("assignees", [])) if who not in issue.assignees
    ]
    return Answer(201, issue_json(call.world, issue))


async def list_repo_labels(call: Call) -> Answer:
    return call.page(list(call.repo.labels.values()), lambda label: label_json(call.world, call.repo, label))


async def create_repo_label(call: Call) -> Answer:
    repo, name = call.repo, call.field("name", resource="Label")
    if name.casefold() in repo.labels:
        raise invalid("Label", "name", "already_exists")
    label = call.world.label(repo, name)
    label.color, label.description = call.body.get("color", label.color), call.body.get("description") or ""
    return Answer(201, label_json(call.world, repo, label))


async def get_repo_label(call: Call) -> Answer:
    found = call.repo.labels.get(call.params["name"].casefold())
    if found is None:
        raise not_found()
    return Answer(200, label_json(call.world, call.repo, found))

"""What a webhook's event asks for. Pure: an event says "look at this again", and the work says where to look.

One visible table from event to planner. A planner never raises but `Malformed`, and says why where nothing is to be done.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from recipediff.app.bumps import events as bump_events
from recipediff.app.payload import Malformed, PayloadFields
from recipediff.ports.jobs import Scalar

GROUP, REVIEW, COMMAND, RECHECKED, WATCH, RECONCILE = 30, 20, 15, 15, -10, -10
"""Priorities: what a merge queue waits for, what a person waits for, what only a timer would miss."""
BUTTON = "recheck"
"""The identifier of the button on our check run, as `recipediff.reports.check_run` names it."""
SETTLE = 30.0
"""Seconds by which reconciliation waits, so that a burst of events costs it once."""
SOON = 2.0
"""Seconds by which the look at other pull requests' tables waits: a merge is an event of the pull request and of its base."""
_CONFIGURED = frozenset({".yaml", ".yml", ".json"})
_RECORDED = frozenset({".md", ".markdown", ".mdown", ".mkd"})
_QUEUE = re.compile(r"(?:refs/heads/)?gh-readonly-queue/(?P<base>.+)/pr-\d+-(?P<sha>[0-9a-f]{40}|[0-9a-f]{64})")
_REVIEWED = frozenset({"opened", "reopened", "synchronize", "ready_for_review"})
_COVERED = frozenset({"created", "unsuspend", "new_permissions_accepted"})
_MANY_COMMITS = 2048
"""GitHub lists no more commits in one push."""


@dataclass(frozen=True, slots=True)
class Me:
    """Who we are, so that other Apps' check runs and other people's talk are left alone."""

    app_id: int
    slug: str = "recipediff"
    upstreams: frozenset[str] = frozenset({"eugr/spark-vllm-docker", "vllm-project/recipes"})
    """Repositories, in lower case, whose pushes may move a pin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One piece of work. `delay`: seconds before it may begin."""

    key: str
    data: Mapping[str, Scalar]
    order: float = 0.0
    priority: int = 0
    delay: float = 0.0


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done, or why nothing is."""

    asked: tuple[Asked, ...] = field(default=())
    ignored: str = ""


def plan(event: str, payload: object, me: Me) -> Plan:
    """The work that `event` asks for. Never raises: what is not as GitHub sends it is ignored, with the field named."""
    planner = PLANNERS.get(event)
    if planner is None:
        return Plan(ignored="nothing to do for this event")
    try:
        return planner(PayloadFields(payload), me)
    except Malformed as error:
        return Plan(ignored=f"malformed: {error}")


def _where(fields: PayloadFields) -> dict[str, Scalar]:
    """The repository and the installation through which the bot may speak there."""
    return {"repo": fields.repo("repository.full_name"), "installation": fields.number("installation.id")}


def _foreign(fields: PayloadFields) -> Plan | None:
    """A delivery of a repository's own webhook carries no installation: nobody could act on it."""
    if fields.get("installation") is None:
        return Plan(ignored="not delivered through an installation of the App")
    return None


def _pull_request(fields: PayloadFields, me: Me) -> Plan:
    action = fields.text("action")
    rebased = action == "edited" and fields.get("changes.base") is not None
    if action not in _REVIEWED and not rebased and action != "closed":
        return Plan(ignored=f"a pull request that was {_word(action)} has the same verdict")
    if (foreign := _foreign(fields)) is not None:
        return foreign
    where = _where(fields)
    bumps = (_bumps(where),) if bump_events.closed_or_reopened(fields, me.slug) else ()
    neighbours = _neighbours(fields, where) if rebased or action in ("closed", "reopened") else ()
    if action == "closed":
        return Plan((_reconcile(where), *neighbours, *bumps))
    number = fields.number("pull_request.number")
    data: dict[str, Scalar] = {
        **where,
        "number": number,
        "head": fields.commit("pull_request.head.sha"),
        "head_ref": fields.text("pull_request.head.ref"),
        "head_repo": fields.repo("pull_request.head.repo.full_name") if fields.get("pull_request.head.repo") else "",
        "base": fields.commit("pull_request.base.sha"),
        "base_ref": fields.text("pull_request.base.ref"),
        "author": fields.text("pull_request.user.login", default=""),
        "action": action,
        "draft": fields.flag("pull_request.draft"),
        "comments": fields.number("pull_request.comments", default=-1),
        "updated": fields.moment("pull_request.updated_at"),
    }
    order = fields.moment("pull_request.updated_at")
    return Plan(
        (Asked(key=f"review:{where['repo']}#{number}", data=data, order=order, priority=REVIEW), *neighbours, *bumps)
    )


def _neighbours(fields: PayloadFields, where: Mapping[str, Scalar]) -> tuple[Asked, ...]:
    """The look at the open pull requests that this one came to, and at those that it left. After a push its own review
    asks for that, and only where its tables changed."""
    before = fields.text("changes.base.ref.from", default="")
    bases = dict.fromkeys([fields.text("pull_request.base.ref"), *([before] if before else [])])
    return tuple(crossed(where, base) for base in bases)


def _merge_group(fields: PayloadFields, me: Me) -> Plan:
    del me
    action = fields.text("action")
    if action != "checks_requested":
        return Plan(ignored=f"a merge group that was {_word(action)} asks for no check")
    if (foreign := _foreign(fields)) is not None:
        return foreign
    head, base = fields.commit("merge_group.head_sha"), fields.commit("merge_group.base_sha")
    return Plan((group(_where(fields), head, base, fields.text("merge_group.base_ref")),))


def group(where: Mapping[str, Scalar], head: str, base: str, base_ref: str) -> Asked:
    """The review of a merge group's head."""
    data = {**where, "head": head, "base": base, "base_ref": base_ref.removeprefix("refs/heads/")}
    return Asked(key=f"group:{where['repo']}@{head}", data=data, order=0.0, priority=GROUP)


def _check_run(fields: PayloadFields, me: Me) -> Plan:
    action = fields.text("action")
    if action not in ("rerequested", "requested_action"):
        return Plan(ignored=f"a check run that was {_word(action)} asks for nothing")
    if action == "requested_action" and fields.get("requested_action.identifier") != BUTTON:
        return Plan(ignored="not one of our buttons")
    return _recheck(fields, me, "check_run", "check_run.check_suite.head_branch")


def _check_suite(fields: PayloadFields, me: Me) -> Plan:
    action = fields.text("action")
    if action != "rerequested":
        return Plan(ignored="the pull request's own event asks for the check")
    return _recheck(fields, me, "check_suite", "check_suite.head_branch")


def _recheck(fields: PayloadFields, me: Me, kind: str, branch: str) -> Plan:
    """The head is what counts: a fork's pull requests are not listed in these events, and two may have one head."""
    if fields.number(f"{kind}.app.id") != me.app_id:
        return Plan(ignored="another App's check")
    if (foreign := _foreign(fields)) is not None:
        return foreign
    head, where = fields.commit(f"{kind}.head_sha"), _where(fields)
    queued = _QUEUE.fullmatch(fields.text(branch, most=600, default=""))
    if queued is not None:
        return Plan((group(where, head, queued["sha"], queued["base"]),))
    return Plan(
        (Asked(key=f"recheck:{where['repo']}@{head}", data={**where, "head": head}, order=0.0, priority=RECHECKED),)
    )


def _push(fields: PayloadFields, me: Me) -> Plan:
    ref = fields.text("ref", most=600)
    if not ref.startswith("refs/heads/"):
        return Plan(ignored="not a push to a branch")
    if (foreign := _foreign(fields)) is not None:
        return foreign
    where = _where(fields)
    branch = ref.removeprefix("refs/heads/")
    asked = []
    if str(where["repo"]).lower() in me.upstreams:
        data = {**where, "branch": branch, "after": fields.text("after")}
        asked.append(Asked(key=f"watch:{where['repo']}", data=data, order=0.0, priority=WATCH, delay=SETTLE))
    if not fields.flag("deleted") and not _QUEUE.match(ref) and _touches(fields, _CONFIGURED):
        data = {**where, "base_ref": branch}
        asked.append(
            Asked(
                key=f"reconcile:{where['repo']}@{branch}"[:512], data=data, order=0.0, priority=RECONCILE, delay=SETTLE
            )
        )
        if bump_events.pushed(fields, me.slug):
            asked.append(_bumps(where))
    if not fields.flag("deleted") and not _QUEUE.match(ref) and _touches(fields, _RECORDED):
        asked.append(crossed(where, branch))
    return Plan(tuple(asked), "" if asked else "touches no recipe, no configuration and no keyed table")


def crossed(where: Mapping[str, Scalar], base_ref: str) -> Asked:
    """The look for open pull requests whose report on keyed tables would say something else by now."""
    data = {"repo": where["repo"], "installation": where["installation"], "base_ref": base_ref}
    return Asked(key=f"records:{where['repo']}@{base_ref}"[:512], data=data, order=0.0, priority=RECONCILE, delay=SOON)


def _touches(fields: PayloadFields, suffixes: frozenset[str]) -> bool:
    """Whether the push may change a file that ends so. Where it does not say, it may."""
    commits = fields.get("commits")
    if not isinstance(commits, list) or fields.flag("forced") or not 0 < len(commits) < _MANY_COMMITS:
        return True
    for commit in commits:
        for kind in ("added", "removed", "modified"):
            paths = PayloadFields(commit).get(kind)
            for path in paths if isinstance(paths, list) else ():
                if not isinstance(path, str) or PurePosixPath(path).suffix.lower() in suffixes:
                    return True
    return False


def _issue_comment(fields: PayloadFields, me: Me) -> Plan:
    if fields.text("action") != "created":
        return Plan(ignored="only a new comment is a command")
    body = fields.get("comment.body")
    if not isinstance(body, str):
        raise Malformed("comment.body is not a text")
    if not addressed(body, me.slug):
        return Plan(ignored="not addressed to the bot")
    if fields.get("issue.pull_request") is None:
        return Plan(ignored="not on a pull request")
    if fields.get("comment.user.type") == "Bot":
        return Plan(ignored="bots give no commands")
    if (foreign := _foreign(fields)) is not None:
        return foreign
    where, comment = _where(fields), fields.number("comment.id")
    data: dict[str, Scalar] = {
        **where,
        "number": fields.number("issue.number"),
        "comment": comment,
        "user": fields.text("comment.user.login"),
        "text": _first_line(body),
    }
    return Plan((Asked(key=f"command:{where['repo']}#{comment}", data=data, order=0.0, priority=COMMAND),))


def addressed(body: str, slug: str) -> bool:
    """Whether a comment begins with the bot's name and nothing longer."""
    return re.match(rf"\s{{0,20}}@{re.escape(slug)}(?![\w-])", body, re.IGNORECASE) is not None


def _first_line(body: str) -> str:
    """What a command may be: the first line, printable, 200 characters at most."""
    line = body.lstrip()[:400].split("\n", 1)[0]
    return "".join(c for c in line if c.isprintable())[:200]


def _issues(fields: PayloadFields, me: Me) -> Plan:
    ticked = bump_events.ticks(fields, me.slug)
    if not ticked:
        return Plan(ignored="no box of the overview was ticked")
    if (foreign := _foreign(fields)) is not None:
        return foreign
    where = _where(fields)
    keys = {recipe: bump_events.ask_key(where, recipe) for recipe in ticked}
    return Plan(
        tuple(
            Asked(key=key, data={**where, "recipe": recipe}, order=0.0, priority=COMMAND)
            for recipe, key in keys.items()
        )
    )


def _bumps(where: Mapping[str, Scalar]) -> Asked:
    return Asked(key=bump_events.bump_key(where), data=where, order=0.0, priority=WATCH, delay=SETTLE)


def _installation(fields: PayloadFields, me: Me) -> Plan:
    del me
    action = fields.text("action")
    if action not in _COVERED:
        return Plan(ignored=f"an installation that was {_word(action)} can be read no more")
    return _covered(fields)


def _installation_repositories(fields: PayloadFields, me: Me) -> Plan:
    del me
    if fields.text("action") != "added":
        return Plan(ignored="repositories that were removed can be read no more")
    return _covered(fields)


def _covered(fields: PayloadFields) -> Plan:
    """All of the installation's repositories; the handler lists them, for an event does not name more than a few."""
    number = fields.number("installation.id")
    return Plan(
        (
            Asked(
                key=f"installation:{number}", data={"installation": number}, order=0.0, priority=RECONCILE, delay=SETTLE
            ),
        )
    )


def _ping(fields: PayloadFields, me: Me) -> Plan:
    del fields, me
    return Plan(ignored="pong")


def _reconcile(where: Mapping[str, Scalar]) -> Asked:
    return Asked(key=f"reconcile:{where['repo']}", data=where, order=0.0, priority=RECONCILE, delay=SETTLE)


def _word(action: str) -> str:
    """An action as it may stand in a sentence of ours."""
    return action.replace("_", " ") if re.fullmatch(r"[a-z_]{1,40}", action) else "changed"


PLANNERS: Mapping[str, Callable[[PayloadFields, Me], Plan]] = {
    "pull_request": _pull_request,
    "merge_group": _merge_group,
    "check_run": _check_run,
    "check_suite": _check_suite,
    "push": _push,
    "issue_comment": _issue_comment,
    "issues": _issues,
    "installation": _installation,
    "installation_repositories": _installation_repositories,
    "ping": _ping,
}

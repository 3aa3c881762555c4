"""Between a pull request and the flat data of the work that is asked for it."""

from __future__ import annotations

from collections.abc import Mapping

from recipediff.app.events import Asked
from recipediff.app.payload import moment
from recipediff.app.review.reconcile import WantedReview
from recipediff.app.review.review import Subject
from recipediff.ports.forge import Home, PullRequest
from recipediff.ports.jobs import Scalar


def asked_of(home: Home, wanted: WantedReview, action: str, priority: int) -> Asked:
    """The review of a pull request that was found otherwise than by its own event."""
    pull = wanted.pull
    data: dict[str, Scalar] = {
        "repo": home.name,
        "installation": home.installation,
        "number": pull.number,
        "head": pull.head_sha,
        "head_ref": pull.head_ref,
        "head_repo": pull.head_repo or "",
        "base": wanted.base,
        "base_ref": pull.base_ref,
        "author": pull.author,
        "action": action,
        "draft": pull.draft,
        "comments": -1,
        "updated": moment(pull.updated_at),
    }
    return Asked(key=f"review:{home.name}#{pull.number}", data=data, order=moment(pull.updated_at), priority=priority)


def subject_of(data: Mapping[str, Scalar], repo: str) -> Subject:
    """The pull request as its event described it."""
    comments = number(data["comments"])
    return Subject.of(
        PullRequest(
            number=number(data["number"]),
            title="",
            body="",
            author=str(data["author"]),
            state="open",
            draft=bool(data["draft"]),
            merged=False,
            head_sha=str(data["head"]),
            head_ref=str(data["head_ref"]),
            head_repo=str(data["head_repo"]) or None,
            base_sha=str(data["base"]),
            base_ref=str(data["base_ref"]),
            base_repo=repo,
            comments=comments if comments >= 0 else None,
        )
    )


def number(value: Scalar) -> int:
    """A number out of flat data."""
    if not isinstance(value, int):
        raise TypeError(f"not a number in a job's data: {value!r}")
    return value

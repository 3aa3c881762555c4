"""What a branch demands before a merge: classic protection and rulesets, read for `doctor`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recipediff.adapters.github.http.client import GitHubClient
from recipediff.adapters.github.http.route import repository
from recipediff.adapters.github.http.shape import legible
from recipediff.ports.errors import Missing, Unavailable


@dataclass(frozen=True, slots=True)
class RequiredCheck:
    """A check that must pass. `app` is the id of the App that must have made it; None where any may."""

    name: str
    app: int | None
    source: str
    """`branch protection` or `ruleset`."""


@dataclass(frozen=True, slots=True)
class BranchRules:
    """`merge_queue` is None where it cannot be known (a server without rulesets)."""

    required: tuple[RequiredCheck, ...]
    merge_queue: bool | None
    protected: bool


async def branch_rules(client: GitHubClient, name: str, branch: str) -> BranchRules:
    """The rules that hold for a branch. Raises `Missing` where there is no such branch, else `Unavailable`."""
    fields = {**repository(name), "branch": branch}
    found = await client.call("GET /repos/{owner}/{repo}/branches/{branch}", fields)
    with legible("a branch"):
        protected = bool(found.get("protected"))
        required = _classic((found.get("protection") or {}).get("required_status_checks") or {})
    queue: bool | None = False
    try:
        rules = [item async for item in client.pages("GET /repos/{owner}/{repo}/rules/branches/{branch}", fields)]
    except (Missing, Unavailable) as error:
        if isinstance(error, Unavailable) and error.reason != "forbidden":
            raise
        return BranchRules(required, None, protected)
    with legible("a ruleset"):
        for rule in rules:
            if rule["type"] == "merge_queue":
                queue = True
            elif rule["type"] == "required_status_checks":
                required += _ruleset(rule.get("parameters") or {})
    return BranchRules(required, queue, protected or bool(rules))


def _classic(status_checks: Mapping[str, Any]) -> tuple[RequiredCheck, ...]:
    if status_checks.get("enforcement_level") == "off":
        return ()
    checks = status_checks.get("checks")
    if checks is None:
        checks = [{"context": context} for context in status_checks.get("contexts") or ()]
    return tuple(RequiredCheck(str(one["context"]), _app(one.get("app_id")), "branch protection") for one in checks)


def _ruleset(parameters: Mapping[str, Any]) -> tuple[RequiredCheck, ...]:
    checks = parameters.get("required_status_checks") or ()
    return tuple(RequiredCheck(str(one["context"]), _app(one.get("integration_id")), "ruleset") for one in checks)


def _app(number: object) -> int | None:
    # GitHub writes -1 for "any source".
    return number if isinstance(number, int) and number > 0 else None

"""The `bumps:` section of the configuration, read into a `BumpConfig`."""

from __future__ import annotations

from typing import Any

from recipediff.core.bumps.config import BumpConfig, BumpGroup


def bump_config(values: Any, *, broken: bool) -> BumpConfig:
    """The policy in `values`, over the defaults. One that is `broken` opens nothing: it may have said so."""
    if broken:
        return BumpConfig(open="never")
    given: dict[str, Any] = values if isinstance(values, dict) else {}
    default = BumpConfig()
    return BumpConfig(
        open=given.get("open", default.open),
        days=tuple(given.get("days", default.days)),
        cooldown=float(given.get("cooldown", default.cooldown)),
        max_open=int(given.get("max-open", default.max_open)),
        max_per_day=int(given.get("max-per-day", default.max_per_day)),
        groups=tuple(BumpGroup(item["name"], tuple(item["recipes"])) for item in given.get("groups", ())),
        quiet=given.get("quiet", default.quiet),
        quiet_every=given.get("quiet-every", default.quiet_every),
        ignore=tuple(given.get("ignore", default.ignore)),
        labels=tuple(given.get("labels", default.labels)),
        reviewers=tuple(given.get("reviewers", default.reviewers)),
        assignees=tuple(given.get("assignees", default.assignees)),
        automerge=given.get("automerge", default.automerge),
        overview=given.get("overview", default.overview),
    )

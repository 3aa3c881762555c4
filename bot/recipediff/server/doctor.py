"""What is wrong with the App and with a repository, and where to click. Nothing is changed."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from email.utils import parsedate_to_datetime

import httpx

from recipediff.adapters.github.app import AppFacts, GitHubApp, HookFacts, InstallationFacts
from recipediff.adapters.github.connect import GitHubForge
from recipediff.adapters.github.rules import BranchRules, branch_rules
from recipediff.app.diagnostics import Diagnostic
from recipediff.app.review.review import CHECK_NAME
from recipediff.ports.errors import Missing, Refused, Unavailable
from recipediff.server.setup.manifest import EVENTS, PERMISSIONS

SKEW = 30.0
"""Seconds by which the clock may be off; GitHub refuses a token signed a minute in its future."""
DAY = 86400.0
_LOOKING = {"contents": "read", "metadata": "read"}
"""Granted even where others are missing, so that one fault does not hide the next."""
_LEVELS = ("", "read", "write", "admin")


async def examine(
    connection: httpx.AsyncClient,
    forge: GitHubForge,
    secrets: Sequence[str],
    name: str = "",
    *,
    now: Callable[[], float] = time.time,
) -> list[Diagnostic]:
    """Everything that can be found out, worst news included; never raises for what GitHub answers."""
    clock = _Clock(now)
    connection.event_hooks["response"].append(clock.heard)
    app = GitHubApp(forge.app)
    try:
        facts = await app.facts()
    except (Missing, Refused, Unavailable) as error:
        return [*clock.remarks(), _unknown(error)]
    remarks = [Diagnostic("good", f"the App is {facts.slug} (id {facts.id}), installed {facts.installations} times")]
    remarks += clock.remarks()
    remarks += _registration(facts)
    remarks += [each async for each in _hook(app, facts, secrets, now)]
    if name:
        remarks += [each async for each in _repository(app, forge, facts, name)]
    return remarks


class _Clock:
    """Compares GitHub's clock with ours, from the answers that come anyway."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._off: float | None = None

    async def heard(self, response: httpx.Response) -> None:
        try:
            self._off = self._now() - parsedate_to_datetime(response.headers.get("date", "")).timestamp()
        except (ValueError, TypeError):
            return

    def remarks(self) -> list[Diagnostic]:
        if self._off is None:
            return []
        if abs(self._off) <= SKEW:
            return [Diagnostic("good", "the clock agrees with GitHub's")]
        side = "ahead of" if self._off > 0 else "behind"
        hint = "set the clock by NTP: GitHub refuses tokens that are signed at another time"
        return [Diagnostic("bad", f"the clock is {abs(self._off):.0f} s {side} GitHub's", hint)]


def _unknown(error: Exception) -> Diagnostic:
    if isinstance(error, Unavailable) and error.reason == "credentials":
        hint = "RECIPEDIFF_APP_ID and the private key must be of one App; make a new key on the App's settings page"
        return Diagnostic("bad", "GitHub does not accept the App's key", hint)
    if isinstance(error, Missing):
        return Diagnostic("bad", "GitHub knows no such App", "check RECIPEDIFF_APP_ID and GITHUB_API_URL")
    return Diagnostic("bad", f"GitHub cannot be asked: {error}", "check the network, and GITHUB_API_URL")


def _lacking(granted: Mapping[str, str]) -> list[str]:
    return [
        f"{name}: {level}"
        for name, level in PERMISSIONS.items()
        if _LEVELS.index(level) > (_LEVELS.index(granted.get(name, "")) if granted.get(name, "") in _LEVELS else 0)
    ]


def _registration(facts: AppFacts) -> list[Diagnostic]:
    settings = f"{facts.url}: App settings, Permissions & events"
    lacking, silent = _lacking(facts.permissions), [event for event in EVENTS if event not in facts.events]
    remarks = []
    if lacking:
        remarks.append(Diagnostic("bad", f"the App lacks permissions: {', '.join(lacking)}", settings))
    else:
        remarks.append(Diagnostic("good", "the App has the permissions that it needs"))
    if silent:
        remarks.append(Diagnostic("bad", f"the App is not subscribed to: {', '.join(silent)}", settings))
    else:
        remarks.append(Diagnostic("good", "the App is subscribed to the events that it needs"))
    return remarks


async def _hook(
    app: GitHubApp, facts: AppFacts, secrets: Sequence[str], now: Callable[[], float]
) -> AsyncIterator[Diagnostic]:
    settings = f"{facts.url}: App settings, General, Webhook"
    try:
        hook = await app.hook()
        for remark in _hook_facts(hook, settings, secrets):
            yield remark
        tried, failed = 0, 0
        async for attempt in app.deliveries(since=now() - DAY, most=5):
            tried, failed = tried + 1, failed + attempt.failed
        if failed:
            hint = f"{facts.url}: App settings, Advanced, Recent deliveries shows what GitHub was answered"
            yield Diagnostic("warning", f"{failed} of the last {tried} deliveries of 24 hours were not taken", hint)
        else:
            yield Diagnostic("good", f"all {tried} deliveries of the last 24 hours were taken")
    except (Missing, Refused, Unavailable) as error:
        yield Diagnostic("warning", f"the App's webhook cannot be looked at: {error}", settings)


def _hook_facts(hook: HookFacts, settings: str, secrets: Sequence[str]) -> list[Diagnostic]:
    found = []
    if not hook.url:
        found.append(Diagnostic("bad", "the App has no webhook address", f"{settings}: https://YOUR-HOST/webhook"))
    elif not hook.url.rstrip("/").endswith("/webhook"):
        found.append(Diagnostic("warning", f"the webhook's address is {hook.url}", "the server listens at /webhook"))
    if hook.content_type not in ("", "json"):
        found.append(Diagnostic("bad", "the webhook sends forms", f"{settings}: content type application/json"))
    if hook.insecure_ssl and hook.url.startswith("https"):
        found.append(Diagnostic("warning", "the webhook does not verify certificates", f"{settings}: SSL verification"))
    if not hook.signed:
        found.append(
            Diagnostic("bad", "the webhook has no secret", f"{settings}: the same as RECIPEDIFF_WEBHOOK_SECRET")
        )
    if any(len(secret) < 16 for secret in secrets):
        found.append(
            Diagnostic("warning", "a webhook secret is shorter than 16 characters", "make one: openssl rand -hex 32")
        )
    return found or [Diagnostic("good", f"the webhook goes to {hook.url}, signed")]


async def _repository(app: GitHubApp, forge: GitHubForge, facts: AppFacts, name: str) -> AsyncIterator[Diagnostic]:
    try:
        place = await app.installation_of(name)
    except Missing:
        yield Diagnostic("bad", f"the App is not installed on {name}", f"{facts.url}/installations/new")
        return
    except (Refused, Unavailable) as error:
        yield Diagnostic("bad", f"{name} cannot be asked for: {error}", "try again later")
        return
    for remark in _installation(place, facts, name):
        yield remark
    if place.suspended:
        return
    try:
        branch = await forge.home(name, place.id, _LOOKING).history.default_branch()
        rules = await branch_rules(forge.client(name, place.id, _LOOKING), name, branch)
    except (Missing, Refused, Unavailable) as error:
        yield Diagnostic("warning", f"the rules of {name} cannot be read: {error}", "look at Settings, Rules")
        return
    for remark in _rules(rules, facts, name, branch):
        yield remark


def _installation(place: InstallationFacts, facts: AppFacts, name: str) -> list[Diagnostic]:
    where = f"the settings of {place.account}: GitHub Apps, {facts.slug}, Configure"
    if place.suspended:
        return [Diagnostic("bad", f"the App's installation on {place.account} is suspended", f"{where}: Unsuspend")]
    lacking = _lacking(place.permissions)
    if lacking:
        hint = f"{where}: accept the new permissions"
        return [Diagnostic("bad", f"the installation on {place.account} has not granted: {', '.join(lacking)}", hint)]
    return [Diagnostic("good", f"the App is installed on {name}, with its permissions")]


def _rules(rules: BranchRules, facts: AppFacts, name: str, branch: str) -> list[Diagnostic]:
    where = f"{name}: Settings, Rules, the rule for {branch}"
    ours = [check for check in rules.required if check.name == CHECK_NAME]
    alike = [check.name for check in rules.required if check.name.lower() == CHECK_NAME and check.name != CHECK_NAME]
    remarks = []
    if not ours:
        also = f" (there is {alike[0]!r}, which is another)" if alike else ""
        hint = f"{where}: require the status check {CHECK_NAME!r} from {facts.slug}"
        remarks.append(Diagnostic("warning", f"{branch} does not require the check {CHECK_NAME!r}{also}", hint))
    elif all(check.app is None for check in ours):
        hint = f"{where}: choose {facts.slug} as the source, so that nobody else can report it"
        remarks.append(Diagnostic("warning", f"{branch} takes the check {CHECK_NAME!r} from anybody", hint))
    elif all(check.app != facts.id for check in ours if check.app is not None):
        hint = f"{where}: choose {facts.slug} as the source; the check waits for another App and never comes"
        remarks.append(Diagnostic("bad", f"{branch} requires {CHECK_NAME!r} from another App", hint))
    else:
        remarks.append(Diagnostic("good", f"{branch} requires the check {CHECK_NAME!r} from {facts.slug}"))
    if rules.merge_queue:
        listens = "merge_group" in facts.events
        text = "the merge queue is on"
        hint = "" if listens else "subscribe the App to merge_group, or the queue waits for ever"
        remarks.append(
            Diagnostic("good" if listens else "bad", text + (", and asks for the check" if listens else ""), hint)
        )
    elif rules.merge_queue is None:
        remarks.append(Diagnostic("warning", "whether there is a merge queue cannot be seen here"))
    else:
        remarks.append(Diagnostic("good", "the merge queue is off"))
    return remarks

"""Check runs and check suites, with GitHub's limits: 50 annotations a request, 65,535 characters, three actions."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sandbox import actions, events
from sandbox.model import App, CheckRunRecord, JsonObject
from sandbox.routing import Answer, Call, ErrorAnswer, not_found
from sandbox.shapes.check import annotation_json, run_json, suite_json

MOST_ANNOTATIONS, MOST_TEXT, MOST_ACTIONS = 50, 65_535, 3
STATUSES = frozenset({"queued", "in_progress", "completed", "waiting", "requested", "pending"})
CONCLUSIONS = frozenset({"success", "failure", "neutral", "cancelled", "skipped", "timed_out", "action_required"})
LEVELS = frozenset({"notice", "warning", "failure"})


def _app(call: Call) -> App:
    if call.by_app is None:
        raise ErrorAnswer(403, "You must authenticate via a GitHub App.")
    return call.by_app


async def create_run(call: Call) -> Answer:
    repo, app = call.repo, _app(call)
    name, sha = call.field("name"), call.field("head_sha")
    if repo.git.kind(sha) != "commit":
        raise ErrorAnswer(422, f"No commit found for SHA: {sha}")
    _check(call.body)
    run = CheckRunRecord(id=call.world.new_id("check_run"), suite=actions.suite(call.world, repo, app, sha), name=name)
    _apply(call, run)
    repo.check_runs[run.id] = run
    events.check_run(call.world, run, "created", app.bot)
    if run.status == "completed":
        events.check_run(call.world, run, "completed", app.bot)
    return Answer(201, run_json(call.world, run))


async def update_run(call: Call) -> Answer:
    run, app = _run(call), _app(call)
    if run.suite.app is not app:
        raise ErrorAnswer(
            403,
            "Invalid app_id `"
            + str(run.suite.app.id)
            + "` - check run can only be modified by the GitHub App that created it.",
        )
    _check(call.body)
    before, run.name = run.status, call.body.get("name", run.name)
    _apply(call, run)
    if run.status == "completed" and before != "completed":
        events.check_run(call.world, run, "completed", app.bot)
    return Answer(200, run_json(call.world, run))


def _check(body: JsonObject) -> None:
    """Refuse what GitHub refuses. Raises `ErrorAnswer`."""
    status, conclusion, output = body.get("status"), body.get("conclusion"), body.get("output") or {}
    if status is not None and status not in STATUSES:
        raise _refused(f"{status} is not a member of {sorted(STATUSES)}.")
    if conclusion is not None and conclusion not in CONCLUSIONS:
        raise _refused(f"{conclusion} is not a member of {sorted(CONCLUSIONS)}.")
    if (status == "completed" or body.get("completed_at")) and conclusion is None:
        raise _refused("missing_field: conclusion")
    if "output" in body and not ({"title", "summary"} <= output.keys()):
        raise _refused('"summary", "title" weren\'t supplied.')
    for key in ("summary", "text"):
        if len(output.get(key) or "") > MOST_TEXT:
            raise _refused(f"Only {MOST_TEXT} characters are allowed; {len(output[key])} were supplied.")
    if len(output.get("annotations", [])) > MOST_ANNOTATIONS:
        raise _refused(
            f"No more than {MOST_ANNOTATIONS} items are allowed; {len(output['annotations'])} were supplied."
        )
    for item in output.get("annotations", []):
        _check_annotation(item)
    if len(body.get("actions", [])) > MOST_ACTIONS:
        raise _refused(f"No more than {MOST_ACTIONS} items are allowed; {len(body['actions'])} were supplied.")
    for item in body.get("actions", []):
        if len(item["label"]) > 20 or len(item["description"]) > 40 or len(item["identifier"]) > 20:
            raise _refused("an action's label, description or identifier is too long.")


def _check_annotation(item: JsonObject) -> None:
    for key in ("path", "start_line", "end_line", "annotation_level", "message"):
        if key not in item:
            raise _refused(f'"{key}" wasn\'t supplied.')
    if item["annotation_level"] not in LEVELS or item["start_line"] < 1 or item["end_line"] < item["start_line"]:
        raise _refused(f"{item} is not a valid annotation.")
    if item["start_line"] != item["end_line"] and ("start_column" in item or "end_column" in item):
        raise _refused("start_column and end_column need start_line and end_line to be the same.")
    if (
        len(item.get("title") or "") > 255
        or len(item["message"]) > 65_536
        or len(item.get("raw_details") or "") > 65_536
    ):
        raise _refused("an annotation's title, message or raw_details is too long.")


def _refused(why: str) -> ErrorAnswer:
    return ErrorAnswer(422, f"Invalid request.\n\n{why}")


def _apply(call: Call, run: CheckRunRecord) -> None:
    body, output, now = call.body, call.body.get("output") or {}, call.world.clock()
    run.external_id, run.details_url = (
        body.get("external_id", run.external_id),
        body.get("details_url", run.details_url),
    )
    run.status = "completed" if body.get("conclusion") else body.get("status", run.status)
    run.conclusion = body.get("conclusion") if run.status == "completed" else None
    run.started = _time(body.get("started_at")) or run.started or now
    run.completed = (_time(body.get("completed_at")) or now) if run.status == "completed" else None
    run.title, run.summary, run.text = (output.get(key, getattr(run, key)) for key in ("title", "summary", "text"))
    run.annotations += output.get("annotations", [])  # GitHub adds to those that are there
    run.actions = body.get("actions", run.actions)
    run.suite.updated = now


def _time(text: Any) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError:
        raise _refused(f"{text} is not a valid date-time.") from None


def _run(call: Call) -> CheckRunRecord:
    found = call.world.check_run(call.repo, call.number("check_run_id"))
    if found is None:
        raise not_found()
    return found


async def get_run(call: Call) -> Answer:
    return Answer(200, run_json(call.world, _run(call)))


async def list_annotations(call: Call) -> Answer:
    run = _run(call)
    return call.page(run.annotations, lambda item: annotation_json(call.world, run, item))


async def list_runs(call: Call) -> Answer:
    """GET commits/{ref}/check-runs: the newest of each name and App, unless all are asked for."""
    repo, query = call.repo, call.query
    sha = repo.git.resolve(call.params["ref"])
    if sha is None:
        raise ErrorAnswer(422, f"No commit found for SHA: {call.params['ref']}")
    found = [run for run in repo.check_runs.values() if run.suite.head_sha == sha]
    if query.get("app_id"):
        found = [run for run in found if str(run.suite.app.id) == query["app_id"]]
    if query.get("check_name"):
        found = [run for run in found if run.name == query["check_name"]]
    if query.get("filter", "latest") == "latest":
        found = list({(run.suite.app.id, run.name): run for run in found}.values())
    if query.get("status"):
        found = [run for run in found if run.status == query["status"]]
    return call.page(found[::-1], lambda run: run_json(call.world, run), "check_runs")


async def list_suites(call: Call) -> Answer:
    repo, query = call.repo, call.query
    sha = repo.git.resolve(call.params["ref"])
    if sha is None:
        raise ErrorAnswer(422, f"No commit found for SHA: {call.params['ref']}")
    found = [item for item in repo.check_suites.values() if item.head_sha == sha]
    if query.get("app_id"):
        found = [item for item in found if str(item.app.id) == query["app_id"]]
    return call.page(found, lambda item: suite_json(call.world, item), "check_suites")


async def get_suite(call: Call) -> Answer:
    found = call.repo.check_suites.get(call.number("check_suite_id"))
    if found is None:
        raise not_found()
    return Answer(200, suite_json(call.world, found))

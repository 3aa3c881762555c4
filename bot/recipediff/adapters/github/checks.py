"""The check runs of one repository."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recipediff.adapters.github.http.client import GitHubClient
from recipediff.adapters.github.http.route import repository
from recipediff.adapters.github.http.shape import legible
from recipediff.ports.forge import Annotation, Button, CheckRun, Output

BATCH = 50
"""Annotations that GitHub takes in one request; each request adds to those that are there."""
_RUNS = "/repos/{owner}/{repo}/check-runs"
_RUN = "PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}"
_OF_REF = "GET /repos/{owner}/{repo}/commits/{ref}/check-runs"


class GitHubChecks:
    """Reads and writes check runs through `client`, which must speak for an App or a workflow."""

    def __init__(self, client: GitHubClient, name: str) -> None:
        self._client = client
        self._fields = repository(name)

    async def named(self, head_sha: str, name: str) -> Sequence[CheckRun]:
        """Those called `name` on a commit, the latest of each App first."""
        pages = self._client.pages(
            _OF_REF, {**self._fields, "ref": head_sha}, query={"check_name": name, "filter": "latest"}, key="check_runs"
        )
        return [check_run(item) async for item in pages]

    async def start(
        self, name: str, head_sha: str, *, output: Output | None = None, external_id: str = "", url: str = ""
    ) -> CheckRun:
        """A check run in progress."""
        data: dict[str, Any] = {"name": name, "head_sha": head_sha, "status": "in_progress"}
        if output is not None:
            data["output"] = _output(output, output.annotations[:BATCH])
        return await self._create(data, external_id, url)

    async def conclude(self, run: int, conclusion: str, output: Output, *, shown: int = 0, url: str = "") -> CheckRun:
        """Annotations after the first `shown` in batches of 50, and with the last batch the conclusion."""
        left = output.annotations[shown:]
        while len(left) > BATCH:
            await self._patch(run, {"status": "in_progress", "output": _output(output, left[:BATCH])})
            left = left[BATCH:]
        data = {**_conclusion(conclusion, output), "output": _output(output, left)}
        return await self._patch(run, data | ({"details_url": url} if url else {}))

    async def publish(
        self, name: str, head_sha: str, conclusion: str, output: Output, *, external_id: str = "", url: str = ""
    ) -> CheckRun:
        """Start and conclusion in as few requests as the annotations allow: one for up to 50."""
        if len(output.annotations) > BATCH:
            run = await self.start(name, head_sha, output=output, external_id=external_id, url=url)
            return await self.conclude(run.id, conclusion, output, shown=BATCH)
        data = {"name": name, "head_sha": head_sha, **_conclusion(conclusion, output)}
        return await self._create({**data, "output": _output(output, output.annotations)}, external_id, url)

    async def _create(self, data: dict[str, Any], external_id: str, url: str) -> CheckRun:
        optional = {"external_id": external_id, "details_url": url}
        data |= {key: value for key, value in optional.items() if value}
        return check_run(await self._client.call(f"POST {_RUNS}", self._fields, data=data))

    async def _patch(self, run: int, data: dict[str, Any]) -> CheckRun:
        return check_run(await self._client.call(_RUN, {**self._fields, "check_run_id": run}, data=data))


def check_run(data: Mapping[str, Any]) -> CheckRun:
    """A check run as GitHub writes it, in answers and in webhooks alike. Raises `Unavailable` (`bad-answer`)."""
    with legible("a check run"):
        output = data.get("output") or {}
        return CheckRun(
            id=int(data["id"]),
            name=str(data["name"]),
            head_sha=str(data["head_sha"]),
            status=str(data["status"]),
            conclusion=str(data.get("conclusion") or ""),
            external_id=str(data.get("external_id") or ""),
            app=str((data.get("app") or {}).get("slug") or ""),
            title=str(output.get("title") or ""),
            summary=str(output.get("summary") or ""),
            annotations=int(output.get("annotations_count") or 0),
            url=str(data.get("html_url") or ""),
            pulls=tuple(int(pull["number"]) for pull in data.get("pull_requests") or ()),
        )


def _conclusion(conclusion: str, output: Output) -> dict[str, Any]:
    return {"status": "completed", "conclusion": conclusion, "actions": [_action(action) for action in output.actions]}


def _action(action: Button) -> dict[str, str]:
    return {"label": action.label, "description": action.description, "identifier": action.identifier}


def _output(output: Output, annotations: Sequence[Annotation]) -> dict[str, Any]:
    data: dict[str, Any] = {"title": output.title, "summary": output.summary}
    if output.text:
        data["text"] = output.text
    if annotations:
        data["annotations"] = [_annotation(annotation) for annotation in annotations]
    return data


def _annotation(annotation: Annotation) -> dict[str, Any]:
    line = max(annotation.line, 1)
    data: dict[str, Any] = {
        "path": annotation.path,
        "start_line": line,
        "end_line": max(annotation.end_line, line),
        "annotation_level": annotation.level,
        "message": annotation.message,
    }
    if annotation.column and data["end_line"] == line:
        # GitHub takes columns on one line only.
        data["start_column"] = annotation.column
        data["end_column"] = max(annotation.end_column, annotation.column)
    if annotation.title:
        data["title"] = annotation.title
    if annotation.detail:
        data["raw_details"] = annotation.detail
    return data

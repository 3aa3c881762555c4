"""GitHub's own description of its REST API, and a validator of requests and answers against it.

The description is the npm package `@octokit/openapi` (`npm ci` in the project's root puts it into node_modules/).
Where the description is narrower than what GitHub really answers, `AMENDMENTS` says so, with the reason.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import best_match
from referencing import Registry
from referencing.jsonschema import DRAFT202012

ROOT = Path(__file__).resolve().parent.parent.parent
PLACE = ROOT / "node_modules" / "@octokit" / "openapi" / "generated" / "api.github.com.json"
MISSING = f"GitHub's API description is not installed (npm ci puts it at {PLACE.relative_to(ROOT).as_posix()})"
SLASHED = frozenset({"ref", "path", "branch", "basehead", "tree_sha", "name"})
"""Parts of a path whose values may hold slashes."""
MOST_BODY = 32 * 1024 * 1024
"""Characters of a body that are validated; a longer one is refused."""

URN = "urn:github:"
Json = Any


@dataclass(frozen=True, slots=True)
class Amendment:
    """One place (a path into the document) where GitHub answers more than its description allows. `edit` is "nullable" or "any of"."""

    at: tuple[str, ...]
    edit: str
    reason: str


_HEAD_REPO = ("properties", "head", "properties", "repo")
AMENDMENTS = (
    Amendment(("components", "schemas", "pull-request", *_HEAD_REPO), "nullable", "null when the head repository was deleted"),
    Amendment(("components", "schemas", "pull-request-simple", *_HEAD_REPO), "nullable", "null when the head repository was deleted"),
    Amendment(
        ("paths", "/app/installations", "get", "responses", "200", "content", "application/json", "schema", "items", "properties", "account"),
        "any of",
        "an account is a user or an enterprise, as everywhere else; here they were joined into one that has the fields of both",
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One operation of the description."""

    id: str
    method: str
    path: str
    pattern: re.Pattern[str]
    raw: Json

    @property
    def literals(self) -> int:
        return sum(not part.startswith("{") for part in self.path.split("/"))


class Violation(AssertionError):
    """A request or an answer that GitHub's description does not allow."""


class Description:
    """The loaded description."""

    def __init__(self, document: Json) -> None:
        _amend(document)
        self._document = document
        schemas = {name: modern(schema) for name, schema in document["components"]["schemas"].items()}
        resources = ((URN + name, DRAFT202012.create_resource(schema)) for name, schema in schemas.items())
        self._registry: Registry[Any] = Registry().with_resources(resources)
        self.operations: dict[str, Operation] = {operation.id: operation for operation in _operations(document)}
        self._by_method: dict[str, list[Operation]] = {}
        for operation in sorted(self.operations.values(), key=lambda item: (-item.literals, item.path)):
            self._by_method.setdefault(operation.method, []).append(operation)

    def find(self, method: str, path: str) -> Operation | None:
        """The operation that a request is: the template with the most fixed parts that fits."""
        return next((item for item in self._by_method.get(method.upper(), ()) if item.pattern.fullmatch(path)), None)

    def validate_request(
        self, method: str, path: str, request: Json = None, query: Mapping[str, str] | None = None
    ) -> Operation:
        """Check a request alone; returns its operation. `path` is without the API's root (`/repos/o/r/pulls`). Raises `Violation`."""
        operation = self.find(method, path)
        if operation is None:
            raise Violation(f"{method} {path}: GitHub describes no such operation")
        what = f"{method} {path} ({operation.id})"
        self._check_parameters(what, operation, path, query or {})
        self._check_request(what, operation, request)
        return operation

    def validate(
        self,
        method: str,
        path: str,
        status: int,
        request: Json = None,
        answer: Json = None,
        query: Mapping[str, str] | None = None,
        media: str = "application/json",
    ) -> str:
        """Check a request and its answer (parsed bodies; None where there is none); returns the operation's id. Raises `Violation`."""
        operation = self.find(method, path)
        if operation is not None and status < 400:  # a request that GitHub refuses may be as wrong as it likes
            self.validate_request(method, path, request, query)
        if operation is None:
            raise Violation(f"{method} {path}: GitHub describes no such operation")
        self._check_answer(f"{method} {path} ({operation.id})", operation, status, answer, media)
        return operation.id

    def _check_parameters(self, what: str, operation: Operation, path: str, query: Mapping[str, str]) -> None:
        declared = {
            item["name"]: item
            for raw in operation.raw.get("parameters", [])
            if (item := self._resolve(raw))["in"] in ("path", "query")
        }
        found = operation.pattern.fullmatch(path)
        values = dict(query) | ({name: unquote(value) for name, value in found.groupdict().items()} if found else {})
        for name, value in values.items():
            if name not in declared:
                raise Violation(f"{what}: no parameter {name!r} is described")
            schema = self._resolve(declared[name]["schema"])
            typed: Json = int(value) if schema.get("type") == "integer" and value.isdigit() else value
            self._check(f"{what}: parameter {name}", schema, typed)

    def _check_request(self, what: str, operation: Operation, request: Json) -> None:
        body = operation.raw.get("requestBody")
        if request is None:
            if body and body.get("required") and "application/json" in body.get("content", {}):
                raise Violation(f"{what}: a body is required")
            return
        if body is None:
            raise Violation(f"{what}: no body is described")
        schema = self._resolve(body)["content"]["application/json"]["schema"]
        self._check(f"{what}: request", schema, request)

    def _check_answer(self, what: str, operation: Operation, status: int, answer: Json, media: str) -> None:
        responses = operation.raw["responses"]
        described = responses.get(str(status)) or responses.get(f"{status // 100}XX") or responses.get("default")
        if described is None:
            if status == 304 and operation.method == "GET":
                return  # conditional requests are described apart from the operations
            if status in GENERAL:  # any request may be answered so: GitHub describes it apart from the operations
                self._check(f"{what}: {status}", {"$ref": "#/components/schemas/basic-error"}, answer)
                return
            raise Violation(f"{what}: status {status} is not described")
        content = self._resolve(described).get("content")
        if not content:
            if answer is not None:
                raise Violation(f"{what}: {status} has no body")
            return
        kind = media.partition(";")[0]
        if kind not in content:
            raise Violation(f"{what}: {status} is not described as {kind}")
        if "schema" in content[kind]:
            self._check(f"{what}: {status}", content[kind]["schema"], answer)

    def _check(self, what: str, schema: Json, value: Json) -> None:
        if isinstance(value, str) and len(value) > MOST_BODY:
            raise Violation(f"{what}: too long to check")
        problem = best_match(self._validator(json.dumps(schema, sort_keys=True)).iter_errors(value))
        if problem is not None:
            place = "/".join(str(part) for part in problem.absolute_path) or "(whole)"
            raise Violation(f"{what}: at {place}: {problem.message[:400]}")

    @functools.lru_cache(maxsize=1000)  # noqa: B019 (one description lives as long as the process)
    def _validator(self, schema: str) -> Draft202012Validator:
        return Draft202012Validator(modern(json.loads(schema)), registry=self._registry, format_checker=FORMATS)

    def _resolve(self, node: Json) -> Json:
        while "$ref" in node:
            target = self._document
            for part in node["$ref"].removeprefix("#/").split("/"):
                target = target[part.replace("~1", "/").replace("~0", "~")]
            node = target
        return node


GENERAL = frozenset({301, 307, 400, 401, 403, 404, 422, 429})
FORMATS = FormatChecker(formats=())


@FORMATS.checks("date-time")
def _is_date_time(value: object) -> bool:
    return not isinstance(value, str) or bool(
        re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)", value)
    )


@FORMATS.checks("uri")
def _is_uri(value: object) -> bool:
    return not isinstance(value, str) or bool(re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:\S*\Z", value))


def _operations(document: Json) -> Iterator[Operation]:
    for path, methods in document["paths"].items():
        shared = methods.get("parameters", [])
        for method, raw in methods.items():
            if method in ("get", "post", "put", "patch", "delete"):
                pattern = re.sub(r"\\\{([\w-]+)\\\}", _group, re.escape(path).replace("\\-", "-").replace("\\_", "_"))
                yield Operation(
                    id=raw["operationId"],
                    method=method.upper(),
                    path=path,
                    pattern=re.compile(pattern),
                    raw=raw | {"parameters": [*shared, *raw.get("parameters", [])]},
                )


def _group(found: re.Match[str]) -> str:
    name = found[1].replace("-", "_")
    return f"(?P<{name}>.+)" if name in SLASHED else f"(?P<{name}>[^/]+)"


def modern(schema: Json) -> Json:
    """A schema of OpenAPI 3.0 as JSON Schema has it: `nullable` written out, references into the registry, the prose left out."""
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return {"$ref": URN + schema["$ref"].removeprefix("#/components/schemas/")}
    fresh = {key: schema[key] for key in KEPT & schema.keys()}
    for key in ("properties", "patternProperties"):
        if key in schema:
            fresh[key] = {name: modern(inner) for name, inner in schema[key].items()}
    for key in ("allOf", "anyOf", "oneOf"):
        if key in schema:
            fresh[key] = [modern(inner) for inner in schema[key]]
    for key in ("items", "additionalProperties", "not"):
        if key in schema:
            fresh[key] = modern(schema[key])
    return {"anyOf": [fresh, {"type": "null"}]} if schema.get("nullable") else fresh


KEPT = frozenset(
    {"type", "enum", "format", "pattern", "required", "uniqueItems"}
    | {f"{end}{what}" for end in ("min", "max") for what in ("imum", "Length", "Items", "Properties")}
)


def _amend(document: Json) -> None:
    for amendment in AMENDMENTS:
        holder = document
        for part in amendment.at[:-1]:
            holder = holder[part]
        node = holder[amendment.at[-1]]
        if amendment.edit == "nullable":
            holder[amendment.at[-1]] = {"nullable": True, "allOf": [node]}
        else:
            node["anyOf"] = node.pop("allOf")


@functools.cache
def load() -> Description | None:
    """The description, read once a process; None where it is not installed."""
    if not PLACE.is_file():
        return None
    return Description(json.loads(PLACE.read_bytes()))

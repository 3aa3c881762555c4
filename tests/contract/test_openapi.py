"""The validator itself: what it lets through, and what it stops."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contract.openapi import AMENDMENTS, MISSING, Description, Violation, load, modern


@pytest.fixture
def github() -> Description:
    found = load()
    if found is None:
        pytest.skip(MISSING)
    return found


REF = "/repos/o/r/git/refs/heads/a/b"
ANSWER = {
    "ref": "refs/heads/a/b",
    "node_id": "x",
    "url": "https://example.invalid/",
    "object": {"type": "commit", "sha": "a" * 40, "url": "https://example.invalid/"},
}


def test_a_right_exchange_gives_its_operation(github: Description) -> None:
    assert github.validate("PATCH", REF, 200, {"sha": "a" * 40, "force": False}, ANSWER) == "git/update-ref"
    assert github.validate("DELETE", REF, 204) == "git/delete-ref"
    assert (
        github.validate(
            "GET",
            "/repos/o/r/commits/main/check-runs",
            200,
            None,
            {"total_count": 0, "check_runs": []},
            {"filter": "all"},
        )
        == "checks/list-for-ref"
    )


def wrong(**change: Any) -> dict[str, Any]:
    return {"method": "PATCH", "path": REF, "status": 200, "request": {"sha": "a" * 40}, "answer": ANSWER} | change


@pytest.mark.parametrize(
    ("exchange", "says"),
    [
        (wrong(path="/repos/o/r/nothing/here"), "no such operation"),
        (wrong(request=None), "a body is required"),
        (wrong(request={"sha": 1}), "at sha"),
        (wrong(request={}), "'sha' is a required property"),
        (wrong(answer={**ANSWER, "object": None}), "at object"),
        (wrong(answer={**ANSWER, "url": "no address"}), "is not a 'uri'"),
        (wrong(answer=None), "None is not of type 'object'"),
        (wrong(status=201), "status 201 is not described"),
        (wrong(query={"recursive": "1"}), "no parameter 'recursive'"),
        (wrong(media="text/html"), "not described as text/html"),
        (
            {"method": "GET", "path": "/repos/o/r/pulls", "status": 200, "answer": [], "query": {"state": "opened"}},
            "parameter state",
        ),
        ({"method": "GET", "path": "/repos/o/r/pulls/one", "status": 200, "answer": {}}, "parameter pull_number"),
        ({"method": "DELETE", "path": REF, "status": 204, "answer": {}}, "has no body"),
    ],
)
def test_a_wrong_exchange_is_named(github: Description, exchange: dict[str, Any], says: str) -> None:
    with pytest.raises(Violation, match=says):
        github.validate(**exchange)


def test_null_is_allowed_only_where_it_is_said() -> None:
    assert modern({"type": "string", "nullable": True}) == {"anyOf": [{"type": "string"}, {"type": "null"}]}
    assert modern({"type": "object", "properties": {"nullable": {"type": "boolean"}}}) == {
        "type": "object",
        "properties": {"nullable": {"type": "boolean"}},
    }
    assert modern({"$ref": "#/components/schemas/x"}) == {"$ref": "urn:github:x"}


def test_every_amendment_has_a_reason(github: Description) -> None:
    assert all(len(amendment.reason) > 20 for amendment in AMENDMENTS)

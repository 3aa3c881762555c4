from __future__ import annotations

from email.utils import formatdate
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recipediff.adapters.github.http.limits import AT_LEAST, AT_MOST, classify, words
from recipediff.ports.errors import TRANSIENT, Missing, Refused, Unavailable

NOW = 1_800_000_000.0
READ = "GET /repos/{owner}/{repo}/git/trees/{tree_sha}"
WRITE = "PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}"
SPENT = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(NOW) + 900)}


@pytest.mark.parametrize(
    ("status", "headers", "message", "reason", "wait"),
    [
        (500, {}, "", "server-error", None),
        (502, {}, "Server Error", "server-error", None),
        (503, {"retry-after": "7"}, "", "server-error", 7),
        (403, SPENT, "API rate limit exceeded", "rate-limited", 901),
        (429, SPENT, "API rate limit exceeded", "rate-limited", 901),
        (403, {}, "API rate limit exceeded for 1.2.3.4.", "rate-limited", AT_LEAST),
        (403, {"retry-after": "30"}, "", "secondary-rate-limited", 30),
        (403, {}, "You have exceeded a secondary rate limit.", "secondary-rate-limited", AT_LEAST),
        (403, {}, "You have triggered an abuse detection mechanism.", "secondary-rate-limited", AT_LEAST),
        (403, {**SPENT, "retry-after": "30"}, "secondary rate limit", "secondary-rate-limited", 30),
        (403, SPENT, "secondary rate limit", "secondary-rate-limited", 901),
        (429, {}, "", "secondary-rate-limited", AT_LEAST),
        (429, {"retry-after": "5"}, "", "secondary-rate-limited", 5),
        (429, {"retry-after": formatdate(NOW + 40, usegmt=True)}, "", "secondary-rate-limited", 40),
        (403, {}, "Resource not accessible by integration", "forbidden", None),
        (403, {"x-ratelimit-remaining": "4999"}, "Forbidden", "forbidden", None),
        (403, {}, "This installation has been suspended", "suspended", None),
        (403, {}, "This API returns blobs up to 100 MB in size. too_large", "too-large", None),
        (401, {}, "Bad credentials", "credentials", None),
        (400, {}, "Problems parsing JSON", "bad-request", None),
        (301, {}, "Moved Permanently", "redirected", None),
        (206, {}, "", "bad-answer", None),
    ],
)
def test_a_fault_of_reading_is_unavailable(
    status: int, headers: dict[str, str], message: str, reason: str, wait: float | None
) -> None:
    fault = classify(READ, status, headers, message, NOW)
    assert isinstance(fault, Unavailable)
    assert (fault.reason, fault.retry_after) == (reason, wait)
    assert (reason in TRANSIENT) == (reason.endswith(("limited", "error", "answer")))


@pytest.mark.parametrize(
    ("status", "message"),
    [(404, "Not Found"), (410, "gone"), (451, "DMCA"), (409, "Git Repository is empty."), (422, "No commit found")],
)
def test_what_is_not_there_is_missing(status: int, message: str) -> None:
    fault = classify(READ, status, {"x-ratelimit-remaining": "10"}, message, NOW)
    assert isinstance(fault, Missing)
    assert message in str(fault)


@pytest.mark.parametrize(
    ("status", "reason"), [(422, "invalid"), (409, "conflict"), (400, "invalid"), (405, "invalid")]
)
def test_a_write_that_is_refused_says_so(status: int, reason: str) -> None:
    fault = classify(WRITE, status, {}, "Reference already exists", NOW)
    assert isinstance(fault, Refused)
    assert fault.reason == reason
    assert "Reference already exists" in str(fault)


@pytest.mark.parametrize("status", [403, 429, 500, 401])
def test_a_limit_or_a_failure_is_never_a_refusal_of_the_write(status: int) -> None:
    assert isinstance(classify(WRITE, status, SPENT, "", NOW), Unavailable)
    assert isinstance(classify(WRITE, 404, {}, "", NOW), Missing)


@pytest.mark.parametrize("skew", [-86_400.0, 0.0, 86_400.0])
def test_a_wrong_clock_here_does_not_shorten_the_wait(skew: float) -> None:
    headers = {**SPENT, "date": formatdate(NOW, usegmt=True)}
    fault = classify(READ, 403, headers, "API rate limit exceeded", NOW + skew)
    assert isinstance(fault, Unavailable)
    assert fault.retry_after == 901


header = st.one_of(
    st.none(),
    st.text(max_size=30),
    st.integers().map(str),
    st.floats().map(str),
    st.datetimes().map(lambda d: d.ctime()),
)


@given(
    st.integers(100, 999), header, header, header, header, st.text(max_size=200), st.sampled_from([READ, WRITE, "x y"])
)
def test_any_headers_give_a_fault_with_a_bounded_wait(
    status: int, after: Any, remaining: Any, reset: Any, date: Any, message: str, operation: str
) -> None:
    given_headers = {
        "retry-after": after, "x-ratelimit-remaining": remaining, "x-ratelimit-reset": reset, "date": date,
    }  # fmt: skip
    headers = {key: value for key, value in given_headers.items() if value is not None}
    fault = classify(operation, status, headers, message, NOW)
    assert str(fault)
    if isinstance(fault, Unavailable):
        if "limited" in fault.reason:
            assert fault.retry_after is not None
        assert fault.retry_after is None or 1 <= fault.retry_after <= AT_MOST


@pytest.mark.parametrize(
    "secret",
    [
        "ghs_" + "a1B2" * 9,
        "ghp_" + "x" * 36,
        "github_pat_" + "11AB_" * 10,
        "v1." + "0123456789abcdef" * 2,
        "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxIn0.c2lnbmF0dXJl",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7\n-----END RSA PRIVATE KEY-----",
    ],
)
def test_a_credential_does_not_survive_in_a_message(secret: str) -> None:
    for text in (secret, f"bad token: {secret}.", f"Authorization: Bearer {secret}"):
        said = str(classify(READ, 401, {}, text, NOW))
        assert secret[12:24] not in said
        assert "[redacted]" in said
    assert words("the token is missing from\n line 3") == "the token is missing from line 3"

"""Logs carry what an operator needs, and never a secret."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st

from recipediff.server import logs
from recipediff.server.logs import GONE, Redactor
from sandbox.apps import key_pair

SECRET = "hunter2-hunter2"


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    root = logging.getLogger()
    before, level, config = root.handlers[:], root.level, structlog.get_config()
    logs.configure(secrets=[SECRET, key_pair()[0]], stream=stream)
    yield stream
    root.handlers[:] = before
    root.setLevel(level)
    structlog.configure(**config)


def lines(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_each_line_is_one_object_with_what_it_is_about(written: io.StringIO) -> None:
    with structlog.contextvars.bound_contextvars(delivery="d-1", job="review:org/recipes#1"):
        structlog.get_logger("bot.test").info("reviewed", verdict="pass\nred")
        logging.getLogger("library").warning("slow: %s", "yes")
    first, second = lines(written)
    assert (first["event"], first["verdict"], first["delivery"]) == ("reviewed", "pass\nred", "d-1")
    assert (second["event"], second["level"], second["job"]) == ("slow: yes", "warning", "review:org/recipes#1")
    assert "timestamp" in first


@pytest.mark.parametrize(
    "secret",
    [
        SECRET,
        "ghs_16C7e42F292c6912E7710c838347Ae178B4a",
        "github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz",
        "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxIn0.c2lnbmF0dXJl",
        "Bearer abcdefghijklmnop",
        "sha256=" + "a1" * 32,
        key_pair()[0].splitlines()[3],
        key_pair()[0],
    ],
    ids=["known", "installation", "personal", "signed", "header", "signature", "line of a key", "key"],
)
def test_no_secret_is_written_wherever_it_stands(written: io.StringIO, secret: str) -> None:
    log = structlog.get_logger("bot.test")
    event = f"text {secret} text"
    log.info(event, value=secret, several=[secret], other={"inside": secret})
    logging.getLogger("library").error("failed with %s", secret)
    try:
        raise RuntimeError(f"could not use {secret}")
    except RuntimeError:
        log.exception("raised")
    assert secret not in written.getvalue()
    assert secret.replace("\n", "\\n") not in written.getvalue()
    assert written.getvalue().count(GONE) >= 5
    assert "RuntimeError" in written.getvalue()


def test_a_password_in_an_address_and_named_fields_are_taken_out() -> None:
    redact = Redactor()
    assert redact.text("postgresql://bot:pa55word@db/inbox") == f"postgresql://{GONE}@db/inbox"
    assert redact(None, "info", {"webhook_secret": "x", "token": "y", "delivery": "d"}) == {
        "webhook_secret": GONE,
        "token": GONE,
        "delivery": "d",
    }


@given(st.text(max_size=300), st.text(max_size=300), st.integers(0, 60_000))
def test_a_known_secret_is_gone_from_any_text(before: str, after: str, far: int) -> None:
    text = "x" * far + before + SECRET + after
    shown = Redactor([SECRET]).text(text)
    assert SECRET not in shown
    assert not any(shown.endswith(SECRET[:cut]) for cut in range(6, len(SECRET))) or len(text) <= 20_000


def test_an_endless_text_is_cut() -> None:
    assert len(Redactor([SECRET]).text("a:" * 1_000_000)) <= 20_000

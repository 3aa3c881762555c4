"""How the command ends: status, streams, signals, and never a traceback. Run as people run it, in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest

from recipediff.cli.context import Workbench
from recipediff.cli.outermost import run

ROOT = Path(__file__).resolve().parents[2]
UPSTREAM = ("--upstream", "eugr=tests/fixtures/upstream/eugr")
NO_NETWORK = {"HTTPS_PROXY": "http://127.0.0.1:9", "RECIPEDIFF_CACHE": os.devnull}


def command(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
    environ = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", **env}
    return subprocess.run(
        [sys.executable, "-m", "recipediff", *args], cwd=ROOT, env=environ, capture_output=True, text=True, timeout=60
    )


def in_shell(line: str) -> subprocess.CompletedProcess[str]:
    shell = line.replace("recipediff", f"{sys.executable} -m recipediff")
    return subprocess.run(["bash", "-c", shell], cwd=ROOT, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(
    "env",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1"},
    ],
)
def test_every_locale_gets_the_report(env: dict[str, str]) -> None:
    done = command("check", *UPSTREAM, **env)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.endswith("4 findings in 2 recipes: 4 undeclared.\n")


def test_without_a_network_the_work_is_not_done_and_the_way_out_is_said() -> None:
    done = command("check", **NO_NETWORK)
    assert done.returncode == 2
    assert "no connection to api.github.com" in done.stdout
    assert done.stdout.endswith("Not evaluated: network.\n")
    assert "--upstream NAME=PATH" in done.stderr


@pytest.mark.parametrize(
    ("env", "said"),
    [
        ({"GITHUB_TOKEN": "a b"}, "Error: the token in GITHUB_TOKEN or GH_TOKEN holds characters"),
        ({"GITHUB_API_URL": "banana"}, "Error: GITHUB_API_URL is “banana”"),
    ],
)
def test_a_variable_that_cannot_be_used_is_named(env: dict[str, str], said: str) -> None:
    done = command("check", **NO_NETWORK, **env)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(said)
    assert done.stderr.count("\n") == 1


def test_a_reader_that_leaves_early_and_a_full_disk_are_no_crash() -> None:
    assert in_shell(f"recipediff check {' '.join(UPSTREAM)} | head -1").stderr == ""
    full = in_shell(f"recipediff check {' '.join(UPSTREAM)} > /dev/full")
    assert (full.returncode, full.stderr) == (2, "error: No space left on device\n")
    closed = in_shell(f"recipediff check {' '.join(UPSTREAM)} >&-")
    assert (closed.returncode, closed.stderr) == (1, "")


def test_ctrl_c_is_not_a_finding() -> None:
    waiting = subprocess.Popen(
        [sys.executable, "-c", ("import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
         "print('ready', flush=True); import recipediff.wiring.local as m; m.main()"), "show", "command:-"],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert waiting.stdout is not None
    assert waiting.stdout.readline() == "ready\n"
    with pytest.raises(subprocess.TimeoutExpired):
        waiting.wait(1)
    waiting.send_signal(signal.SIGINT)
    _, said = waiting.communicate(timeout=10)
    assert (waiting.returncode, said.strip()) == (130, "stopped")


def test_what_nobody_expected_is_one_line_and_not_a_finding(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @click.command()
    def broken() -> None:
        raise KeyError("odd\nkey")

    monkeypatch.setattr(sys, "argv", ["recipediff"])
    assert run(broken, Workbench(None)) == 2  # type: ignore[arg-type]
    said = capsys.readouterr().err
    assert said.startswith("error: recipediff failed: KeyError: 'odd\\nkey' (test_outermost.py:")
    with pytest.raises(KeyError):
        run(broken, Workbench(None), debug=True)  # type: ignore[arg-type]

"""One run of the real command in a process of its own, with what it cost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from recipediff.cli import main
from recipediff.cli.context import Workbench
from recipediff.wiring.local import LocalAdapters

SECONDS = 2.0
MEGABYTES = 200
COMMAND = Path(sys.executable).with_name("recipediff")

# Started by a process that is small itself: a child's peak begins at the size of its parent.
_LAUNCH = """
import json, os, resource, subprocess, sys
done = subprocess.run(sys.argv[2:], stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
with open(sys.argv[1], "w") as out:
    json.dump([done.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024], out)
sys.stdout.buffer.write(done.stdout)
sys.stderr.buffer.write(done.stderr)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Exit status, both streams, seconds of processor and peak memory in MB."""

    status: int
    out: str
    err: str
    seconds: float
    megabytes: float

    @property
    def said(self) -> str:
        """Everything that was printed."""
        return self.out + self.err


def run(arguments: Sequence[str], folder: Path) -> Run:
    """`recipediff ARGUMENTS` in `folder`, without network, colour or the user's cache."""
    facts = folder.parent / f"{folder.name}.facts"
    hidden = ("GITHUB_TOKEN", "GH_TOKEN")
    environment = {key: value for key, value in os.environ.items() if key not in hidden}
    environment |= {"GITHUB_API_URL": "http://127.0.0.1:9", "RECIPEDIFF_CACHE": str(folder.parent / "cache")}
    done = subprocess.run(
        [sys.executable, "-I", "-c", _LAUNCH, facts, COMMAND, *arguments],
        cwd=folder, capture_output=True, env=environment, check=True,
    )  # fmt: skip
    status, seconds, megabytes = json.loads(facts.read_text())
    return Run(status=status, out=done.stdout.decode(), err=done.stderr.decode(), seconds=seconds, megabytes=megabytes)


def run_here(arguments: Sequence[str]) -> Run:
    """`recipediff ARGUMENTS` in this process and its folder; what is not the command's own error is raised. Memory is not
    measured."""
    began = time.process_time()
    result = CliRunner().invoke(main, list(arguments), obj=Workbench(LocalAdapters()))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Run(
        status=result.exit_code,
        out=result.stdout,
        err=result.stderr,
        seconds=time.process_time() - began,
        megabytes=0.0,
    )

"""The other side of `recipediff.adapters.local.isolation`: one question from standard input, one answer to standard output."""

from __future__ import annotations

import os
import pickle
import resource
import sys

OUT_OF_MEMORY = 3


def main() -> None:
    """Do the work under the limits that the arguments give."""
    seconds, megabytes = int(sys.argv[2]), int(sys.argv[3])
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not print into the answer
    try:
        answers.write(pickle.dumps(_answer(), pickle.HIGHEST_PROTOCOL))
        answers.close()
    except MemoryError:
        os._exit(OUT_OF_MEMORY)


def _answer() -> tuple[str, object]:
    # The parent is this program.
    work, given = pickle.load(sys.stdin.buffer)  # noqa: S301
    try:
        return "gave", work(given)
    except MemoryError:
        raise
    except Exception as error:
        return "raised", error

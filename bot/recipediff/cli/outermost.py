"""The outermost frame of the command: streams that can take every character, and an end with one line and a status."""

from __future__ import annotations

import errno
import io
import os
import sys
from pathlib import Path

import click

from recipediff.cli.context import Workbench

INTERRUPTED = 130
"""The status of a program that Ctrl-C ended, as shells have it."""


def run(command: click.Command, workbench: Workbench, *, colour: bool | None = None, debug: bool = False) -> int:
    """Run `command` with the arguments of this process; the exit status. `colour` False strips it everywhere.

    With `debug`, what nobody expected is raised; otherwise it is one line, and never the status of a finding.
    """
    _streams()
    try:
        # Click's own standalone mode would end a Ctrl-C with 1, which is the status of a finding.
        status = command.main(prog_name="recipediff", obj=workbench, standalone_mode=False, color=colour)
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except click.ClickException as error:
        error.show()
        return 2
    except (click.Abort, KeyboardInterrupt):
        return _said("stopped", INTERRUPTED)
    except OSError as error:
        if error.errno == errno.EPIPE:
            return _nobody_reads()
        if debug:
            raise
        return _said(f"error: {error.strerror or error}" + (f": {error.filename}" if error.filename else ""), 2)
    except Exception as error:
        if debug:
            raise
        return _said(f"error: recipediff failed: {_what(error)}\nPlease report it; RECIPEDIFF_DEBUG=1 shows more.", 2)


def _streams() -> None:
    """A closed stream is an empty one, and a character that a stream's encoding lacks is written as its code point."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, io.TextIOWrapper(io.FileIO(os.devnull, "w"), encoding="utf-8"))
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _said(text: str, status: int) -> int:
    try:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
        sys.stdout.flush()
    except OSError:
        _nobody_reads()
    return status


def _nobody_reads() -> int:
    """The reader of a pipe has left: nothing more is written, not even while the interpreter ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            os.dup2(nowhere, stream.fileno())
    return 1


def _what(error: Exception) -> str:
    """The error in one line, with where it arose."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f" ({Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno})" if trace else ""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}{where}"

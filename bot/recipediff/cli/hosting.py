"""What the commands of the server have in common: a fault outside is one sentence, never a traceback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from recipediff.inbox.contract import NotStored
from recipediff.ports.errors import Misconfigured, Missing, Refused, Unavailable


@contextmanager
def explained() -> Iterator[None]:
    """Turns what was foreseen into a message and exit status 2."""
    try:
        yield
    except (Misconfigured, NotStored, Missing, Refused, Unavailable) as error:
        fail(str(error))
    except OSError as error:
        fail(f"{error.filename or 'the system'}: {error.strerror or error}")


def fail(message: str) -> None:
    """Say it and end with exit status 2."""
    click.echo(f"recipediff: {message}", err=True)
    raise click.exceptions.Exit(2)

"""A progress bar on standard error, only where somebody sits at a terminal and the network is waited for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(title: str, total: int) -> Iterator[Callable[[str], None]]:
    """Yields a function to be called once for each finished step, with its name."""
    if total == 0 or not sys.stderr.isatty():
        yield lambda _name: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total)

        def step(name: str) -> None:
            bar.update(task, advance=1, description=f"{title} {name}")

        yield step

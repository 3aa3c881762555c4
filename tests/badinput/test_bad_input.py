"""Each broken input is a finding or one line that names the culprit; never a traceback, within 2 s and 200 MB."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.badinput.running import MEGABYTES, SECONDS, Run, run, run_here
from tests.badinput.table import TABLE, Bad


def test_the_table_is_large_and_its_names_are_its_own() -> None:
    assert len(TABLE) >= 100
    assert len({bad.name for bad in TABLE}) == len(TABLE)
    assert sum(bad.heavy for bad in TABLE) >= 20


def made(bad: Bad, folder: Path) -> Path:
    """The folder in which the command runs."""
    if bad.name == "unreadable file" and os.geteuid() == 0:
        pytest.skip("the superuser may read every file")
    for name, data in {"README": b"", **bad.files}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    if bad.make is not None:
        bad.make(folder)
    return folder


def judged(bad: Bad, done: Run) -> None:
    """The status, what must be said, and no more than a line where nothing could be done."""
    shown = done.said[-3000:]
    assert "Traceback" not in done.said, shown
    assert "recipediff failed" not in done.said, shown
    assert done.status == bad.status, shown
    missing = [said for said in bad.says if said not in done.said]
    assert not missing, (missing, shown)
    if bad.status == 2:
        assert not done.out
        assert len(done.err.strip().splitlines()) == 1 or done.err.startswith("Usage:"), shown
    assert done.seconds <= SECONDS, done.seconds
    assert done.megabytes <= MEGABYTES, done.megabytes


@pytest.mark.parametrize("bad", [pytest.param(bad, id=bad.name.replace(" ", "-")) for bad in TABLE if not bad.heavy])
def test_bad_input(bad: Bad, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(made(bad, tmp_path / "work"))
    judged(bad, run_here(bad.arguments))


@pytest.mark.parametrize("bad", [pytest.param(bad, id=bad.name.replace(" ", "-")) for bad in TABLE if bad.heavy])
def test_heavy_input_within_bounds(bad: Bad, tmp_path: Path) -> None:
    judged(bad, run(bad.arguments, made(bad, tmp_path / "work")))


def test_a_light_one_in_a_process_of_its_own_costs_little(tmp_path: Path) -> None:
    bad = next(bad for bad in TABLE if bad.name == "tabs")
    done = run(bad.arguments, made(bad, tmp_path / "work"))
    judged(bad, done)
    assert done.megabytes > 10  # the measure measures

"""A throw-away PostgreSQL cluster for tests: own folder, own socket, no network, gone afterwards.

Needs the server's programs (Debian: `postgresql`). Without them the tests that ask for it are skipped, saying so.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

PACKAGES = "postgresql"


def programs() -> Path | None:
    """The newest installed server's folder of programs."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: float(p.parts[-3]))
    if found:
        return found[-1].parent
    there = shutil.which("initdb")
    return Path(there).parent if there else None


def missing() -> str:
    """Why there is no PostgreSQL here; empty where there is one."""
    if programs() is None:
        return f"PostgreSQL's server is not installed (Debian: apt-get install {PACKAGES})"
    if os.geteuid() == 0:
        try:
            pwd.getpwnam("postgres")
        except KeyError:
            return "PostgreSQL refuses to run as root, and there is no user postgres"
    return ""


@contextlib.contextmanager
def cluster() -> Iterator[str]:
    """A running cluster; the address of its database `postgres`."""
    binaries = programs()
    assert binaries is not None, missing()
    folder = Path(tempfile.mkdtemp(prefix="recipediff-pg-", dir="/tmp"))
    who = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    if who:
        shutil.chown(folder, "postgres", "postgres")

    def run(*words: str) -> None:
        done = subprocess.run([*who, *words], capture_output=True, text=True, cwd=folder, check=False)
        assert done.returncode == 0, f"{words[0]}: {done.stdout}{done.stderr}"

    data = str(folder / "data")
    try:
        run(
            str(binaries / "initdb"),
            "-D",
            data,
            "-U",
            "postgres",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--no-sync",
            "--locale=C",
        )
        options = f"-k {folder} -c listen_addresses= -c fsync=off -c full_page_writes=off -c max_connections=60"
        run(str(binaries / "pg_ctl"), "-D", data, "-l", str(folder / "log"), "-w", "-o", options, "start")
        try:
            yield f"postgresql://postgres@/postgres?host={folder}"
        finally:
            run(str(binaries / "pg_ctl"), "-D", data, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def database(address: str) -> Iterator[str]:
    """An empty database in the cluster at `address`; dropped afterwards."""
    name = f"t{uuid.uuid4().hex}"
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        try:
            yield address.replace("/postgres?", f"/{name}?")
        finally:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture(scope="session")
def postgres_cluster() -> Iterator[str]:
    """The address of a cluster for the whole session."""
    if reason := missing():
        pytest.skip(reason)
    with cluster() as address:
        yield address


@pytest.fixture
def postgres_database(postgres_cluster: str) -> Iterator[str]:
    """The address of an empty database."""
    with database(postgres_cluster) as address:
        yield address

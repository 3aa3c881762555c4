"""One thread that owns a SQLite connection and commits what is waiting for it together.

The event loop never touches the file. Operations that arrive while a transaction is being written share the next one, so that
the price of making it durable is paid once for all of them: under load the batches grow, and an idle inbox commits at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from recipediff.inbox.contract import NotStored

T = TypeVar("T")
Transaction = Callable[[sqlite3.Connection], Any]
_Item = tuple[Transaction, "asyncio.Future[Any]"]
_Answer = tuple["asyncio.Future[Any]", Any, BaseException | None]

BATCH = 256
"""Operations a transaction at most: bounds the latency of the first one."""
BACKLOG = 2000
"""Operations waiting at most: bounds memory. Beyond, `NotStored`."""
BUSY_MS = 5000
"""How long to wait for another process that writes to the same file."""


class SqliteThread:
    """Runs operations on the file at `path`, each wholly or not at all. `run` returns when the result is durable."""

    def __init__(self, path: Path, schema: str, version: int) -> None:
        self._path = path
        self._schema = schema
        self._version = version
        self._items: queue.SimpleQueue[_Item | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def start(self) -> None:
        """Open the file and bring it to the present layout. Raises `NotStored` with what to do."""
        self._loop = asyncio.get_running_loop()
        try:
            connection = await asyncio.to_thread(self._connect)
        except sqlite3.Error as error:
            raise NotStored(
                f"the inbox at {self._path} cannot be opened: {error}; is the folder there and writable?"
            ) from error
        self._thread = threading.Thread(target=self._work, args=(connection,), name="inbox", daemon=True)
        self._thread.start()

    async def stop(self) -> None:
        """Finish what was accepted, then close the file."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._items.put(None)
            await asyncio.to_thread(thread.join)

    async def run(self, operation: Callable[[sqlite3.Connection], T]) -> T:
        """The result of `operation`, once committed. Raises `NotStored` where the file refuses."""
        if self._thread is None or self._loop is None:
            raise NotStored("the inbox is not open")
        if self._items.qsize() >= BACKLOG:
            raise NotStored(f"{BACKLOG} operations are waiting for the disk; try again later")
        future: asyncio.Future[T] = self._loop.create_future()
        self._items.put((operation, future))
        return await future

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False, timeout=BUSY_MS / 1000)
        # FULL: a commit in the write-ahead log is flushed to the disk before it is acknowledged, so that neither a killed
        # process nor a power cut loses an answered delivery. NORMAL would survive the first only.
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "cache_size=-8192", "journal_size_limit=67108864"):
            connection.execute(f"PRAGMA {pragma}").fetchall()
        try:
            connection.execute("BEGIN IMMEDIATE")
            (found,) = connection.execute("PRAGMA user_version").fetchone()
            if found not in (0, self._version):
                raise sqlite3.DatabaseError(f"its layout is {found}, this version reads {self._version}")
            if found == 0:
                for statement in self._schema.split(";"):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version={self._version}")
            connection.execute("COMMIT")
        except BaseException:
            connection.close()
            raise
        return connection

    def _work(self, connection: sqlite3.Connection) -> None:
        while (batch := self._batch()) is not None:
            try:
                answers = _transaction(connection, batch)
            except BaseException as error:
                # One operation may be to blame: each alone, so that it spoils no other.
                answers = (
                    [a for item in batch for a in _alone(connection, item)] if len(batch) > 1 else _failed(batch, error)
                )
            self._answer(answers)
        connection.close()

    def _batch(self) -> list[_Item] | None:
        """Everything that waits, up to the bound; blocks for the first. `None`: stop."""
        first = self._items.get()
        if first is None:
            return None
        batch = [first]
        while len(batch) < BATCH:
            try:
                item = self._items.get_nowait()
            except queue.Empty:
                break
            if item is None:
                self._items.put(None)
                break
            batch.append(item)
        return batch

    def _answer(self, answers: list[_Answer]) -> None:
        if self._loop is not None:
            with contextlib.suppress(
                RuntimeError
            ):  # the loop is closed: nobody waits any more, the work is done all the same
                self._loop.call_soon_threadsafe(_resolve, answers)


def _transaction(connection: sqlite3.Connection, batch: list[_Item]) -> list[_Answer]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        answers: list[_Answer] = [(future, operation(connection), None) for operation, future in batch]
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return answers


def _alone(connection: sqlite3.Connection, item: _Item) -> list[_Answer]:
    try:
        return _transaction(connection, [item])
    except BaseException as error:
        return _failed([item], error)


def _failed(batch: list[_Item], error: BaseException) -> list[_Answer]:
    if isinstance(error, sqlite3.Error):
        cause, error = error, NotStored(f"the inbox refuses: {error}")
        error.__cause__ = cause
    return [(future, None, error) for _, future in batch]


def _resolve(answers: list[_Answer]) -> None:
    for future, result, error in answers:
        if future.done():
            continue  # the caller was cancelled; what it asked for is done all the same
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)

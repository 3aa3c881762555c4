"""procrastinate inside a transaction of ours: its manager, its statements, our connection.

The inbox's rows and procrastinate's jobs change together or not at all. procrastinate accepts a foreign connection when a job is
deferred or cancelled; taking, retrying and finishing go through the same public manager over a connector bound to one connection.
"""

from __future__ import annotations

from typing import Any, LiteralString

import psycopg
from procrastinate import connector
from procrastinate.manager import JobManager
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

Connection = psycopg.AsyncConnection[tuple[Any, ...]]


class BoundConnector(connector.BaseAsyncConnector):
    """Runs every statement on the one connection that it was given; commits nothing."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def execute_query_async(self, query: LiteralString, **arguments: Any) -> None:
        await self._connection.execute(query, _wrap(arguments))

    async def execute_query_one_async(self, query: LiteralString, **arguments: Any) -> dict[str, Any]:
        return (await self.execute_query_all_async(query, **arguments))[0]

    async def execute_query_all_async(self, query: LiteralString, **arguments: Any) -> list[dict[str, Any]]:
        async with self._connection.cursor(row_factory=dict_row) as cursor:
            await cursor.execute(query, _wrap(arguments))
            return await cursor.fetchall()


def manager_on(connection: Connection) -> JobManager:
    """procrastinate's job manager, taking part in the transaction of `connection`."""
    return JobManager(BoundConnector(connection))


def _wrap(arguments: dict[str, Any]) -> dict[str, Any]:
    return {name: _json(value) for name, value in arguments.items()}


def _json(value: Any) -> Any:
    """Dictionaries as jsonb, also inside of the job tuples of a batch."""
    if isinstance(value, dict):
        return Jsonb(value)
    if isinstance(value, list):
        return [_json(item) for item in value]
    if isinstance(value, tuple):
        return tuple(_json(item) for item in value)
    return value

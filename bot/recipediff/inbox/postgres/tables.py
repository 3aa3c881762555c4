"""The inbox's own two tables beside procrastinate's, and the statements on them."""

from __future__ import annotations

from typing import Any, LiteralString

from procrastinate.schema import SchemaManager

from recipediff.inbox.contract import NotStored
from recipediff.inbox.postgres.link import Connection, manager_on
from recipediff.inbox.rules import COLUMNS, JobRow

_SETUP_LOCK = 0x7265636970656469
"""Advisory lock under which one replica alone lays out the tables."""
LAYOUT = 1

SCHEMA: LiteralString = """
CREATE TABLE recipediff_delivery (
  serial bigint GENERATED ALWAYS AS IDENTITY, id text PRIMARY KEY, event text NOT NULL, action text NOT NULL,
  received float8 NOT NULL, ignored text NOT NULL, keys text NOT NULL, payload bytea NOT NULL);
CREATE INDEX recipediff_delivery_received ON recipediff_delivery (received);
CREATE TABLE recipediff_job (
  key text COLLATE "C" PRIMARY KEY, data text NOT NULL, newest float8 NOT NULL, state text NOT NULL, due float8 NOT NULL,
  since float8 NOT NULL, priority integer NOT NULL, delivery text NOT NULL, attempts integer NOT NULL,
  lost boolean NOT NULL, hold float8 NOT NULL, asked float8, next_due float8 NOT NULL, worker text NOT NULL,
  token text NOT NULL, reason text NOT NULL, message text NOT NULL, job_id bigint UNIQUE);
CREATE INDEX recipediff_job_due ON recipediff_job (state, due);
CREATE TABLE recipediff_layout (version integer NOT NULL);
"""
ROW: LiteralString = (
    "key, data, newest, state, due, since, priority, delivery, attempts, lost, hold, asked, next_due, worker, token, reason,"
    " message"
)
assert ROW.split(", ") == list(COLUMNS)  # noqa: S101  (one order, checked where the module is loaded)
DELIVERY: LiteralString = "id, event, action, received, ignored, keys, payload"

# Keys share 512 locks, so that no transaction needs more than the server has room for.
LOCK: LiteralString = (
    "SELECT pg_advisory_xact_lock(1919247209, h) FROM"
    " (SELECT DISTINCT hashtext(k) & 511 AS h FROM unnest(%s::text[]) AS k ORDER BY 1) AS keys"
)
NOW: LiteralString = "SELECT extract(epoch FROM clock_timestamp())::float8"
GET: LiteralString = f"SELECT {ROW}, job_id FROM recipediff_job WHERE key = ANY(%s)"  # noqa: S608
PUT: LiteralString = (
    f"INSERT INTO recipediff_job ({ROW}, job_id) VALUES ({', '.join(['%s'] * 18)})"  # noqa: S608
    " ON CONFLICT (key) DO UPDATE SET (data, newest, state, due, since, priority, delivery, attempts, lost, hold, asked,"
    " next_due, worker, token, reason, message, job_id) = (excluded.data, excluded.newest, excluded.state, excluded.due,"
    " excluded.since, excluded.priority, excluded.delivery, excluded.attempts, excluded.lost, excluded.hold, excluded.asked,"
    " excluded.next_due, excluded.worker, excluded.token, excluded.reason, excluded.message, excluded.job_id)"
)
DELETE: LiteralString = "DELETE FROM recipediff_job WHERE key = %s"
KEEP: LiteralString = (
    f"INSERT INTO recipediff_delivery ({DELIVERY}) VALUES (%s, %s, %s, %s, %s, %s, %s)"  # noqa: S608
    " ON CONFLICT (id) DO NOTHING RETURNING id"
)
FREE: LiteralString = "SELECT 1 FROM procrastinate_jobs WHERE id = %s AND status = 'todo' FOR UPDATE SKIP LOCKED"
FORGET: LiteralString = "DELETE FROM procrastinate_jobs WHERE id = %s AND status = 'failed'"


async def prepare(connection: Connection) -> None:
    """Lay out procrastinate's tables and ours where they are missing, once for all replicas."""
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock(%s)", (_SETUP_LOCK,))
        if not await manager_on(connection).check_connection_async():
            # The schema is many statements, which only the simple protocol takes: no parameters.
            await connection.execute(SchemaManager.get_schema())
        found = await _one(connection, "SELECT to_regclass('recipediff_layout')::text")
        if found is None:
            await connection.execute(SCHEMA)
            await connection.execute("INSERT INTO recipediff_layout VALUES (%s)", (LAYOUT,))
        version = await _one(connection, "SELECT max(version) FROM recipediff_layout")
        if version != LAYOUT:
            raise NotStored(f"the inbox's layout in the database is {version}, this version reads {LAYOUT}")


async def lock(connection: Connection, keys: list[str]) -> float:
    """Take the keys for this transaction, in one order for everybody; the database's time after that (Unix seconds)."""
    await connection.execute(LOCK, (keys,))
    return float(await _one(connection, NOW))


async def rows(connection: Connection, keys: list[str]) -> dict[str, tuple[JobRow, int]]:
    """The rows of `keys` that there are, with the numbers of their jobs at procrastinate."""
    found = await (await connection.execute(GET, (keys,))).fetchall()
    return {r[0]: (JobRow.of(r[:-1]), r[-1]) for r in found}


async def _one(connection: Connection, query: LiteralString, arguments: tuple[Any, ...] = ()) -> Any:
    row = await (await connection.execute(query, arguments)).fetchone()
    return None if row is None else row[0]

"""The tables of a run's file, and how files of earlier versions are read and migrated.

A prompt is stored once per digest in `asked`, whatever the number of models and epochs, and an answer once in `turn`:
conversations are assembled from the two, so that a run's size is linear in its messages, not quadratic.

A file of an earlier version is read through temporary views with the names of today's tables, so that reading writes
nothing; opened for writing it is migrated, in one transaction, from what the same views show.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

SCHEMA_VERSION = 4
"""Increase it with every change of `SCHEMA`."""

EDITED = "a turn was edited since it was used in this run"
"""SQLite's message for a fixed prompt that differs from the stored one of the same number."""

_ASKED = """
CREATE TABLE IF NOT EXISTS asked (
    id INTEGER PRIMARY KEY,
    dialogue INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    digest TEXT NOT NULL,
    fixed INTEGER NOT NULL,     -- 1: the same whatever was answered before
    seat TEXT NOT NULL,
    messages TEXT NOT NULL,     -- those before the query, as JSON; empty for none
    query TEXT NOT NULL,        -- the last message, the user's
    payload TEXT NOT NULL,
    labels TEXT NOT NULL,
    max_tokens INTEGER
);
"""
_ASKED_INDEX = "CREATE INDEX IF NOT EXISTS asked_of_turn ON asked (dialogue, turn);"

_TURN = """
CREATE TABLE IF NOT EXISTS turn (
    session INTEGER NOT NULL REFERENCES session (id),
    turn INTEGER NOT NULL,
    asked INTEGER NOT NULL REFERENCES asked (id),
    answer TEXT NOT NULL,
    reasoning TEXT NOT NULL,
    truncated INTEGER NOT NULL,
    served_by TEXT NOT NULL,
    seconds REAL NOT NULL,
    verdicts TEXT,              -- NULL: answered, not judged yet
    scores TEXT NOT NULL,
    heuristic TEXT NOT NULL,
    records TEXT NOT NULL,      -- each judge model's scores and reasons
    notes TEXT NOT NULL,        -- what the context strategy learnt at this turn
    context_tokens INTEGER,     -- NULL: not counted while it was played
    seal TEXT,                  -- NULL: not sealed; see evolif.runner.hash_chain
    context TEXT,               -- what the call was shown and why, as JSON; NULL: everything, or not known
    PRIMARY KEY (session, turn)
);
"""

_CALL = """
CREATE TABLE IF NOT EXISTS call (
    id INTEGER PRIMARY KEY,
    session INTEGER REFERENCES session (id),  -- NULL: the wording of a turn, which belongs to no session
    dialogue INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    role TEXT NOT NULL,
    model TEXT NOT NULL,
    calls INTEGER NOT NULL,
    prompt_tokens INTEGER,      -- NULL: unknown
    completion_tokens INTEGER,
    state TEXT,                 -- NULL: over; open: under way; lost: under way when its process died
    bound INTEGER,              -- the most tokens that it may have used, where these are unknown
    cached_tokens INTEGER,      -- of the prompt, from the provider's cache; NULL: none, or not known
    reasoning_tokens INTEGER,   -- of the completion
    image_tokens INTEGER        -- of the prompt
);
"""
_CALL_INDEX = "CREATE INDEX IF NOT EXISTS call_of_turn ON call (session, turn);"

_ONCE = f"""
CREATE TRIGGER IF NOT EXISTS asked_once BEFORE INSERT ON asked
WHEN EXISTS (SELECT 1 FROM asked WHERE dialogue = NEW.dialogue AND turn = NEW.turn)
BEGIN
    SELECT CASE
        WHEN digest = NEW.digest THEN RAISE(IGNORE)
        WHEN fixed AND NEW.fixed THEN RAISE(ABORT, '{EDITED}')
    END FROM asked WHERE dialogue = NEW.dialogue AND turn = NEW.turn ORDER BY digest <> NEW.digest;
END;
"""

_VOID = """
CREATE TRIGGER IF NOT EXISTS terms_after_{name} AFTER {event} ON {table}
BEGIN
    DELETE FROM terms WHERE session {which};
END;
"""
_OF_DIALOGUE = "IN (SELECT id FROM session WHERE dialogue = OLD.dialogue)"

TERMS = """
CREATE TABLE IF NOT EXISTS terms (
    session INTEGER PRIMARY KEY,
    edition INTEGER NOT NULL,   -- see evolif.metrics.terms
    data TEXT NOT NULL,
    seal TEXT NOT NULL          -- a digest of data and of the session's own seal
);
CREATE TABLE IF NOT EXISTS cells (
    breakdown TEXT NOT NULL,
    session INTEGER NOT NULL,
    data TEXT NOT NULL,         -- holds only while the session has terms
    seal TEXT NOT NULL,
    PRIMARY KEY (breakdown, session)
) WITHOUT ROWID;
""" + "".join(
    _VOID.format(name=f"{table}_{event.split()[0].lower()}", event=event, table=table, which=which)
    for table, event, which in (
        ("turn", "INSERT", "= NEW.session"),
        ("turn", "UPDATE", "IN (OLD.session, NEW.session)"),
        ("turn", "DELETE", "= OLD.session"),
        ("session", "UPDATE", "IN (OLD.id, NEW.id)"),
        ("session", "DELETE", "= OLD.id"),
        ("asked", "UPDATE", _OF_DIALOGUE),
        ("asked", "DELETE", _OF_DIALOGUE),
    )
)
"""What is kept of ended sessions for figures, and what removes it when their turns change."""

SCHEMA = f"""
CREATE TABLE IF NOT EXISTS run (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS session (
    id INTEGER PRIMARY KEY,
    model TEXT NOT NULL,
    dialogue INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    ending TEXT,
    cause TEXT NOT NULL DEFAULT '',
    reason TEXT NOT NULL DEFAULT '',
    seal TEXT,                  -- of the end; NULL: not ended, or not sealed
    UNIQUE (model, dialogue, epoch)
);
{_ASKED}
{_ASKED_INDEX}
{_ONCE}
{_TURN}
{_CALL}
{_CALL_INDEX}
CREATE TABLE IF NOT EXISTS fault (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session (id),
    turn INTEGER NOT NULL,
    role TEXT NOT NULL,
    kind TEXT NOT NULL,
    message TEXT NOT NULL
);
{TERMS}
"""

# Versions 2 and 3 stored the turns of instruction following, its fields as columns; 2 lacked four of them.

_FIELDS = {
    "3": {"operation": "operation", "source": "source", "register": "register", "witness": "witness"},
    "2": {"operation": "''", "source": "''", "register": "''", "witness": "NULL"},
}

_VIEWS = """
CREATE TEMP VIEW asked AS
SELECT rowid AS id, dialogue, turn, hash AS digest, 1 AS fixed, 'target' AS seat, '' AS messages, query,
       json_object('constraints', json(constraints), 'witness', {witness}) AS payload,
       json_object('topic', topic, 'move', move, 'depth', depth, 'operation', {operation}, 'source', {source},
                   'register', {register}) AS labels,
       NULL AS max_tokens
FROM main.asked;
CREATE TEMP VIEW turn AS
SELECT answered.session, answered.turn, (
           SELECT asked.rowid FROM main.asked JOIN main.session ON asked.dialogue = session.dialogue
           WHERE session.id = answered.session AND asked.turn = answered.turn
       ) AS asked, answer, reasoning, truncated, served_by, seconds, verdicts, '' AS scores, heuristic,
       scores AS records, '' AS notes, NULL AS context_tokens, NULL AS seal, NULL AS context
FROM main.turn AS answered;
CREATE TEMP VIEW call AS
SELECT id, session, dialogue, turn, role, model, calls, prompt_tokens, completion_tokens, NULL AS state, NULL AS bound,
       NULL AS cached_tokens, NULL AS reasoning_tokens, NULL AS image_tokens
FROM main.call;
"""

_MIGRATION = (
    "CREATE TEMP TABLE old_asked AS SELECT * FROM temp.asked ORDER BY id",
    "CREATE TEMP TABLE old_turn AS SELECT * FROM temp.turn",
    "CREATE TEMP TABLE old_call AS SELECT * FROM temp.call",
    "DROP VIEW temp.asked",
    "DROP VIEW temp.turn",
    "DROP VIEW temp.call",
    "DROP TRIGGER IF EXISTS asked_once",
    "DROP TABLE main.turn",
    "DROP TABLE main.asked",
    "DROP TABLE main.call",
    _ASKED,
    _ASKED_INDEX,
    _TURN,
    _CALL,
    _CALL_INDEX,
    "INSERT INTO main.asked SELECT * FROM old_asked",
    "INSERT INTO main.turn SELECT * FROM old_turn",
    "INSERT INTO main.call SELECT * FROM old_call",
    _ONCE,
    "DROP TABLE temp.old_asked",
    "DROP TABLE temp.old_turn",
    "DROP TABLE temp.old_call",
    f"UPDATE run SET value = '{SCHEMA_VERSION}' WHERE key = 'schema'",
)

# Files of any version lack the seals of sessions if they were made before there were any, and those of this version the
# contexts of turns and what a call's tokens were.
_ADDED = (
    ("session", {"seal": "TEXT"}),
    ("turn", {"context": "TEXT"}),
    ("call", {"cached_tokens": "INTEGER", "reasoning_tokens": "INTEGER", "image_tokens": "INTEGER"}),
)

KNOWN_VERSIONS: Mapping[str, str] = {version: _VIEWS.format(**fields) for version, fields in _FIELDS.items()}
"""Earlier versions that can be read: the views that show them as today's tables."""


def version_of(connection: sqlite3.Connection) -> str | None:
    """The version of a run's file; None if it is not one."""
    if connection.execute("SELECT 1 FROM main.sqlite_master WHERE name = 'run'").fetchone() is None:
        return None
    row = connection.execute("SELECT value FROM run WHERE key = 'schema'").fetchone()
    return None if row is None else str(row[0])


def adapt(connection: sqlite3.Connection, *, migrate: bool) -> None:
    """Make a file of an earlier version look like today's, or, with `migrate`, be like it; nothing is half done."""
    version = version_of(connection) or ""
    views = KNOWN_VERSIONS.get(version)
    if views is None and version != str(SCHEMA_VERSION):
        return
    for table, columns in _ADDED if views is None else _ADDED[:1]:
        there = {name for _, name, *_ in connection.execute(f"PRAGMA main.table_info({table})")}
        missing = {column: kind for column, kind in columns.items() if column not in there}
        if migrate:
            for column, kind in missing.items():
                connection.execute(f"ALTER TABLE main.{table} ADD COLUMN {column} {kind}")
        elif missing:
            nulls = ", ".join(f"NULL AS {column}" for column in missing)
            connection.execute(f"CREATE TEMP VIEW {table} AS SELECT *, {nulls} FROM main.{table}")
    if views is not None:
        connection.executescript(views)
        if migrate:
            _migrate(connection)
    if connection.execute("SELECT 1 FROM main.sqlite_master WHERE name = 'terms'").fetchone() is None:
        # A file without terms is read as one that has none yet; in a temporary table, so that reading writes nothing.
        script = TERMS if migrate else TERMS.partition("CREATE TRIGGER")[0].replace("TABLE", "TEMP TABLE")
        connection.executescript(script)


def _migrate(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA foreign_keys=OFF")  # ignored inside a transaction
    try:
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            for statement in _MIGRATION:
                connection.execute(statement)
    finally:
        connection.execute("PRAGMA foreign_keys=ON")
